"""`find`: coordinators that announce themselves on the local network."""

from __future__ import annotations

import click

from leaseway.cli import kinds
from leaseway.cli.answer import Asked, answers
from leaseway.cli.exits import Exit
from leaseway.cli.faults import Fault
from leaseway.cli.paint import Paint
from leaseway.cli.table import Column, Row, paragraph, table_lines
from leaseway.client.discovery import CannotLook, Found, look

COLUMNS = (Column("name", most=30), Column("address"), Column("says its fingerprint is", most=40))
TRUST = (
    "None of them is trusted: anybody may announce anything. An invitation is checked against the"
    " fingerprint that it carries."
)


@click.command("find")
@click.option(
    "--for", "length", type=kinds.duration, default="2s", show_default=True, help="How long."
)
@answers
def find(asked: Asked, length: int) -> None:
    """Look for coordinators on the local network: name, address, fingerprint."""
    try:
        found = look(length)
    except CannotLook as wrong:
        raise Fault(f"{str(wrong)[:1].upper()}{str(wrong)[1:]}.", exit_code=Exit.FAILED) from wrong
    asked.tell(found, lambda: found_lines(found, asked.paint))


def found_lines(found: list[Found], paint: Paint) -> list[str]:
    """A table, and what it is worth."""
    if not found:
        return [
            "Nobody announced a coordinator. One that does not, or is behind a router, is joined by"
            " its address all the same."
        ]
    rows: list[Row] = [(each.name, each.address, each.fingerprint) for each in found]
    return [*table_lines(COLUMNS, rows, paint), "", *paragraph(TRUST, paint)]
