"""A worker and its lease as they are shown, and what an owner asks of them.

What travels to a client is open: it may learn fields that an older client does not know. So the
terms have a form of their own here, and amounts are named, not listed.
"""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import asdict

from leaseway.core.model.capacity import RESOURCES, UNLIMITED, Vector
from leaseway.core.model.lease import Terms, TermsChange
from leaseway.core.model.units import Instant, Millis
from leaseway.wire.findings import FindingInfo

Amounts = dict[str, int | None]
"""By resource (`cpus_milli`, `memory_bytes`, …); None is unlimited."""


class WindowInfo(Struct, frozen=True):
    """A stretch of time in which tasks may run; None: no end was set."""

    opens_at: Instant
    closes_at: Instant | None = None


class ScopeInfo(Struct, frozen=True):
    """What may be touched. Empty `commands`: any."""

    commands: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    network: str = "all"
    enforce: str = "where possible"


class TermsInfo(Struct, frozen=True):
    """The terms of a lease. `guard_ms` is the sum of the parts in `guard`; `share` is percent by
    role; `recurring`: the words that the windows follow; `mode`: how cpus are promised, and where
    they are shared in how many percent of its time alone a task may end."""

    windows: tuple[WindowInfo, ...]
    capacity: Amounts
    max_run_ms: Millis | None = None
    tokens: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    scope: ScopeInfo = ScopeInfo()
    guard: dict[str, Millis] = field(default_factory=dict)
    guard_ms: Millis = 0
    share: dict[str, int] = field(default_factory=dict)
    recurring: str = ""
    mode: str = "reserved"
    stretch_percent: int = 400
    extendable_until: Instant | None = None


class HeldInfo(Struct, frozen=True):
    """An attempt that is granted to this worker or runs there."""

    task: str
    number: int
    phase: str
    stop_at: Instant | None = None


class WorkerInfo(Struct, frozen=True):
    """One worker. `open`: a window is open now; `present`: heard within the patience, or too
    early to say; `leaving`: the last that was heard is that its daemon ends. `remaining_ms`: left
    of the window that is open, None where it has no end. `opens_in_ms`: until the next window,
    while none is open. `set_terms`: terms that are as a command set them, last at `set_at`."""

    name: str
    state: str
    open: bool
    present: bool
    terms: TermsInfo
    terms_version: int
    incarnation: int
    now: Instant
    registered_at: Instant
    remaining_ms: Millis | None = None
    opens_in_ms: Millis | None = None
    used: Amounts = field(default_factory=dict)
    free: Amounts = field(default_factory=dict)
    held: tuple[HeldInfo, ...] = ()
    reserved_tasks: int = 0
    heard_ago_ms: Millis | None = None
    leaving: bool = False
    moved_by: str = ""
    reason: str = ""
    cause: FindingInfo | None = None
    software: str = ""
    machine_id: str = ""
    ledger_accepted: bool = True
    offset_ms: int = 0
    slept_ms: Millis = 0
    set_terms: tuple[str, ...] = ()
    set_at: Instant = 0
    meter: dict[str, int] = field(default_factory=dict)
    early_close_ms: Millis = 0  # kept free besides, for its owner has closed so much earlier before


class WorkerList(Struct, frozen=True):
    """All workers by name."""

    workers: tuple[WorkerInfo, ...]
    now: Instant


class LeaseChange(Struct, frozen=True, forbid_unknown_fields=True):
    """What an owner changes of a lease's terms; what is unset stays as it was."""

    change: TermsChange


class StateChange(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Move a lease: active, draining, quarantined or ended."""

    state: str
    reason: str = ""


class RevokeRequest(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Take the grants of a worker back: what runs there is stopped and fenced off."""

    reason: str = ""


def amounts(vector: Vector) -> Amounts:
    """A vector by name, very large numbers as None."""
    return {
        name: None if amount >= UNLIMITED // 2 else amount
        for name, amount in zip(RESOURCES, vector, strict=True)
    }


def terms_info(terms: Terms) -> TermsInfo:
    """Terms as they are shown."""
    return TermsInfo(
        windows=tuple(WindowInfo(each.opens_at, each.closes_at) for each in terms.windows),
        capacity=amounts(terms.capacity.vector()),
        max_run_ms=terms.max_run_ms,
        tokens=terms.tokens,
        labels=terms.labels,
        tools=terms.tools,
        scope=ScopeInfo(**asdict(terms.scope)),
        guard=asdict(terms.guard),
        guard_ms=terms.guard.total_ms,
        share=terms.share,
        recurring=terms.recurring,
        mode=terms.mode.value,
        stretch_percent=terms.stretch_percent,
        extendable_until=terms.extendable_until,
    )
