"""Many reservations: 20,000 tasks submitted, restarted with, and placed anew; and what one
admission costs beside 1, 32 and 1,000 others."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from bench.tasks import LEASE
from leaseway.core.decide import carry_out
from leaseway.core.model import commands as cmd
from leaseway.core.model.capacity import Capacity
from leaseway.core.model.events import TaskReserved
from leaseway.core.model.lease import TermsOffer, WindowOffer
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.core.model.sync import RegisterRequest, SyncRequest
from leaseway.core.model.view import View
from leaseway.demo.pool import LocalPool
from leaseway.wire.plans import SubmitRequest

WHO = cmd.Principal("bench", cmd.Role.OWNER)
MANY = 20_000


def plan(name: str, tasks: int) -> PlanSpec:
    """Tasks of five different lengths that touch nothing."""
    return PlanSpec(
        name,
        tuple(
            TaskSpec(f"t{at}", ("/bin/true",), limit_ms=5_000 + at % 5, reads=(), writes=())
            for at in range(tasks)
        ),
    )


class Pool:
    """The pure core in virtual time, workers by hand."""

    def __init__(self) -> None:
        self.view = View()
        self.now = 1_000_000
        self.do(cmd.Open("bench"))
        self.do(cmd.Tick(resumed=True))

    def do(self, command: cmd.Command) -> list[object]:
        """Carry a command out; its events."""
        carried = carry_out(self.view, command, self.now)
        assert carried.refused is None, carried.refused
        return list(carried.events)

    def worker(self, name: str) -> None:
        """Four slots, no end."""
        offer = TermsOffer((WindowOffer(),), capacity=Capacity(cpus_milli=4_000, slots=4))
        self.do(cmd.Register(RegisterRequest(name, name, name, name, offer)))
        self.heard(name)

    def heard(self, name: str) -> None:
        """A sync that says nothing."""
        seen = self.view.presence.heard.get(name)
        request = SyncRequest(name, 1, seen.seq + 1 if seen else 1, name, name)
        self.do(cmd.Sync(request, self.now))


def replaced_s(tasks: int = MANY) -> tuple[float, int]:
    """Two workers; one disappears: seconds until what it was promised has another place."""
    pool = Pool()
    for name in ("stays", "goes"):
        pool.worker(name)
    pool.do(cmd.Submit(plan("many", tasks), WHO))
    moved, quiet, spent = 0, 0, 0.0
    while True:
        pool.now += 250
        pool.heard("stays")
        started = time.perf_counter()
        events = pool.do(cmd.Tick())
        spent += time.perf_counter() - started
        fresh = sum(1 for event in events if type(event).__name__ in _MOVES)
        quiet = 0 if fresh else quiet + 1
        if moved and quiet > 20:
            return spent, moved
        moved += fresh


_MOVES = (TaskReserved.__name__, "PromiseWithdrawn")


def decision_ms(reservations: int, tries: int = 300) -> tuple[float, float]:
    """Median and p99 of admitting one task beside so many on one worker, in ms."""
    pool = Pool()
    pool.worker("one")
    pool.do(cmd.Submit(plan("before", reservations), WHO))
    spent = []
    for at in range(tries):
        one = cmd.Submit(plan(f"one{at}", 1), WHO, dry=True)
        started = time.perf_counter()
        pool.do(one)
        spent.append((time.perf_counter() - started) * 1000)
    spent.sort()
    return statistics.median(spent), spent[int(tries * 0.99)]


def submitted_and_restarted_s(tasks: int = MANY) -> tuple[float, float]:
    """Through the whole house: the submit's answer, and a killed coordinator that answers again."""
    with (
        tempfile.TemporaryDirectory(prefix="leaseway-bench-") as folder,
        LocalPool(Path(folder)) as pool,
    ):
        lease = Path(folder) / "lease.toml"
        lease.write_text(LEASE)
        pool.up()
        pool.join("bench", lease)
        with pool.client() as client:
            blocker = TaskSpec("blocker", ("sleep", "60"), limit_ms=120_000, reads=(), writes=())
            client.submit(SubmitRequest(PlanSpec("first", (blocker, blocker_too(blocker)))))
            started = time.perf_counter()
            client.submit(SubmitRequest(plan("many", tasks)))
            submitted = time.perf_counter() - started
        pool.kill("coordinator")
        started = time.perf_counter()
        pool.up()
        return submitted, time.perf_counter() - started


def blocker_too(blocker: TaskSpec) -> TaskSpec:
    """A second one, for the second slot."""
    return TaskSpec("blocker-2", blocker.run, limit_ms=blocker.limit_ms, reads=(), writes=())


def report(tasks: int = MANY) -> list[str]:
    """The lines for `make bench`."""
    submitted, restarted = submitted_and_restarted_s(tasks)
    moved_s, moved = replaced_s(tasks)
    lines = [
        f"{tasks} waiting tasks: submitted in {submitted:.1f} s (first target 4), restarted with in"
        f" {restarted:.1f} s (first target 3), {moved} placed anew in {moved_s:.1f} s of decisions"
    ]
    for reservations in (1, 32, 1_000):
        median, p99 = decision_ms(reservations)
        target = " (first target 1)" if reservations == 32 else ""
        lines.append(
            f"admission beside {reservations} reservations: median {median:.2f} ms, p99"
            f" {p99:.2f} ms{target}"
        )
    return lines
