"""Goal: lines of a process that goes on are whole in a log and fit a terminal. Method: one of 40
columns."""

from __future__ import annotations

from pathlib import Path

from leaseway.cli.answer import Asked
from leaseway.cli.paint import Paint
from leaseway.cli.setting import Places


def test_a_line_of_a_process_that_goes_on_is_wrapped_for_who_watches(monkeypatch, capsys):
    asked = Asked(Places(None, None, None, Path("x")), paint=Paint(width=40))
    asked.tell_line("word " * 20)
    assert len(capsys.readouterr().out.splitlines()) == 1, "a log keeps it whole"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    asked.tell_line("word " * 20)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 1
    assert 35 < max(map(len, lines)) <= 40
    assert [line.startswith("  ") for line in lines] == [False, *[True] * (len(lines) - 1)]
