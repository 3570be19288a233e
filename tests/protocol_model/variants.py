"""Every variant that is searched: the protocol itself, and the protocol less one rule.

A variant names the property it must break and the steps its shortest trace must show, in this
order. A mutant that stops breaking means that the model went blind, not that the rule is idle.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from . import fence, hold, spool
from .search import Found, Model, explore


@dataclass(frozen=True)
class Variant:
    """`model` makes it, given sizes; `breaks` is empty for the protocol itself."""

    name: str
    model: Callable[..., Any]
    judge: Callable[[Any], Found]
    breaks: str = ""
    length: int = 0
    shows: tuple[str, ...] = ()


def _fence(**rules: Any) -> Model:
    return fence.Fence(fence.Rules(**rules))


def _hold(**rules: Any) -> Model:
    return hold.Hold(hold.Rules(**rules))


def _spool(**rules: Any) -> Model:
    return spool.Spool(spool.Rules(**rules))


def _mutant(name: str, model: partial[Model], breaks: str, length: int, *shows: str) -> Variant:
    judges: dict[Any, Callable[[Any], Found]] = {
        _fence: explore,
        _hold: hold.judge,
        _spool: spool.judge,
    }
    return Variant(name, model, judges[model.func], breaks, length, shows)


# In CI two messages fly at once, three attempts cost a factor of three: both are in `FULL_SIZES`.
# Lease, guard and lost ticks are those of the worked numbers (2, 1, 1); ticks are not bounded.
CI_SIZE: dict[str, int] = {"lease": 2, "attempts": 2, "in_flight": 2}
FULL_SIZES: tuple[dict[str, int], ...] = (
    {"lease": 2, "attempts": 2, "in_flight": 3},
    {"lease": 2, "attempts": 3, "in_flight": 2},
    {"lease": 3, "attempts": 2, "in_flight": 2},
)

FENCE = Variant("fence: the protocol", _fence, explore)
HOLD = Variant("hold: the protocol", _hold, hold.judge)
SPOOL = Variant("spool: the protocol", _spool, spool.judge)

FENCE_MUTANTS = (
    _mutant(
        "no sink fencing, no dedup", partial(_fence, sink_fence=False, dedup=False), "A", 8,
        "write an outcome row by done 1 from A", "A reports done",
        "write an outcome row by done 1 from A",
    ),
    _mutant(
        "no dedup", partial(_fence, dedup=False), "A", 8,
        "write an outcome row by done 1 from A", "A reports done",
        "write an outcome row by done 1 from A",
    ),
    _mutant(
        "no sink fencing", partial(_fence, sink_fence=False), "F", 11,
        "grant 1 to A", "grant 2 to B", "write an outcome row by done 1 from A",
    ),
    _mutant(
        "no store fencing", partial(_fence, store_fence=False), "C", 13,
        "A writes", "grant 2 to B", "store takes write 2 from B", "store takes write 1 from A",
    ),
    _mutant(
        "a clock that stops in sleep", partial(_fence, clock_counts_sleep=False), "B", 10,
        "A starts 1 by a grant", "A sleeps", "B starts 2 by a grant",
    ),
    _mutant(
        "no guard", partial(_fence, guard=0), "B", 8,
        "A starts 1 by a grant", "tick, A loses it, B loses it", "B starts 2 by a grant",
    ),
    _mutant(
        "stop time counted from the receipt", partial(_fence, counted_from_send=False), "B", 9,
        "grant 1 to A", "tick", "A starts 1 by a grant", "B starts 2 by a grant",
    ),
    _mutant(
        "two lost ticks against a guard of one", partial(_fence, lost_ticks=2), "B", 9,
        "tick, A loses it, B loses it", "tick, A loses it, B loses it", "B starts 2 by a grant",
    ),
    _mutant(
        "a reply to an older try is taken", partial(_fence, newest_reply_only=False), "B", 8,
        "A starts 1 by a late grant", "take 1 back, A never started it", "B starts 2 by a grant",
    ),
    _mutant(
        "an older sync is heard after a newer", partial(_fence, newest_sync_only=False), "B", 8,
        "A starts 1 by a grant", "take 1 back, A never started it", "B starts 2 by a grant",
    ),
)  # fmt: skip

SMALL_MUTANTS = (
    _mutant(
        "remaining stamped at the reply", partial(_hold, stamped_at_arrival=False), "L", 8,
        "hold the ask", "grant",
    ),
    _mutant(
        "after a hold, counted from the receipt", partial(_hold, counted_from_send=False), "N", 12,
        "grant", "start", "tick",
    ),
    _mutant(
        "after a hold, two lost ticks", partial(_hold, lost_ticks=2), "N", 12,
        "start", "tick, lost", "tick, lost",
    ),
    _mutant(
        "a wire slower than the lease", partial(_hold, wire=2), "L", 10,
        "tick", "tick", "hold the ask", "grant",
    ),
    _mutant(
        "absence is an order", partial(_spool, absence_is_no_order=False), "E", 5,
        "coordinator falls, an old backup is restored", "hear of an attempt nobody here knows",
        "worker stops and erases what the reply does not name",
    ),
    _mutant(
        "judge before hearing", partial(_spool, hear_before_judging=False), "J", 7,
        "the attempt ends, its ending is spooled", "coordinator comes back", "call it lost",
    ),
    _mutant(
        "expiry before reports", partial(_spool, reports_before_expiry=False), "J", 8,
        "the attempt ends, its ending is spooled", "worker syncs", "expire, then read the sync",
    ),
    _mutant(
        "settled before it is appended", partial(_spool, settle_after_append=False), "E", 5,
        "worker deletes the settled ending", "coordinator falls or sleeps",
    ),
)  # fmt: skip
