"""Goal: start-up stays light, every command explains itself and speaks JSON. Method: ask each."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from leaseway.cli.main import COMMANDS, leaseway

HEAVY = ("rich", "starlette", "httpx", "uvicorn", "msgspec", "yaml", "apsw", "tomlkit")


def leaves(group: click.Group, above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            found += leaves(command, (*above, name))
        else:
            found.append((*above, name))
    return found


@pytest.mark.parametrize("words", [[], ["--help"]], ids=["import", "help"])
def test_starting_imports_nothing_heavy(words):
    program = (
        "import sys; from leaseway.cli.main import leaseway\n"
        f"if {words}: leaseway({words}, standalone_mode=False)\n"
        f"print('heavy:', [name for name in {HEAVY} if name in sys.modules])"
    )
    argv = [sys.executable, "-c", program]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("heavy: []\n")


@pytest.mark.parametrize("words", leaves(leaseway), ids=" ".join)
def test_every_command_has_help_and_json(words):
    done = CliRunner().invoke(leaseway, [*words, "--help"])
    assert done.exit_code == 0, done.output
    assert "--json" in done.output
    assert len(done.output.splitlines()) > 5
    assert max(map(len, done.output.splitlines())) <= 100


def test_every_command_is_in_the_help():
    done = CliRunner().invoke(leaseway, ["--help"])
    assert all(f"\n  {name} " in done.output for name in COMMANDS)


def test_a_wrong_name_is_told_the_nearest():
    done = CliRunner().invoke(leaseway, ["taks"])
    assert done.exit_code == 2
    assert "There is no command taks. Did you mean tasks?" in done.output


def test_version():
    assert CliRunner().invoke(leaseway, ["--version"]).output.startswith("leaseway 0.")
