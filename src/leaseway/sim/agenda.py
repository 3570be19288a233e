"""Virtual time: a heap of what happens when. True time, which nobody in the world can read."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

Act = Callable[[], None]


class Agenda:
    """What is still to happen. Of two things at the same moment the one noted first comes first."""

    def __init__(self) -> None:
        self.now = 0
        self._heap: list[tuple[int, int, Act]] = []
        self._count = 0

    def after(self, length_ms: int, act: Act) -> None:
        """Do this so much later."""
        self._count += 1
        heappush(self._heap, (self.now + max(0, length_ms), self._count, act))

    def step(self, until: int) -> bool:
        """Do the next thing. False: nothing happens before `until`, where time now stands."""
        if not self._heap or self._heap[0][0] > until:
            self.now = max(self.now, until)
            return False
        self.now, _, act = heappop(self._heap)
        act()
        return True
