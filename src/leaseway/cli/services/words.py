"""The command line of a service: what was typed, without what belongs to this call only."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from leaseway.cli.setting import (
    CREDENTIAL_VARIABLE,
    STATE_VARIABLE,
    URL_VARIABLE,
)

F = TypeVar("F", bound=Callable[..., Any])
_ARGS = "leaseway.args"
_LEFT_OUT = frozenset(
    {
        *("service", "scope", "as_json", "anew", "show_invitation"),  # of this call only
        *("at_url", "at_credential", "at_state", "name"),  # said whole, elsewhere
    }
)
KEPT_SECRET = "service.credential"


class Remembering(click.Command):
    """A command that still knows how its options were written: `8h`, not 28800000."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words before they become values."""
        ctx.meta[_ARGS] = list(args)
        return super().parse_args(ctx, args)


def service_options(command: F) -> F:
    """Add --service, --system and --user."""
    options = (
        click.option("--service", is_flag=True, help="Keep it up: install and start a service."),
        click.option(
            "--system", "scope", flag_value="system", help="A service of the machine (as root)."
        ),
        click.option("--user", "scope", flag_value="user", help="A service of this user."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def words_again(context: click.Context) -> list[str]:
    """The options of this call as they were written, paths made whole; where the coordinator is and
    what belongs to this call only is left out. Arguments stand last."""
    command = context.command
    given, _, _ = command.make_parser(context).parse_args(list(context.meta[_ARGS]))
    words: list[str] = []
    arguments: list[str] = []
    for parameter in command.params:
        name = parameter.name or ""
        if name not in given or name in _LEFT_OUT:
            continue
        values = given[name] if isinstance(given[name], list) else [given[name]]
        values = [each for each in values if isinstance(each, str)]  # else: not given
        if isinstance(parameter, click.Argument):
            arguments += values
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            words.append(parameter.opts[-1])
        else:
            for value in values:
                words += _option(parameter.opts[-1], _whole(parameter, value))
    return words + arguments


def place_words(url: str | None, credential: str | None, state: Path) -> list[str]:
    """Where the coordinator is and who asks, where that is said, and the state folder."""
    words = _option("--url", url) if url else []
    if credential:
        words += _option("--credential", whole_path(credential))
    return words + _option("--state", whole_path(str(state)))


def environment_of(environment: Mapping[str, str], *, with_path: bool) -> dict[str, str]:
    """What of this environment a service needs to find the same places. `with_path`: tasks look for
    their programs where the shell of who installed it does."""
    names = [URL_VARIABLE, CREDENTIAL_VARIABLE, STATE_VARIABLE, "XDG_STATE_HOME"]
    found = {name: environment[name] for name in names if environment.get(name)}
    for name in (CREDENTIAL_VARIABLE, STATE_VARIABLE):
        if name in found:
            found[name] = whole_path(found[name])
    if with_path and environment.get("PATH"):
        found["PATH"] = environment["PATH"]
    return found


def program() -> list[str]:
    """How this program is started: its script where there is one, else the interpreter."""
    script = Path(sys.executable).parent / "leaseway"
    if script.is_file() and os.access(script, os.X_OK):
        return [str(script)]
    return [sys.executable, "-m", "leaseway"]


def whole_path(path: str) -> str:
    """From anywhere: a service starts in another folder."""
    return str(Path(path).expanduser().absolute())


def is_secret(credential: str | None) -> bool:
    """Whether this is a credential itself and no file of one."""
    return bool(credential) and not Path(credential or "").expanduser().is_file()


def shell_line(words: Iterable[str], environment: Mapping[str, str]) -> str:
    """The same start, to be typed."""
    import shlex

    setting = [f"{name}={shlex.quote(value)}" for name, value in environment.items()]
    return " ".join([*setting, shlex.join(words)])


def _option(name: str, value: str) -> list[str]:
    return [f"{name}={value}"] if value.startswith("-") else [name, value]


def _whole(parameter: click.Parameter, value: str) -> str:
    return whole_path(value) if isinstance(parameter.type, click.Path) else value
