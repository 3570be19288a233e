"""What every command shares: `--json`, the three places, and how an answer leaves."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import click

from leaseway.cli.exits import INTERRUPTED
from leaseway.cli.faults import Fault
from leaseway.cli.language import choose, spoken
from leaseway.cli.paint import Paint, paint_for
from leaseway.cli.setting import Places, Setting, of_environment, places_of

if TYPE_CHECKING:
    from leaseway.client.blocking import Client

P = ParamSpec("P")


@dataclass(frozen=True)
class Asked:
    """One call of a command: where to ask, and how the answer is wanted."""

    places: Places
    as_json: bool = False
    said: Setting = field(default_factory=Setting)  # what was typed, before the environment
    paint: Paint = field(default_factory=lambda: paint_for(sys.stdout))

    def pool(self) -> AbstractContextManager[Client]:
        """The coordinator, through the client."""
        from leaseway.cli import pool

        return pool.open_pool(self.places)

    def tell(self, document: object, lines: Callable[[], Iterable[str]]) -> None:
        """One JSON document, or lines for people."""
        if self.as_json:
            click.echo(json_text(document))
        else:
            self.say(lines())

    def tell_line(self, line: str) -> None:
        """One line of a process that goes on: whole for a log, wrapped for who watches it."""
        from leaseway.cli.table import paragraph

        lines = paragraph(line, self.paint, indent="  ") if sys.stdout.isatty() else [line]
        for each in (lines[0].removeprefix("  "), *lines[1:]):
            click.echo(each)

    def say(self, lines: Iterable[str]) -> None:
        """Lines for people; colour was decided once, in `paint`."""
        for line in lines:
            click.echo(line, color=self.paint.colour)


def json_text(document: object) -> str:
    """Records and plain values as one indented JSON document."""
    import msgspec

    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def json_line(document: object) -> str:
    """One JSON document on one line."""
    import msgspec

    return msgspec.json.encode(document).decode()


def answers(command: Callable[Concatenate[Asked, P], int | None]) -> Callable[P, None]:
    """Add --json and the three places (also after the command's name); what the command returns
    becomes the exit code."""

    @click.option("--json", "as_json", is_flag=True, help="Answer as one JSON document.")
    @click.option("--url", "at_url", hidden=True)
    @click.option("--credential", "at_credential", hidden=True)
    @click.option("--state", "at_state", hidden=True)
    @click.option("--lang", "at_lang", hidden=True)
    @functools.wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        context = click.get_current_context()
        places = ("url", "credential", "state", "lang")
        here = Setting(*(kwargs.pop(f"at_{place}") for place in places))
        before = context.obj if isinstance(context.obj, Setting) else Setting()
        said = here.over(before)
        asked = Asked(places_of(said, of_environment()), kwargs.pop("as_json"), said)
        try:
            choose(said.lang, for_people=not asked.as_json)
            code = command(asked, *args, **kwargs)
        except Fault as fault:
            fault.as_json, fault.language = asked.as_json, spoken()
            raise
        except KeyboardInterrupt:
            code = INTERRUPTED
        context.exit(code or 0)

    return wrapper
