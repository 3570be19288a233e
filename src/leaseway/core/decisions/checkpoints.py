"""What a sync says of checkpoints: kept as an event only where the advice has changed."""

from __future__ import annotations

from collections.abc import Iterator

from leaseway.core.model import events as ev
from leaseway.core.model.checkpoint import Advice
from leaseway.core.model.checkpoint_events import LastTold
from leaseway.core.model.states import TaskState
from leaseway.core.model.sync import Held, SyncRequest
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import View


def advice_changed(view: View, request: SyncRequest, arrived: Instant) -> Iterator[ev.Event]:
    """For attempts that still count. The first advice is news unless it is to go on."""
    for held in request.held:
        task = view.facts.tasks.get(held.ref.task)
        if held.checkpoint is None or task is None or task.attempt is None:
            continue
        attempt = task.attempt
        if attempt.number != held.ref.number or attempt.worker != request.worker:
            continue
        before = attempt.checkpoint.advice if attempt.checkpoint else Advice.GO_ON
        if task.state is not TaskState.ENDED and held.checkpoint.advice is not before:
            yield ev.CheckpointTold(task.id, attempt.number, held.checkpoint, _at(held, arrived))


def last_told(request: SyncRequest, arrived: Instant) -> tuple[LastTold, ...]:
    """All of them, for showing."""
    return tuple(
        LastTold(held.ref, held.checkpoint, _at(held, arrived))
        for held in request.held
        if held.checkpoint is not None
    )


def late_ms(held: Held, stop_at: Instant, arrived: Instant) -> Millis:
    """How long after the stop time, as it now stands, it is projected to end; 0: in time. Said only
    where its own keeper says so."""
    last = held.checkpoint
    if last is None or last.advice is Advice.GO_ON:
        return 0
    return max(0, _at(held, arrived) + max(last.need_ms, last.next_ms) - stop_at)


def _at(held: Held, arrived: Instant) -> Instant:
    return arrived - max(0, held.checked_ago_ms)
