"""`service`: what --service installed on this machine."""

from __future__ import annotations

import os

import click

from leaseway.cli.answer import Asked, answers

_SCOPES = (
    click.option("--system", "scope", flag_value="system", help="Of the machine."),
    click.option("--user", "scope", flag_value="user", help="Of this user."),
)


@click.group("service")
def service() -> None:
    """Services that --service installed on this machine."""


@service.command("show")
@_SCOPES[0]
@_SCOPES[1]
@answers
def show(asked: Asked, scope: str | None) -> None:
    """List them, and whether they run."""
    from leaseway.cli.services.installing import Standing, standing
    from leaseway.cli.services.machine import run_here, supervisor
    from leaseway.cli.table import Column, table_lines

    found: list[Standing] = []
    for each in [scope] if scope else ["system", "user"]:
        found += standing(supervisor(each, os.environ, run_here), run_here)
    columns = (
        Column("service", most=40),
        Column("of"),
        Column("at boot"),
        Column("now"),
        Column("starts", wraps=True),
    )
    rows = [[each.name, each.scope, each.enabled, each.active, each.starts] for each in found]
    none = ["No service is installed. Install one: leaseway up --service"]
    asked.tell(found, lambda: table_lines(columns, rows, asked.paint) or none)


@service.command("remove")
@click.argument("name", required=False)
@_SCOPES[0]
@_SCOPES[1]
@answers
def remove(asked: Asked, name: str | None, scope: str | None) -> None:
    """Stop a service and remove it; what runs on a worker goes on."""
    from leaseway.cli.services.installing import remove as take_away
    from leaseway.cli.services.machine import run_here, supervisor

    at = supervisor(scope, os.environ, run_here)
    lines = take_away(chosen(name, at.names()), at, run_here)
    asked.tell({"removed": lines}, lambda: lines)


def chosen(name: str | None, known: list[str]) -> str:
    """The one that is meant; the only one where none is named."""
    if name is None and len(known) == 1:
        return known[0]
    told = ", ".join(known) or "none of this user; perhaps of the machine (--system) or a user's"
    if name is None:
        raise click.UsageError(f"Which one? Installed: {told}.")
    wanted = name.removesuffix(".service")
    if wanted not in known:
        raise click.UsageError(f"There is no service {wanted}. Installed: {told}.")
    return wanted
