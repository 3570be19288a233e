"""Goal: an agent starts, stops and forgets only what it was told. Method: transcripts of one agent,
`>>` is what it is told, `<<` what it asks for.
"""

from __future__ import annotations

import pytest

from leaseway.core.agent import Agent, adopt, handle, next_request
from leaseway.core.local_time import HOLD_MS, shortened
from leaseway.core.model import worker as wk
from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import Terms, Window
from leaseway.core.model.outcomes import Ending, EndKind, StopReason
from leaseway.core.model.sync import (
    AttemptRef,
    Grant,
    Phase,
    RegisterReply,
    Stop,
    StopTime,
    SyncReply,
)
from tests.core.pool import S

TERMS = Terms(windows=(Window(0),), capacity=Capacity(slots=3))
DONE = Ending(EndKind.EXITED, exit_code=0)
A, B = AttemptRef("a", 1), AttemptRef("b", 1)


class Talk:
    """One agent, told things at `now`."""

    def __init__(self, **fields):
        self.now = 1_000
        self.agent = Agent("w", "spool", "boot", **fields)

    def tell(self, event):
        return handle(self.agent, event, wk.WorkerNow(self.now, self.now))

    def ask(self):
        return next_request(self.agent, wk.WorkerNow(self.now, self.now))

    def reply(self, sent=None, **fields):
        fields = {"for_seq": self.agent.seq, "ledger_id": "ledger-1", **fields}
        return self.tell(wk.SyncReplied(SyncReply(**fields), self.now if sent is None else sent))


@pytest.fixture
def talk():
    made = Talk()
    made.tell(wk.Registered(RegisterReply(4, "ledger-1", 9, 2, TERMS, 15_000), 900))
    return made


def grant(ref=A, **fields):
    return Grant(ref, ("true",), 8 * S, 0, 2 * S, 60 * S, **fields)


def kinds(made):
    return [type(each).__name__ for each in made]


def holding(talk, *refs, **fields):
    """An agent that was granted these and was told so."""
    talk.ask()
    talk.reply(start=tuple(grant(ref, **fields) for ref in refs))
    return talk


def test_registered_then_first_sync():
    talk = Talk()
    made = talk.tell(wk.Registered(RegisterReply(4, "ledger-1", 9, 2, TERMS, 15_000), 900))
    assert kinds(made) == ["SetCapacity", "KeepLedger", "CallSync"]
    assert made[0] == wk.SetCapacity(Capacity(slots=3))
    request = talk.ask()
    assert (request.incarnation, request.seq, request.terms_version) == (4, 1, 2)
    assert (request.ledger_id, request.hold_ms) == ("ledger-1", HOLD_MS)


def test_a_grant_is_spooled_in_order_and_counts_from_the_sending(talk):
    talk.ask()
    sent, talk.now = talk.now, talk.now + 5 * S
    made = talk.reply(sent, start=(grant(B, order=9), grant(A, order=3)))
    spooled = next(each for each in made if isinstance(each, wk.SpoolGrants))
    assert [one.ref for one in spooled.grants] == [A, B]
    assert spooled.grants[0].start_by_boot == sent + 2 * S
    assert spooled.grants[0].stop_latest_boot == sent + 60 * S, "0.12 s of drift: guarded"


def test_the_same_grant_twice_is_one(talk):
    holding(talk, A)
    talk.ask()
    assert "SpoolGrants" not in kinds(talk.reply(start=(grant(A),)))


def test_a_reply_to_another_sync_is_dropped_whole(talk):
    holding(talk, A)
    talk.tell(wk.Started(A, talk.now))
    talk.ask()
    late = {"start": (grant(B),), "stop": (Stop(A, StopReason.CANCEL),), "head": 99}
    assert talk.reply(for_seq=talk.agent.seq - 1, **late) == []
    assert talk.reply(superseded=True, **late) == []
    assert list(talk.agent.attempts) == [A]
    assert talk.agent.ledger_seen == 0
    assert kinds(talk.reply(**late)) == ["KeepLedger", "SpoolGrants", "StopAttempt", "CallSync"]


def test_everything_held_and_ended_is_said_until_it_is_settled(talk):
    holding(talk, A, B)
    talk.tell(wk.Started(A, talk.now))
    talk.now += 3 * S
    assert [(held.ref, held.phase, held.started_ago_ms) for held in talk.ask().held] == [
        (A, Phase.RUNNING, 3 * S),
        (B, Phase.GRANTED, None),
    ]
    assert talk.tell(wk.Finished(A, DONE, 1_000, talk.now)) == [wk.CallSync(0)]
    for _ in range(2):
        request = talk.ask()
        assert [told.ref for told in request.endings] == [A]
        assert [held.ref for held in request.held] == [B]
    assert wk.Settle((A,)) in talk.reply(settled=(A,))
    assert talk.ask().endings == ()


def test_absence_is_never_an_order(talk):
    """A reply that names nothing stops nothing and deletes nothing."""
    holding(talk, A, B)
    talk.tell(wk.Finished(A, DONE, 1_000, 2_000))
    talk.ask()
    assert kinds(talk.reply()) == ["CallSync"]
    assert set(talk.agent.attempts) == {A, B}


def test_only_what_has_finished_is_settled(talk):
    holding(talk, A)
    talk.tell(wk.Started(A, talk.now))
    talk.ask()
    assert "Settle" not in kinds(talk.reply(settled=(A, B)))
    assert list(talk.agent.attempts) == [A]


def test_handed_back_until_an_answer_says_it_was_heard(talk):
    holding(talk, A)
    assert talk.tell(wk.Returned(A)) == [wk.CallSync(0)]
    assert talk.ask().back == (A,)
    talk.tell(wk.SyncFailed("time out"))
    assert talk.ask().back == (A,), "nobody answered"
    talk.reply()
    assert talk.ask().back == ()


def test_what_runs_is_not_handed_back(talk):
    holding(talk, A)
    talk.tell(wk.Started(A, talk.now))
    talk.tell(wk.Returned(A))
    assert talk.ask().back == ()


def test_told_to_stop_once(talk):
    holding(talk, A)
    order = (Stop(A, StopReason.CANCEL),)
    for expected in (["StopAttempt", "CallSync"], ["CallSync"]):
        talk.ask()
        assert kinds(talk.reply(stop=order)) == expected


def test_a_stop_time_moves_from_the_sending(talk):
    holding(talk, A)
    talk.ask()
    sent, talk.now = talk.now, talk.now + S
    made = talk.reply(sent, stop_times=(StopTime(A, 30 * S),))
    assert wk.MoveStop(A, sent + shortened(30 * S), StopReason.RESERVED) in made
    made = talk.reply(sent, stop_times=(StopTime(A, -5 * S, shrinks=True),))
    assert wk.MoveStop(A, sent, StopReason.RESERVED) in made, "never before the sending"


def test_call_again_by_then(talk):
    talk.ask()
    assert talk.reply(call_by_ms=700) == [wk.CallSync(700)]
    assert talk.tell(wk.SyncFailed("no route")) == [wk.CallSync(1_000)]
    assert talk.tell(wk.SyncFailed("LW801", fenced=True)) == [wk.Quit("LW801")]


# Another ledger -----------------------------------------------------------------------------------


def test_fault_38_an_unknown_ledger_stops_deletes_and_starts_nothing(talk):
    holding(talk, A)
    talk.tell(wk.Finished(A, DONE, 1_000, 2_000))
    talk.ask()
    all_of_it = {
        "ledger_id": "another",
        "settled": (A,),
        "start": (grant(B),),
        "stop": (Stop(A, StopReason.REVOKE),),
    }
    made = talk.reply(**all_of_it)
    assert kinds(made) == ["Tell", "CallSync"]
    assert made[0].finding.code == "LW805"
    assert talk.agent.held_back
    talk.ask()
    assert kinds(talk.reply(**all_of_it)) == ["CallSync"], "told once"
    assert list(talk.agent.attempts) == [A]
    request = talk.ask()
    assert request.ledger_id == "ledger-1", "it says whom it followed"
    made = talk.reply(**all_of_it, ledger_accepted=True, head=3)
    assert made[0] == wk.KeepLedger("another", 3)
    assert "Settle" in kinds(made)
    assert "SpoolGrants" in kinds(made)
    assert not talk.agent.held_back


def test_registering_with_another_ledger_holds_back():
    talk = Talk(ledger_id="mine")
    talk.tell(wk.Registered(RegisterReply(1, "other", 9, 1, TERMS, 15_000), 900))
    assert talk.agent.held_back
    assert talk.agent.ledger_id == "mine"


def test_how_far_the_ledger_was_seen_only_grows(talk):
    for head, kept in ((7, True), (7, False), (5, False), (8, True)):
        talk.ask()
        assert (wk.KeepLedger("ledger-1", head) in talk.reply(head=head)) is kept
    assert talk.ask().ledger_seen == 8


# Cut off, leaving, sleeping, adopting -------------------------------------------------------------


def test_cut_off_for_as_long_as_the_task_allows(talk):
    holding(talk, A, B, cut_off_ms=120 * S)
    talk.agent.attempts[B].grant = wk.LocalGrant(B, (), 1, 0, 0, 0)
    talk.now += 120 * S
    assert talk.tell(wk.Ticked()) == []
    talk.now += 1
    assert talk.tell(wk.Ticked()) == [wk.StopAttempt(A, StopReason.CUT_OFF)]
    assert talk.tell(wk.Ticked()) == []


def test_heard_again_counts_anew(talk):
    holding(talk, A, cut_off_ms=120 * S)
    talk.now += 100 * S
    talk.ask()
    talk.reply()
    talk.now += 100 * S
    assert talk.tell(wk.Ticked()) == []


def test_leaving_hands_back_what_waits_and_lets_the_rest_run(talk):
    holding(talk, A, B)
    talk.tell(wk.Started(A, talk.now))
    made = talk.tell(wk.Leave())
    assert made == [wk.StopAttempt(B, StopReason.SHUTDOWN), wk.CallSync(0)]
    talk.ask()
    more = AttemptRef("c", 1)
    assert talk.reply(start=(grant(more),)) == [wk.CallSync(0)]
    assert talk.ask().back == (more,)


def test_leaving_now_stops_everything(talk):
    holding(talk, A)
    talk.tell(wk.Started(A, talk.now))
    assert wk.StopAttempt(A, StopReason.SHUTDOWN) in talk.tell(wk.Leave(now=True))


def test_sleep_is_told_until_it_was_heard(talk):
    assert talk.tell(wk.Woke(5_000)) == [wk.CallSync(0)]
    assert talk.ask().slept_ms == 5_000
    talk.tell(wk.SyncFailed("no answer"))
    assert talk.ask().slept_ms == 5_000
    talk.tell(wk.Woke(2_000))
    talk.reply()
    assert talk.ask().slept_ms == 2_000, "slept while the call was out: not told yet"
    talk.reply()
    assert talk.ask().slept_ms == 0


def test_a_new_daemon_says_what_the_spool_knows():
    talk = Talk()
    note = wk.NoteEnded(B, DONE, "boot", 900, 500)
    held = wk.LocalGrant(A, ("true",), S, 0, 0, 0)
    ended = wk.LocalGrant(B, ("true",), S, 0, 0, 0)
    adopt(
        talk.agent,
        (
            wk.Adopted(held, Phase.RUNNING, "boot", 400),
            wk.Adopted(ended, Phase.RUNNING, "boot", 500, note),
        ),
    )
    request = talk.ask()
    assert [(one.ref, one.started_ago_ms) for one in request.held] == [(A, 600)]
    assert [(one.ref, one.ended_ago_ms) for one in request.endings] == [(B, 100)]


def test_unknown_attempts_are_nobody_s(talk):
    for event in (wk.Started(A, 1), wk.Stopping(A), wk.Finished(A, DONE, 1, 2), wk.Returned(A)):
        assert talk.tell(event) == []
    assert talk.ask().endings == ()
