"""Goal: an attempt with a view waits for its files, and its ending for what it changed.
Method: transcripts of one agent, told things at chosen moments.
"""

from __future__ import annotations

import pytest

from leaseway.core.agent import adopt
from leaseway.core.book import may_start
from leaseway.core.in_hand import MOST_KEPT
from leaseway.core.model import worker as wk
from leaseway.core.model.capacity import Capacity, Uses
from leaseway.core.model.outcomes import Ending, EndKind, StopReason
from leaseway.core.model.plan import Archive
from leaseway.core.model.sync import AttemptRef, Phase, RegisterReply, Stop
from tests.core.pool import S
from tests.core.test_agent import TERMS, A, B, Talk, grant, kinds

TREE = (Archive("sha256:" + "0" * 64, 100),)
BARE = Ending(EndKind.EXITED, exit_code=0)
WHOLE = Ending(EndKind.EXITED, exit_code=0, results=Archive("sha256:" + "1" * 64, 7))


@pytest.fixture
def talk():
    made = Talk()
    made.tell(wk.Registered(RegisterReply(4, "ledger-1", 9, 2, TERMS, 15_000), 900))
    made.ask()
    return made


def held(talk):
    return {each.ref: (each.phase, each.receiving) for each in talk.ask().held}


def over(talk, ref=A):
    """An attempt with a view, received, run, and over."""
    talk.reply(start=(grant(ref, layers=TREE),))
    talk.tell(wk.Received(ref, 40))
    talk.tell(wk.Started(ref, 1_200))
    return talk.tell(wk.Over(ref, 1_200))


def test_all_are_spooled_and_only_those_with_layers_received(talk):
    made = talk.reply(start=(grant(A, layers=TREE, order=1), grant(B, order=2)))
    assert kinds(made) == ["SpoolGrants", "Receive", "CallSync"]
    assert [each.ref for each in made[0].grants] == [A, B]
    assert [(each.ref, each.layers) for each in made[1].grants] == [(A, TREE)]
    assert held(talk) == {A: (Phase.GRANTED, True), B: (Phase.GRANTED, False)}


def test_received_is_ready_once(talk):
    talk.reply(start=(grant(A, layers=TREE), grant(B)))
    assert talk.tell(wk.Received(A, 40)) == [wk.Ready(A)]
    assert talk.tell(wk.Received(A, 50)) == []
    assert talk.tell(wk.Received(B, 50)) == [], "it has nothing to receive"
    assert held(talk)[A] == (Phase.GRANTED, False)
    assert talk.agent.attempts[A].received_ms == 40


def test_handed_back_while_it_received(talk):
    talk.reply(start=(grant(A, layers=TREE),))
    talk.tell(wk.Returned(A))
    assert talk.tell(wk.Received(A, 40)) == []
    assert talk.ask().back == (A,)


def test_over_is_held_as_ended_until_all_is_delivered(talk):
    assert over(talk) == [wk.Collect(A), wk.CallSync(300)]
    assert talk.tell(wk.Over(A, 1_200)) == []
    request = talk.ask()
    assert [(one.ref, one.phase) for one in request.held] == [(A, Phase.ENDED)]
    assert request.endings == ()
    talk.tell(wk.Finished(A, WHOLE, 1_200, 2_000))
    request = talk.ask()
    assert request.held == ()
    assert [(one.ref, one.ending) for one in request.endings] == [(A, WHOLE)]


def test_what_is_over_is_neither_stopped_nor_cut_off_nor_settled(talk):
    over(talk)
    talk.ask()
    made = talk.reply(stop=(Stop(A, StopReason.CANCEL),), settled=(A,))
    assert kinds(made) == ["CallSync"]
    talk.tell(wk.Stopping(A))
    talk.tell(wk.Started(A, 1_200))
    assert held(talk) == {A: (Phase.ENDED, False)}
    assert talk.tell(wk.Leave(now=True)) == [wk.CallSync(0)]
    assert list(talk.agent.attempts) == [A]


def test_a_new_daemon_goes_on_receiving_and_collecting(talk):
    c, d = AttemptRef("c", 1), AttemptRef("d", 1)
    grants = {ref: wk.LocalGrant(ref, ("true",), S, 0, 0, 0, layers=TREE) for ref in (A, B, c, d)}
    note = wk.NoteEnded(d, WHOLE, "boot", 900, 500)
    made = adopt(
        talk.agent,
        (
            wk.Adopted(grants[A], Phase.GRANTED, "boot"),
            wk.Adopted(grants[B], Phase.GRANTED, "boot", received_ms=5),
            wk.Adopted(grants[c], Phase.ENDED, "boot", 400, received_ms=5),
            wk.Adopted(grants[d], Phase.ENDED, "boot", 500, note, received_ms=5),
        ),
    )
    assert made == [wk.Receive((grants[A],)), wk.Collect(c)]
    request = talk.ask()
    assert [(one.ref, one.phase, one.receiving) for one in request.held] == [
        (A, Phase.GRANTED, True),
        (B, Phase.GRANTED, False),
        (c, Phase.ENDED, False),
    ]
    assert [one.ending for one in request.endings] == [WHOLE]


def test_forgotten_is_only_what_is_kept(talk):
    over(talk)
    talk.tell(wk.Kept(B))
    assert talk.ask().kept == (B,)
    made = talk.reply(forget=(A, B, AttemptRef("c", 1)))
    assert wk.Forget((B,)) in made
    assert list(talk.agent.attempts) == [A]
    assert talk.ask().kept == ()
    assert "Forget" not in kinds(talk.reply()), "absence is never an order"


def test_a_kept_view_that_had_to_go_is_not_named(talk):
    talk.tell(wk.Kept(A))
    talk.tell(wk.Dropped(A))
    assert talk.ask().kept == ()


def test_many_kept_views_are_named_in_turn(talk):
    refs = [AttemptRef("t", number) for number in range(1, 2 * MOST_KEPT + 51)]
    for ref in refs:
        talk.tell(wk.Kept(ref))
    named = [talk.ask().kept for _ in range(5)]
    assert {len(each) for each in named} == {MOST_KEPT}
    assert {ref for each in named for ref in each} == set(refs)


def test_who_receives_keeps_its_place_and_its_room():
    """Two slots: what stands behind may use what is free beside it, and no more."""
    one, now = Uses(slots=1), wk.WorkerNow(0, 0)
    queue = tuple(
        wk.LocalGrant(AttemptRef(name, 1), "true", S, 0, 60 * S, 60 * S, uses=one, order=order)
        for order, name in enumerate("abc")
    )
    waits, second, third = (each.ref for each in queue)
    room = Capacity(slots=2, cpus_milli=9_000).vector()
    verdict = may_start(wk.Book(room, (), queue, receiving=frozenset({waits})), now)
    assert verdict.start == (second,)
    assert may_start(wk.Book(room, (), queue), now).start == (waits, second)
    late = wk.WorkerNow(60 * S + 1, 0)
    verdict = may_start(wk.Book(room, (), queue, receiving=frozenset({waits})), late)
    assert verdict.back == (waits, second, third)
