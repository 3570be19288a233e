"""`up`: the coordinator, in the foreground."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from leaseway.cli import kinds
from leaseway.cli.answer import Asked, answers


@click.command("up")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
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
@answers
def up(asked: Asked, /, **given: Any) -> int:
    """Start the coordinator here and serve until Ctrl-C or SIGTERM.

    It writes its address and four credential files (owner, agent, worker, viewer) into its state
    (--state DIR).
    What runs on workers goes on while it is down.
    """
    from leaseway.coordinator.serve import CoordinatorOptions, run_coordinator
    from leaseway.core.model.view import Settings

    if given["patience"] <= 0:
        raise click.BadParameter("expected a duration above 0", param_hint="--patience")
    state = asked.places.state
    port = last_port(state) if given["port"] is None else given["port"]
    options = CoordinatorOptions(
        state_dir=state,
        host=given["host"],
        port=port,
        settings=Settings(patience_ms=given["patience"]),
    )
    said: list[str] = []

    def say(line: str) -> None:
        if not asked.as_json:
            asked.tell_line(line)
        said.append(line)

    code = run_coordinator(options, say)
    if asked.as_json:
        asked.tell({"state": str(state), "exit_code": code, "said": said}, list)
    return code


def last_port(state: Path) -> int:
    """The port that workers of this state know; 0 before the first start."""
    try:
        return urlsplit((state / "url").read_text(encoding="utf-8").strip()).port or 0
    except (OSError, ValueError):
        return 0
