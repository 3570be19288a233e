"""Goal: a worker one version older works on; one further away gets no new work, is told what to
install, and keeps what it runs. Method: a coordinator of version 3, by hand."""

from __future__ import annotations

import pytest

from leaseway import __version__
from leaseway.core.decisions import spoken
from leaseway.core.model import commands as cmd
from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.states import LeaseState
from leaseway.core.model.sync import (
    AttemptRef,
    EndingReport,
    Held,
    Phase,
    RegisterRequest,
    SyncRequest,
)
from leaseway.wire.findings import finding_info
from tests.core.pool import M, Pool, S, codes, kinds, offer, task


@pytest.fixture(autouse=True)
def version_3(monkeypatch):
    monkeypatch.setattr(spoken, "SPEAKS", 3)


def register(pool, speaks, version="0.0.9"):
    request = RegisterRequest("w", "m", "spool", "boot", offer(10 * M), speaks, version)
    return pool.do(cmd.Register(request)).reply


def sync(pool, reply, seq, speaks, **fields):
    request = SyncRequest("w", reply.incarnation, seq, "spool", "boot", speaks, **fields)
    return pool.do(cmd.Sync(request, pool.now)).reply


def lease(pool):
    return pool.view.facts.leases["w"]


@pytest.mark.parametrize(
    ("speaks", "state", "variant"),
    [
        (0, LeaseState.DRAINING, "old"),
        (1, LeaseState.DRAINING, "old"),
        (2, LeaseState.ACTIVE, None),
        (3, LeaseState.ACTIVE, None),
        (4, LeaseState.DRAINING, "new"),
        (99, LeaseState.DRAINING, "new"),
    ],
)
def test_two_versions_are_understood(speaks, state, variant):
    pool = Pool()
    reply = register(pool, speaks)
    assert lease(pool).state is state
    assert [each.variant for each in reply.findings] == ([variant] if variant else [])
    pool.submit(task("a", 10 * S))
    started = sync(pool, reply, 1, speaks).start
    assert len(started) == (1 if variant is None else 0)


@pytest.mark.parametrize(
    ("speaks", "version", "mend"),
    [
        (
            1,
            "0.0.9",
            f"On w: pip install -U leaseway=={__version__}, then leaseway worker join again.",
        ),
        (
            4,
            "7.1",
            "Where the coordinator runs: pip install -U leaseway==7.1, then leaseway up again.",
        ),
        (
            4,
            "",
            "Where the coordinator runs: pip install -U leaseway, then leaseway up again.",
        ),
    ],
)
def test_it_is_told_what_to_install_where(speaks, version, mend):
    (found,) = register(Pool(), speaks, version).findings
    assert (found.code, found.workers, finding_info(found).mend) == ("LW801", ("w",), mend)


def test_upgrading_the_worker_lifts_it_and_nothing_else():
    pool = Pool()
    register(pool, 1)
    register(pool, 2)
    assert (lease(pool).state, lease(pool).cause) == (LeaseState.ACTIVE, None)
    pool.do(cmd.SetState("w", LeaseState.DRAINING, "ada"))
    register(pool, 1)
    register(pool, 2)
    assert lease(pool).state is LeaseState.DRAINING, "its owner drained it"


def test_the_owner_cannot_undrain_what_cannot_work():
    pool = Pool()
    register(pool, 1)
    refused = pool.do(cmd.SetState("w", LeaseState.ACTIVE, "ada")).refused
    assert (refused.kind, codes(refused.findings)) == ("conflict", ["LW801"])
    assert lease(pool).state is LeaseState.DRAINING


def test_a_coordinator_that_was_upgraded_drains_and_what_runs_ends_as_ever(monkeypatch):
    """Version 1 runs a task under a coordinator of version 2, which becomes one of version 3."""
    monkeypatch.setattr(spoken, "SPEAKS", 2)
    pool = Pool()
    reply = register(pool, 1)
    pool.submit(task("a", 10 * S))
    (grant,) = sync(pool, reply, 1, 1).start
    running = Held(grant.ref, Phase.RUNNING, started_ago_ms=0)
    sync(pool, reply, 2, 1, held=(running,))
    monkeypatch.setattr(spoken, "SPEAKS", 3)
    said = sync(pool, reply, 3, 1, held=(running,))
    assert (said.state, said.stop, said.start) == ("draining", (), ())
    assert [each.variant for each in said.findings] == ["old"]
    pool.submit(task("b", 10 * S))
    assert sync(pool, reply, 4, 1, held=(running,)).start == ()
    pool.now += 2 * S
    ending = EndingReport(grant.ref, Ending(EndKind.EXITED, exit_code=0), 2 * S)
    assert sync(pool, reply, 5, 1, endings=(ending,)).settled == (AttemptRef(grant.ref.task, 1),)
    assert pool.outcome("a") == "succeeded"
    assert kinds(pool).count("LeaseMoved") == 1
