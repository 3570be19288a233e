"""How requests for a person's yes read: a table of them, and one whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leaseway.cli.findings import finding_lines
from leaseway.cli.language import counted, told
from leaseway.cli.paint import Paint, Tone
from leaseway.cli.table import Cell, Column, Row, details, paragraph, table_lines
from leaseway.core.model.units import Instant, show_cpus, show_ms
from leaseway.runtime import since_epoch_iso
from leaseway.wire.policy import ApprovalInfo, ApprovalList

COLUMNS = (
    Column("request"),
    Column("state"),
    Column("asked by", most=16),
    Column("plan", most=24),
    Column("why", wraps=True),
    Column("time left", right=True),
)
TASKS = (
    Column("task", most=24),
    Column("longest", right=True),
    Column("cpus", right=True),
    Column("command", wraps=True),
)
_TONES = {"open": Tone.UNSURE, "given": Tone.GOOD, "denied": Tone.BAD}


def approval_lines(found: ApprovalList, paint: Paint) -> list[str]:
    """The table, and what to do with it."""
    if not found.approvals:
        return paragraph(told("Nothing waits for a person's yes."), paint)
    lines = table_lines(COLUMNS, [_row(each, found.now) for each in found.approvals], paint)
    opened = [each for each in found.approvals if each.state == "open"]
    if not opened:
        return lines
    said = told(
        "Look: leaseway approve {id} --show. Say yes: leaseway approve {id}; no: with --deny.",
        id=opened[0].id,
    )
    return [*lines, "", *paragraph(said, paint)]


def _row(each: ApprovalInfo, now: Instant) -> Row:
    return (
        each.id,
        Cell(told(each.state), _TONES.get(each.state, Tone.PLAIN)),
        each.principal,
        each.plan,
        ", ".join(each.reasons),
        show_ms(max(0, each.until - now)),
    )


def one_approval(each: ApprovalInfo, paint: Paint) -> Iterator[str]:
    """What is asked for, as much as a person needs to answer."""
    head = paint(each.id, Tone.STRONG)
    yield f"{head}  {paint(told(each.state), _TONES.get(each.state, Tone.PLAIN))}"
    pairs = [
        ("plan", f"{each.plan}, {counted(each.count, 'task')}"),
        ("asked by", f"{each.principal} ({each.role})"),
        ("since", since_epoch_iso(each.asked_at)),
        ("until", since_epoch_iso(each.until)),
        ("by policy", str(each.policy_version)),
        ("decision", each.decision),
        ("answered by", each.by),
        ("reason", each.reason),
        ("used for", each.accepted),
    ]
    yield from details(pairs, paint)
    yield ""
    yield from table_lines(TASKS, _tasks(each), paint)
    left = each.count - len(each.tasks)
    if left > 0:
        yield from paragraph(told("and {count} more", count=left), paint, indent="  ")
    yield ""
    yield from finding_lines(each.findings, paint)


def _tasks(each: ApprovalInfo) -> Sequence[Row]:
    return [
        (
            task.name,
            told("unknown") if task.longest_ms is None else show_ms(task.longest_ms),
            show_cpus(task.cpus_milli),
            task.run,
        )
        for task in each.tasks
    ]


def answered_lines(each: ApprovalInfo, now: Instant, paint: Paint) -> list[str]:
    """What follows from the answer."""
    length = show_ms(max(0, each.until - now))
    if each.state == "denied":
        said = told(
            "{id} is denied: {plan} of {who} is refused, and not asked about again for {length}.",
            id=each.id,
            plan=each.plan,
            who=each.principal,
            length=length,
        )
    else:
        said = told(
            "{id} is approved: {who} may hand {plan} in once within {length}.",
            id=each.id,
            plan=each.plan,
            who=each.principal,
            length=length,
        )
    return paragraph(said, paint)
