"""Steps told by output: lines of a task are held against the patterns that its plan gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from leaseway.core.checkpoint.phases import LONGEST_LINE, wrong_pattern
from leaseway.core.model.units import Millis
from leaseway.runtime import cpu_ns
from leaseway.worker.capture import CAP_BYTES, Capture

LINES_AT_ONCE = 64
"""Of one chunk of output so many lines are looked at; a flood is not read whole."""

SLOW_NS = 50_000_000
"""A pattern that takes longer for a line is not used any more."""

Found = Callable[[str, Millis], None]


class Patterns:
    """The patterns of one attempt. `found(line, following_ms)` is called for each line that
    matches. `slow`: those that were given up, because a line took too long."""

    def __init__(self, phases: Mapping[str, Millis], found: Found) -> None:
        # Refused when a plan is read; who hands one in by other ways must not harm its keeper.
        good = {text: length for text, length in phases.items() if not wrong_pattern(text)}
        self._patterns = [(re.compile(text), following) for text, following in good.items()]
        self._found = found
        self.slow: list[str] = []

    def look_at(self, line: str) -> None:
        """One line; the first pattern that matches counts."""
        for pattern, following in list(self._patterns):
            began = cpu_ns()
            matches = pattern.search(line) is not None
            if cpu_ns() - began > SLOW_NS:
                self._patterns.remove((pattern, following))
                self.slow.append(pattern.pattern)
            if matches:
                self._found(line, following)
                return


class WatchedCapture(Capture):
    """A stream that is kept, and read along by line."""

    def __init__(
        self,
        folder: Callable[[], Path],
        name: str,
        cap_bytes: int = CAP_BYTES,
        patterns: Patterns | None = None,
    ) -> None:
        super().__init__(folder, name, cap_bytes)
        self._patterns = patterns
        self._rest = b""

    def take(self, data: bytes) -> None:
        """Keep it, then look at the lines that are whole."""
        super().take(data)
        if self._patterns is None:
            return
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[: 4 * LONGEST_LINE]
        for line in lines[-LINES_AT_ONCE:]:
            self._patterns.look_at(_shown(line))

    def finish(self) -> None:
        """The last line may lack its end."""
        if self._patterns is not None and self._rest:
            self._patterns.look_at(_shown(self._rest))
            self._rest = b""
        super().finish()


def _shown(line: bytes) -> str:
    return line[: 4 * LONGEST_LINE].decode("utf-8", "replace").rstrip("\r")[:LONGEST_LINE]
