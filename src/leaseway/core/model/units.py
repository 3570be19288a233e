"""Units: integer milliseconds, bytes and thousandths of a cpu. Parsing and showing of both.

`Instant` is a moment in ledger time (whole milliseconds, never going back); `Millis` is a length.
"""

from __future__ import annotations

import re
from typing import NewType

Instant = int
Millis = int
WorkerName = NewType("WorkerName", str)

SECOND: Millis = 1_000
MINUTE: Millis = 60 * SECOND
HOUR: Millis = 60 * MINUTE
DAY: Millis = 24 * HOUR

_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_PART_MS = {"ms": 1, "s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY}
_ISO = re.compile(
    r"P(?:(\d+)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?"
)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?i?B?)", re.IGNORECASE)
_SIZE_POWER = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}


def parse_duration(text: str | int | float) -> Millis:
    """`90`, `90s`, `8m`, `1h30m`, `500ms`, `PT8M` → milliseconds. ValueError names the text."""
    if isinstance(text, bool):
        raise ValueError(f"{text!r} is not a duration")
    if isinstance(text, (int, float)):
        if text < 0:
            raise ValueError(f"a duration is not negative: {text}")
        return round(text * SECOND)
    stripped = text.strip()
    if re.fullmatch(r"\d+(\.\d+)?", stripped):
        return round(float(stripped) * SECOND)
    iso = _ISO.fullmatch(stripped)
    if iso and any(iso.groups()):
        days, hours, minutes, seconds = (float(part or 0) for part in iso.groups())
        return round(days * DAY + hours * HOUR + minutes * MINUTE + seconds * SECOND)
    parts = _PART.findall(stripped)
    if not parts or "".join(number + unit for number, unit in parts) != stripped.replace(" ", ""):
        raise ValueError(f"{text!r} is not a duration; write 90s, 8m, 1h30m or PT8M")
    return round(sum(float(number) * _PART_MS[unit] for number, unit in parts))


def parse_size(text: str | int) -> int:
    """`512MiB`, `8GB`, `1024` → bytes (KiB is 1,024, KB is 1,000). ValueError names the text."""
    if isinstance(text, bool):
        raise ValueError(f"{text!r} is not a size")
    if isinstance(text, int):
        if text < 0:
            raise ValueError(f"a size is not negative: {text}")
        return text
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a size; write 512MiB or 8GB")
    unit = match.group(2).upper()
    step = 1024 if "I" in unit else 1000
    power = _SIZE_POWER[unit.rstrip("B").rstrip("I")]
    return round(float(match.group(1)) * float(step**power))


def show_ms(length: Millis) -> str:
    """Milliseconds as a person writes them: `350 ms`, `4.2s`, `8m`, `1h 5m`; at most two parts."""
    if length < 0:
        return "-" + show_ms(-length)
    if length < SECOND:
        return f"{length} ms" if length else "0s"
    if length < MINUTE:
        seconds = f"{length / SECOND:.1f}".removesuffix(".0")
        return f"{seconds}s" if seconds != "60" else "1m"
    whole = (length + SECOND // 2) // SECOND
    days, rest = divmod(whole, 86_400)
    hours, rest = divmod(rest, 3_600)
    minutes, seconds_left = divmod(rest, 60)
    named = [(days, "d"), (hours, "h"), (minutes, "m"), (seconds_left, "s")]
    first = next(at for at, (number, _) in enumerate(named) if number)
    return " ".join(f"{number}{unit}" for number, unit in named[first : first + 2] if number)


def show_bytes(amount: int) -> str:
    """Bytes as a person writes them, binary units."""
    if amount < 1024:
        return f"{amount} B"
    scaled = float(amount)
    for unit in ("KiB", "MiB", "GiB"):
        scaled /= 1024
        if scaled < 1024:
            return f"{scaled:.1f} {unit}".replace(".0 ", " ")
    return f"{scaled / 1024:.1f} TiB".replace(".0 ", " ")


def show_cpus(milli: int) -> str:
    """Thousandths of a cpu as cpus: 1500 → `1.5`."""
    return f"{milli / 1000:.3f}".rstrip("0").rstrip(".")


def show_at(moment: Instant) -> str:
    """A moment as `HH:MM:SS` in UTC; faces that know a time zone pass their own."""
    seconds = moment // SECOND % 86_400
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}Z"
