"""Goal: colour adds to words and can be refused. Method: a stream that says it is a terminal."""

from __future__ import annotations

import io

import pytest

from leaseway.cli.findings import finding_lines
from leaseway.cli.paint import PAGE, Paint, Tone, paint_for
from leaseway.core.model.findings import Finding
from leaseway.wire.findings import finding_info


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def term(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")


def test_a_terminal_is_coloured():
    assert paint_for(Terminal()) == Paint(colour=True, width=PAGE)
    assert paint_for(Terminal())("bad", Tone.BAD) == "\x1b[31mbad\x1b[0m"


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("NO_COLOR", ""), ("TERM", "dumb")])
def test_unless_it_does_not_want_it(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert paint_for(Terminal())("bad", Tone.BAD) == "bad"


def test_a_pipe_is_not():
    assert paint_for(io.StringIO()) == Paint()


@pytest.mark.parametrize(("said", "width"), [("72", 72), ("9", 40), ("500", PAGE), ("wide", PAGE)])
def test_a_pipe_is_as_wide_as_columns_says(monkeypatch, said, width):
    monkeypatch.setenv("COLUMNS", said)
    assert paint_for(io.StringIO()) == Paint(width=width)


def test_words_say_the_same_without_colour():
    lines = finding_lines([finding_info(Finding("LW101", ("a",)))], Paint())
    assert lines[0].startswith("error    LW101  ")
