"""A click group that knows its commands by name and imports one only when it runs."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import click

WANTS_JSON = "leaseway.json"
LANGUAGE = "leaseway.language.named"


@dataclass(frozen=True)
class Known:
    """A command before it is imported: where it is, and its line in the help."""

    place: str  # module:attribute
    line: str
    chapter: str = ""


class LazyGroup(click.Group):
    """Commands by name; `known` is set right after the group is made."""

    known: dict[str, Known] = {}  # noqa: RUF012 - replaced, never changed

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table, which is the order of a day's work."""
        return list(self.known)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of this command, and only that one."""
        known = self.known.get(cmd_name)
        if known is None:
            return None
        module, _, attribute = known.place.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Remember whether the answer is wanted as JSON, should the rest be wrong."""
        mine = list(takewhile(lambda word: word != "--", args))
        ctx.meta[WANTS_JSON] = "--json" in mine
        ctx.meta[LANGUAGE] = mine[mine.index("--lang") + 1 :][:1] if "--lang" in mine else []
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what is wrong with how it was called is one document with --json."""
        try:
            return super().invoke(ctx)
        except click.UsageError as wrong:
            from leaseway.cli.faults import Fault
            from leaseway.cli.usage import in_language

            as_json = ctx.meta[WANTS_JSON]
            fault = None if as_json else in_language(wrong, ctx.meta[LANGUAGE])
            if fault is None and not as_json:
                raise
            fault = fault or Fault(wrong.format_message())
            fault.as_json = as_json
            raise fault from wrong

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one was probably meant."""
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in self.known:
            from leaseway.planfile.nearest import nearest

            meant = nearest(name, [known.replace("-", "_") for known in self.known])
            more = f" Did you mean {meant.replace('_', '-')}?" if meant else ""
            ctx.fail(f"There is no command {name}.{more}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands by chapter, from the table: nothing is imported for it."""
        for chapter in dict.fromkeys(known.chapter for known in self.known.values()):
            rows = [
                (name, known.line) for name, known in self.known.items() if known.chapter == chapter
            ]
            with formatter.section(chapter or "Commands"):
                formatter.write_dl(rows)
