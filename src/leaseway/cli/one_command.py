"""`run -- COMMAND`: a plan of one task whose output and exit code become ours."""

from __future__ import annotations

import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

import click

from leaseway.cli.answer import Asked
from leaseway.cli.exits import of_command
from leaseway.cli.findings import finding_lines, mend_of
from leaseway.cli.follow import Followed
from leaseway.cli.outcomes import last_ending
from leaseway.cli.output import STREAMS, Reader, Streaming, left_out_lines
from leaseway.cli.paint import Paint, Tone, paint_for
from leaseway.cli.plain import change_lines
from leaseway.cli.standing import plural
from leaseway.cli.submit import estimate_lines
from leaseway.cli.table import paragraph
from leaseway.cli.tree_given import TreeGiven, tree_around
from leaseway.cli.trip import Trip, home_lines
from leaseway.cli.waiting import acknowledge, watch_until_ended
from leaseway.client.blocking import Client
from leaseway.client.inferred import with_inferred
from leaseway.client.trees import in_tree
from leaseway.core.model.capacity import Uses
from leaseway.core.model.plan import PlanSpec, Selector, TaskSpec
from leaseway.wire.plans import SubmitReply
from leaseway.wire.tasks import TaskInfo
from leaseway.workspace.listing import Tree

EVERY_MS = 2_000
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


class CommandGiven(Protocol):
    """What `run` was told of one command."""

    @property
    def name(self) -> str | None: ...
    @property
    def on(self) -> tuple[str, ...]: ...
    @property
    def label(self) -> tuple[str, ...]: ...
    @property
    def output(self) -> tuple[str, ...]: ...
    @property
    def uses(self) -> Uses: ...
    @property
    def tree(self) -> TreeGiven: ...


def plan_of_command(
    command: tuple[str, ...], said: CommandGiven, bounds: tuple[int | None, int | None]
) -> tuple[PlanSpec, Tree | None]:
    """One task that runs in our directory, and the tree that travels with it; None: it runs in
    place. `bounds`: limit and estimate in ms."""
    named = said.name or _NOT_IN_NAMES.sub("-", Path(command[0]).name).strip("-.")[:60] or "command"
    task = TaskSpec(
        name=named,
        run=command,
        limit_ms=bounds[0],
        estimate_ms=bounds[1],
        on=Selector(labels=said.label),
        uses=said.uses,
        outputs=said.output,
    )
    plan = with_inferred(PlanSpec(name=named, tasks=(task,), workdir=os.getcwd(), workers=said.on))
    tree = tree_around(Path(os.getcwd()), said.tree)
    return (plan, None) if tree is None else (in_tree(plan, tree), tree)


def run_command(asked: Asked, pool: Client, reply: SubmitReply, trip: Trip) -> int:
    """Copy its output and bring back what it declares; what we say ourselves goes to stderr."""
    paint = paint_for(sys.stderr)
    say_accepted(reply, paint)
    task = copied(pool, reply, paint, silent=asked.as_json)
    written = outputs_of(pool, task.id) if asked.as_json else {}
    home = trip.home([task])
    if not home.failed:
        acknowledge(pool, [task])
    kind = task.outcome.kind if task.outcome else None
    code = of_command(kind, last_ending(task)) or int(home.failed)
    if asked.as_json:
        both = {**written, "home": home.document}
        asked.tell({"plan": reply.plan, "exit_code": code, **both, "tasks": [task]}, list)
        return code
    beside = [each for each in home.findings if each.variant == "beside"]
    home.findings = [each for each in home.findings if each not in beside]
    say(home_lines(home, paint)[1:])
    for each in beside:
        say(
            paragraph(_left_there(task.id, int(str(each.numbers["count"]))), paint, tone=Tone.QUIET)
        )
    if task.outcome is not None and task.outcome.cause.mend and code:
        mend = mend_of(task.outcome.cause).replace(f"{reply.plan}/", "")
        say(paragraph("→ " + mend, paint))
    return code


def _left_there(task: str, count: int) -> str:
    """A command leaves caches and the like behind at every run: one calm line is enough."""
    files = plural(count, "more file")
    return f"It changed {files}, kept with the task: leaseway bring {task} --whole"


def outputs_of(pool: Client, task: str) -> dict[str, str]:
    """Both outputs as text; bytes that are no UTF-8 are replaced."""
    found = {}
    for stream in STREAMS:
        data = bytearray()
        Reader(pool, task, stream).rest(data.extend)
        found[stream] = data.decode(errors="replace")
    return found


def say_accepted(reply: SubmitReply, paint: Paint) -> None:
    """What was warned of, and that there is no promise (LW304). That its paths are unknown matters
    to plans of several tasks only."""
    told = [
        each
        for each in reply.findings
        if each.code == "LW304" or (each.severity == "warning" and each.code != "LW206")
    ]
    say([*estimate_lines(reply, paint), *finding_lines(told, paint)])


def copied(pool: Client, reply: SubmitReply, paint: Paint, *, silent: bool) -> TaskInfo:
    """The task with its outcome, everything that it wrote copied."""
    task = reply.tasks[0].id
    followed = Followed(pool, reply.plan, [task])
    streaming = Streaming(pool, task)

    said = ""

    def show(changed: list[TaskInfo], note: str) -> None:
        nonlocal said
        lines = [
            line
            for each in changed
            if each.state != "waiting"
            for line in change_lines(each, paint)
        ]
        lines += [note] if note != said and note else []
        if lines and sys.stdout.isatty() and streaming.ends_open():
            lines.insert(0, "")  # the command's own line goes on; ours begins on the next
        say(lines)
        said = note

    with ThreadPoolExecutor(max_workers=2) as workers:
        if not silent:
            streaming.start(workers)
        try:
            watch_until_ended(followed, (lambda _c, _n: None) if silent else show, EVERY_MS)
        finally:
            streaming.finish(whole=followed.ended)
    for stream in streaming.missing:
        say([f"Not all of {stream} has arrived yet; see: leaseway logs {task}"])
    say(left_out_lines(streaming.left_out or followed.tasks[0].left_out_bytes))
    return followed.tasks[0]


def say(lines: list[str]) -> None:
    """To stderr: stdout belongs to the command."""
    for line in lines:
        click.echo(line, err=True)
