"""Goal: every key of a JSON text has a place, and that key stands there.
Method: random values written by the json module with random white space."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from leaseway.planfile.json_source import JsonScan, locate_json, parse_json
from leaseway.planfile.report import Report
from tests.planfile.paths import key_paths

LEAVES = st.none() | st.booleans() | st.integers() | st.text('a"\\{}[],: \n\té😀', max_size=8)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text('ab"\\{}[],: é', max_size=4), inner, max_size=4)
    ),
    max_leaves=20,
)
DECODER = json.JSONDecoder()


@given(
    VALUES,
    st.sampled_from([None, 0, 2, "\t"]),
    st.sampled_from([(",", ":"), (" ,", " : ")]),
    st.booleans(),
)
def test_every_key_and_element_has_its_place(value, indent, separators, ascii_only):
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=ascii_only)
    scan = JsonScan(text)
    scan.run()
    read = dict(key_paths(value))
    assert scan.offsets.keys() == read.keys()
    for path, inner in read.items():
        found, _ = DECODER.raw_decode(text, scan.offsets[path])
        assert found == (path[-1] if isinstance(path[-1], str) else inner)


def test_keys_written_twice_are_all_reported():
    text = '{"a": 1,\n "b": {"a": 2, "\\u0061": 3},\n "a": [{"c": 1, "c": 2}]}'
    report = Report("p.json")
    assert parse_json(text, report) == {"a": [{"c": 2}], "b": {"a": 3}}
    assert [(problem.path, problem.place) for problem in report.problems] == [
        (("b", "a"), (2, 16)),
        (("a",), (3, 2)),
        (("a", 0, "c"), (3, 17)),
    ]


def test_tabs_are_one_column():
    assert locate_json('{\n\t\t"a": [1,\t2]}', frozenset({("a",), ("a", 1)})) == {
        ("a",): (2, 3),
        ("a", 1): (2, 12),
    }
