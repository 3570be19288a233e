"""Wait for a plan in front of whoever asked: a live table on a terminal, plain lines elsewhere.

The first Ctrl-C cancels the plan and waits on; the second stops waiting, and the cancel goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import click

from leaseway.cli.exits import INTERRUPTED, Exit
from leaseway.cli.faults import Fault
from leaseway.cli.follow import Followed
from leaseway.cli.paint import Paint, on_terminal
from leaseway.client.blocking import Client
from leaseway.client.errors import Unavailable, Unreachable
from leaseway.wire.tasks import TaskInfo

LIVE_MS = 500
PLAIN_MS = 1_000
CANCELLING = "Cancelling. Once more Ctrl-C stops waiting; the cancel goes on."
Show = Callable[[list[TaskInfo], str], None]


def wait_for(followed: Followed, paint: Paint, *, silent: bool = False) -> list[TaskInfo]:
    """Every task with its outcome, in the order of the plan."""
    if silent:
        watch_until_ended(followed, lambda _changed, _note: None, PLAIN_MS)
    elif on_terminal():
        with _live(followed, paint) as show:
            watch_until_ended(followed, show, LIVE_MS)
    else:
        watch_until_ended(followed, _plain(followed, paint), PLAIN_MS)
    return followed.tasks


def watch_until_ended(followed: Followed, show: Show, every_ms: int) -> None:
    """Follow, through one Ctrl-C, which cancels; `show` gets what changed, and a note."""
    note, cancelled = "", False
    while True:
        try:
            if note == CANCELLING:
                followed.pool.cancel(followed.plan)
                cancelled = True
            for changed in followed.watch(every_ms):
                silent = followed.silent_since is not None
                show(changed, "The coordinator does not answer; asking again." if silent else note)
            return
        except KeyboardInterrupt:
            if note:
                raise not_waiting(followed, cancelled=cancelled) from None
            note = CANCELLING
            show([], note)
        except (Unreachable, Unavailable) as error:
            raise out_of_reach(followed, str(error)) from error


def not_waiting(followed: Followed, *, cancelled: bool) -> Fault:
    """The second Ctrl-C: what the first one asked for goes on without us."""
    plan = followed.plan
    if cancelled:
        said = (
            f"Not waiting any longer. {plan} is being cancelled: what runs is sent TERM, then KILL."
        )
    else:
        said = f"Not waiting any longer. Whether {plan} was cancelled is not known; it may run on."
    return Fault(said, how_to_follow(plan, followed.order), INTERRUPTED)


def out_of_reach(followed: Followed, why: str) -> Fault:
    """The coordinator was there, and has been silent for too long."""
    plan = followed.plan
    said = f"Undecided: the coordinator has not answered for a minute ({why}). {plan} may run on."
    return Fault(said, how_to_follow(plan, followed.order), Exit.UNDECIDED)


def how_to_follow(plan: str, tasks: Sequence[str]) -> str:
    """What shows how it ends."""
    alone = len(tasks) == 1
    what = f"leaseway logs -f {tasks[0]}" if alone else f"leaseway tasks {plan}"
    return f"See how it ends with: {what}. Its outcomes will be in: leaseway inbox."


def acknowledge(pool: Client, tasks: list[TaskInfo]) -> None:
    """What was printed was seen."""
    fresh = [task.id for task in tasks if task.ended and not task.acknowledged]
    if fresh:
        pool.acknowledge(fresh)


def _plain(followed: Followed, paint: Paint) -> Show:
    from leaseway.cli.plain import change_lines, name_width

    width = name_width(id.rpartition("/")[2] for id in followed.order)
    said = ""

    def show(changed: list[TaskInfo], note: str) -> None:
        nonlocal said
        for task in changed:
            for line in change_lines(task, paint, width):
                click.echo(line, color=paint.colour)
        if note and note != said:
            click.echo(note, err=True)
        said = note

    return show


@contextmanager
def _live(followed: Followed, paint: Paint) -> Iterator[Show]:
    from leaseway.cli.live import screen

    with screen(paint) as drawn:
        yield lambda _changed, note: drawn.draw(followed.plan, followed.tasks, followed.now, note)
