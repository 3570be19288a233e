"""Goal: YAML is read as PyYAML's own reader would, but for YAML 1.1's surprises, with places.
Method: random values written by PyYAML; its composed nodes judge the places; both of its parsers.
"""

from __future__ import annotations

import math

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from leaseway.planfile import yaml_source
from leaseway.planfile.report import KeyPath, Report
from leaseway.planfile.yaml_source import locate_yaml, parse_yaml, plain_value
from tests.planfile.paths import key_paths

# PyYAML writes texts that are numbers in YAML 1.2 only, such as 1e3 and 0o7, without quotes.
TEXTS = st.text("ab~-:#'\"{}[],&*!|>%@ \né😀017.e+", max_size=8).filter(
    lambda text: isinstance(plain_value(text), str)
) | st.sampled_from(["on", "null", "<<", "07:00", "0x1f", ".inf", "", "12", "---", "2026-01-01"])
LEAVES = st.none() | st.booleans() | st.integers() | TEXTS
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(TEXTS.filter(bool), inner, max_size=4)
    ),
    max_leaves=15,
)
PARSERS = sorted({yaml.SafeLoader, yaml_source._LOADER}, key=lambda loader: loader.__name__)


@pytest.fixture(params=PARSERS, ids=lambda loader: loader.__name__)
def parser(request):
    """The pure parser, and the fast one where PyYAML brings it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_source, "_LOADER", request.param)
        yield request.param


def read(text):
    report = Report("p.yaml")
    value = parse_yaml(text, report)
    assert report.problems == []
    return value


def node_places(node: yaml.Node, path: KeyPath = ()) -> dict[KeyPath, tuple[int, int]]:
    """Places by PyYAML's own composer."""
    found = {}
    if isinstance(node, yaml.MappingNode):
        for key, inner in node.value:
            found[(*path, key.value)] = key.start_mark.line + 1, key.start_mark.column + 1
            found |= node_places(inner, (*path, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for at, inner in enumerate(node.value):
            found[(*path, at)] = inner.start_mark.line + 1, inner.start_mark.column + 1
            found |= node_places(inner, (*path, at))
    return found


@given(VALUES, st.sampled_from([True, False, None]), st.booleans())
def test_what_was_written_is_read_with_its_places(value, flow, plain_unicode):
    text = yaml.safe_dump(
        value, default_flow_style=flow, allow_unicode=plain_unicode, sort_keys=False
    )
    for loader in PARSERS:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(yaml_source, "_LOADER", loader)
            assert read(text) == value
            wanted = frozenset(path for path, _ in key_paths(value))
            node = yaml.compose(text, Loader=yaml.SafeLoader)
            assert node is not None
            assert locate_yaml(text, wanted) == node_places(node)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("on", "on"),
        ("yes", "yes"),
        ("True", True),
        ("~", None),
        ("", None),
        ("07:00", "07:00"),
        ("1:30", "1:30"),
        ("007", 7),
        ("0o17", 15),
        ("0x1F", 31),
        ("-12", -12),
        ("1_000", "1_000"),
        ("1.5e3", 1500.0),
        (".5", 0.5),
        ("-.inf", -math.inf),
        ("2026-01-01", "2026-01-01"),
        ("9" * 500, "9" * 500),
        ("8m", "8m"),
    ],
)
def test_plain_scalars_are_yaml_1_2(written, value):
    read_value = plain_value(written)
    if written == "9" * 500:  # so long that it is no amount of anything
        assert isinstance(read_value, str | float)
    else:
        assert read_value == value
        assert type(read_value) is type(value)


def test_not_a_number():
    assert str(plain_value(".NaN")) == "nan"


@pytest.mark.usefixtures("parser")
def test_anchors_and_merges():
    text = (
        "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: {y: 4, <<: [*a, {x: 5, z: 6}]}\n"
        "d: *a\n&k e: *k\n"
    )
    assert read(text) == {
        "a": {"x": 1, "y": 2},
        "b": {"x": 1, "y": 3},
        "c": {"x": 1, "y": 4, "z": 6},
        "d": {"x": 1, "y": 2},
        "e": "e",
    }


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: *b", (1, 4)),
        ("a: &a [*a]", (1, 8)),
        ("a: 1\n? [x]\n: 2", (2, 3)),
        ("a: 1\n---\nb: 2", (2, 1)),
        ("a: !!python/name:os.system x", (1, 4)),
        ("a: !mine {}", (1, 4)),
        ("a: 'x", (1, 6)),
        ("é: [1, 2\n", (2, 1)),
        ("a: \x07", (1, 4)),
        ("b: 1\né: \x07", (2, 4)),
        ("a: 1\nb: 2\na: 3", (3, 1)),
    ],
)
@pytest.mark.usefixtures("parser")
def test_where_a_mistake_stands(text, place):
    report = Report("p.yaml")
    parse_yaml(text, report)
    (problem,) = report.problems
    assert problem.place == place


@pytest.mark.usefixtures("parser")
def test_merging_what_is_no_table():
    report = Report("p.yaml")
    parse_yaml("a: {<<: 3}", report)
    assert [problem.path for problem in report.problems] == [("a", "<<")]


@pytest.mark.usefixtures("parser")
def test_nothing_below_an_alias_has_a_place():
    text = "a: &a {x: 1}\nb: *a\n"
    wanted = frozenset({("a", "x"), ("b",), ("b", "x")})
    assert locate_yaml(text, wanted) == {("a", "x"): (1, 8), ("b",): (2, 1)}


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "null"])
@pytest.mark.usefixtures("parser")
def test_nothing_is_null(text):
    assert read(text) is None
