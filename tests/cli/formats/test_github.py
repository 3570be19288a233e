"""Goal: no name and no sentence can end an annotation or begin another. Method: hostile texts,
and a scan line by line."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from leaseway.cli.formats.github import github_lines, of_message, of_property
from leaseway.cli.formats.placed import PlacedFinding
from leaseway.cli.main import leaseway
from leaseway.wire.findings import FindingInfo


@pytest.mark.parametrize(
    ("text", "message", "in_property"),
    [
        ("100%", "100%25", "100%25"),
        ("a\r\nb", "a%0D%0Ab", "a%0D%0Ab"),
        ("%0A", "%250A", "%250A"),
        ("C:\\x, y::z", "C:\\x, y::z", "C%3A\\x%2C y%3A%3Az"),
    ],
)
def test_escaped(text, message, in_property):
    assert of_message(text) == message
    assert of_property(text) == in_property


def test_one_line_each():
    finding = FindingInfo("LW103", "warning", "")
    found = PlacedFinding(finding, "warning", "50% of\n::error::x", "do, that", (3, 7))
    assert github_lines([found], "a,b:c.toml") == [
        "::warning file=a%2Cb%3Ac.toml,line=3,col=7,title=LW103::50%25 of%0A::error::x%0A→ do, that"
    ]


def test_a_scan(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    keys = 'limit = "5m"\nwrites = []\n'
    (tmp_path / "plan.toml").write_text(
        f'[task.a]\nrun = "x"\nneeds = ["a"]\nreads = []\n{keys}', encoding="utf-8"
    )
    done = CliRunner().invoke(leaseway, ["scan", "plan.toml", "--format", "github"])
    assert done.exit_code == 3
    assert done.stdout.splitlines()[0] == (
        "::error file=plan.toml,line=1,col=7,title=LW101::a needs itself; it could never start."
        "%0A→ Remove a from its own needs."
    )


def test_two_formats_are_refused():
    done = CliRunner().invoke(leaseway, ["scan", "x.toml", "--format", "sarif", "--json"])
    assert done.exit_code == 2
    assert "--json and --format sarif are two formats; take one." in done.stdout
