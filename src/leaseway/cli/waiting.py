"""Wait for a plan in front of whoever asked: a live table on a terminal, plain lines elsewhere.

The first Ctrl-C cancels the plan and waits on; the second leaves it running.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
CANCELLING = "Cancelling. Once more Ctrl-C leaves it running."
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
    note = ""
    while True:
        try:
            if note == CANCELLING:
                followed.pool.cancel(followed.plan)
            for changed in followed.watch(every_ms):
                silent = followed.silent_since is not None
                show(changed, "The coordinator does not answer; asking again." if silent else note)
            return
        except KeyboardInterrupt:
            if note:
                raise left_running(followed.plan) from None
            note = CANCELLING
            show([], note)
        except (Unreachable, Unavailable) as error:
            raise out_of_reach(followed.plan, str(error)) from error


def left_running(plan: str) -> Fault:
    """The second Ctrl-C."""
    return Fault(f"{plan} runs on.", how_to_follow(plan), INTERRUPTED)


def out_of_reach(plan: str, why: str) -> Fault:
    """The coordinator was there, and has been silent for too long."""
    said = f"Undecided: the coordinator has not answered for a minute ({why}). {plan} may run on."
    return Fault(said, how_to_follow(plan), Exit.UNDECIDED)


def how_to_follow(plan: str) -> str:
    """Where its outcomes will be."""
    return f"Follow it with: leaseway tasks {plan}. Its outcomes will be in: leaseway inbox."


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
