"""Kinds of values: each reads one, says what it expected, and describes itself as JSON Schema.

A kind's `read` gives the value in the model's units, or BAD after reporting what is wrong.
Zero, absent and unlimited are three things: a kind says whether 0 and `"unlimited"` are allowed.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Protocol

from leaseway.core.model.units import DAY, Millis, parse_duration, parse_size
from leaseway.planfile.report import BAD, Bad, Spot

Schema = dict[str, object]
UNLIMITED = "unlimited"
LONGEST_MS: Millis = 36_500 * DAY
LARGEST_BYTES = 1 << 60
LARGEST_COUNT = 1_000_000
_SURROGATE = re.compile("[\ud800-\udfff]")


class Kind(Protocol):
    """Reads one kind of value."""

    def read(self, value: object, spot: Spot) -> object:
        """The value in the model's units, or BAD after reporting."""

    def schema(self) -> Schema:
        """What is allowed, as JSON Schema."""


def unwritable(text: str) -> bool:
    """Whether a text cannot be passed to a process or stored as UTF-8."""
    return "\0" in text or _SURROGATE.search(text) is not None


@dataclass(frozen=True)
class Text:
    """A text that is not blank."""

    expected: str = "a text that is not empty"
    pattern: str = r"(?s:.*\S.*)"

    def read(self, value: object, spot: Spot) -> str | Bad:
        if not isinstance(value, str) or unwritable(value):
            return spot.wrong(self.expected, value)
        if re.fullmatch(self.pattern, value) is None:
            return spot.wrong(self.expected, value)
        return value

    def schema(self) -> Schema:
        return {"type": "string", "minLength": 1}


@dataclass(frozen=True)
class Texts:
    """A list of texts; what stands twice counts once."""

    item: Text = Text()
    least: int = 0

    def read(self, value: object, spot: Spot) -> tuple[str, ...] | Bad:
        if not isinstance(value, list | tuple):
            return spot.wrong("a list of texts", value)
        if len(value) < self.least:
            return spot.wrong("at least one, or leave the key out", value)
        texts = [self.item.read(text, spot.at(at)) for at, text in enumerate(value)]
        good = [text for text in texts if not isinstance(text, Bad)]
        return tuple(dict.fromkeys(good)) if len(good) == len(texts) else BAD

    def schema(self) -> Schema:
        bound: Schema = {"minItems": self.least} if self.least else {}
        return {"type": "array", "items": self.item.schema(), **bound}


@dataclass(frozen=True)
class Choice:
    """One of a few words; `later` are words that this version does not carry out."""

    words: tuple[str, ...]
    later: tuple[str, ...] = ()

    def read(self, value: object, spot: Spot) -> str | Bad:
        if isinstance(value, str) and value in self.words:
            return value
        if isinstance(value, str) and value in self.later:
            return spot.not_offered(value, self._expected())
        return spot.wrong(self._expected(), value)

    def _expected(self) -> str:
        return ("one of " if len(self.words) > 1 else "") + ", ".join(
            f'"{word}"' for word in self.words
        )

    def schema(self) -> Schema:
        return {"enum": list(self.words)}


@dataclass(frozen=True)
class Flag:
    """true or false."""

    def read(self, value: object, spot: Spot) -> bool | Bad:
        return value if isinstance(value, bool) else spot.wrong("true or false", value)

    def schema(self) -> Schema:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Amount:
    """What the kinds of amounts share: whether 0 and "unlimited" are allowed."""

    zero: bool = True
    unlimited: bool = False

    def wants(self, what: str, such_as: str = "") -> str:
        """What was expected: whether 0 and unlimited are allowed, with examples."""
        more = "" if self.zero else " above 0"
        either = f', or "{UNLIMITED}"' if self.unlimited else ""
        return f"{what}{more}{such_as and ' such as '}{such_as}{either}"

    def offers(self, *shapes: Schema) -> Schema:
        """Schema of an amount that may be unlimited."""
        every: list[Schema] = [*shapes]
        if self.unlimited:
            every.append({"const": UNLIMITED})
        return every[0] if len(every) == 1 else {"anyOf": every}

    def is_unlimited(self, value: object) -> bool:
        """Whether the word stands here and may."""
        return self.unlimited and value == UNLIMITED


@dataclass(frozen=True)
class Duration(Amount):
    """`90` (seconds), `90s`, `8m`, `1h30m`, `PT8M` → milliseconds; unlimited → None."""

    prefix: str = ""

    def read(self, value: object, spot: Spot) -> Millis | None | Bad:
        if self.is_unlimited(value):
            return None
        length = self.millis(value)
        if length is None or length > LONGEST_MS or (length == 0 and not self.zero):
            return spot.wrong(self.wants("a duration", "90s, 8m or 1h30m"), value)
        return length

    def millis(self, value: object) -> Millis | None:
        """The length, or None if this is no duration."""
        if isinstance(value, str):
            value = value.strip().removeprefix(self.prefix) if self.prefix else value
        elif not isinstance(value, int | float):
            return None
        try:
            return parse_duration(value)
        except (ValueError, OverflowError):
            return None

    def schema(self) -> Schema:
        least: Schema = {"minimum": 0} if self.zero else {"exclusiveMinimum": 0}
        return self.offers({"type": "number", **least}, {"type": "string", "pattern": "[0-9]"})


@dataclass(frozen=True)
class Size(Amount):
    """`512MiB`, `8GB`, `1024` → bytes; unlimited → None."""

    def read(self, value: object, spot: Spot) -> int | None | Bad:
        if self.is_unlimited(value):
            return None
        whole = int(value) if isinstance(value, float) and value.is_integer() else value
        try:
            size = parse_size(whole) if isinstance(whole, int | str) else -1
        except (ValueError, OverflowError):
            size = -1
        if not 0 <= size <= LARGEST_BYTES:
            return spot.wrong(self.wants("a size", "512MiB or 8GB"), value)
        return size

    def schema(self) -> Schema:
        return self.offers(
            {"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^\\s*[0-9]"}
        )


@dataclass(frozen=True)
class Count(Amount):
    """A whole number; unlimited → None."""

    def read(self, value: object, spot: Spot) -> int | None | Bad:
        if self.is_unlimited(value):
            return None
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not whole or not (0 if self.zero else 1) <= value <= LARGEST_COUNT:  # type: ignore[operator]
            return spot.wrong(self.wants("a whole number"), value)
        return int(value)  # type: ignore[call-overload,no-any-return]

    def schema(self) -> Schema:
        return self.offers({"type": "integer", "minimum": 0 if self.zero else 1})


@dataclass(frozen=True)
class Cpus(Amount):
    """Cpus, fractions allowed (0.5) → thousandths of a cpu; unlimited → None."""

    def read(self, value: object, spot: Spot) -> int | None | Bad:
        if self.is_unlimited(value):
            return None
        milli = -1
        if isinstance(value, int | float) and not isinstance(value, bool):
            fits = math.isfinite(value) and 0 <= value <= LARGEST_COUNT
            milli = round(value * 1000) if fits else -1
            milli = -1 if milli == 0 and value != 0 else milli
        if milli < 0 or (milli == 0 and not self.zero):
            return spot.wrong(self.wants("a number of cpus", "4 or 0.5"), value)
        return milli

    def schema(self) -> Schema:
        least: Schema = {"minimum": 0} if self.zero else {"exclusiveMinimum": 0}
        return self.offers({"type": "number", **least})
