"""Typing into a machine of the test's network: a terminal that shows what is printed there."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import termios
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from leaseway.runtime import Clock
from tests.e2e.lan import Machine

_COLUMNS = 100
_PAINT = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class NotShown(Exception):
    """What was waited for did not appear."""


@dataclass
class Running:
    """A shell line in a terminal of its own, `_COLUMNS` wide."""

    process: subprocess.Popen[bytes]
    terminal: int
    _said: bytearray = field(default_factory=bytearray)

    @classmethod
    def start(cls, machine: Machine, line: str, folder: Path) -> Running:
        """Type the line; it runs until it ends."""
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (40, _COLUMNS))
        process = subprocess.Popen(
            machine.argv(["sh", "-c", line], folder),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=machine.environment(),
            start_new_session=True,
        )
        os.close(theirs)
        return cls(process, ours)

    @property
    def printed(self) -> str:
        """What it has printed so far, without colours."""
        return _PAINT.sub("", self._said.decode(errors="replace")).replace("\r\n", "\n")

    def wait_for(self, words: str) -> str:
        """Until these words stand there, wherever the line was broken; all that is printed."""
        return self.wait_until(lambda text: words in " ".join(text.split()), words)

    def wait_until(self, holds: Callable[[str], bool], what: str, within_s: float = 20) -> str:
        """Until this holds for what is printed; all that is printed."""
        self._read_until(lambda: holds(self.printed), what, within_s)
        return self.printed

    def type(self, text: str) -> None:
        """A line, and Enter."""
        os.write(self.terminal, text.encode() + b"\n")

    def interrupt(self) -> None:
        """Ctrl-C: to whatever runs in this terminal."""
        os.killpg(self.process.pid, signal.SIGINT)

    def end(self, within_s: float = 30) -> int:
        """Wait until it has ended; its exit code."""
        self._read_until(lambda: self.process.poll() is not None, "its end", within_s)
        with contextlib.suppress(NotShown):
            self._read_until(lambda: False, "", 0)
        os.close(self.terminal)
        return self.process.wait()

    def _read_until(self, reached: Callable[[], bool], what: str, within_s: float) -> None:
        clock = Clock()
        until = clock.boot_ms() + round(within_s * 1000)
        while not reached():
            ready, _, _ = select.select([self.terminal], [], [], 0.02)
            if ready and self._read():
                continue
            if clock.boot_ms() > until or (not ready and self.process.poll() is not None):
                if reached():
                    return
                raise NotShown(f"waited for {what!r}; there is:\n{self.printed}")

    def _read(self) -> bool:
        try:
            piece = os.read(self.terminal, 1 << 16)
        except OSError:  # nobody holds the other end any more
            return False
        self._said += piece
        return bool(piece)
