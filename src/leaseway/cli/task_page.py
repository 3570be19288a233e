"""One task in full: where it stands, what was promised, every attempt, its outcome."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from leaseway.cli.findings import cause_text, mend_of
from leaseway.cli.history_page import learned_text
from leaseway.cli.outcomes import last_ending, ran_ms, wasted_text
from leaseway.cli.paint import Paint, Tone
from leaseway.cli.standing import (
    checkpoint_text,
    has_an_end,
    plural,
    seen_from,
    standing_of,
    started_at,
    state_of,
)
from leaseway.cli.table import Column, Row, details, paragraph, table_lines
from leaseway.cli.workers_table import amounts_text
from leaseway.core.model.outcomes import EndKind
from leaseway.core.model.units import show_bytes, show_ms
from leaseway.core.wording.template import cut
from leaseway.runtime import local_clock
from leaseway.wire.tasks import AttemptInfo, EdgeInfo, EndingInfo, TaskInfo

ATTEMPTS = (
    Column("#", right=True),
    Column("worker", most=16),
    Column("started"),
    Column("stop time"),
    Column("ended"),
    Column("ran", right=True),
    Column("cpu", right=True),
    Column("memory", right=True),
    Column("how it ended", wraps=True),
)


def task_lines(task: TaskInfo, paint: Paint) -> list[str]:
    """The page."""
    standing = standing_of(task, task.now)
    lines = [f"{paint(task.id, Tone.STRONG)}  {paint(standing.state, standing.tone)}"]
    if task.outcome is not None:
        lines += paragraph(cause_text(task.outcome.cause), paint, indent="  ")
        if task.outcome.cause.mend:
            lines += paragraph("→ " + mend_of(task.outcome.cause), paint, "  ", Tone.QUIET)
    lines += ["", *details(pairs_of(task), paint)]
    attempts = [*task.past, task.attempt] if task.attempt else list(task.past)
    if attempts:
        lines += ["", *table_lines(ATTEMPTS, [_attempt_row(each) for each in attempts], paint)]
    return lines


def pairs_of(task: TaskInfo) -> list[tuple[str, str]]:
    """What is known of a task, name by name; the empty ones are left out when shown."""
    left = standing_of(task, task.now).left
    return [
        ("command", command_text(task.run)),
        ("in", task.workdir or ""),
        ("handed in", f"{local_clock(task.submitted_at)} by {task.principal}"),
        ("promise", promise_text(task)),
        ("reserved", _reserved(task)),
        ("stop time", _stop_time(task)),
        ("left", left if task.state == "running" else ""),
        ("checkpoint", checkpoint_text(task.attempt.checkpoint) if task.attempt else ""),
        ("moved", cause_text(task.moved) if task.moved else ""),
        ("limit", _length(task.limit_ms)),
        ("estimate", estimate_text(task)),
        ("uses", amounts_text(dict(task.uses))),
        ("holds", ", ".join(task.holds)),
        ("asks for", ", ".join((*task.labels, *task.tools))),
        ("reads", _paths(task.reads)),
        ("writes", _paths(task.writes)),
        ("outputs", ", ".join(task.outputs)),
        ("waits for", edges_text(task.edges, task.plan)),
        ("repeat", task.repeat if task.repeat != "never" else ""),
        ("given up", f"at {local_clock(task.give_up_at)}" if state_of(task) == "waiting" else ""),
        ("wasted", wasted_text(task)),
        ("left out", left_out_text(task.left_out_bytes)),
        ("kept", kept_text(task.kept)),
        ("files", files_text(last_ending(task))),
        ("acknowledged", ("yes" if task.acknowledged else "not yet") if task.outcome else ""),
    ]


def left_out_text(left_out: Mapping[str, int]) -> str:
    """What is missing of each output, between the head and the tail that are kept."""
    return ", ".join(f"{show_bytes(cut)} in the middle of {name}" for name, cut in left_out.items())


def kept_text(kept: Sequence[EndingInfo]) -> str:
    """What came of it after it no longer counted."""
    told = [f"{ending_text(each)} after {show_ms(each.ran_ms)}" for each in kept]
    return f"told late, not counted: {'; '.join(told)}" if told else ""


def files_text(ending: EndingInfo | None) -> str:
    """How long its files took to arrive, and what it changed of them."""
    if ending is None:
        return ""
    parts = []
    if ending.received_ms:
        parts.append(f"received in {show_ms(ending.received_ms)}, before the run")
    if ending.results is not None:
        parts.append(f"{plural(ending.results.files, 'declared one')} changed")
    if ending.undeclared_count:
        parts.append(f"{ending.undeclared_count} beside that")
    return "; ".join(parts)


def estimate_text(task: TaskInfo) -> str:
    """What it says itself, else what earlier runs say; that nothing is known is said too."""
    if task.estimate_ms is not None:
        return show_ms(task.estimate_ms)
    if task.learned is not None:
        return learned_text(task.learned)
    return "" if task.limit_ms is not None or task.promise is not None else "none"


def promise_text(task: TaskInfo) -> str:
    """What was promised at acceptance."""
    if task.promise is None:
        if task.outcome:
            return ""
        bounded = any((task.limit_ms, task.estimate_ms, task.learned))
        return "withdrawn" if bounded and task.moved else "none: best effort"
    return f"ended by {local_clock(task.promise)}"


def command_text(run: str | Sequence[str]) -> str:
    """The command as one would type it."""
    return run if isinstance(run, str) else shlex.join(run)


_LONGEST = 80  # of what two tasks touch; more is left out of the middle


def edges_text(edges: Sequence[EdgeInfo], plan: str) -> str:
    """`build (needs), other-3/gen (write-after-read over conf/app.toml)`: a task of another plan
    than this with its plan."""
    parts = []
    for edge in edges:
        name = seen_from(plan, edge.before)
        over = f" over {cut(edge.over, _LONGEST)}" if edge.over else ""
        parts.append(f"{name} ({edge.kind}{over})")
    return ", ".join(parts)


def ending_text(ending: EndingInfo) -> str:
    """What the worker saw."""
    parts = [ending.kind]
    if ending.exit_code is not None:
        parts = [f"exit code {ending.exit_code}"]
    elif ending.signal is not None:
        parts = [f"signal {ending.signal}"]
    elif ending.kind == EndKind.UNKNOWN:
        parts = ["nobody saw its end"]
    if ending.reason and ending.kind != EndKind.UNKNOWN:
        parts.append(f"stopped: {ending.reason}")
    if ending.missing:
        parts.append(f"missing: {', '.join(ending.missing)}")
    if ending.partial:
        parts.append(f"perhaps half written: {', '.join(ending.partial)}")
    if ending.left_pids:
        left = plural(len(ending.left_pids), "process", "processes")
        parts.append(f"{left} outlived it and {'was' if left[:2] == '1 ' else 'were'} killed")
    if ending.detail:
        parts.append(ending.detail)
    return "; ".join(parts)


def _attempt_row(attempt: AttemptInfo) -> Row:
    ending = attempt.ending
    seen = ending is not None and ending.kind != EndKind.UNKNOWN
    how = ending_text(ending) if ending else attempt.phase
    if attempt.late_ms:
        how += f"; heard {show_ms(attempt.late_ms)} late"
    return [
        str(attempt.number),
        attempt.worker,
        _clock(started_at(attempt)),
        _clock(attempt.stop_at),
        _clock(attempt.ended_at) if seen else "",
        show_ms(ran_ms(attempt)) if seen else "",
        show_ms(ending.cpu_ms) if ending and ending.cpu_ms else "",
        show_bytes(ending.max_rss_bytes) if ending and ending.max_rss_bytes else "",
        how,
    ]


def _reserved(task: TaskInfo) -> str:
    rectangle = task.reservation
    if rectangle is None:
        return ""
    span = f"{local_clock(rectangle.start)} to {local_clock(rectangle.end)}"
    return f"{show_ms(rectangle.reserved_ms)} on {rectangle.worker}, {span}"


def _stop_time(task: TaskInfo) -> str:
    """Of best effort that nothing bounds it is no end: it is put off while there is room."""
    if task.attempt is None or task.attempt.stop_at is None:
        return ""
    at = local_clock(task.attempt.stop_at)
    return at if has_an_end(task) else f"none yet; looked at again at {at}"


def _paths(paths: tuple[str, ...] | None) -> str:
    if paths is None:
        return "not declared: unknown"
    return ", ".join(paths) or "nothing"


def _length(length: int | None) -> str:
    return "" if length is None else show_ms(length)


def _clock(moment: int | None) -> str:
    return "" if moment is None else local_clock(moment)
