"""`explain --replay`: decisions made again here, and whether they come out the same."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from leaseway.cli.faults import Fault
from leaseway.cli.paint import Paint, Tone
from leaseway.cli.table import details, paragraph
from leaseway.client.blocking import Client
from leaseway.core.recompute import Recomputed
from leaseway.runtime import Clock, local_clock

_UNTOLD_MS = 1_000
_SHOWN = 400  # characters of what differs
_WORDS = {
    "submit": "accepted, and placed",
    "declined": "refused",
    "advance": "placed anew, when there was room",
    "recheck": "placed anew, when its lease changed",
    "tick": "placed anew, when it was due or its worker gone",
}


def replayed(pool: Client, named: str) -> tuple[Recomputed, ...]:
    """The decisions about it, made again. Fault: none is kept, or the ledger cannot be read."""
    from leaseway.client.recomputing import NotReadable, made_again

    try:
        found = made_again(pool, named, _progress())
    except NotReadable as wrong:
        mend = "Ask with the version of the coordinator (`leaseway doctor` names it)."
        raise Fault(f"The ledger cannot be read here: {wrong}.", mend) from wrong
    if not found:
        raise Fault(
            f"No decision about {named!r} is kept.",
            "Name a task or a plan as `leaseway tasks` shows it, or a refusal as `declined-3`.",
        )
    return found


def _progress() -> Callable[[int, int], None]:
    clock, drawn = Clock.of_environment(), sys.stderr.isatty()
    began = clock.awake_ms()

    def read(done: int, of: int) -> None:
        if drawn and clock.awake_ms() - began >= _UNTOLD_MS:
            over = done >= of
            said = f"\rReading the ledger: {done:,} of {of:,} events \x1b[K"
            click.echo(said, err=True, nl=over)

    return read


def replay_lines(found: tuple[Recomputed, ...], named: str, paint: Paint) -> list[str]:
    """A block for each decision; the verdict over all of them first."""
    same = sum(each.same for each in found)
    said = (
        f"{named}: {_count(len(found))} made again here, byte for byte the same."
        if same == len(found)
        else f"{named}: {len(found) - same} of {_count(len(found))} do not come out the same."
    )
    lines = paragraph(said, paint, tone=Tone.STRONG)
    for each in found:
        lines += ["", *_decision_lines(each, paint)]
    return lines


def _count(count: int) -> str:
    return "1 decision" if count == 1 else f"{count} decisions"


def _decision_lines(each: Recomputed, paint: Paint) -> list[str]:
    pairs = [
        ("decision", _WORDS.get(each.command, each.command)),
        ("event", f"{each.position:,} of the ledger, at {local_clock(each.at)}"),
        ("rests on", _basis(each)),
        ("made again", _verdict(each)),
    ]
    lines = details([pair for pair in pairs if pair[1]], paint)
    if each.stored != each.again:
        lines += paragraph("stored: " + each.stored[:_SHOWN], paint)
        lines += paragraph("now:    " + each.again[:_SHOWN], paint)
    return lines


def _verdict(each: Recomputed) -> str:
    if each.why:
        return f"not possible: {each.why}"
    events = "1 event" if each.events == 1 else f"{each.events} events"
    return f"{events}, the same bytes" if each.same else f"{events}, not the same"


def _basis(each: Recomputed) -> str:
    """Beside the ledger up to there."""
    basis = each.basis
    parts = [f"the {each.position - 1:,} events before it"]
    if basis.heard:
        parts.append(f"not heard of: {', '.join(basis.heard)}")
    if basis.leaving:
        parts.append(f"leaving: {', '.join(basis.leaving)}")
    parts += [f"{name} {value}" for name, value in basis.settings.items()]
    return "; ".join(parts)
