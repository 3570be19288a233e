"""What was read from one command, and where it is collected."""

from __future__ import annotations

from msgspec import Struct, field

from leaseway.core.model.inferred import Inferred
from leaseway.inference.scope import START

MOST = 200
"""So many accesses of one command are kept; more is said to be not understood."""
SHOWN = 100


class Unread(Struct, frozen=True, omit_defaults=True):
    """A piece of a command of which it cannot be told what it touches, and why."""

    text: str
    why: str


class Reading(Struct, frozen=True, omit_defaults=True):
    """What a command probably touches. `unread` empty: every piece of it was understood, which
    makes nothing known."""

    accesses: tuple[Inferred, ...] = ()
    unread: tuple[Unread, ...] = ()


class Sink(Struct):
    """Collects, each access once with what said it first."""

    accesses: dict[tuple[str, bool], Inferred] = field(default_factory=dict)
    unread: dict[tuple[str, str], Unread] = field(default_factory=dict)

    def touch(self, what: str, rule: str, text: str, *, writes: bool) -> None:
        """One access more."""
        if len(self.accesses) >= MOST:
            self.miss(text, f"more than {MOST} accesses")
        else:
            said = Inferred(what.replace(START, "."), rule, piece(text), writes)
            self.accesses.setdefault((said.what, writes), said)

    def miss(self, text: str, why: str) -> None:
        """A piece that is not understood."""
        if len(self.unread) < MOST:
            said = Unread(piece(text), why)
            self.unread.setdefault((said.text, why), said)

    def reading(self) -> Reading:
        """All of it."""
        return Reading(tuple(self.accesses.values()), tuple(self.unread.values()))


def piece(text: str) -> str:
    """A piece of a command as it is shown: its first line, cut."""
    line = text.strip().partition("\n")[0]
    line = "".join(letter if letter.isprintable() else "?" for letter in line[: SHOWN + 1])
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"
