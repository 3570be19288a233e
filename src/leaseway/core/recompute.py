"""A decision made again from what is kept of it, and held against what was stored, byte for byte.

Who asks reads the ledger's events and folds them up to the decision; then it is decided once more
with the basis that was kept. Equal bytes prove that the stored decision follows from the rules of
this version and from nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct

from leaseway.core.basis import put_back
from leaseway.core.decide import decide
from leaseway.core.decisions.advance import placements
from leaseway.core.decisions.decision import Accepted, Refused
from leaseway.core.decisions.lease import recheck
from leaseway.core.decisions.tick import moves
from leaseway.core.evolve import evolve
from leaseway.core.model import events as ev
from leaseway.core.model.basis import Basis
from leaseway.core.model.commands import Principal, Recheck, Role, Submit
from leaseway.core.model.declined import PlacesDecided, PlanDeclined
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Settings, View

_DECISIONS = (ev.PlanSubmitted, PlanDeclined, PlacesDecided)
_ENCODE = msgspec.json.Encoder(order="deterministic").encode


class Recomputed(Struct, frozen=True):
    """One decision: where it stands in the ledger, what it was (`submit`, `declined`, or the
    command that placed anew), how many events it made, and whether they are the same again.
    `differs`: the first pair that is not, as stored and as made now. `why`: it cannot be made."""

    position: int
    at: Instant
    command: str
    events: int = 0
    same: bool = False
    stored: str = ""
    again: str = ""
    why: str = ""
    basis: Basis = Basis()


def recomputed(history: Sequence[ev.Stamped], named: str = "") -> Iterator[Recomputed]:
    """Every kept decision about a task, a plan or a refused plan, oldest first; of everything
    where nothing is named. `history`: all events of the ledger, from its beginning."""
    view = View(_settings(history))
    for at, stamped in enumerate(history):
        if _concerns(history, at, named):
            yield _again(view, history, at)
        evolve(view, stamped.at, stamped.event)


def _settings(history: Sequence[ev.Stamped]) -> Settings:
    """As the last decision that is kept knew them: how much is remembered depends on them."""
    for stamped in reversed(history):
        basis: Basis | None = getattr(stamped.event, "basis", None)
        if basis is not None:
            return Settings(**basis.settings)
    return Settings()


def _concerns(history: Sequence[ev.Stamped], at: int, named: str) -> bool:
    if not named:
        return isinstance(history[at].event, _DECISIONS)
    match history[at].event:
        case ev.PlanSubmitted(plan=plan, tasks=tasks):
            return named == plan or named in tasks
        case PlanDeclined(id=id):
            return named == id
        case PlacesDecided():
            return any(_is_of(event, named) for event in _placed(history, at))
        case _:
            return False


def _placed(history: Sequence[ev.Stamped], at: int) -> Iterator[ev.Event]:
    """What a decision to place anew led to, up to the next decision or another moment."""
    for stamped in _same_moment(history, at + 1):
        if isinstance(stamped.event, _DECISIONS):
            return
        if isinstance(stamped.event, (ev.TaskReserved, ev.PromiseWithdrawn, ev.TaskEnded)):
            yield stamped.event


def _is_of(event: ev.Event, named: str) -> bool:
    task: str = getattr(event, "task", "")
    return task == named or task.startswith(f"{named}/")


def _again(view: View, history: Sequence[ev.Stamped], at: int) -> Recomputed:
    first, now = history[at].event, history[at].at
    kept: Basis | None = getattr(first, "basis", None)
    told = Recomputed(at + 1, now, _name(first))
    if kept is None:
        return msgspec.structs.replace(told, why="it was made by a version that kept no basis")
    settings, presence = view.settings, view.presence
    view.presence = type(presence)()
    put_back(view, kept, now)
    made = _events(view, history, at)
    view.settings, view.presence = settings, presence
    if isinstance(made, str):
        return msgspec.structs.replace(told, why=made, basis=kept)
    return _compared(told, kept, made, [each.event for each in history[at : at + len(made)]])


def _compared(
    told: Recomputed, basis: Basis, made: Sequence[ev.Event], stored: Sequence[ev.Event]
) -> Recomputed:
    texts = [
        (_ENCODE(old).decode(), _ENCODE(new).decode())
        for old, new in zip(stored, made, strict=False)
    ]
    differs = next((pair for pair in texts if pair[0] != pair[1]), ("", ""))
    same = len(stored) == len(made) and differs == ("", "")
    return msgspec.structs.replace(
        told, events=len(made), same=same, stored=differs[0], again=differs[1], basis=basis
    )


def _events(view: View, history: Sequence[ev.Stamped], at: int) -> Sequence[ev.Event] | str:
    """The events as this version makes them on this view; or why it cannot."""
    first, now = history[at].event, history[at].at
    match first:
        case ev.PlanSubmitted():
            specs = {
                each.event.task: each.event.spec
                for each in _same_moment(history, at)
                if isinstance(each.event, ev.TaskSubmitted)
            }
            if any(name not in specs for name in first.tasks):
                return "its tasks are not all in the ledger"
            said = decide(view, _command(first, [specs[name] for name in first.tasks], now), now)
        case PlanDeclined(plan=None):
            return "the plan was too large to be kept"
        case PlanDeclined(plan=PlanSpec() as plan, principal=principal, digest=digest):
            basis = first.basis
            command = Submit(
                plan, principal, "", digest, partial=basis.partial, strict=basis.strict
            )
            said = decide(view, command, now)
        case PlacesDecided(by=by):
            if by.command == "recheck":
                said = recheck(view, Recheck(by.worker, by.why, by.everything), now)
                return [first, *said.events]
            again = moves(view, now) if by.command == "tick" else list(placements(view, now))
            return [first, *again]
        case _:
            return "it is of a kind that this version does not know"
    return said.events or f"this version {_verdict(said)}"


def _verdict(said: Accepted | Refused) -> str:
    if isinstance(said, Accepted):
        return "accepts it and has nothing to write"
    return "refuses it: " + ", ".join(finding.code for finding in said.findings)


def _command(event: ev.PlanSubmitted, specs: Iterable[TaskSpec], now: Instant) -> Submit:
    basis, bounds = event.basis or Basis(), event.boundaries
    plan = PlanSpec(
        name=event.name,
        tasks=tuple(specs),
        workdir=event.workdir,
        workspace=event.workspace,
        max_parallel=bounds.max_parallel,
        by_ms=None if bounds.by is None else bounds.by - now,
        workers=bounds.workers,
        not_on=bounds.not_on,
        ask=basis.ask,
        ordered=basis.ordered,
    )
    who = Principal(event.principal, Role(event.role))
    return Submit(plan, who, event.key, event.digest, partial=basis.partial, strict=basis.strict)


def _same_moment(history: Sequence[ev.Stamped], at: int) -> Iterator[ev.Stamped]:
    moment = history[at].at if at < len(history) else 0
    while at < len(history) and history[at].at == moment:
        yield history[at]
        at += 1


def _name(event: ev.Event) -> str:
    match event:
        case ev.PlanSubmitted():
            return "submit"
        case PlanDeclined():
            return "declined"
        case PlacesDecided(by=by):
            return by.command
        case _:
            return type(event).__name__
