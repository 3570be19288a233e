"""From an ending to an outcome: what the worker saw, judged against what was reserved."""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from leaseway.core.admission.gates import reserved_ms
from leaseway.core.checkpoint.telling import ended_as_told, numbers_of
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.outcomes import Ending, EndKind, OutcomeKind, StopReason
from leaseway.core.model.plan import Repeat
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Attempt, Settings, Task

Numbers = dict[str, int | str | list[str]]


def judge(task: Task, attempt: Attempt, ending: Ending) -> tuple[OutcomeKind, Finding]:
    """The outcome this ending would be, and its cause with numbers."""
    match ending.kind:
        case EndKind.EXITED | EndKind.SIGNALED:
            return _process_ended(task, attempt, ending)
        case EndKind.SPAWN_FAILED:
            numbers: Numbers = {"detail": ending.detail}
            return OutcomeKind.FAILED, _cause(task, attempt, "LW701", "spawn", numbers)
        case EndKind.RESTARTED:
            return OutcomeKind.STOPPED, _cause(
                task, attempt, "LW709", "", {"ran_ms": ending.ran_ms}
            )
        case EndKind.KEEPER_DIED:
            if ending.exit_code is not None or ending.signal is not None:
                return _process_ended(task, attempt, ending)
            return OutcomeKind.LOST, _cause(task, attempt, "LW711", "", {"ran_ms": ending.ran_ms})
        case EndKind.UNKNOWN:
            return OutcomeKind.LOST, _cause(task, attempt, "LW704", "", {})
        case EndKind.NOT_STARTED:
            return OutcomeKind.STOPPED, _cause(task, attempt, "LW703", "not-started", {})
        case _:
            assert_never(ending.kind)


def _process_ended(task: Task, attempt: Attempt, ending: Ending) -> tuple[OutcomeKind, Finding]:
    if ending.reason is not None:
        return _was_stopped(task, attempt, ending, ending.reason)
    if ending.checkpoint is not None and ended_as_told(ending):
        told = {**numbers_of(ending.checkpoint), "ran_ms": ending.ran_ms}
        return OutcomeKind.STOPPED, _cause(task, attempt, "LW603", "saved", told)
    numbers: Numbers = {"ran_ms": ending.ran_ms}
    if ending.left_pids:
        numbers["left_pids"] = [str(pid) for pid in ending.left_pids]
    if ending.signal is not None:
        numbers["signal"] = ending.signal
        return OutcomeKind.FAILED, _cause(task, attempt, "LW701", "signal", numbers)
    if ending.exit_code is None:
        return OutcomeKind.LOST, _cause(task, attempt, "LW711", "no-status", numbers)
    numbers["exit_code"] = ending.exit_code
    if ending.exit_code != 0:
        return OutcomeKind.FAILED, _cause(task, attempt, "LW701", "exit", numbers)
    if ending.missing:
        missing: Numbers = {"missing": list(ending.missing)}
        return OutcomeKind.INCOMPLETE, _cause(task, attempt, "LW706", "", missing)
    return OutcomeKind.SUCCEEDED, _cause(task, attempt, "LW701", "success", numbers)


def _was_stopped(
    task: Task, attempt: Attempt, ending: Ending, reason: StopReason
) -> tuple[OutcomeKind, Finding]:
    own = reserved_ms(task.spec)
    numbers: Numbers = {"ran_ms": ending.ran_ms, "reserved_ms": own or attempt.reserved_ms}
    if task.spec.limit_ms is not None:
        numbers["limit_ms"] = task.spec.limit_ms
    # Beside others it may run longer than its own time without having had it, if it was told so;
    # else by its stop time it has had all of it.
    had_its_own = not attempt.shared or attempt.cause is None
    past_own = own is not None and ending.ran_ms > own and had_its_own
    is_window = reason is not StopReason.CUT_OFF
    match reason:
        case StopReason.RESERVED if not attempt.contended:
            return _own_bound(task, attempt, own, numbers)
        case StopReason.RESERVED | StopReason.WINDOW | StopReason.CUT_OFF:
            if past_own:
                numbers["by"] = "the end of the lease" if is_window else "the loss of contact"
                return OutcomeKind.OVERRAN, _cause(task, attempt, "LW702", "", numbers)
            variant = "window-end" if is_window else "cut-off"
            return OutcomeKind.STOPPED, _cause(task, attempt, "LW703", variant, numbers)
        case StopReason.CANCEL:
            numbers["by"] = attempt.stopped_by
            return OutcomeKind.CANCELLED, _cause(task, attempt, "LW712", "", numbers)
        case StopReason.REVOKE | StopReason.SHUTDOWN | StopReason.SLEPT:
            numbers["by"] = attempt.stopped_by
            variant = {
                StopReason.REVOKE: "revoke",
                StopReason.SHUTDOWN: "shutdown",
                StopReason.SLEPT: "slept",
            }[reason]
            numbers["slept_ms"] = max(0, ending.held_ms - ending.ran_ms)
            return OutcomeKind.STOPPED, _cause(task, attempt, "LW703", variant, numbers)
        case StopReason.GAVE_WAY:
            told = _cause(task, attempt, "LW710", "", numbers)
            return OutcomeKind.STOPPED, replace(told, tasks=(task.id, attempt.stopped_by))
        case _:
            assert_never(reason)


def _own_bound(
    task: Task, attempt: Attempt, own: int | None, numbers: Numbers
) -> tuple[OutcomeKind, Finding]:
    """Its reserved time was used up. Best effort has none of its own: it gave way, unless it
    reached its limit."""
    limit, ran = task.spec.limit_ms, numbers["ran_ms"]
    at_limit = limit is not None and isinstance(ran, int) and ran >= limit
    if own is None and not at_limit:
        return OutcomeKind.STOPPED, _cause(task, attempt, "LW710", "no-room", numbers)
    variant = "limit" if at_limit or own == limit else ""
    return OutcomeKind.OVERRAN, _cause(task, attempt, "LW702", variant, numbers)


def may_repeat(
    task: Task, attempt: Attempt, kind: OutcomeKind, ending: Ending, settings: Settings
) -> bool:
    """Whether this ending is followed by another attempt instead of an outcome. What somebody had
    stopped is not begun again, even if nothing was heard of its end."""
    if kind not in (OutcomeKind.LOST, OutcomeKind.STOPPED):
        return False
    if {ending.reason, attempt.stop_reason} & {StopReason.CANCEL, StopReason.REVOKE}:
        return False
    if task.numbers >= settings.attempts_most:
        return False
    if ending.kind is EndKind.NOT_STARTED:
        return task.spec.repeat is not Repeat.NEVER
    return task.spec.repeat is Repeat.SAFE


def late_by(attempt: Attempt, guard_ms: int, arrived: Instant) -> int:
    """How long after its stop time + guard an ending was heard; 0: in time."""
    if attempt.stop_at is None:
        return 0
    return max(0, arrived - attempt.stop_at - guard_ms)


def _cause(task: Task, attempt: Attempt, code: str, variant: str, numbers: Numbers) -> Finding:
    return Finding(
        code=code,
        tasks=(task.id,),
        workers=(attempt.worker,),
        numbers=numbers,
        variant=variant,
        severity=Severity.CAUSE,
    )
