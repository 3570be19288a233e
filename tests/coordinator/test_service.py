"""Goal: nothing is said before it is stored, and a view can always be made anew. Method: the
service alone, over a disk in memory that can be broken."""

from __future__ import annotations

import pytest

from leaseway.coordinator import service as service_module
from leaseway.coordinator.errors import BrokenHistory, Defect
from leaseway.core.decide import carry_out
from leaseway.core.decisions.decision import Refused
from leaseway.core.model.commands import (
    Cancel,
    ChangeLease,
    Principal,
    Register,
    Role,
    Submit,
    Sync,
    Tick,
)
from leaseway.core.model.lease import TermsChange
from leaseway.ledger.encoding import canonical
from leaseway.ledger.errors import LedgerUnavailable, TermLost
from leaseway.ledger.memory import Disk, MemoryLedger
from tests.coordinator.pool import SetClock, lead, plan, registering, spec, syncing

OWNER = Principal("owner", Role.OWNER)


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def served(disk, clock):
    service = lead(MemoryLedger(disk), clock)
    service.carry_out([Register(registering())])
    service.carry_out([Sync(syncing(), service.now())])
    return service


def submit(*names: str) -> Submit:
    return Submit(plan(*(spec(name) for name in names)), OWNER)


def test_a_new_ledger_gets_an_id_and_the_first_tick_is_a_resume(disk, clock):
    service = lead(MemoryLedger(disk), clock)
    draft = service.carry_out([Tick()])
    assert service.view.facts.ledger_id == "ledger-1"
    assert service.view.presence.resumed_at == service.now()
    assert len(draft.answers) == 1


def test_an_old_ledger_keeps_its_id_and_is_resumed(disk, clock, served):
    clock.at += 60_000
    again = lead(MemoryLedger(disk), clock)
    again.carry_out([Tick()])
    assert again.view.facts.ledger_id == served.view.facts.ledger_id
    assert again.view.presence.resumed_at == again.now()


def test_a_batch_is_one_append_with_its_rows(disk, served):
    before = len(disk.events)
    draft = served.carry_out([submit("a"), submit("b")])
    assert [said.plan for said in draft.answers] == ["nightly-1", "nightly-2"]
    assert len(disk.events) == before + len(draft.stamped)
    assert {"nightly-1/a", "nightly-2/b"} == set(disk.tasks)
    assert disk.plans["nightly-1"].principal == "owner"
    assert disk.workers["box"].state == "active"


def test_a_refusal_is_an_answer_like_any_other(served):
    draft = served.carry_out([Cancel("nope", "owner"), submit("a")])
    assert isinstance(draft.answers[0], Refused)
    assert draft.answers[1].plan == "nightly-1"


def test_marks_are_folded_and_not_stored(disk, served, clock):
    before = len(disk.events)
    clock.at += 1_000
    served.carry_out([Sync(syncing(seq=2), served.now()), Tick()])
    assert served.view.presence.heard["box"].at == served.now()
    assert len(disk.events) == before


def test_without_events_the_ledger_is_left_alone(disk, served):
    disk.broken = "the disk is full"
    served.carry_out([Tick(), Cancel("nope", "owner")])


def test_failed_append_says_nothing_and_the_view_is_made_anew(disk, served):
    before = canonical(served.view.facts)
    disk.broken = "the disk is full"
    with pytest.raises(LedgerUnavailable):
        served.carry_out([submit("a")])
    assert canonical(served.view.facts) == before
    disk.broken = ""
    assert served.carry_out([submit("a")]).answers[0].plan == "nightly-1"


def test_after_a_failed_append_nobody_is_judged_unheard(disk, served, clock):
    disk.broken = "the disk is full"
    with pytest.raises(LedgerUnavailable):
        served.carry_out([submit("a")])
    disk.broken = ""
    clock.at += 1_000
    served.carry_out([Tick()])
    assert served.view.presence.resumed_at == served.now()


def test_a_lost_term_is_not_papered_over(disk, served):
    MemoryLedger(disk).take_term("another")
    with pytest.raises(TermLost):
        served.carry_out([submit("a")])
    assert served.stale


def test_a_defect_names_its_command_and_spoils_nothing(disk, served, monkeypatch):
    before = canonical(served.view.facts)

    def broken(view, command, now):
        carried = carry_out(view, command, now)
        if isinstance(command, ChangeLease):
            raise KeyError("box")
        return carried

    monkeypatch.setattr(service_module, "carry_out", broken)
    with pytest.raises(Defect, match="ChangeLease broke an invariant: KeyError") as raised:
        served.carry_out([submit("a"), ChangeLease("box", TermsChange(max_run_ms=1), "owner")])
    assert raised.value.at == 1
    assert canonical(served.view.facts) == before


def test_a_defect_right_after_a_replay_is_a_broken_history(served, monkeypatch):
    def broken(view, command, now):
        raise KeyError("box")

    monkeypatch.setattr(service_module, "carry_out", broken)
    with pytest.raises(Defect):
        served.carry_out([Tick()])
    with pytest.raises(BrokenHistory, match="after a replay"):
        served.carry_out([Tick()])


def test_an_event_that_does_not_fold_is_named(disk, clock, served):
    served.carry_out([submit("a")])
    granted = next(at for at, (_, each) in enumerate(disk.events) if each.tag == "AttemptGranted")
    del disk.events[:granted]  # a grant for a task that never was
    with pytest.raises(BrokenHistory, match=r"event 1 \(AttemptGranted\)"):
        lead(MemoryLedger(disk), clock)


def test_time_never_runs_back(served, clock):
    clock.at += 5_000
    served.carry_out([submit("a")])
    stored = served.view.facts.last_at
    clock.at -= 3_000
    assert served.now() == stored


def test_ledger_time_goes_on_after_a_restart(disk, served, clock):
    served.carry_out([submit("a")])
    stored = served.view.facts.last_at
    clock.at += 90_000
    assert lead(MemoryLedger(disk), clock).now() == stored + 90_000


def test_rings_of_a_batch(served):
    draft = served.carry_out([submit("a")])
    assert "events" in draft.rings
    assert "task:nightly-1/a" in draft.rings
    assert "worker:box" in draft.rings


def test_snapshots_are_taken_and_read(disk, clock):
    service = lead(MemoryLedger(disk), clock, snapshot_every=10)
    service.carry_out([Register(registering())])
    service.carry_out([Sync(syncing(), service.now())])
    service.carry_out([submit(*"abcdefgh")])
    assert disk.snapshots
    newest = max(disk.snapshots)
    disk.events[:newest] = [(0, None)] * newest  # not to be read
    service.carry_out([Cancel("nightly-1/a", "owner")])
    again = lead(MemoryLedger(disk), clock)
    assert canonical(again.view.facts) == canonical(service.view.facts)


def test_a_snapshot_that_cannot_be_read_is_passed_over(disk, clock):
    service = lead(MemoryLedger(disk), clock, snapshot_every=1)
    service.carry_out([Register(registering())])
    for position, snapshot in list(disk.snapshots.items()):
        disk.snapshots[position] = type(snapshot)(position, snapshot.schema, b"{")
    again = lead(MemoryLedger(disk), clock)
    assert canonical(again.view.facts) == canonical(service.view.facts)
