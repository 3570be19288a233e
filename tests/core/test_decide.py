"""Goal: one door, which changes nothing, and a fold that follows it. Method: every command once."""

from __future__ import annotations

import copy

import msgspec
import pytest

from leaseway.core.decide import carry_out, decide
from leaseway.core.decisions.decision import Accepted, Refused
from leaseway.core.model import commands as cmd
from leaseway.core.model.lease import TermsChange
from leaseway.core.model.policy import Approve, Policy
from leaseway.core.model.states import LeaseState
from leaseway.core.model.sync import RegisterRequest, SyncRequest
from leaseway.core.rings import rings
from tests.core.pool import AGENT, PERSON, Pool, S, offer, plan, task

SYNC = SyncRequest("w", 1, 9, "spool-w", "boot-w")
COMMANDS: dict[str, cmd.Command] = {
    "register": cmd.Register(RegisterRequest("x", "m", "s", "b", offer())),
    "change": cmd.ChangeLease("w", TermsChange(labels=("gpu",)), "ada"),
    "revoke": cmd.Revoke("w", "ada"),
    "state": cmd.SetState("w", LeaseState.DRAINING, "ada"),
    "submit": cmd.Submit(plan(task("x", S)), PERSON),
    "cancel": cmd.Cancel("p-1", "ada"),
    "give up": cmd.GiveUp("p-1/a", "ada"),
    "acknowledge": cmd.Acknowledge(("p-1/a",), PERSON),
    "sync": cmd.Sync(SYNC, 1_001_000),
    "answer": cmd.Answer(SYNC, 1_001_000),
    "advance": cmd.Advance(),
    "recheck": cmd.Recheck("w", "shrunk"),
    "tick": cmd.Tick(),
    "policy": cmd.SetPolicy(Policy(guard_ms=5), "ada"),
    "approval": cmd.AnswerApproval("A-1", PERSON, yes=True),
    "open": cmd.Open("ledger-2"),
}


@pytest.fixture
def pool():
    made = Pool()
    made.worker("w")
    made.lasts = {"b": 60 * S}
    made.submit(task("a", S), task("b", 60 * S), task("c", S))
    made.run(S)
    made.do(cmd.SetPolicy(Policy(approve=Approve(longer_than_ms=S)), "ada"))
    assert made.submit(task("d", 2 * S), who=AGENT).refused is not None  # asks for A-1
    return made


def test_every_command_is_here():
    assert {type(command) for command in COMMANDS.values()} == set(cmd.Command.__args__)


@pytest.mark.parametrize("name", COMMANDS)
def test_deciding_changes_nothing_and_says_the_same_twice(pool, name):
    view = pool.view
    facts = msgspec.json.encode(view.facts, order="deterministic")
    presence = copy.deepcopy(view.presence)
    used = dict(view.index.used)
    first = decide(view, COMMANDS[name], pool.now)
    assert decide(view, COMMANDS[name], pool.now) == first
    assert msgspec.json.encode(view.facts, order="deterministic") == facts
    assert (view.presence, view.index.used) == (presence, used)


@pytest.mark.parametrize("name", COMMANDS)
def test_carrying_out_folds_every_event_and_each_rings_somebody_known(pool, name):
    before = pool.view.facts.position
    carried = carry_out(pool.view, COMMANDS[name], pool.now)
    assert carried.refused is None
    stored = [one for one in carried.events if type(one).__name__ not in ("Heard", "Judged")]
    assert pool.view.facts.position == before + len(stored)
    for event in carried.events:
        for ring in rings(pool.view, event):
            kind, _, rest = ring.partition(":")
            assert kind in ("task", "plan", "worker")
            assert rest


def test_a_refusal_has_no_events(pool):
    assert isinstance(decide(pool.view, cmd.Cancel("nobody", "ada"), pool.now), Refused)
    carried = carry_out(pool.view, cmd.Cancel("nobody", "ada"), pool.now)
    assert carried.events == []
    assert carried.refused is not None


def test_a_grant_rings_its_worker_and_an_outcome_its_plan(pool):
    pool.rung.clear()
    pool.submit(task("x", S))
    assert "task:p-2/x" in pool.rung
    pool.do(cmd.Cancel("p-1/b", "ada"))
    assert {"worker:w", "task:p-1/b"} <= pool.rung
    pool.run(S)
    assert {"plan:p-1", "plan:p-2"} <= pool.rung


def test_accepted_without_anything_is_nothing():
    assert Accepted() == Accepted((), None, ())
