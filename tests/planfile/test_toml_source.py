"""Goal: every key that tomllib reads has a place, and that key stands there.
Method: random TOML in all its shapes, with tomllib as the judge of what was read; few words, so
that headers, dotted keys and arrays of tables meet."""

from __future__ import annotations

import re
import tomllib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leaseway.planfile.report import Report
from leaseway.planfile.toml_source import KeyScan, key_text, locate_toml, parse_toml
from tests.planfile.paths import key_paths

KEYS = st.sampled_from(
    ["a", "b", "c-d", "7", '"a"', "'b'", '"a.b"', "'x = [1]'", '"\\u00e9"', '"q\\"q"', '""', '"#"']
)
GAP = st.sampled_from(["", " ", "\t", "  "])
BREAK = st.sampled_from(["", " ", "\n", "\n  # not = [ a key\n", "\r\n", "\n\n"])
NUMBERS = st.integers(0, 10**6).map(str)
SCALARS = st.one_of(
    NUMBERS,
    st.sampled_from(
        [
            '"x"',
            "'y'",
            '""',
            '"a = 1 # no"',
            '"\\\\"',
            '"\\" ] }"',
            "'\\'",
            '"""\na = 1\n[b]\n"""',
            '"""x"" "" \\""" y"""',
            '""""two""""',
            '"""\\\n   x"""',
            "'''\n[a]\nb = '' 2\n'''",
            "'''a'''''",
            "true",
            "-1.5e3",
            "inf",
            "1979-05-27 07:32:00",
            "1979-05-27T07:32:00Z",
            "07:32:00",
        ]
    ),
)


@st.composite
def dotted(draw):
    parts = draw(st.lists(KEYS, min_size=1, max_size=3))
    return f"{draw(GAP)}.{draw(GAP)}".join(parts)


@st.composite
def arrays(draw, values):
    items = draw(st.lists(values, max_size=4))
    text = "".join(f"{draw(BREAK)}{item}{draw(BREAK)}," for item in items)
    return f"[{text if draw(st.booleans()) else text.removesuffix(',')}{draw(BREAK)}]"


@st.composite
def inline_tables(draw, values):
    keys = draw(st.lists(dotted(), max_size=3))
    pairs = [f"{draw(GAP)}{key}{draw(GAP)}={draw(GAP)}{draw(values)}{draw(GAP)}" for key in keys]
    return "{" + ",".join(pairs) + draw(GAP) + "}"


VALUES = st.recursive(SCALARS, lambda inner: arrays(inner) | inline_tables(inner), max_leaves=6)


@st.composite
def statements(draw):
    shape = draw(st.sampled_from(["pair", "pair", "table", "array of tables"]))
    key, gap = draw(dotted()), draw(GAP)
    comment = draw(st.sampled_from(["", "  # [no.table]", " # x = 1"]))
    if shape == "pair":
        return f"{draw(GAP)}{key}{gap}={draw(GAP)}{draw(VALUES)}{comment}\n"
    opening, closing = ("[", "]") if shape == "table" else ("[[", "]]")
    return f"{draw(GAP)}{opening}{gap}{key}{gap}{closing}{comment}\n{draw(BREAK)}\n"


def readable(parts):
    """The statements that tomllib accepts after those before them."""
    text = ""
    for part in parts:
        try:
            tomllib.loads(text + part)
        except tomllib.TOMLDecodeError:
            continue
        text += part
    return text


TOKEN = re.compile(r"""("(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)\s*[.=\]]""")


@given(st.lists(statements(), max_size=10).map(readable))
@example("[[a]]\nb = 1\n[a.c]\nd = 2\n[[a.e]]\n[[a.e]]\nf = 3\n[[a]]\nb = 4\n[a.c]\nd = 5\n")
@example("[a.b]\nx = 1\n[a]\ny = 2\n[a.c]\n")
def test_every_key_has_its_place(text):
    scan = KeyScan(text)
    scan.run()
    read = dict(key_paths(tomllib.loads(text)))
    assert scan.offsets.keys() == read.keys()
    for path, value in read.items():
        here = text[scan.offsets[path] :]
        if isinstance(path[-1], str):
            token = TOKEN.match(here)
            assert token is not None
            assert key_text(token[1]) == path[-1]
        elif type(value) is int:
            digits = re.match(r"\d+", here)
            assert digits is not None
            assert int(digits[0]) == value
        elif isinstance(value, list | dict):
            assert here[0] in "[{"


@given(st.lists(statements(), max_size=6).map(readable), st.data())
def test_text_that_breaks_off_is_walked_without_end_or_error(text, data):
    cut = data.draw(st.integers(0, len(text)))
    KeyScan(text[:cut]).run()


@given(st.text("ab=[]{}\"'.,#\\ \n1", max_size=30))
def test_any_text_is_walked_without_end_or_error(text):
    KeyScan(text).run()
    parse_toml(text, Report("p.toml"))


def test_lines_and_columns():
    text = 'a = 1\r\n\n[b."c d"]\n  e = [\n    { f = 2 },\n    "é", { g.h = 3 }]\n'
    wanted = frozenset(path for path, _ in key_paths(tomllib.loads(text)))
    assert locate_toml(text, wanted) == {
        ("a",): (1, 1),
        ("b",): (3, 2),
        ("b", "c d"): (3, 4),
        ("b", "c d", "e"): (4, 3),
        ("b", "c d", "e", 0): (5, 5),
        ("b", "c d", "e", 0, "f"): (5, 7),
        ("b", "c d", "e", 1): (6, 5),
        ("b", "c d", "e", 2): (6, 10),
        ("b", "c d", "e", 2, "g"): (6, 12),
        ("b", "c d", "e", 2, "g", "h"): (6, 14),
    }


def test_only_what_is_wanted_is_kept():
    text = "a = 1\nb = [1, 2, 3]\nc = 2\n"
    assert locate_toml(text, frozenset({(), ("b",), ("b", 1)})) == {
        ("b",): (2, 1),
        ("b", 1): (2, 9),
    }


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a = 1\na = 2", (2, 1)),
        ('a = 1\n"a" = [\n1,\n2]', (2, 1)),
        ("[a]\n[b]\n  [a]", (3, 4)),
        ("a = 1\n[a]", (2, 2)),
        ("a = [1]\n[[a]]", (2, 3)),
        ("a = {b = 1}\n[a.c]", (2, 4)),
        ("[a.b]\n[a]\nc = 1\nb.d = 1", (4, 3)),
        ("a.b = 1\na.b.c = 2", (2, 5)),
        ("[a]\nb.c = 1\nb.c = 2", (3, 3)),
        ("a = {b = 1, c = 2, b = 3}", (1, 20)),
        ("a = {b = 1, c = 2, b = [{d = 3}]}", (1, 20)),
        ('é = "x"', (1, 1)),
        ("a = ", (1, 5)),
        ("a = 1\r\nb = = 2", (2, 5)),
    ],
)
def test_where_a_mistake_of_syntax_stands(text, place):
    report = Report("p.toml")
    parse_toml(text, report)
    (problem,) = report.problems
    assert problem.place == place


@pytest.mark.parametrize(
    ("text", "got"),
    [
        ("[a]\nb = 1\nb = 2", "a.b again, first on line 2"),
        ("[a]\n[b]\n[a]", "a again, first on line 1"),
        ("a = {b = 1,c = {d = 2, d = 3}}", "a.c.d again, first on line 1"),
        ("a = {b = 1, b = 2}", "a.b again, first on line 1"),
        ("a = {b = 1}\n[a.c]", "a.c inside what is complete already"),
    ],
)
def test_what_stands_twice_names_the_first(text, got):
    report = Report("p.toml")
    parse_toml(text, report)
    assert [problem.numbers["got"] for problem in report.problems] == [got]
