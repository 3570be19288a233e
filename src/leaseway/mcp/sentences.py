"""What a scan found, in sentences that tell an agent what not to do side by side, and where what it
wants does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from leaseway.core.model.plan import Edge, EdgeKind
from leaseway.core.model.units import show_bytes, show_cpus, show_ms
from leaseway.core.scan.fit import WorkerFit
from leaseway.core.scan.report import ScanReport
from leaseway.core.scan.sure import CONFIDENCE
from leaseway.core.scan.verdicts import Exceeds
from leaseway.core.wording.template import cut

MOST = 24
_APART = "do not run it in parallel"
_SHOW = {"ms": show_ms, "milli": show_cpus, "bytes": show_bytes}


def sentences(report: ScanReport) -> list[str]:
    """The first of them: bounds that are exceeded, then who waits for whom."""
    every = [*_exceeded(report), *_orders(report)]
    over = len(every) - MOST
    return every[:MOST] + ([f"and {over} more like these"] if over > 0 else [])


def order_sentence(task: str, edge: Edge) -> str:
    """One edge: this task depends on that one."""
    before, over = edge.before, cut(edge.over)
    match edge.kind:
        case EdgeKind.NEEDS:
            return f"{task} needs {before}: {_APART}; it starts after {before}."
        case EdgeKind.READ_AFTER_WRITE:
            return f"{task} reads {over}, which {before} writes: {_APART}; it waits for {before}."
        case EdgeKind.WRITE_AFTER_READ:
            return f"{task} writes {over}, which {before} reads: {_APART}; it waits for {before}."
        case EdgeKind.WRITE_AFTER_WRITE:
            return f"{task} and {before} both write {over}: {_APART}; it waits for {before}."
        case EdgeKind.TOKEN:
            return f"{task} and {before} both hold {over}: {_APART}; it waits for {before}."
        case EdgeKind.UNKNOWN:
            return (
                f"What {task} or {before} reads and writes is not known: {_APART}; it waits for"
                f" {before}."
            )
        case _:
            return f"{task} depends on {before}: {_APART}; it waits for {before}."


def exceeded_sentence(over: Exceeds) -> str:
    """One bound of one worker that a task exceeds."""
    if over.need is None or over.have is None:
        return f"{over.task} is outside of what {over.worker}'s lease allows ({over.bound})."
    show = _SHOW.get(over.unit, str)
    need, have, short = show(over.need), show(over.have), show(over.short or 0)
    if over.bound == "time left":
        return (
            f"{over.worker}'s lease has {have} left, {over.task} needs {need}: short by {short},"
            " so it is not given there."
        )
    return f"{over.task} needs {need}, {over.worker} has {have} ({over.bound}): short by {short}."


def fit_sentence(fit: WorkerFit) -> str:
    """What one worker has to offer to this plan."""
    left = "no end set" if fit.left_ms is None else f"{show_ms(_whole(fit.left_ms))} left"
    left += "" if fit.open_now else ", closed now"
    said = f"{fit.worker}: {left}; can finish {fit.fit} of {fit.count} alone"
    said += "" if fit.sure is None else f", {fit.sure} with {CONFIDENCE} % confidence"
    return said + (f", and {fit.untimed} of unknown length" if fit.untimed else "")


def _exceeded(report: ScanReport) -> Iterator[str]:
    return (exceeded_sentence(each) for each in report.exceeds)


def _orders(report: ScanReport) -> Iterator[str]:
    """Of each pair one sentence, and of those that only continue a line of others none."""
    for task in report.tasks:
        for edge in nearest(task.waits_for):
            yield order_sentence(task.name, edge)


def nearest(edges: Iterable[Edge]) -> list[Edge]:
    """One edge for each predecessor, the strongest reason first."""
    rank = list(EdgeKind)
    found: dict[str, Edge] = {}
    for edge in sorted(edges, key=lambda edge: rank.index(edge.kind)):
        found.setdefault(edge.before, edge)
    return list(found.values())


def _whole(length: int) -> int:
    return length if length < 1_000 else length // 1_000 * 1_000
