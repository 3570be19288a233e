"""`events`: what happened, in order, as the ledger has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from leaseway.cli.answer import Asked, answers, json_line
from leaseway.cli.paint import Paint, Tone, shown
from leaseway.cli.table import cut, padded
from leaseway.client.blocking import Client
from leaseway.core.model.units import show_ms
from leaseway.runtime import local_clock
from leaseway.wire.streams import EventInfo

PAGE = 500
HELD_MS = 15_000
LEFT_OUT = ("type", "spec", "incarnation", "seq", "order", "digest", "key", "name")
"""In --json they are all there."""
ABOUT = ("task", "plan", "worker", "ledger_id")


@click.command("events")
@click.option("-f", "--follow", is_flag=True, help="Go on as they happen; --json: one a line.")
@click.option("--after", type=click.IntRange(min=0), help="Only after this position.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="At most so many, the newest.",
)
@answers
def events(asked: Asked, follow: bool, after: int | None, limit: int) -> None:
    """What happened: submits, promises, grants, starts, endings, outcomes, leases."""
    with asked.pool() as pool:
        found, last = _so_far(pool, after, limit)
        if asked.as_json and not follow:
            asked.tell(found, list)
            return
        show(asked, found)
        while follow:
            page = pool.events(last, HELD_MS, PAGE)
            show(asked, page.events)
            last = page.next


def show(asked: Asked, found: tuple[EventInfo, ...] | list[EventInfo]) -> None:
    """A line for each."""
    for event in found:
        line = json_line(event) if asked.as_json else event_line(event, asked.paint)
        asked.say([line])


def event_line(event: EventInfo, paint: Paint) -> str:
    """`  412  12:03:04  AttemptGranted    nightly-1/train  number 1, worker box, …`."""
    about = next((str(event.doc[name]) for name in ABOUT if event.doc.get(name)), "")
    rest = ", ".join(_facts(event.doc, about))
    head = f"{event.position:>5}  {local_clock(event.at)}  {padded(event.tag, 17)}  "
    line = f"{padded(cut(shown(about), 26), 26)}  {shown(rest)}".rstrip()
    return paint(head, Tone.QUIET) + cut_end(line, paint.width - len(head))


def cut_end(text: str, most: int) -> str:
    """At most `most` long."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _facts(doc: dict[str, Any], about: str) -> Iterator[str]:
    """Plain fields as `name value`; of records their kind and code only."""
    for name, value in doc.items():
        word = name.replace("_", " ")
        if name in LEFT_OUT or value in (about, None, "", [], {}):
            continue
        if name.endswith("_ms"):
            yield f"{word.removesuffix(' ms')} {show_ms(value)}"
        elif name.endswith("_at") or name in ("promise", "start_by", "old", "new"):
            yield f"{word} {local_clock(value)}"
        elif isinstance(value, dict):
            kinds = [str(value[key]) for key in ("kind", "code", "worker") if key in value]
            yield " ".join([word, *kinds]) if kinds else word
        elif isinstance(value, list):
            yield f"{len(value)} {word}"
        else:
            yield f"{word} {value}"


def _so_far(pool: Client, after: int | None, limit: int) -> tuple[list[EventInfo], int]:
    """The newest `limit` events after a position, and the position of the last."""
    begin = after if after is not None else max(0, pool.events(0, 0, 1).head - limit)
    found: list[EventInfo] = []
    while len(found) < limit:
        page = pool.events(begin, 0, min(PAGE, limit - len(found)))
        if not page.events:
            break
        found += page.events
        begin = page.next
    return found, begin
