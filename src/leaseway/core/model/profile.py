"""Reserved capacity over time: a step function kept in blocks, so that long full stretches are
skipped block by block instead of step by step.

A block keeps the least and the most that is used within it. Where even the least leaves no room
the whole block is passed over; where even the most leaves room it is taken whole. Finding room
behind p steps costs about p / BLOCK + BLOCK, adding a reservation O(steps it covers).
"""

from __future__ import annotations

from bisect import bisect_right

from leaseway.core.model.capacity import Vector, minus, plus
from leaseway.core.model.units import Instant, Millis

BLOCK = 128
_START: Instant = -(1 << 62)


class _Block:
    __slots__ = ("_hi", "_lo", "_stale", "times", "used")

    def __init__(self, times: list[Instant], used: list[Vector]) -> None:
        self.times = times
        self.used = used
        self._lo: Vector = ()
        self._hi: Vector = ()
        self._stale = True

    def copy(self) -> _Block:
        """An independent copy, with what was measured."""
        twin = _Block(list(self.times), list(self.used))
        twin._lo, twin._hi, twin._stale = self._lo, self._hi, self._stale
        return twin

    def changed(self) -> None:
        """Steps were changed: measured again when somebody asks."""
        self._stale = True

    def bounds(self) -> tuple[Vector, Vector]:
        """The least and the most that is used within this block, resource by resource."""
        if self._stale:
            columns = list(zip(*self.used, strict=True))
            self._lo, self._hi = tuple(map(min, columns)), tuple(map(max, columns))
            self._stale = False
        return self._lo, self._hi


class Profile:
    """What is set aside at every moment. `width` is the length of its vectors."""

    __slots__ = ("_blocks", "_firsts", "_zero")

    def __init__(self, width: int = 6) -> None:
        self._zero: Vector = (0,) * width
        self._blocks = [_Block([_START], [self._zero])]
        self._firsts = [_START]

    def copy(self) -> Profile:
        """An independent copy, for trying things out."""
        twin = Profile(len(self._zero))
        twin._blocks = [block.copy() for block in self._blocks]
        twin._firsts = list(self._firsts)
        return twin

    def steps(self) -> list[tuple[Instant, Vector]]:
        """Every step as (from, used), first one from the beginning of time."""
        return [
            (time, used)
            for block in self._blocks
            for time, used in zip(block.times, block.used, strict=True)
        ]

    def add(self, start: Instant, end: Instant, amount: Vector) -> None:
        """Set `amount` aside over [start, end)."""
        if start < end:
            self._change(start, end, amount)

    def remove(self, start: Instant, end: Instant, amount: Vector) -> None:
        """Give back what `add` took with the same arguments."""
        if start < end:
            self._change(start, end, minus(self._zero, amount))

    def at(self, moment: Instant) -> Vector:
        """What is set aside at this moment."""
        block = self._blocks[bisect_right(self._firsts, moment) - 1]
        return block.used[bisect_right(block.times, moment) - 1]

    def most_between(self, start: Instant, end: Instant) -> Vector:
        """The most that is set aside of each resource at any moment of [start, end)."""
        found = self.at(start)
        for moment, used in self.steps():
            if start < moment < end:
                found = tuple(map(max, found, used))
        return found

    def has_room(self, start: Instant, end: Instant, amount: Vector, capacity: Vector) -> bool:
        """Whether `amount` more fits into `capacity` all through [start, end)."""
        return start >= end or self.earliest(start, end - start, amount, capacity) == start

    def earliest(
        self, ready: Instant, length: Millis, amount: Vector, capacity: Vector
    ) -> Instant | None:
        """The first moment at or after `ready` from which `amount` fits for `length`.

        None if it never does, because it exceeds the capacity itself.
        """
        most = minus(capacity, amount)
        if min(most) < 0:
            return None
        start = ready
        at_block = bisect_right(self._firsts, ready) - 1
        while at_block < len(self._blocks):
            block = self._blocks[at_block]
            block_end = self._firsts[at_block + 1] if at_block + 1 < len(self._firsts) else None
            lo, hi = block.bounds()
            if any(low > limit for low, limit in zip(lo, most, strict=True)):
                if block_end is None:
                    return None
                start = max(start, block_end)
            elif not all(high <= limit for high, limit in zip(hi, most, strict=True)):
                start = _scan_block(block, block_end, start, length, most)
            if block_end is None or block_end >= start + length:
                return start
            at_block += 1
        return start

    def forget_before(self, moment: Instant) -> None:
        """Drop the steps that ended before `moment`."""
        keep = bisect_right(self._firsts, moment) - 1
        if keep > 0:
            del self._blocks[:keep]
            del self._firsts[:keep]
        block = self._blocks[0]
        at = bisect_right(block.times, moment) - 1
        if at > 0:
            del block.times[:at]
            del block.used[:at]
            block.changed()
        block.times[0] = _START
        self._firsts[0] = _START

    def _change(self, start: Instant, end: Instant, amount: Vector) -> None:
        self._split(start)
        self._split(end)
        first = bisect_right(self._firsts, start) - 1
        last = bisect_right(self._firsts, end) - 1
        for at_block in range(first, last + 1):
            block = self._blocks[at_block]
            lower = bisect_right(block.times, start - 1)
            upper = bisect_right(block.times, end - 1)
            for at in range(lower, upper):
                block.used[at] = plus(block.used[at], amount)
            block.changed()
        self._merge(end)
        self._merge(start)

    def _split(self, moment: Instant) -> None:
        at_block = bisect_right(self._firsts, moment) - 1
        block = self._blocks[at_block]
        at = bisect_right(block.times, moment) - 1
        if block.times[at] == moment:
            return
        block.times.insert(at + 1, moment)
        block.used.insert(at + 1, block.used[at])
        if len(block.times) > 2 * BLOCK:
            right = _Block(block.times[BLOCK:], block.used[BLOCK:])
            del block.times[BLOCK:]
            del block.used[BLOCK:]
            block.changed()
            self._blocks.insert(at_block + 1, right)
            self._firsts.insert(at_block + 1, right.times[0])

    def _merge(self, moment: Instant) -> None:
        """Drop the step at `moment` if it changes nothing, and its block if that empties it."""
        at_block = bisect_right(self._firsts, moment) - 1
        block = self._blocks[at_block]
        at = bisect_right(block.times, moment) - 1
        if block.times[at] != moment:
            return
        before = block.used[at - 1] if at else self._blocks[at_block - 1].used[-1]
        if before != block.used[at]:
            return
        del block.times[at]
        del block.used[at]
        if block.times:
            block.changed()
            self._firsts[at_block] = block.times[0]
        else:
            del self._blocks[at_block]
            del self._firsts[at_block]


def _scan_block(
    block: _Block, block_end: Instant | None, start: Instant, length: Millis, most: Vector
) -> Instant:
    """Move `start` past every step of this block that has no room, until `length` fits."""
    last = len(block.times) - 1
    for at in range(max(0, bisect_right(block.times, start) - 1), last + 1):
        if block.times[at] >= start + length:
            return start
        if any(have > limit for have, limit in zip(block.used[at], most, strict=True)):
            until = block.times[at + 1] if at < last else block_end
            assert until is not None  # the last step of all is empty: `most` is not negative
            start = max(start, until)
    return start
