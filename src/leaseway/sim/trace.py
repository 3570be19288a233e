"""What happened, line by line: digest to compare, excerpt to read."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from leaseway.sim.agenda import Agenda

_LAST = 12


class Trace:
    """Lines in the order of true time."""

    def __init__(self, agenda: Agenda) -> None:
        self._agenda = agenda
        self.lines: list[str] = []

    def say(self, who: str, what: str) -> None:
        """One more line."""
        self.lines.append(f"{self._agenda.now / 1000:9.3f} {who:<11} {what}")

    def digest(self) -> str:
        """Equal for equal worlds."""
        return sha256("\n".join(self.lines).encode()).hexdigest()

    def about(self, names: Iterable[str]) -> list[str]:
        """The lines that name one of these, every fault, and the last few."""
        wanted = tuple(names)
        last = len(self.lines) - _LAST
        return [
            line
            for at, line in enumerate(self.lines)
            if at >= last or " fault " in line or any(name in line for name in wanted)
        ]
