"""How a scan is to be told, and whether the plan is to be mended: `--format`, `--fix`, `--diff`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from leaseway.cli.answer import Asked, json_text
from leaseway.cli.faults import Fault, Refusal
from leaseway.cli.language import spoken

if TYPE_CHECKING:
    from leaseway.wire.findings import FindingInfo

F = TypeVar("F", bound=Callable[..., Any])
FORMATS = ("text", "json", "sarif", "github")


@dataclass(frozen=True)
class Wanted:
    """`format`: one of `FORMATS`. `fix`: write the mended plan; `diff`: show it instead."""

    format: str = "text"
    fix: bool = False
    diff: bool = False

    @property
    def for_tools(self) -> bool:
        """Whether another program reads the findings as annotations of the file."""
        return self.format in ("sarif", "github")

    @property
    def mends(self) -> bool:
        """Whether the plan is mended, in its file or on the screen."""
        return self.fix or self.diff

    def tell(
        self, plan: Path, findings: Sequence[FindingInfo], exit_code: int, *, strict: bool
    ) -> None:
        """The findings of a plan file, for another program."""
        from leaseway.cli.formats.github import github_lines
        from leaseway.cli.formats.placed import name_in_report, placed
        from leaseway.cli.formats.sarif import sarif_document

        found, file = placed(findings, plan, strict=strict), name_in_report(plan)
        if self.format == "sarif":
            click.echo(json_text(sarif_document(found, file, exit_code, spoken())))
            return
        for line in github_lines(found, file):
            click.echo(line)

    def tell_fault(self, plan: Path, fault: Fault) -> int:
        """A plan that could not be read is told the same way; the exit code. Raises again what only
        people can be told."""
        if self.for_tools and isinstance(fault, Refusal):
            self.tell(plan, fault.findings, fault.exit_code, strict=False)
        elif self.format == "json":
            click.echo(json_text(fault.document()))
        else:
            raise fault
        return fault.exit_code


def wanted_options(command: F) -> F:
    """Add the options of `Wanted`."""
    options = (
        click.option(
            "--format",
            type=click.Choice(FORMATS),
            help="How findings are told: sarif and github name line and column.  [default: text]",
        ),
        click.option("--fix", is_flag=True, help="Mend what can be mended, in the plan file."),
        click.option("--diff", is_flag=True, help="Show what --fix would write; write nothing."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def wanted_of(given: dict[str, Any], asked: Asked) -> Wanted:
    """The options of `Wanted`, taken out of all that were given. UsageError: two formats."""
    format, fix, diff = (given.pop(name) for name in ("format", "fix", "diff"))
    if asked.as_json and format not in (None, "json"):
        raise click.UsageError(f"--json and --format {format} are two formats; take one.")
    return Wanted("json" if asked.as_json else format or "text", fix, diff)
