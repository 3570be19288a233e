"""Chance from a seed: splitmix64 (Steele, Lea, Flood 2014). Each concern draws from a stream of
its own, so that one more draw in one place changes nothing elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


class Chance:
    """One stream."""

    def __init__(self, seed: int) -> None:
        self._seed = self._state = seed & _MASK

    def draw(self) -> int:
        """64 bits."""
        self._state = (self._state + _GOLDEN) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + self.draw() % (high - low + 1)

    def happens(self, per_mille: int) -> bool:
        """True in so many of a thousand cases."""
        return self.draw() % 1_000 < per_mille

    def pick(self, things: Sequence[T]) -> T:
        """One of them."""
        return things[self.draw() % len(things)]

    def stream(self, name: str) -> Chance:
        """Another stream of the same seed, the same for the same name (FNV-1a)."""
        mixed = 0xCBF29CE484222325
        for byte in name.encode():
            mixed = ((mixed ^ byte) * 0x100000001B3) & _MASK
        return Chance(Chance(self._seed ^ mixed).draw())
