"""What a decision is: accepted with events, an answer and what follows, or refused with why."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from leaseway.core.model.commands import Command
from leaseway.core.model.events import Event
from leaseway.core.model.findings import Finding


class Accepted(Struct, frozen=True):
    """These events happened. `then`: commands to decide next, on the view as it is after them;
    the reply that counts is the last one given."""

    events: tuple[Event, ...] = ()
    reply: Any = None
    then: tuple[Command, ...] = ()


class Refused(Struct, frozen=True):
    """Nothing ran, and why. `kind` lets a face choose how to say it. `events`: what keeps the
    refusal, and `decision` its name."""

    findings: tuple[Finding, ...]
    kind: str = "refused"  # refused | unknown | fenced | conflict | credential | approval-needed
    events: tuple[Event, ...] = ()
    decision: str = ""


Decision = Accepted | Refused


def unknown(what: str, name: str, known: list[str]) -> Refused:
    """There is no such thing; the nearest names that there are."""
    from leaseway.core.scan.names import offering

    numbers = offering(name, known)
    return Refused((Finding(code="LW404", variant=what, numbers=numbers),), kind="unknown")
