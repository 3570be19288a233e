"""`up`: the coordinator, in the foreground."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from leaseway.cli import kinds
from leaseway.cli.answer import Asked, answers
from leaseway.cli.services.words import Remembering, service_options


@click.command("up", cls=Remembering)
@click.option(
    "--host",
    metavar="ADDR",
    help="Address to listen on; another than loopback is encrypted.  [default: 127.0.0.1]",
)
@click.option("--lan", is_flag=True, help="Let other machines in: every address, encrypted.")
@click.option("--tls", is_flag=True, help="Encrypt on loopback too.")
@click.option("--no-announce", is_flag=True, help="With --lan: not to be seen by `leaseway find`.")
@click.option(
    "--show-invitation",
    is_flag=True,
    help="Tell a first invitation even where no terminal is; it then stands in that output.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0: a free one. By default the last one of this state.",
)
@click.option(
    "--patience",
    type=kinds.duration,
    default="15s",
    show_default=True,
    help="A worker that is silent for longer is not counted as present.",
)
@click.option(
    "--policy",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The pool's policy; what an owner sets later counts until this file changes.",
)
@service_options
@answers
def up(asked: Asked, /, **given: Any) -> int:
    """Start the coordinator here and serve until Ctrl-C or SIGTERM.

    It writes its address and four credential files (owner, agent, worker, viewer) into its state
    (--state DIR). With --lan it says what to type on other machines, and tells a first invitation.
    What runs on workers goes on while it is down.
    """
    from leaseway.cli.policy_given import policy_of_file
    from leaseway.coordinator.serve import CoordinatorOptions, run_coordinator
    from leaseway.core.model.view import Settings

    if given["patience"] <= 0:
        raise click.BadParameter("expected a duration above 0", param_hint="--patience")
    policy = None if given["policy"] is None else policy_of_file(given["policy"])
    if given["service"]:
        from leaseway.cli.services.asking import keep_coordinator

        return keep_coordinator(asked, given["scope"])
    state = asked.places.state
    port = last_port(state) if given["port"] is None else given["port"]
    options = CoordinatorOptions(
        state_dir=state,
        host=host_of(given["host"], lan=given["lan"]),
        port=port,
        settings=Settings(patience_ms=given["patience"]),
        encrypted=given["tls"],
        announce=given["lan"] and not given["no_announce"],
        policy=policy,
    )
    said: list[str] = []

    def say(line: str) -> None:
        if not asked.as_json:
            asked.tell_line(line)
        said.append(line)

    seen = not asked.as_json and (sys.stdout.isatty() or given["show_invitation"])
    code = run_coordinator(options, say, asked.tell_line if seen else None)
    if asked.as_json:
        asked.tell({"state": str(state), "exit_code": code, "said": said}, list)
    return code


def host_of(given: str | None, *, lan: bool) -> str:
    """Where to listen."""
    if given is not None and lan:
        raise click.UsageError("--lan listens on every address; leave it or --host out.")
    return given if given is not None else ("0.0.0.0" if lan else "127.0.0.1")


def last_port(state: Path) -> int:
    """The port that workers of this state know; 0 before the first start."""
    try:
        return urlsplit((state / "url").read_text(encoding="utf-8").strip()).port or 0
    except (OSError, ValueError):
        return 0
