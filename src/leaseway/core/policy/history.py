"""What must hold between events of the policy and of approvals; see `core.history`, which feeds it.

30: a yes is given by another than who asked, lets one plan of who asked pass, once and in its time.
31: policies are numbered without a gap, and a plan names the one that was in force.
"""

from __future__ import annotations

from collections.abc import Iterator

from leaseway.core.model import events as ev
from leaseway.core.model.approvals import ApprovalAsked, ApprovalDenied, ApprovalGiven
from leaseway.core.model.policy import PolicyChanged
from leaseway.core.model.units import Instant


class Decided:
    """What people decided so far."""

    def __init__(self) -> None:
        self.version = 0
        self._asked: dict[str, ApprovalAsked] = {}
        self._open: set[str] = set()
        self._given: dict[str, Instant] = {}  # until when each yes counts

    def feed(self, at: Instant, event: ev.Event) -> Iterator[str]:
        """One more event; what it breaks."""
        match event:
            case PolicyChanged(version=version):
                if version != self.version + 1:
                    yield f"31 policy: {version} came after {self.version}"
                self.version = version
            case ApprovalAsked(id=id):
                if id in self._asked:
                    yield f"30 approval: {id} was asked for twice"
                self._asked[id] = event
                self._open.add(id)
            case ApprovalGiven(id=id, actor=actor) | ApprovalDenied(id=id, actor=actor):
                yield from self._answered(id, actor)
                if isinstance(event, ApprovalGiven):
                    self._given[id] = event.until
            case ev.PlanSubmitted():
                yield from self._accepted(at, event)
            case _:
                pass

    def _answered(self, id: str, actor: str) -> Iterator[str]:
        if id not in self._open:
            yield f"30 approval: {id} was answered and was not open"
        elif actor == self._asked[id].principal:
            yield f"30 approval: {actor} answered {id}, for which they asked"
        self._open.discard(id)

    def _accepted(self, at: Instant, event: ev.PlanSubmitted) -> Iterator[str]:
        if event.policy_version != self.version:
            yield (
                f"31 policy: {event.plan} was decided under {event.policy_version}, and"
                f" {self.version} was in force"
            )
        id = event.approval
        if not id:
            return
        until = self._given.pop(id, None)
        if until is None or at >= until:
            yield f"30 approval: {event.plan} passed with {id}, which it did not have"
        elif self._asked[id].principal != event.principal:
            yield f"30 approval: {event.plan} of {event.principal} passed with {id}, another's"
