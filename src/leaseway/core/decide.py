"""`decide(view, command, now)`: the coordinator's one door.

Pure: reads the view and writes nothing; `carry_out` folds what was decided into it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, assert_never

from leaseway.core.decisions.acknowledge import acknowledge
from leaseway.core.decisions.advance import advance
from leaseway.core.decisions.answer import answer
from leaseway.core.decisions.approve import answer_approval
from leaseway.core.decisions.cancel import cancel, give_up
from leaseway.core.decisions.decision import Accepted, Decision, Refused
from leaseway.core.decisions.kept import declined, placed_anew
from leaseway.core.decisions.lease import change_lease, recheck, revoke, set_state
from leaseway.core.decisions.policy import set_policy
from leaseway.core.decisions.register import register
from leaseway.core.decisions.submit import submit
from leaseway.core.decisions.sync import sync
from leaseway.core.decisions.tick import tick
from leaseway.core.evolve import evolve
from leaseway.core.model import commands as cmd
from leaseway.core.model.basis import By
from leaseway.core.model.events import Event, LedgerOpened
from leaseway.core.model.units import Instant
from leaseway.core.model.view import View


def decide(view: View, command: cmd.Command, now: Instant) -> Decision:  # noqa: C901
    """One command, one decision. Complexity is the number of commands."""
    match command:
        case cmd.Sync():
            return sync(view, command, now)
        case cmd.Answer():
            return answer(view, command, now)
        case cmd.Advance():
            return placed_anew(view, By("advance"), advance(view, command, now), now)
        case cmd.Tick():
            return placed_anew(view, By("tick"), tick(view, command, now), now)
        case cmd.Submit():
            said = submit(view, command, now)
            return declined(view, command, said, now) if isinstance(said, Refused) else said
        case cmd.Register():
            return register(view, command, now)
        case cmd.ChangeLease():
            return change_lease(view, command, now)
        case cmd.SetState():
            return set_state(view, command, now)
        case cmd.Revoke():
            return revoke(view, command, now)
        case cmd.Recheck():
            by = By("recheck", command.worker, command.why, command.everything)
            return placed_anew(view, by, recheck(view, command, now), now)
        case cmd.Cancel():
            return cancel(view, command, now)
        case cmd.GiveUp():
            return give_up(view, command, now)
        case cmd.Acknowledge():
            return acknowledge(view, command, now)
        case cmd.SetPolicy():
            return set_policy(view, command, now)
        case cmd.AnswerApproval():
            return answer_approval(view, command, now)
        case cmd.Open():
            return Accepted((LedgerOpened(command.ledger_id),))
        case _:
            assert_never(command)


class Carried:
    """What `carry_out` made of a command: stored events in order, and the reply or refusal."""

    __slots__ = ("events", "refused", "reply")

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.reply: Any = None
        self.refused: Refused | None = None


def carry_out(view: View, command: cmd.Command, now: Instant) -> Carried:
    """Decide and evolve a command and everything that follows from it, depth first.

    The caller owns the view; a follow-up is never refused, only the first command can be.
    """
    carried = Carried()
    first = decide(view, command, now)
    if isinstance(first, Refused):
        carried.refused = first
        _folded(view, carried, first.events, now)
        return carried
    for decision in _unfolded(view, first, now):
        _folded(view, carried, decision.events, now)
        if decision.reply is not None:
            carried.reply = decision.reply
    return carried


def _folded(view: View, carried: Carried, events: tuple[Event, ...], now: Instant) -> None:
    for event in events:
        evolve(view, now, event)
    carried.events.extend(events)


def _unfolded(view: View, first: Accepted, now: Instant) -> Iterator[Accepted]:
    """The first decision, then each follow-up decided on the view as it is by then."""
    yield first
    stack = list(reversed(first.then))
    while stack:
        decision = decide(view, stack.pop(), now)
        assert isinstance(decision, Accepted), "a follow-up is never refused"
        yield decision
        stack.extend(reversed(decision.then))
