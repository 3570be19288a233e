"""`explain ID`: why a task waits, was refused, or ended so; the boundary first."""

from __future__ import annotations

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.exits import Exit
from leaseway.cli.findings import cause_text, finding_lines, mend_of, sentence_of
from leaseway.cli.language import spoken
from leaseway.cli.paint import Paint, Tone
from leaseway.cli.standing import state_of
from leaseway.cli.table import Column, details, paragraph, table_lines
from leaseway.cli.task_page import pairs_of
from leaseway.core.model.units import show_bytes, show_cpus, show_ms
from leaseway.runtime import local_clock
from leaseway.wire.streams import AtWorkerInfo, ExplainInfo
from leaseway.wire.tasks import TaskInfo

_SHOWN = 20  # workers; a page, not a list of a large pool

# The rest is for `task`: here only what the answer rests on.
RESTS_ON = {
    "promise",
    "reserved",
    "stop time",
    "left",
    "limit",
    "estimate",
    "waits for",
    "given up",
    "wasted",
}


@click.command("explain")
@click.argument("id", metavar="TASK")
@click.option(
    "--replay",
    is_flag=True,
    help="Make the decisions about it again from the ledger and compare; TASK may be a plan, or a"
    " refusal as declined-3.",
)
@answers
def explain(asked: Asked, id: str, replay: bool) -> int:
    """Why a task waits, was refused, or ended so. The first sentence says whether the boundary is
    the cause, and by how much. TASK: plan-7/name, or the name alone where only one is called so."""
    from leaseway.cli.names import task_or_plan, the_task

    with asked.pool() as pool:
        if replay:
            from leaseway.cli.replay_page import replay_lines, replayed

            named = id if id.startswith("declined-") else task_or_plan(pool, id)
            found = replayed(pool, named)
            asked.tell(found, lambda: replay_lines(found, named, asked.paint))
            return Exit.CLEAN if all(each.same for each in found) else Exit.FAILED
        id = the_task(pool, id)
        why = pool.explain(id)
        task = pool.task(id)
    asked.tell(why, lambda: explain_lines(why, task, asked.paint))
    return Exit.CLEAN


def explain_lines(why: ExplainInfo, task: TaskInfo, paint: Paint) -> list[str]:
    """The sentence, what would mend it, and what it rests on."""
    first = next((each for each in why.findings if cause_text(each, "en") in why.first), None)
    said = why.first if first is None or spoken() == "en" else sentence_of(first)
    lines = paragraph(said, paint, tone=Tone.STRONG)
    rest = [each for each in why.findings if each is not first]
    if first is not None and first.mend:
        lines += paragraph("→ " + mend_of(first), paint)
    pairs = [(name, value) for name, value in pairs_of(task) if name in RESTS_ON]
    pairs = [pair for pair in pairs if pair[1] != "0 core-minutes"]
    head = [("task", task.id), ("state", state_of(task))]
    lines += ["", *details([*head, *pairs, ("outcome", _known(why, task))], paint)]
    if rest:
        lines += ["", *finding_lines(rest, paint)]
    return [*lines, "", *_worker_lines(why, paint)] if why.workers else lines


def _known(why: ExplainInfo, task: TaskInfo) -> str:
    """By when it has an outcome."""
    if task.outcome or why.by is None:
        return ""
    if not why.open_ended:
        return f"by {local_clock(why.by)}, whatever happens"
    if task.state == "waiting":
        return f"started or given up by {local_clock(why.by)}; no limit bounds how long it runs"
    return f"by {local_clock(why.by)}, if it is not let run on"


def _worker_lines(why: ExplainInfo, paint: Paint) -> list[str]:
    """Worker by worker: asked, free and total, time, and what stands against it there."""
    columns = [Column("worker"), Column("asked/free/total"), Column("time"), Column("against it")]
    shown = why.workers[:_SHOWN]
    rows = [[each.worker, _amounts(each), _time(each), _against(each)] for each in shown]
    lines = table_lines(columns, rows, paint)
    more = len(why.workers) - len(shown)
    return [*lines, f"and {more} more workers (--json has all)"] if more else lines


def _amounts(found: AtWorkerInfo) -> str:
    """Of everything that it asks for."""
    parts = [
        f"{each.resource.split('_')[0]} {_amount(each.resource, each.asked)}/"
        f"{_amount(each.resource, each.free)}/{_amount(each.resource, each.total)}"
        for each in found.amounts
        if each.asked
    ]
    return " ".join(parts)


def _amount(resource: str, value: int | None) -> str:
    if value is None:
        return "any"
    if resource.endswith("_milli"):
        return show_cpus(value)
    return show_bytes(value) if resource.endswith("_bytes") else str(value)


def _time(found: AtWorkerInfo) -> str:
    """What it asks of a window, and what is left of the one open now."""
    left = "no end" if found.left_ms is None else show_ms(found.left_ms)
    return f"{show_ms(found.asked_ms)} of {left if found.left_ms != 0 else 'none'}"


def _against(found: AtWorkerInfo) -> str:
    codes = ", ".join(dict.fromkeys(each.code for each in found.findings)) or "nothing"
    return f"{codes} (its place)" if found.chosen else codes
