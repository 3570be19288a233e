"""Goal: a replay makes the same view, byte for byte, and the same index. Method: random commands,
then the ledger folded anew, from the first event and from a snapshot."""

from __future__ import annotations

import random

import pytest

from leaseway.coordinator.restore import restored
from leaseway.core.invariants import index_differences, violations
from leaseway.core.model import commands as cmd
from leaseway.core.model.lease import TermsChange, WindowOffer
from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.plan import Repeat
from leaseway.core.model.states import LeaseState
from leaseway.core.model.sync import EndingReport, SyncReply
from leaseway.ledger.encoding import canonical
from leaseway.ledger.memory import Disk, MemoryLedger
from leaseway.ledger.sqlite import SqliteLedger
from tests.coordinator.pool import HOUR, SetClock, lead, plan, registering, spec, syncing

WORKERS = ("box", "mini")
OWNER = cmd.Principal("owner", cmd.Role.OWNER)


class Walk:
    """Random commands against one service, in the roles of two workers, an owner and an agent."""

    def __init__(self, ledger, seed: int, snapshot_every: int = 20_000) -> None:
        self.chance = random.Random(seed)
        self.clock = SetClock()
        self.service = lead(ledger, self.clock, snapshot_every)
        self.seqs = dict.fromkeys(WORKERS, 0)
        self.endings: dict[str, list[EndingReport]] = {name: [] for name in WORKERS}
        for name in WORKERS:
            self.service.carry_out([cmd.Register(registering(name, slots=2))])

    def step(self) -> None:
        self.clock.at += self.chance.choice((0, 1, 40, 400, 3_000, 20_000))
        made = self.chance.choices(
            (self.sync, self.submit, self.tick, self.cancel, self.acknowledge, self.lease),
            (12, 3, 4, 1, 2, 1),
        )[0]
        made()

    def sync(self) -> None:
        name = self.chance.choice(WORKERS)
        self.seqs[name] += 1
        endings = tuple(self.endings[name])
        request = syncing(
            name,
            self.seqs[name],
            endings=endings,
            terms_version=self.chance.choice((0, 1)),
            boot_ms=self.clock.at,
        )
        command = cmd.Sync(request, self.service.now(), "fresh")
        (said,) = self.service.carry_out([command]).answers
        assert isinstance(said, SyncReply)
        settled = set(said.settled)
        self.endings[name] = [each for each in endings if each.ref not in settled]
        for grant in said.start:
            if self.chance.random() < 0.8:
                self.endings[name].append(self.ending(grant.ref))

    def ending(self, ref) -> EndingReport:
        kind = self.chance.choice((EndKind.EXITED, EndKind.EXITED, EndKind.NOT_STARTED))
        code = self.chance.choice((0, 0, 0, 1)) if kind is EndKind.EXITED else None
        return EndingReport(ref, Ending(kind, exit_code=code, ran_ms=7), started_ago_ms=7)

    def submit(self) -> None:
        names = [f"t{at}" for at in range(self.chance.randint(1, 5))]
        specs = []
        for at, name in enumerate(names):
            needs = tuple(each for each in names[:at] if self.chance.random() < 0.3)
            limit = self.chance.choice((None, 500, 4_000, 60_000))
            holds = ("gpu-room",) if self.chance.random() < 0.2 else ()
            repeat = self.chance.choice(tuple(Repeat))
            specs.append(spec(name, limit, needs=needs, holds=holds, repeat=repeat))
        key = self.chance.choice(("", "one", "two"))
        dry = self.chance.random() < 0.1
        self.service.carry_out([cmd.Submit(plan(*specs), OWNER, key, repr(specs), True, dry=dry)])

    def tick(self) -> None:
        self.service.carry_out([cmd.Tick()])

    def some_task(self) -> str:
        return self.chance.choice([*self.service.view.facts.tasks, "nobody"])

    def cancel(self) -> None:
        kind = self.chance.choice((cmd.Cancel, cmd.GiveUp))
        self.service.carry_out([kind(self.some_task(), "owner")])

    def acknowledge(self) -> None:
        tasks = self.chance.choice(((), (self.some_task(),)))
        self.service.carry_out([cmd.Acknowledge(tasks, OWNER)])

    def lease(self) -> None:
        name = self.chance.choice(WORKERS)
        window = WindowOffer(0, self.chance.choice((None, 30_000, HOUR)))
        self.service.carry_out(
            [
                self.chance.choice(
                    (
                        cmd.ChangeLease(name, TermsChange(windows=(window,)), "owner"),
                        cmd.SetState(name, LeaseState.DRAINING, "owner"),
                        cmd.SetState(name, LeaseState.ACTIVE, "owner"),
                        cmd.Revoke(name, "owner"),
                    )
                )
            ]
        )


def check_replay(walk: Walk) -> None:
    live = walk.service.view
    again = restored(walk.service.ledger, walk.service.options.settings)
    assert canonical(again.facts) == canonical(live.facts)
    now = walk.service.now()
    assert index_differences(live, now) == []
    assert index_differences(again, now) == []
    assert violations(again, now) == []


@pytest.mark.parametrize("seed", range(12))
def test_replay_makes_the_same_view(seed):
    walk = Walk(MemoryLedger(Disk()), seed)
    for _ in range(150):
        walk.step()
    check_replay(walk)


@pytest.mark.parametrize("seed", range(100, 106))
def test_snapshot_and_tail_make_the_same_view(seed):
    disk = Disk()
    walk = Walk(MemoryLedger(disk), seed, snapshot_every=15)
    for _ in range(150):
        walk.step()
    assert disk.snapshots
    check_replay(walk)


def test_replay_from_a_file(tmp_path):
    ledger = SqliteLedger.open(tmp_path)
    walk = Walk(ledger, 7, snapshot_every=60)
    for _ in range(150):
        walk.step()
    check_replay(walk)
    stood = canonical(walk.service.view.facts)
    ledger.close()
    again = SqliteLedger.open(tmp_path)
    assert canonical(lead(again, walk.clock).view.facts) == stood
    again.close()
