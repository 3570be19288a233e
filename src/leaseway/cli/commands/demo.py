"""`demo`: the whole story."""

from __future__ import annotations

from pathlib import Path

import click

from leaseway.cli.answer import Asked, answers


@click.command("demo")
@click.option("--leases", type=click.Path(path_type=Path), help="Other leases than its own.")
@click.option("--plan", type=click.Path(path_type=Path), help="Another plan than its own.")
@answers
def demo(asked: Asked, leases: Path | None, plan: Path | None) -> int:
    """A whole story in half a minute: three workers, eight tasks, real processes; a refusal, an
    overrun, a machine that dies, and an outcome with a cause for each task."""
    from leaseway.demo.story import DemoOptions, run_demo

    said: list[str] = []
    code = run_demo(DemoOptions(leases, plan), said.append if asked.as_json else click.echo)
    if asked.as_json:
        asked.tell({"exit_code": code, "said": said}, list)
    return code
