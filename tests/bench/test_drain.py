"""Goal: leases that end are replayed by the rules of docs/evaluate.md. Method: small cases worked
by hand, and random ones against a second replay that goes second by second and shares no code."""

from __future__ import annotations

import random

import pytest

from bench.evaluate.bounds import Oracle, Request, Unaware
from bench.evaluate.drain import Machine, Way
from bench.evaluate.measures import measure
from bench.evaluate.trace import Job, within


def jobs(*said):
    """(submit, run, request, cores) each."""
    return [
        Job(at, submit, run, request, cores, "u", submit + run)
        for at, (submit, run, request, cores) in enumerate(said)
    ]


def starts(made, rule, *, lease=10, cores=2, holds=False):
    done = Machine(made, Way(lease=lease, cores=cores, holds=holds), rule()).run()
    return [(one.start, one.broken, one.wasted) for one in done]


def test_a_job_waits_for_a_lease_that_is_long_enough():
    late = jobs((4, 3, 7, 1))
    assert starts(late, Request) == [(10, 0, 0)]
    assert starts(late, Oracle) == [(4, 0, 0)]


def test_what_ends_with_the_lease_is_not_broken():
    assert starts(jobs((4, 6, 6, 1)), Request) == [(4, 0, 0)]


def test_a_killed_job_takes_its_old_place_and_its_request_is_believed():
    """Started at 4 and killed at 10 with 2 cores: 12 wasted. It stands before the one submitted at
    5 again, and starts first; with a request of 8 that is at 10."""
    made = jobs((4, 8, 8, 2), (5, 1, 8, 2))
    assert starts(made, Unaware) == [(10, 1, 12), (18, 0, 0)]


def test_after_a_kill_nothing_but_the_request_counts():
    """Killed at 10; until 13 another holds the cores. 7 are left then and it asks for 8: the next
    lease, though the rule would let it start."""
    made = jobs((0, 3, 3, 2), (3, 8, 8, 2))
    assert starts(made, Unaware) == [(0, 0, 0), (10, 1, 14)]
    before = jobs((0, 9, 10, 1), (3, 8, 8, 1), (0, 3, 10, 2))
    assert [broken for _, broken, _ in starts(before, Unaware)] == [0, 1, 1]


def test_a_job_that_only_the_end_stops_holds_no_cores_but_under_reading_b():
    """The first asks for 9 at 5 and must wait for 10; the second asks for 1 and fits now. Under B
    the first keeps both cores for itself, and the second waits for its end."""
    made = jobs((5, 9, 9, 2), (5, 1, 1, 1))
    assert starts(made, Request) == [(10, 0, 0), (5, 0, 0)]
    assert starts(made, Request, holds=True) == [(10, 0, 0), (19, 0, 0)]


def test_nothing_starts_in_between_that_would_delay_the_first_that_lacks_cores():
    """One core is held until 4 by request. The second wants both at 4; the third asks for 4 and
    would end at 5: it waits. The fourth asks for 3 and ends at 4."""
    made = jobs((0, 4, 4, 1), (1, 2, 2, 2), (1, 4, 4, 1), (1, 3, 3, 1))
    assert starts(made, Request) == [(0, 0, 0), (4, 0, 0), (6, 0, 0), (1, 0, 0)]


def test_what_ends_later_takes_the_room_beside_the_first_once():
    """Two of four cores are held until 8; then the second takes three, one is left beside it. The
    third takes that one and ends at 13; the fourth would delay the second and waits for its end."""
    made = jobs((0, 8, 8, 2), (1, 2, 2, 3), (1, 12, 12, 1), (1, 12, 12, 1))
    seen = starts(made, Request, lease=30, cores=4)
    assert [start for start, _, _ in seen] == [0, 8, 1, 10]


def test_shares_are_told_per_start_and_of_all_core_time():
    made = jobs((4, 8, 8, 2), (5, 1, 8, 2))
    seen = measure(Machine(made, Way(lease=10, cores=2), Unaware()).run())
    assert seen.broken == pytest.approx(100 / 3)
    assert seen.wasted == 40.0  # 12 of 12 + 16 + 2
    assert (seen.mean_wait, seen.longest_wait) == (9.5, 13)  # 6 and 13
    assert seen.slowdown == pytest.approx((14 / 10 + 14 / 10) / 2)


def test_only_what_asks_for_a_lease_or_less_is_replayed():
    kept = within(jobs((0, 1, 11, 1), (2, 1, 10, 1)), 10)
    assert [(job.number, job.submit) for job in kept] == [(0, 2)]


class Stepper:
    """The same rules once more: every second, every waiting job, free cores counted anew."""

    def __init__(self, made, lease, cores, allowed):
        self.made, self.lease, self.cores, self.allowed = made, lease, cores, allowed
        self.on: dict[int, int] = {}
        self.killed: set[int] = set()
        self.began: dict[int, int] = {}
        self.broken = dict.fromkeys(range(len(made)), 0)

    def may(self, n, at, end):
        job = self.made[n]
        if job.request <= end - at:
            return True
        return n not in self.killed and self.allowed(job, end - at)

    def free_by_request(self, at, now):
        """Cores free at `at` if all that runs ends by its request."""
        held = [self.made[n].cores for n, s in self.on.items() if s + self.made[n].request > at]
        return self.cores - sum(held)

    def run(self):
        over: set[int] = set()
        now = 0
        while len(over) < len(self.made):
            for n, s in list(self.on.items()):
                if s + self.made[n].run <= now:
                    del self.on[n]
                    over.add(n)
            if now % self.lease == 0:
                for n in list(self.on):
                    del self.on[n]
                    self.killed.add(n)
                    self.broken[n] += 1
            end = (now // self.lease + 1) * self.lease
            self.second(now, end, over)
            now += 1
        return [(self.began[n], self.broken[n]) for n in range(len(self.made))]

    def second(self, now, end, over):
        head = None
        for n, job in enumerate(self.made):
            if job.submit > now or n in over or n in self.on:
                continue
            fits = self.free_by_request(now, now) >= job.cores
            if head is None:
                if not fits:
                    head = n
                    at = next(
                        t for t in range(now, 999) if self.free_by_request(t, now) >= job.cores
                    )
                    if at > end or not self.may(n, at, end):
                        at, spare = end, self.cores - job.cores
                    else:
                        spare = self.free_by_request(at, now) - job.cores
                    continue
            elif fits and now + job.request > at:
                fits = job.cores <= spare
                if fits and self.may(n, now, end):
                    spare -= job.cores
            if fits and self.may(n, now, end):
                self.on[n] = self.began[n] = now


@pytest.mark.parametrize("kind", ["all", "none", "half"])
def test_two_replays_agree(kind):
    allowed = {
        "all": lambda job, left: True,
        "none": lambda job, left: False,
        "half": lambda job, left: job.request <= 2 * left,
    }[kind]

    class Rule(Unaware):
        def may_start(self, job, left, now):
            return allowed(job, left)

    chance = random.Random(kind)
    for _ in range(300):
        said = []
        for _ in range(chance.randint(1, 12)):
            request = chance.randint(1, 10)
            said.append(
                (chance.randint(0, 25), chance.randint(1, request), request, chance.randint(1, 4))
            )
        made = jobs(*sorted(said))
        done = Machine(made, Way(lease=10, cores=5), Rule()).run()
        seen = [(one.start, one.broken) for one in done]
        assert seen == Stepper(made, 10, 5, allowed).run(), said
