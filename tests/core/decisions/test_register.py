"""Goal: a daemon that comes, or comes back, gets what is its own. Method: small stories by hand."""

from __future__ import annotations

import pytest

from leaseway.core.model import commands as cmd
from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import Guard, TermsChange, WindowOffer
from leaseway.core.model.states import LeaseState
from leaseway.core.model.sync import RegisterRequest
from tests.core.pool import T0, M, Pool, S, codes, kinds, offer, task


def register(pool, terms, name="w", **fields):
    request = RegisterRequest(name, "m", "spool", "boot", terms, **fields)
    return pool.do(cmd.Register(request))


def test_first_time():
    pool = Pool()
    reply = register(pool, offer(10 * M)).reply
    assert (reply.incarnation, reply.lease_version, reply.ledger_id) == (1, 1, "ledger-1")
    assert reply.remaining_ms == 10 * M
    assert reply.head == pool.view.facts.position


def test_the_same_offer_does_not_begin_its_window_anew():
    pool = Pool()
    register(pool, offer(10 * M))
    pool.now += 4 * M
    reply = register(pool, offer(10 * M)).reply
    assert (reply.incarnation, reply.lease_version, reply.remaining_ms) == (2, 1, 6 * M)


@pytest.mark.parametrize("wait_ms", [4 * M, 10 * M], ids=["another offer", "window over"])
def test_new_terms(wait_ms):
    pool = Pool()
    register(pool, offer(10 * M))
    pool.now += wait_ms
    given = offer(10 * M, slots=2) if wait_ms == 4 * M else offer(10 * M)
    reply = register(pool, given).reply
    assert (reply.lease_version, reply.remaining_ms) == (2, 10 * M)


def test_what_the_owner_changed_stays_until_the_offer_changes():
    pool = Pool()
    register(pool, offer())
    change = TermsChange(capacity=Capacity(cpus_milli=4000, slots=4))
    pool.do(cmd.ChangeLease("w", change, "ada"))
    assert register(pool, offer()).reply.terms.capacity.slots == 4


def test_a_state_survives_the_daemon_but_an_ended_lease_begins_anew():
    pool = Pool()
    register(pool, offer())
    for state, after in ((LeaseState.DRAINING,) * 2, (LeaseState.ENDED, LeaseState.ACTIVE)):
        pool.do(cmd.SetState("w", state, "ada"))
        register(pool, offer())
        assert pool.view.facts.leases["w"].state is after


def test_a_spool_of_another_ledger_must_be_looked_at_first():
    pool = Pool()
    register(pool, offer(), ledger_id="ledger-9")
    assert not pool.view.facts.leases["w"].ledger_accepted
    register(pool, offer(), "z", ledger_id="ledger-1")
    assert pool.view.facts.leases["z"].ledger_accepted


def test_terms_that_shrink_move_what_waits_at_once():
    """Two waiting tasks were promised side by side; the offer that comes back takes one."""
    pool = Pool()
    register(pool, offer(slots=2))
    pool.submit(task("a", 10 * S), task("b", 10 * S))
    assert [pool.task(name).promise for name in "ab"] == [T0 + 10 * S] * 2
    register(pool, offer(slots=1))
    starts = sorted(pool.task(name).reservation.start for name in "ab")
    assert starts == [T0, T0 + 10 * S]
    assert pool.task("a").promise == T0 + 10 * S, "the elder keeps its place"
    assert "PromiseWithdrawn" in kinds(pool)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"name": "Not A Name"}, "LW404"),
        ({"name": ""}, "LW404"),
        ({"terms": offer(windows=(WindowOffer(50, 50),))}, "LW901"),
        ({"terms": offer(windows=(WindowOffer(50, 20),))}, "LW901"),
        ({"name": "../../esc"}, "LW404"),
        ({"terms": offer(capacity=Capacity(cpus_milli=0))}, "LW901"),
        ({"terms": offer(capacity=Capacity(slots=0))}, "LW901"),
        ({"terms": offer(max_run_ms=0)}, "LW901"),
        ({"terms": offer(share={"agent": 0})}, "LW901"),
        ({"terms": offer(share={"agent": 101})}, "LW901"),
        ({"terms": offer(5 * S, guard=Guard())}, "LW309"),
    ],
)
def test_refused(fields, code):
    pool = Pool()
    carried = register(pool, fields.pop("terms", offer()), **fields)
    assert codes(carried.refused.findings) == [code]
    assert pool.view.facts.leases == {}
