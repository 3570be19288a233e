"""How an attempt ended (an ending: what the worker saw) and how a task ended (its outcome)."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from leaseway.core.model.checkpoint import Checkpoint
from leaseway.core.model.findings import Finding
from leaseway.core.model.plan import Archive
from leaseway.core.model.units import Instant, Millis


class EndKind(StrEnum):
    """What the worker saw of the process. `unknown` is the coordinator's: nothing was heard."""

    EXITED = "exited"
    SIGNALED = "signaled"
    SPAWN_FAILED = "spawn-failed"
    NOT_STARTED = "not-started"
    KEEPER_DIED = "keeper-died"
    RESTARTED = "worker-restarted"
    UNKNOWN = "unknown"


class StopReason(StrEnum):
    """Why an attempt was told to stop."""

    RESERVED = "reserved-time"  # its own reserved time (perhaps extended) or limit is used up
    WINDOW = "window-end"  # the lease closes
    CANCEL = "cancel"
    REVOKE = "revoke"
    SLEPT = "slept"  # the worker slept through its stop time
    CUT_OFF = "cut-off"  # too long without the coordinator, as the task asked
    GAVE_WAY = "gave-way"
    SHUTDOWN = "shutdown"  # the worker was told to leave


class Freed(StrEnum):
    """Why nothing is kept any longer for an attempt that outlived its task's outcome."""

    ENDED = "ended"  # its worker told how
    NEVER_STARTED = "never-started"  # its worker, with the same spool, knows nothing of it
    STOP_TIME = "stop-time"  # its stop time and guard have passed


class Ending(Struct, frozen=True, omit_defaults=True):
    """What the worker saw. `exit_code` and `signal` are None where there is no exit status."""

    kind: EndKind
    exit_code: int | None = None
    signal: int | None = None
    reason: StopReason | None = None  # set when the worker sent TERM before the process ended
    ran_ms: Millis = 0  # on the clock that stops in sleep
    held_ms: Millis = 0  # on the clock that counts sleep
    cpu_ms: Millis = 0
    max_rss_bytes: int = 0
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    left_pids: tuple[int, ...] = ()  # processes that outlived the command
    missing: tuple[str, ...] = ()  # declared outputs that are not there
    partial: tuple[str, ...] = ()  # declared outputs that may be half written
    received_ms: Millis = 0  # receiving files before the start; no part of the run
    results: Archive | None = None  # what it changed of what it declared, to be brought back
    extra: Archive | None = None  # what it changed beside that
    undeclared: tuple[str, ...] = ()  # the first of those names
    undeclared_count: int = 0
    checkpoint: Checkpoint | None = None  # the last one, if it made any
    detail: str = ""


class OutcomeKind(StrEnum):
    """How a task ended; exactly one, written when no further attempt will be made."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    OVERRAN = "overran"
    STOPPED = "stopped"
    REFUSED = "refused"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"
    INCOMPLETE = "incomplete"
    LOST = "lost"


class Outcome(Struct, frozen=True, omit_defaults=True):
    """The outcome of a task: kind, cause, when. `attempt` 0: no attempt was ever made."""

    kind: OutcomeKind
    cause: Finding
    at: Instant
    attempt: int = 0
    late_ms: Millis = 0  # how long after the stop time + guard the ending arrived


class Waste(Struct, frozen=True, omit_defaults=True):
    """Core-time that led to no success, by the code of what ended it. `core_ms`: cpus × time run,
    in milliseconds of one core."""

    code: str
    core_ms: int = 0
    attempts: int = 0
