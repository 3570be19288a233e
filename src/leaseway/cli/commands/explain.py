"""`explain ID`: why a task waits, was refused, or ended so; the boundary first."""

from __future__ import annotations

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.findings import cause_text, finding_lines
from leaseway.cli.paint import Paint, Tone
from leaseway.cli.standing import state_of
from leaseway.cli.table import details, paragraph
from leaseway.cli.task_page import pairs_of
from leaseway.runtime import local_clock
from leaseway.wire.streams import ExplainInfo
from leaseway.wire.tasks import TaskInfo

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
@answers
def explain(asked: Asked, id: str) -> None:
    """Why a task waits, was refused, or ended so. The first sentence says whether the boundary is
    the cause, and by how much. TASK: plan-7/name, or the name alone where only one is called so."""
    from leaseway.cli.names import the_task

    with asked.pool() as pool:
        id = the_task(pool, id)
        why = pool.explain(id)
        task = pool.task(id)
    asked.tell(why, lambda: explain_lines(why, task, asked.paint))


def explain_lines(why: ExplainInfo, task: TaskInfo, paint: Paint) -> list[str]:
    """The sentence, what would mend it, and what it rests on."""
    lines = paragraph(why.first, paint, tone=Tone.STRONG)
    first = next((each for each in why.findings if cause_text(each) in why.first), None)
    rest = [each for each in why.findings if each is not first]
    if first is not None and first.mend:
        lines += paragraph("→ " + first.mend, paint)
    pairs = [(name, value) for name, value in pairs_of(task) if name in RESTS_ON]
    pairs = [pair for pair in pairs if pair[1] != "0 core-minutes"]
    head = [("task", task.id), ("state", state_of(task))]
    known = "" if task.outcome or why.by is None else f"by {local_clock(why.by)}, whatever happens"
    lines += ["", *details([*head, *pairs, ("outcome", known)], paint)]
    return [*lines, "", *finding_lines(rest, paint)] if rest else lines
