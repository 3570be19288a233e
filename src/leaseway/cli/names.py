"""What a person names: task ids as they are, plan ids as their tasks, and bare task names where
only one task is meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from leaseway.cli.faults import Fault
from leaseway.client.blocking import Client
from leaseway.client.calls import TaskFilter
from leaseway.client.errors import NotFound
from leaseway.core.scan.names import nearest
from leaseway.wire.tasks import TaskInfo

PAGE = 500
LOOKED_AT = 4 * PAGE
"""A bare name is looked for among so many of the newest tasks."""

SHOWN = 8


def the_task(pool: Client, named: str) -> str:
    """The id of the one task that is meant: an id, the plan of a single task, or a task's own
    name."""
    if not named.strip():
        raise Fault("An empty name was given.", "Name a task, as `leaseway tasks` shows it.")
    if "/" in named:
        return named
    ids = tasks_of_plan(pool, named)
    if len(ids) == 1:
        return ids[0]
    if ids:
        raise Fault(f"{named} is a plan of {len(ids)} tasks.", f"Name one of {listed(ids)}.")
    found = of_name(pool, named)
    if len(found) > 1:
        said = f"{len(found)} tasks are called {named}."
        raise Fault(said, f"Name one of {listed(found)}, newest first.")
    if not found:
        raise nothing_of(pool, named)
    return found[0]


def task_or_plan(pool: Client, named: str) -> str:
    """The same where a plan may be meant as a whole."""
    if "/" in named or (named.strip() and tasks_of_plan(pool, named)):
        return named
    return the_task(pool, named)


def to_acknowledge(pool: Client, ids: Iterable[str]) -> list[str]:
    """Task ids; a plan's id stands for its ended tasks that nobody has acknowledged."""
    named: list[str] = []
    for id in ids:
        if "/" in id:
            named.append(id)
        elif id.strip() and tasks_of_plan(pool, id):
            found = every_task(pool, TaskFilter(plan=id, ended=True, limit=PAGE))
            named += [task.id for task in found if not task.acknowledged]
        else:
            named.append(the_task(pool, id))
    return named


def tasks_of_plan(pool: Client, named: str) -> tuple[str, ...]:
    """The ids of a plan's tasks; none where there is no such plan."""
    try:
        return pool.plan(named).tasks
    except NotFound:
        return ()


def of_name(pool: Client, name: str) -> list[str]:
    """Ids of the tasks with this name of their own, newest first."""
    known = islice(every_task(pool, TaskFilter(limit=PAGE)), LOOKED_AT)
    return [task.id for task in known if task.name == name]


def nothing_of(pool: Client, named: str) -> Fault:
    """Neither a plan nor a task has this name; what there is."""
    plans = [plan.id for plan in pool.plans(limit=PAGE).plans]
    tasks = [task.name for task in islice(every_task(pool, TaskFilter(limit=PAGE)), PAGE)]
    near = nearest(named, [*plans, *tasks])
    said = f"There is no task or plan {named}" + (f"; nearest: {', '.join(near)}." if near else ".")
    if plans:
        return Fault(said, f"Name a task as PLAN/TASK; the newest plans: {listed(plans)}.")
    return Fault(said, "No plan was handed in yet; see: leaseway run --help.")


def listed(ids: Iterable[str]) -> str:
    """The first few, and how many more."""
    names = list(ids)
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def every_task(pool: Client, wanted: TaskFilter) -> Iterator[TaskInfo]:
    """All pages of a list of tasks, newest first."""
    from msgspec.structs import replace

    while True:
        page = pool.tasks(wanted)
        yield from page.tasks
        if page.next is None:
            return
        wanted = replace(wanted, before=page.next)
