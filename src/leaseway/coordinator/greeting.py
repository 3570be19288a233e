"""What a coordinator says when it has started: where it answers, and how others come in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from leaseway import __version__
from leaseway.client.pinned import shown
from leaseway.coordinator.credentials import credential_path
from leaseway.coordinator.errors import NotAccepted
from leaseway.coordinator.house import House
from leaseway.core.model.commands import Role
from leaseway.core.model.units import show_ms
from leaseway.wire.access import InviteRequest

Say = Callable[[str], None]


def greet(folder: Path, house: House, say: Say) -> None:
    """Where it answers and what it holds."""
    service = house.door.service
    facts = service.view.facts
    open_tasks = sum(plan.open_tasks for plan in facts.plans.values())
    say(f"Leaseway {__version__} answers at {house.place.url}")
    say(
        f"State in {folder}: ledger {facts.ledger_id},"
        f" {_counted(facts.position, 'event')}, {_counted(len(facts.leases), 'worker')},"
        f" {_counted(open_tasks, 'task')} not ended"
    )
    say(f"Credentials: {credential_path(folder, Role.OWNER)} and three more beside it")
    if service.clock.went_back:
        say("The wall clock stands before the last stored moment: windows may be off (LW803)")


def tell_how_to_join(house: House, say: Say, show: Say | None) -> None:
    """What to type on other machines. An invitation only where somebody watches: what is written
    to a file would lie there."""
    place = house.place
    assert place.tls is not None
    say(f"Encrypted; the fingerprint of its authority is {shown(place.tls.fingerprint)}")
    first, *others = place.elsewhere
    say(f"On each box: leaseway worker join {first}")
    if others:
        say(f"It has other addresses too: {', '.join(others)}")
    asked = InviteRequest(role=Role.WORKER.value)
    if show is None:
        say("A box is asked for an invitation: leaseway access invite --role worker makes one")
        return
    try:
        text = house.access.invite(asked, house.now())
    except NotAccepted as wrong:
        say(f"No invitation was made: {wrong}")
        return
    show(f"It asks for an invitation; this is good once, for {show_ms(asked.for_ms)}:")
    show(text)
    say("For more: leaseway access invite --role worker (or agent, viewer, owner)")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
