"""Rings by name: who waits for `task:ID`, `worker:NAME`, `plan:ID`, `events` or `log:ID`.

A waiter listens before it looks, so that no ring falls between. A lost ring would cost one poll
interval and never correctness: whoever wakes looks again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class Bell:
    """One waiter."""

    def __init__(self, wakeups: Wakeups) -> None:
        self._wakeups = wakeups
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Wake this waiter."""
        self._rung.set()

    async def until(self, deadline: float) -> bool:
        """Wait for a ring, until `deadline` on the loop's clock. False: look a last time, for it
        is over: the deadline has passed, or the house closes."""
        if self._wakeups.closed:
            return False
        if not self._rung.is_set() and deadline <= asyncio.get_running_loop().time():
            return False
        try:
            async with asyncio.timeout_at(deadline):
                await self._rung.wait()
        except TimeoutError:
            return False
        self._rung.clear()
        return not self._wakeups.closed


class Wakeups:
    """All waiters by name."""

    def __init__(self) -> None:
        self.closed = False
        self._bells: dict[str, dict[Bell, None]] = {}

    @contextmanager
    def listen(self, *names: str) -> Iterator[Bell]:
        """A bell that rings for any of these names."""
        bell = Bell(self)
        for name in names:
            self._bells.setdefault(name, {})[bell] = None
        try:
            yield bell
        finally:
            for name in names:
                self._leave(name, bell)

    def ring(self, names: Iterable[str]) -> None:
        """Wake everybody who listens for one of these names."""
        for name in names:
            for bell in self._bells.get(name, ()):
                bell.ring()

    def close(self) -> None:
        """The house closes: wake everybody, and let nobody wait again."""
        self.closed = True
        self.ring(list(self._bells))

    def waiting(self, name: str) -> int:
        """How many listen for this name."""
        return len(self._bells.get(name, ()))

    def _leave(self, name: str, bell: Bell) -> None:
        bells = self._bells[name]
        del bells[bell]
        if not bells:
            del self._bells[name]


def deadline_in(length_ms: int) -> float:
    """A deadline on the running loop's clock."""
    return asyncio.get_running_loop().time() + length_ms / 1000
