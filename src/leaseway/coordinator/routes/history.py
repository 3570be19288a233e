"""How long commands took before, and what became of promises."""

from __future__ import annotations

from starlette.responses import Response

from leaseway.coordinator.asked import Asked, reply
from leaseway.coordinator.declined import unknown
from leaseway.core.estimates.keys import keys_of, worker_class
from leaseway.core.model.estimate import Likeness
from leaseway.core.model.view import Plan, Task, View
from leaseway.wire.history import HistoryList, RecordInfo, history_info, tally_info


async def history(asked: Asked) -> Response:
    """Histories, the last added to first; with `key` or `task` whole."""
    view = await asked.house.door.view()
    key, name = asked.text("key"), asked.text("task")
    known = view.facts.histories
    if key is not None and key not in known:
        raise unknown("history", key, list(known))
    if key is not None:
        keys = [key]
    elif name is not None:
        found, _ = await asked.house.task(name)
        keys = _of_task(view, found, await asked.house.plan(found.plan))
    else:
        keys = sorted(known, key=lambda each: -known[each].used)[: asked.limit()]
    whole = key is not None or name is not None
    shown = tuple(history_info(each, known[each], whole=whole) for each in keys)
    return reply(HistoryList(shown, len(known), asked.house.now()))


async def record(asked: Asked) -> Response:
    """What became of promises, by worker, by principal and by what they rested on."""
    kept = (await asked.house.door.view()).facts.record
    workers, principals, bases = (
        {name: tally_info(of[name]) for name in sorted(of)}
        for of in (kept.workers, kept.principals, kept.bases)
    )
    return reply(RecordInfo(workers, principals, bases, asked.house.now()))


def _of_task(view: View, task: Task, plan: Plan) -> list[str]:
    """Those that the task's command has on each class of workers, nearest first."""
    classes = {worker_class(lease.terms.labels) for lease in view.facts.leases.values()}
    found = [
        key
        for labels in sorted(classes)
        for key in keys_of(task.spec, plan.workdir, plan.workspace, labels)
        if key.id in view.facts.histories
    ]
    nearest = sorted(found, key=lambda key: list(Likeness).index(key.likeness))
    return list(dict.fromkeys(key.id for key in nearest))
