"""Goal: workers are shown as they stand, and owners move their leases. Method: the application over
a ledger in memory."""

from __future__ import annotations

import pytest

from leaseway.client.errors import Conflict, Malformed, Refused
from leaseway.core.model.capacity import Capacity
from leaseway.core.model.commands import Role
from leaseway.core.model.lease import TermsChange, WindowOffer
from leaseway.core.model.sync import AttemptRef, Held, Phase
from tests.coordinator.pool import HOUR, ended, registering, spec


async def test_a_worker_as_it_stands(pool):
    await pool.join()
    await pool.submit(spec("a"))
    await pool.sync()
    box = await pool.client().worker("box")
    assert (box.used["slots"], box.free["slots"]) == (0, 4), "granted is not yet in use"
    held = (Held(AttemptRef("nightly-1/a", 1), Phase.RUNNING, started_ago_ms=0),)
    await pool.sync(held=held)
    pool.clock.at += 2_000
    box = await pool.client().worker("box")
    assert (box.state, box.open, box.present, box.incarnation) == ("active", True, True, 1)
    assert box.remaining_ms == HOUR - 2_000
    assert box.heard_ago_ms == 2_000
    assert box.used["cpus_milli"] == 1_000
    assert box.free["cpus_milli"] == 3_000
    assert box.free["memory_bytes"] is None
    assert [(held.task, held.number) for held in box.held] == [("nightly-1/a", 1)]
    assert box.terms.guard_ms == sum(box.terms.guard.values())


async def test_silent_worker_is_not_present(pool):
    await pool.join()
    pool.clock.at += 16_000
    box = await pool.client().worker("box")
    assert box.heard_ago_ms == 16_000
    assert not box.present
    assert box.open


async def test_closed_lease_says_when_it_opens(pool):
    await pool.join()
    window = WindowOffer(60_000, HOUR)
    box = await pool.client().change_lease("box", TermsChange(windows=(window,)))
    assert (box.open, box.opens_in_ms, box.remaining_ms) == (False, 60_000, None)
    assert box.terms_version == 2


async def test_what_is_not_named_stays(pool):
    await pool.join()
    box = await pool.client().change_lease("box", TermsChange(max_run_ms=60_000))
    assert box.terms.max_run_ms == 60_000
    box = await pool.client().change_lease("box", TermsChange(capacity=Capacity(slots=2)))
    assert box.terms.max_run_ms == 60_000
    assert box.terms.capacity["slots"] == 2
    box = await pool.client().change_lease("box", TermsChange(max_run_ms=None))
    assert box.terms.max_run_ms is None


async def test_fault_39_changing_terms_fences_nothing(pool):
    """Fault 39, over the interface: what runs counts."""
    await pool.join()
    await pool.submit(spec("a"))
    (grant,) = (await pool.sync()).start
    await pool.client().change_lease("box", TermsChange(max_run_ms=1_000))
    await pool.sync(endings=(ended(grant.ref),))
    assert (await pool.client().task("nightly-1/a")).outcome.kind == "succeeded"


async def test_drain_and_undrain(pool):
    await pool.join()
    box = await pool.client().set_state("box", "draining", "lunch")
    assert (box.state, box.moved_by, box.reason) == ("draining", "owner", "lunch")
    assert (await pool.client().set_state("box", "active")).state == "active"


async def test_a_move_that_the_table_has_not(pool):
    await pool.join()
    await pool.client().set_state("box", "ended")
    with pytest.raises(Conflict):
        await pool.client().set_state("box", "draining")


async def test_a_state_that_there_is_not(pool):
    await pool.join()
    with pytest.raises(Malformed, match="expected one of active"):
        await pool.client().set_state("box", "sleepy")


async def test_revoke_stops_what_runs(pool):
    await pool.join()
    await pool.submit(spec("a"))
    await pool.sync()
    assert (await pool.client().revoke("box", "mine again")).state == "draining"


async def test_all_workers_by_name(pool):
    await pool.join(registering("mini"))
    await pool.join(registering("box"))
    assert [each.name for each in (await pool.client(Role.VIEWER).workers()).workers] == [
        "box",
        "mini",
    ]


async def test_a_name_that_no_worker_may_have(pool):
    with pytest.raises(Refused):
        await pool.register(registering("Big Box!"))


async def test_a_newer_daemon_gets_a_newer_incarnation(pool):
    assert (await pool.register()).incarnation == 1
    assert (await pool.register()).incarnation == 2


async def test_less_than_nothing_is_never_free(pool):
    await pool.join()
    await pool.submit(spec("a"))
    await pool.sync()
    held = (Held(AttemptRef("nightly-1/a", 1), Phase.RUNNING, started_ago_ms=0),)
    await pool.sync(held=held)
    change = TermsChange(capacity=Capacity(cpus_milli=500, slots=1))
    box = await pool.client().change_lease("box", change)
    assert (box.free["cpus_milli"], box.reserved_tasks) == (0, 0)
