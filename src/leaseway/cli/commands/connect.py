"""`connect`: use a coordinator on another machine from here on."""

from __future__ import annotations

import platform
from typing import Any

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.setting import connected_file


@click.command("connect")
@click.argument("address", required=False, metavar="[HOST:PORT]")
@click.option("--name", help="The name you were invited under; only to be sure of it.")
@click.option("--forget", is_flag=True, help="Throw the stored credential away instead.")
@answers
def connect(asked: Asked, /, **given: Any) -> None:
    """Join the pool at HOST:PORT with an invitation and store the credential for later commands.

    The invitation is asked for, or read from standard input. An owner makes one with:
    leaseway access invite --role agent --name NAME
    """
    path = connected_file()
    if given["forget"]:
        there = path.exists()
        path.unlink(missing_ok=True)
        said = "Forgotten." if there else "No credential was stored."
        asked.tell({"file": str(path), "forgotten": there}, lambda: [said])
        return
    if not given["address"]:
        raise click.UsageError("Expected HOST:PORT, such as 192.168.1.5:7070.")
    from leaseway.cli.invited import keep, redeem
    from leaseway.client.joining import CLIENT, Joiner

    name = given["name"] or ""
    file = redeem(given["address"], Joiner(CLIENT, name, host=host_name()))
    keep(path, file)
    asked.tell(
        {"name": file.name, "role": file.role, "url": file.url, "file": str(path)},
        lambda: [
            f"Connected to {file.url} as {file.name}, role {file.role}.",
            f"The credential is in {path}; commands find it there.",
        ],
    )


def host_name() -> str:
    """A name for this machine that a pool takes."""
    kept = "".join(each for each in platform.node().lower() if each.isalnum() or each in "-._")
    return kept[:63].lstrip("-._") or "box"
