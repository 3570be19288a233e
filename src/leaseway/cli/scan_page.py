"""How a scan reads: order, what fits where, which bound is exceeded, findings."""

from __future__ import annotations

from dataclasses import dataclass

from leaseway.cli.findings import finding_lines
from leaseway.cli.language import counted, told
from leaseway.cli.paint import Paint, Tone
from leaseway.cli.placement_page import placement_lines
from leaseway.cli.table import Cell, Column, Row, paragraph, table_lines
from leaseway.cli.task_page import edges_text
from leaseway.core.model.units import show_bytes, show_cpus, show_ms
from leaseway.core.scan.fit import WorkerFit
from leaseway.core.scan.report import ScanReport, TaskScan
from leaseway.core.scan.sure import CONFIDENCE
from leaseway.core.scan.verdicts import Exceeds
from leaseway.wire.findings import FindingInfo
from leaseway.wire.plans import PlacedTask
from leaseway.wire.tasks import EdgeInfo

ROWS = 40
TASKS = (
    Column("task", most=28),
    Column("takes", right=True),
    Column("fits on", most=24),
    Column("promised"),
    Column("after", wraps=True),
)
WORKERS = (
    Column("worker", most=24),
    Column("time left", right=True),
    Column("guard", right=True),
    Column("max run", right=True),
    Column("at once", right=True),
    Column("can finish alone"),
)
EXCEEDED = (
    Column("task", most=28),
    Column("exceeds"),
    Column("of", most=24),
    Column("needs", right=True),
    Column("has", right=True),
    Column("short by", right=True),
)
_WITH_PAIRS = "{plan}: {tasks}, {pairs}. {against}"
_PINNED = "Run it only if all this is still so: leaseway run --check {id} PLAN"
_ACCEPTED = "{warnings}. It would be accepted."
_NOT_KNOWN = "{warnings}. Whether it fits is not known."
_ONLY_ORDER = "Nothing against its order. Whether it fits is not known."
_FIT = "{fit} of {count}"
_SURE = "{fit} of {count}, {sure} with {percent} % confidence"
_EXPECTED = "{fit} of {count} (expected; no history)"
_SHOW = {"ms": show_ms, "milli": show_cpus, "bytes": show_bytes}


@dataclass(frozen=True)
class Scanned:
    """A report, its findings with those of the pool, and what the pool would promise.
    `against`: what it was checked against, in words; `scan_id`: for `run --check`."""

    report: ScanReport
    findings: tuple[FindingInfo, ...]
    against: str
    placed: tuple[PlacedTask, ...] = ()
    knows_leases: bool = True
    scan_id: str = ""


def scan_lines(scanned: Scanned, paint: Paint) -> list[str]:
    """The page."""
    report = scanned.report
    tasks = counted(len(report.tasks), "task")
    if report.pairs is not None:
        pairs = counted(report.pairs.total, "pair")
        said = told(
            _WITH_PAIRS, plan=report.plan, tasks=tasks, pairs=pairs, against=scanned.against
        )
    else:
        said = told(
            "{plan}: {tasks}. {against}", plan=report.plan, tasks=tasks, against=scanned.against
        )
    first, *rest = paragraph(said, paint)
    lines = [first.replace(report.plan, paint(report.plan, Tone.STRONG), 1), *rest, ""]
    lines += _task_lines(scanned, paint)
    if report.workers:
        rows = [_worker_row(each, len(report.tasks)) for each in report.workers]
        lines += ["", *table_lines(WORKERS, rows, paint)]
    if report.placement is not None:
        lines += placement_lines(report.placement, paint)
    if report.exceeds:
        rows = [_exceeded_row(each) for each in report.exceeds[:ROWS]]
        lines += ["", *table_lines(EXCEEDED, rows, paint)]
        more = report.exceeds_count - ROWS
        lines += [paint(told("and {count} more", count=more), Tone.QUIET)] if more > 0 else []
    if scanned.findings:
        lines += ["", *finding_lines(scanned.findings, paint)]
    lines += ["", verdict(scanned, paint)]
    if scanned.scan_id:
        lines += paragraph(told(_PINNED, id=scanned.scan_id), paint)
    return lines


def verdict(scanned: Scanned, paint: Paint) -> str:
    """`1 error, 2 warnings. It would be refused.` Without any lease nobody can say that."""
    findings = scanned.findings
    errors = sum(each.severity == "error" for each in findings)
    warnings = sum(each.severity == "warning" for each in findings)
    if errors:
        counts = {"errors": counted(errors, "error"), "warnings": counted(warnings, "warning")}
        return paint(told("{errors}, {warnings}. It would be refused.", **counts), Tone.BAD)
    if warnings:
        said = _ACCEPTED if scanned.knows_leases else _NOT_KNOWN
        return paint(told(said, warnings=counted(warnings, "warning")), Tone.UNSURE)
    if not scanned.knows_leases:
        return paint(told(_ONLY_ORDER), Tone.UNSURE)
    return paint(told("Nothing against it."), Tone.GOOD)


def _task_lines(scanned: Scanned, paint: Paint) -> list[str]:
    from leaseway.runtime import local_clock

    tasks = scanned.report.tasks
    promises = {
        task.name: local_clock(task.promise) for task in scanned.placed if task.promise is not None
    }
    rows = [_task_row(task, promises.get(task.name, "")) for task in tasks[:ROWS]]
    lines = table_lines(TASKS, rows, paint)
    if len(tasks) > ROWS:
        lines.append(paint(told("and {count} more", count=len(tasks) - ROWS), Tone.QUIET))
    return lines


def _task_row(task: TaskScan, promised: str) -> Row:
    edges = [
        EdgeInfo(edge.before.rpartition("/")[2], edge.kind.value, edge.over)
        for edge in task.waits_for
    ]
    more = f" and {len(edges) - 6} more" if len(edges) > 6 else ""
    return [
        task.name,
        show_ms(task.bound_ms) if task.bound_ms is not None else Cell(told("unknown"), Tone.QUIET),
        ", ".join(task.fits_on),
        promised,
        edges_text(edges[:6], "") + more,
    ]


def _worker_row(fit: WorkerFit, tasks: int) -> Row:
    numbers = {"fit": fit.fit, "count": fit.count, "sure": fit.sure, "percent": CONFIDENCE}
    can = told(_SURE if fit.sure is not None else _EXPECTED if fit.expected else _FIT, **numbers)
    other = tasks - fit.count - fit.untimed
    if other > 0:
        can += f", and {other} {'does' if other == 1 else 'do'} not fit here"
    if fit.untimed:
        can += f", and {fit.untimed} of unknown length"
    left = told("no end set") if fit.left_ms is None else show_ms(_seconds(fit.left_ms))
    tone = Tone.UNSURE if fit.fit < fit.count else Tone.PLAIN
    return [
        fit.worker,
        left if fit.open_now else told("{left}, closed now", left=left),
        show_ms(fit.guard_ms),
        "" if fit.max_run_ms is None else show_ms(fit.max_run_ms),
        told("any number") if fit.slots is None else str(fit.slots),
        Cell(can, tone),
    ]


def _exceeded_row(over: Exceeds) -> Row:
    show = _SHOW.get(over.unit, str)
    amounts = [
        "" if amount is None else show(amount) for amount in (over.need, over.have, over.short)
    ]
    return [over.task, over.bound, over.worker, *amounts[:2], Cell(amounts[2], Tone.BAD)]


def _seconds(length: int) -> int:
    return length if length < 1000 else length // 1000 * 1000
