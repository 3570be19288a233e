"""What must be so at the end, once everything has healed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from leaseway.coordinator.restore import restored
from leaseway.core.admission.gates import reserved_ms
from leaseway.core.invariants import index_differences
from leaseway.core.model.events import Stamped
from leaseway.core.model.outcomes import Outcome, OutcomeKind
from leaseway.core.model.sync import AttemptRef
from leaseway.core.recompute import recomputed
from leaseway.ledger.encoding import canonical
from leaseway.ledger.memory import MemoryLedger
from leaseway.sim.coordinator import SETTINGS
from leaseway.sim.keepers import Script
from leaseway.sim.truth import Run

_START_MS = 50
"""A bound that is missed by less is not told: clocks drift."""

if TYPE_CHECKING:
    from leaseway.sim.world import World


def of_the_queue(world: World) -> Iterator[str]:
    """Jepsen's total queue, duplicates forbidden: attempts are submits, enqueues are answered
    ones, dequeues are outcomes."""
    record, people = world.record, world.people
    for name, plans in record.plans.items():
        if name not in people.attempted:
            yield f"queue unexpected: {plans} of {name}, which nobody handed in"
        if len(plans) > 1:
            yield f"queue duplicated: {name} became {plans}"
    accepted = (task.task for said in people.acked.values() for task in said.tasks)
    for task in accepted:
        if task not in record.tasks:
            yield f"queue lost: {task} was accepted and is nowhere"
    for task, known in record.tasks.items():
        if not known.outcomes:
            yield f"22 loss: {task} has no outcome"
        if len(known.outcomes) > 1:
            yield f"queue duplicated: {task} has {len(known.outcomes)} outcomes"
    if not people.done():
        yield "22 loss: a plan was never answered"


def of_results(world: World) -> Iterator[str]:
    """What really ran, and what the ledger says of it."""
    record = world.record
    yield from _executions(world)
    for task, known in record.tasks.items():
        for outcome in known.outcomes:
            yield from _truthful(world, task, outcome)
    for machine in world.machines.values():
        for ref, note in machine.journal.endings().items():
            told = record.endings.get(ref)
            counted = told is not None and told.kind is note.ending.kind
            if not counted and ref not in record.kept:
                yield f"22 loss: {ref} ended as {note.ending.kind} on {machine.host.name}: unheard"


def of_promises(world: World) -> Iterator[str]:
    """11: where nothing fails and nobody changes a mind, every promise is kept. A task that runs
    over, fails or ignores TERM harms nobody but its followers; one that was given more time than it
    had reserved has broken its own promise."""
    for task in world.record.withdrawn:
        yield f"11 harm: the promise of {task} was withdrawn in a quiet world"
    for run in world.truth.runs:
        promise = world.record.tasks[run.ref.task].promise
        if promise is not None and run.ended is not None and run.ref not in world.record.extended:
            late = world.record.ledger_at(run.ended) - promise
            if late > 0:
                yield f"11 harm: {run.ref} ended {late} ms after its promise"
            if run.stopped and _was_within(world, run):
                yield f"11 harm: {run.ref} was stopped, and would have ended within its bound"


def _was_within(world: World, run: Run) -> bool:
    """Whether all that this task had to do was within what was promised to it."""
    bound = reserved_ms(world.record.tasks[run.ref.task].spec)
    return bound is not None and Script.of(run.grant.run).work_ms <= bound - _START_MS


def _executions(world: World) -> Iterator[str]:
    """As many as were granted at the most, and none of what was called never started."""
    attempts = Counter(ref.task for ref in world.record.granted)
    runs = Counter(run.ref.task for run in world.truth.runs)
    for task, count in runs.items():
        if count > attempts[task]:
            yield f"truth 4 twice: {task} ran {count} times in {attempts[task]} attempts"
    for run in world.truth.runs:
        if run.ref in world.record.returned:
            yield f"verdict: {run.ref} ran and was called never started"
        if run.alive and run.host.read().boot_ms > run.stop_boot + run.grant.guard.tail_ms:
            yield f"truth 20 stop: {run.ref} still runs"
    for ref, at in world.record.kept_at.items():
        if world.record.lost_at.get(ref) == at:
            yield f"verdict: {ref} was called lost in the moment in which it was heard"


def _truthful(world: World, task: str, outcome: Outcome) -> Iterator[str]:
    """An outcome says what happened."""
    ref = AttemptRef(task, outcome.attempt)
    run = next((run for run in world.truth.runs if run.ref == ref), None)
    match outcome.kind:
        case OutcomeKind.SUCCEEDED:
            if run is None or not run.succeeded:
                yield f"verdict: {ref} is called succeeded"
        case OutcomeKind.FAILED:
            if run is None or run.alive or run.stopped or run.exit_code == 0:
                yield f"verdict: {ref} is called failed"
        case OutcomeKind.OVERRAN:
            if run is None or not run.stopped:
                yield f"verdict: {ref} is called overran and was not stopped"
        case OutcomeKind.LOST:
            if run is None and _knowable(world, ref, outcome):
                yield f"verdict: {ref} is called lost and never started anywhere"
        case _:
            pass


def _knowable(world: World, ref: AttemptRef, outcome: Outcome) -> bool:
    """Whether its worker was heard, with the same spool, when it could not start any more, and did
    not say that it holds it: then the coordinator could know that it never started."""
    if ref in world.record.lost_as_held:
        return False
    granted = world.record.granted[ref]
    heard_at = outcome.cause.numbers.get("heard_at", 0)
    same_spool = set(world.record.spools[granted.worker]) == {granted.spool_id}
    return same_spool and isinstance(heard_at, int) and heard_at > granted.start_by


def of_the_rest(world: World) -> Iterator[str]:
    """Nothing is left lying about, and the ledger tells the whole of it."""
    service = world.coordinator.service
    if service is None:
        yield "22 loss: no coordinator after healing"
        return
    view = service.view
    for who, names in view.index.inbox.items():
        if names:
            yield f"inbox: {list(names)} of {who} were acknowledged and are still there"
    for machine in world.machines.values():
        if machine.owed():
            yield f"spool: {machine.host.name} still owes {machine.owed()}"
    yield from index_differences(view, service.now())
    again = restored(MemoryLedger(world.coordinator.disk), SETTINGS)
    if canonical(again.facts) != canonical(view.facts):
        yield "replay: the ledger makes other facts than the live view has"


def of_decisions(told: Sequence[Stamped]) -> Iterator[str]:
    """Every decision that is kept can be made again, byte for byte (invariant 28)."""
    for each in recomputed(told):
        if not each.same:
            why = each.why or f"{each.stored} is now {each.again}"
            yield f"28 explainable: {each.command} at {each.position}: {why}"
