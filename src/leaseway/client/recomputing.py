"""Making decisions again at home: the ledger's events are read through the coordinator, and folded
and decided here, so that nobody's word but the rules' is taken for it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from leaseway.client.blocking import Client
from leaseway.core.model.events import Fact, Stamped
from leaseway.core.recompute import Recomputed, recomputed
from leaseway.wire.streams import EventInfo

PAGE = 1_000
_KINDS = {kind.__name__: kind for kind in Fact.__args__}


class NotReadable(Exception):
    """An event that this version does not know: what follows from it cannot be made again."""


def made_again(
    pool: Client, named: str, progress: Callable[[int, int], None] = lambda done, of: None
) -> tuple[Recomputed, ...]:
    """Every kept decision about a task, a plan or a refused plan. `progress`: events read, and how
    many there are. NotReadable."""
    history: list[Stamped] = []
    after = 0
    while True:
        page = pool.events(after, 0, PAGE)
        history += [Stamped(each.at, _event(each)) for each in page.events]
        progress(len(history), page.head)
        if not page.events or page.next >= page.head:
            return tuple(recomputed(history, named))
        after = page.next


def _event(info: EventInfo) -> Fact:
    kind = _KINDS.get(info.tag)
    if kind is None:
        raise NotReadable(
            f"event {info.position} is a {info.tag}, which this version does not know"
        )
    try:
        event: Fact = msgspec.convert({"type": info.tag, **info.doc}, kind)
    except msgspec.ValidationError as wrong:
        raise NotReadable(f"event {info.position} ({info.tag}) cannot be read: {wrong}") from wrong
    return event
