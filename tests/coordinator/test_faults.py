"""Goal: a coordinator that slept or lost its memory calls nothing lost and has nothing deleted.
Method: the application over a ledger in memory; its clock jumps, its disk is an older copy."""

from __future__ import annotations

from leaseway.core.model.commands import Tick
from leaseway.core.model.sync import Held, Phase
from leaseway.ledger.memory import Disk, MemoryLedger
from tests.coordinator.pool import HOUR, ended, open_pool, registering, spec

LID_CLOSED = 8 * HOUR


async def test_fault_37_the_lid_is_closed_for_eight_hours(pool):
    """On waking every worker is heard before it is judged; nothing that finished is lost."""
    for name in ("box", "mini"):
        await pool.join(registering(name, slots=1, open_ms=48 * HOUR))
    await pool.submit(spec("short", HOUR), spec("long", 12 * HOUR))
    running = {}
    for name in ("box", "mini"):
        (grant,) = (await pool.sync(name)).start
        held = (Held(grant.ref, Phase.RUNNING, started_ago_ms=0),)
        await pool.sync(name, held=held)
        running[grant.ref.task] = (name, grant.ref)
    pool.clock.at += LID_CLOSED
    for _ in range(8):
        await pool.house.door.ask(Tick())
        pool.clock.at += 250
    for id in running:
        assert (await pool.client().task(id)).state == "running"
    for name, ref in running.values():
        assert (await pool.sync(name, endings=(ended(ref),))).settled == (ref,)
    for id in running:
        assert (await pool.client().task(id)).outcome.kind == "succeeded"


async def test_fault_37_a_worker_that_stays_silent_is_judged_when_its_patience_is_over(pool):
    await pool.join(registering(open_ms=48 * HOUR))
    await pool.submit(spec("short", HOUR))
    (grant,) = (await pool.sync()).start
    await pool.sync(held=(Held(grant.ref, Phase.RUNNING, started_ago_ms=0),))
    pool.clock.at += LID_CLOSED
    await pool.house.door.ask(Tick())
    for _ in range(8):
        pool.clock.at += 2_500
        await pool.house.door.ask(Tick())
    assert (await pool.client().task(grant.ref.task)).outcome.kind == "lost"


async def test_fault_38_a_restored_backup_has_nothing_stopped_or_deleted(pool, tmp_path):
    """The head is lower than workers have seen: a new ledger id, they drain, the owner is told."""
    await pool.join()
    disk = pool.service.ledger._disk
    backup = Disk(list(disk.events), dict(disk.tasks), dict(disk.plans), dict(disk.workers))
    await pool.submit(spec("a"), spec("b"))
    first, second = (await pool.sync()).start
    seen = (await pool.client().about()).head
    old_id = pool.service.view.facts.ledger_id

    async with open_pool(tmp_path, MemoryLedger(backup), pool.clock) as again:
        again.seqs = dict(pool.seqs)
        told = {"ledger_id": old_id, "ledger_seen": seen}
        held = (Held(first.ref, Phase.RUNNING, started_ago_ms=5),)
        said = await again.sync(held=held, endings=(ended(second.ref),), **told)
        assert (said.stop, said.settled, said.start) == ((), (), ())
        assert said.ledger_id != old_id
        assert not said.ledger_accepted
        box = await again.client().worker("box")
        assert not box.ledger_accepted
        assert any(finding.code.startswith("LW8") for finding in said.findings)
        await again.submit(spec("c"))
        assert (await again.sync(held=held, **told)).start == ()

        await again.client().set_state("box", "active")
        said = await again.sync(held=held, **told)
        assert said.ledger_accepted
        assert said.stop == ()
        assert [grant.ref.task for grant in said.start] == ["nightly-1/c"]
