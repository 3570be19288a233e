"""Exit codes: of a plan, and of `run -- COMMAND`, which passes the command's own through."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import TYPE_CHECKING

from leaseway.core.model.outcomes import OutcomeKind

if TYPE_CHECKING:
    from leaseway.wire.findings import FindingInfo
    from leaseway.wire.tasks import EndingInfo


class Exit(IntEnum):
    """What `$?` says after a plan; `scan`: CLEAN, WARNED or REFUSED."""

    CLEAN = 0
    FAILED = 1
    USAGE = 2
    REFUSED = 3
    UNDECIDED = 4
    UNREACHABLE = 5


WARNED = Exit.FAILED
INTERRUPTED = 130

# Of `run -- COMMAND`, as `timeout` and `docker run` do.
STOPPED_CODE, REFUSED_CODE, UNDECIDED_CODE, UNREACHABLE_CODE = 124, 125, 126, 127
OF_COMMAND: dict[int, int] = {
    Exit.REFUSED: REFUSED_CODE,
    Exit.UNDECIDED: UNDECIDED_CODE,
    Exit.UNREACHABLE: UNREACHABLE_CODE,
}

_WORST_FIRST = (Exit.UNDECIDED, Exit.REFUSED, Exit.FAILED)


def of_task(kind: str) -> Exit:
    """What one outcome means for its plan; a kind of a newer coordinator is no success."""
    match kind:
        case OutcomeKind.SUCCEEDED:
            return Exit.CLEAN
        case OutcomeKind.LOST:
            return Exit.UNDECIDED
        case OutcomeKind.REFUSED:
            return Exit.REFUSED
        case _:
            return Exit.FAILED


def of_plan(kinds: Iterable[str | None]) -> Exit:
    """Mixed ends: 4 before 3 before 1 before 0. None is a task without an outcome: undecided."""
    codes = {Exit.UNDECIDED if kind is None else of_task(kind) for kind in kinds}
    return next((code for code in _WORST_FIRST if code in codes), Exit.CLEAN)


def of_command(kind: str | None, ending: EndingInfo | None) -> int:
    """Of `run -- COMMAND`. The command's own 0 to 123 passes, and 128 and above (a shell's way to
    say "signal"); 124 to 127 would be taken for ours, so they read 1."""
    match kind:
        case None | OutcomeKind.LOST:
            return UNDECIDED_CODE
        case OutcomeKind.SUCCEEDED:
            return 0
        case OutcomeKind.OVERRAN | OutcomeKind.STOPPED:
            return STOPPED_CODE
        case OutcomeKind.REFUSED:
            return REFUSED_CODE
        case OutcomeKind.CANCELLED:
            return INTERRUPTED
        case OutcomeKind.FAILED:
            return _of_failure(ending)
        case _:
            return int(Exit.FAILED)


def _of_failure(ending: EndingInfo | None) -> int:
    if ending is not None and ending.signal:
        return 128 + ending.signal
    code = ending.exit_code if ending is not None else None
    if not code or STOPPED_CODE <= code <= UNREACHABLE_CODE:
        return int(Exit.FAILED)
    return code


def of_scan(findings: Iterable[FindingInfo]) -> Exit:
    """0 clean, 1 warnings, 3 errors."""
    severities = {finding.severity for finding in findings}
    if "error" in severities:
        return Exit.REFUSED
    return WARNED if "warning" in severities else Exit.CLEAN
