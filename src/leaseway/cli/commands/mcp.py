"""`mcp`: the agent's door, tools in the Model Context Protocol on stdin and stdout."""

from __future__ import annotations

import gc
import os
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.faults import Fault
from leaseway.cli.setting import (
    Places,
    Setting,
    default_state,
    of_environment,
    places_of,
)
from leaseway.cli.tree_given import IN_PLACE_VARIABLE

if TYPE_CHECKING:
    from leaseway.client.options import ClientOptions

AGENT, OWNER = "agent.credential", "owner.credential"


@click.command("mcp")
@click.option(
    "--in-place",
    is_flag=True,
    envvar=IN_PLACE_VARIABLE,
    help="Send nothing: run at the same paths of the worker.",
)
@answers
def mcp(asked: Asked, /, in_place: bool) -> None:
    """Serve an AI agent's program on stdin and stdout: scan, submit, wait, result, explain.

    \b
    {"mcpServers": {"leaseway": {"command": "leaseway", "args": ["mcp"]}}}

    It asks as an agent: with LEASEWAY_CREDENTIAL, with what `connect` stored, or with the
    agent.credential of a coordinator on this machine.
    """
    if find_spec("mcp") is None:
        raise Fault(
            "leaseway mcp needs the package mcp, which is not installed here.",
            "Install it with: pip install 'leaseway[mcp]'",
        )
    gc.disable()  # much is imported and nothing let go of: a second of start-up, else more
    from leaseway.mcp.server import run
    from leaseway.mcp.way import Way

    gc.enable()
    gc.freeze()
    run(Way(lambda: _options(asked), default_state() / "sent", in_place))


def _options(asked: Asked) -> ClientOptions:
    """Whom to ask and as whom, found anew for each call. NoAddress."""
    from msgspec.structs import replace

    from leaseway.cli.pool import CONNECT_S
    from leaseway.client.options import client_options

    places = as_agent(asked.said, of_environment())
    options = client_options(places.url, places.credential, places.folder)
    return replace(options, connect_s=CONNECT_S)


def as_agent(said: Setting, environment: Setting) -> Places:
    """With the agent's credential of a local state where else the owner's would be taken, because
    nobody named one. A credential that was named is taken as it is."""
    places = places_of(said, environment)
    if said.credential or environment.credential:
        return places
    mine = str(places.state / AGENT)
    if not os.path.exists(mine):
        return places
    if places.folder is not None:
        return Places(None, mine, places.folder, places.state)
    if places.credential == str(places.state / OWNER):
        return Places(places.url, mine, places.folder, places.state)
    return places
