"""Bugs of the protocol, planted one at a time into the real code: each a small patch of one place.

`caught` names the checks that may speak (`sim.shrink.check_of`), `within` how many seeds it may
take at most. Quiet bugs are looked for in worlds where nothing else fails.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from leaseway.coordinator.service import Service
from leaseway.core import agent, book, index, presence
from leaseway.core.admission import room, shared
from leaseway.core.decisions import advance, cancel, submit, sync, tick
from leaseway.sim.daemon import Daemon
from leaseway.worker import recovery
from leaseway.worker.bounds import Bounds
from tests.sim import wrong_coordinator as coordinator
from tests.sim import wrong_worker as worker

Real = Callable[..., Any]

OFTEN, RARE = 150, 400
"""So many seeds may be needed; a bug that is met rarely is still met."""


@dataclass(frozen=True)
class Planted:
    """`owner.name` is replaced by what `wrong` makes of the real one."""

    title: str
    owner: Any
    name: str
    wrong: Callable[[Real], Real]
    caught: tuple[str, ...]
    within: int = OFTEN
    quiet: bool = False


def never(real: Real) -> Real:
    """Says no, or nothing, whatever it is asked."""
    return lambda *_: None


def no(real: Real) -> Real:
    return lambda *_: False


def yes(real: Real) -> Real:
    return lambda *_: True


def nothing(real: Real) -> Real:
    return lambda *_: iter(())


def nobody(real: Real) -> Real:
    return lambda *_: []


PLANTED = (
    Planted(
        "tasks of other plans that touch the same thing are not looked for",
        room.Room,
        "met",
        nobody,
        ("29 conflicts", "truth 29 conflicts"),
    ),
    Planted(
        "absence is an order: a grant that a reply does not name is forgotten",
        agent,
        "_started",
        worker.absence_is_an_order,
        ("verdict", "truth 4 twice", "truth 5 exclusive", "22 loss"),
    ),
    Planted(
        "remaining time counts from the receipt of a reply",
        agent,
        "_replied",
        worker.counted_from_receipt,
        ("truth 20 stop", "truth 20 window"),
    ),
    Planted(
        "a reply to an older sync is not dropped",
        agent,
        "_replied",
        worker.any_reply_counts,
        ("truth 4 twice", "22 loss", "verdict"),
        within=RARE,
    ),
    Planted(
        "a grant is queued before it is spooled",
        Daemon,
        "_spool",
        worker.queued_before_spooled,
        ("verdict", "truth 4 twice", "22 loss", "13 capacity"),
    ),
    Planted(
        "after a reboot what was granted does not count as started",
        recovery,
        "_restarted",
        never,
        ("truth 4 twice", "22 loss", "verdict", "13 capacity"),
    ),
    Planted(
        "a keeper stops nothing by itself",
        Bounds,
        "look",
        never,
        ("truth 20 stop", "truth 20 window", "truth 5 exclusive", "truth 15 tokens", "22 loss"),
    ),
    Planted(
        "a grant past its start-by is started",
        book,
        "_too_late",
        no,
        ("truth 20 stop", "truth 20 window", "verdict", "truth 5 exclusive"),
    ),
    Planted(
        "nobody asks who would be late where cpus are shared",
        shared,
        "harmed",
        never,
        ("11 harm",),
        quiet=True,
    ),
    Planted(
        "best effort takes cpus that others share",
        advance,
        "leaves_enough",
        yes,
        ("11 harm",),
        quiet=True,
    ),
    Planted(
        "grants overtake each other at the worker",
        book,
        "may_start",
        worker.last_come_first,
        ("11 harm",),
        quiet=True,
    ),
    Planted(
        "expiry comes before reports",
        sync,
        "sync",
        coordinator.expiry_first,
        ("verdict", "judged"),
    ),
    Planted(
        "after a start nobody is heard before being judged",
        presence,
        "may_judge",
        yes,
        ("judged",),
    ),
    Planted(
        "called lost before its worker must have stopped it",
        tick,
        "_expired",
        coordinator.lost_is_repeated,
        (
            "29 unconfirmed",
            "judged",
            "truth 5 exclusive",
            "truth 15 tokens",
            "truth 16 order",
            "truth 29 conflicts",
            "verdict",
        ),
    ),
    Planted(
        "a batch is answered though it was not stored",
        Service,
        "append",
        coordinator.answered_unstored,
        ("defect", "22 loss", "2 outcome", "28 explainable", "30 approval", "31 policy"),
    ),
    Planted(
        "the attempt number of an ending is not checked",
        sync._Reports,
        "_ending",
        coordinator.any_number_counts,
        ("verdict", "truth 5 exclusive", "truth 16 order", "truth 15 tokens", "22 loss"),
    ),
    Planted(
        "an older daemon of the same name counts",
        sync,
        "_fenced",
        never,
        ("fence",),
    ),
    Planted(
        "a late result is settled and not kept",
        sync,
        "kept_late",
        nothing,
        ("22 loss",),
    ),
    Planted(
        "tokens are not kept",
        index,
        "attempt_added",
        coordinator.tokens_not_kept,
        ("15 tokens",),
    ),
    Planted(
        "what somebody gives up is free at once",
        cancel,
        "_given_up",
        coordinator.freed_at_once,
        ("29 unconfirmed", "truth 15 tokens", "truth 16 order", "truth 29 conflicts"),
    ),
    Planted(
        "what an unconfirmed attempt holds is freed before it must have stopped",
        tick,
        "passed",
        coordinator.freed_too_soon,
        ("29 unconfirmed",),
    ),
    Planted(
        "a token or lane taken in a round is not seen by the next worker",
        advance,
        "_takes_shared",
        no,
        ("15 tokens",),
        within=RARE,
    ),
    Planted(
        "the key of a submit is not looked up",
        submit,
        "_earlier",
        never,
        ("queue duplicated",),
    ),
    Planted(
        "every end is a good end",
        sync,
        "ended",
        coordinator.another_ending,
        ("verdict", "truth 16 order"),
    ),
    Planted(
        "a plan does not name the policy that decided it",
        submit,
        "version_of",
        coordinator.no_policy,
        ("31 policy",),
    ),
    Planted(
        "a plan passes with a request that nobody has answered",
        submit,
        "approved",
        coordinator.asked_is_given,
        ("30 approval",),
    ),
)
