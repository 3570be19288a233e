"""Goal: what is shown is aligned and stays on the page. Method: examples, and any text at all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leaseway.cli.paint import Paint, Tone, shown, width_of
from leaseway.cli.table import Cell, Column, cut, details, paragraph, table_lines, wrapped

COLUMNS = (Column("name"), Column("n", right=True), Column("why", wraps=True))
words = st.text(max_size=300)


def test_columns_are_aligned():
    assert table_lines(COLUMNS, [["a", "10", "because"], ["long-name", "9", ""]], Paint()) == [
        "NAME        N  WHY",
        "a          10  because",
        "long-name   9",
    ]


def test_an_empty_column_is_left_out():
    assert table_lines(COLUMNS, [["a", "", "x"]], Paint()) == ["NAME  WHY", "a     x"]


def test_a_cause_stands_below_where_the_page_is_narrow():
    columns = (Column("name", most=60), Column("why", wraps=True))
    long = "a name that takes nearly the whole of a page"
    assert table_lines(columns, [[long, "a reason that has many words"]], Paint(width=50)) == [
        "NAME",
        long,
        "    a reason that has many words",
    ]


def test_wide_characters_count_twice():
    assert table_lines(COLUMNS[:2], [["任务", "1"], ["ab", "2"]], Paint()) == [
        "NAME  N",
        "任务  1",
        "ab    2",
    ]


def test_colour_does_not_move_anything():
    rows: list[list[Cell | str]] = [
        [Cell("a", Tone.BAD), "1", "x"],
        ["bb", "22", Cell("y", Tone.GOOD)],
    ]
    plain = table_lines(COLUMNS, rows, Paint())
    coloured = table_lines(COLUMNS, rows, Paint(colour=True))
    assert coloured != plain
    for code in ("\x1b[31m", "\x1b[32m", "\x1b[2m", "\x1b[0m"):
        coloured = [line.replace(code, "") for line in coloured]
    assert coloured == plain


def test_what_others_wrote_cannot_move_the_cursor():
    assert shown("a\x1b[2Jb\nc\u202e") == "a\\x1b[2Jb c\\x202e"


@given(words, st.integers(30, 100))
def test_wrapping_loses_nothing_but_blanks(text, width):
    lines = wrapped(shown(text), width)
    assert all(width_of(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(shown(text).split())


@given(st.lists(st.tuples(words, words, words), max_size=4), st.integers(60, 100))
def test_no_line_leaves_the_page(rows, width):
    columns = (Column("name", most=20), Column("n", most=8), Column("why", wraps=True))
    for line in table_lines(columns, rows, Paint(width=width)):
        assert width_of(line) <= width
        assert line == line.rstrip()


@given(words, st.integers(8, 40))
def test_cut(text, most):
    assert width_of(cut(shown(text), most)) <= most


def test_details_and_paragraph():
    assert details([("a", "1"), ("none", ""), ("long", "2")], Paint()) == ["  a     1", "  long  2"]
    assert paragraph("one two", Paint(width=30), "  ") == ["  one two"]
