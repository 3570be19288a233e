"""Goal: a profile finds the earliest room there is. Method: a grid searched by brute force."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from leaseway.core.model import profile as profiles
from leaseway.core.model.profile import Profile

END = 60
CAPACITY = (4, 3)
amounts = st.tuples(st.integers(0, 4), st.integers(0, 3))
moments = st.integers(0, END)
spans = st.tuples(moments, moments).map(lambda pair: (min(pair), max(pair)))


def grid(added):
    used = [[0, 0] for _ in range(END)]
    for (start, end), amount in added:
        for at in range(start, end):
            used[at] = [have + more for have, more in zip(used[at], amount, strict=True)]
    return used


def has_room(used, start, end, amount):
    cells = [used[at] if at < END else (0, 0) for at in range(start, end)]
    return all(
        have + more <= most
        for cell in cells
        for have, more, most in zip(cell, amount, CAPACITY, strict=True)
    )


def earliest(used, ready, length, amount):
    return next(at for at in range(ready, END + 1) if has_room(used, at, at + length, amount))


class AgainstGrid(RuleBasedStateMachine):
    """Reservations come and go; profile and grid stay the same."""

    block = profiles.BLOCK

    def __init__(self):
        super().__init__()
        profiles.BLOCK = 2  # so that few reservations already make many blocks
        self.profile = Profile(2)
        self.added: list[tuple[tuple[int, int], tuple[int, int]]] = []

    def teardown(self):
        profiles.BLOCK = self.block

    @rule(span=spans, amount=amounts)
    def add(self, span, amount):
        start, end = span
        self.profile.add(start, end, amount)
        self.added.append((span, amount))

    @rule(data=st.data())
    def remove(self, data):
        if self.added:
            (start, end), amount = self.added.pop(data.draw(st.integers(0, len(self.added) - 1)))
            self.profile.remove(start, end, amount)

    @rule(ready=st.integers(0, END), length=st.integers(1, END), amount=amounts)
    def find(self, ready, length, amount):
        expected = earliest(grid(self.added), ready, length, amount)
        assert self.profile.earliest(ready, length, amount, CAPACITY) == expected

    @rule(span=spans, amount=amounts)
    def ask(self, span, amount):
        start, end = span
        expected = has_room(grid(self.added), start, end, amount)
        assert self.profile.has_room(start, end, amount, CAPACITY) is expected

    @invariant()
    def same_at_every_moment(self):
        used = grid(self.added)
        assert [list(self.profile.at(moment)) for moment in range(END)] == used

    @invariant()
    def no_step_changes_nothing(self):
        levels = [used for _, used in self.profile.steps()]
        assert all(one != other for one, other in pairwise(levels))


TestAgainstGrid = AgainstGrid.TestCase


@given(st.lists(st.tuples(spans, amounts), max_size=12), st.integers(0, END))
def test_what_is_forgotten_changes_nothing_later(added, moment):
    profile = Profile(2)
    for (start, end), amount in added:
        profile.add(start, end, amount)
    profile.forget_before(moment)
    used = grid(added)
    assert [list(profile.at(at)) for at in range(moment, END)] == used[moment:]
    if moment:
        assert profile.steps()[0][1] == profile.at(moment)


def test_more_than_there_is_never_fits():
    assert Profile(2).earliest(0, 1, (5, 0), CAPACITY) is None
    assert Profile(2).earliest(0, 1, (4, 3), CAPACITY) == 0


def test_a_copy_goes_its_own_way():
    one = Profile(2)
    one.add(0, 10, (1, 1))
    twin = one.copy()
    twin.add(5, 15, (1, 1))
    assert one.at(7) == (1, 1)
    assert twin.at(7) == (2, 2)


def test_no_length_takes_nothing():
    one = Profile(2)
    one.add(5, 5, (1, 1))
    assert len(one.steps()) == 1
    assert one.has_room(5, 5, (9, 9), CAPACITY)
