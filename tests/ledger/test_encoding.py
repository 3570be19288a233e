"""Goal: what was stored once can be read for ever. Method: golden files, and samples that say
every field of every record."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.model.events import SCHEMAS, Fact, Heard, Judged, WorkerSlept
from leaseway.ledger.encoding import Encoded, canonical, decode, encode
from leaseway.ledger.errors import LedgerUnreadable, UnknownEvent
from tests.ledger.golden.write import read
from tests.ledger.samples import SAMPLES

GOLDEN = Path(__file__).parent / "golden"
STORED = [line for path in sorted(GOLDEN.glob("*.jsonl")) for line in read(path)]


@pytest.mark.parametrize("line", STORED, ids=lambda line: f"{line.tag}-{line.schema}")
def test_golden_events_decode(line):
    event = decode(Encoded(line.tag, line.schema, bytes(line.payload)))
    assert type(event).__name__ == line.tag
    if line.schema == SCHEMAS[line.tag]:
        assert encode(event) == Encoded(line.tag, line.schema, bytes(line.payload))


def test_golden_covers_every_kind_as_stored_today():
    today = {line.tag for line in STORED if line.schema == SCHEMAS[line.tag]}
    assert today == set(SCHEMAS) == {kind.__name__ for kind in get_args(Fact)}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: type(sample).__name__)
def test_samples_are_stored_as_a_golden_file_says(sample):
    """An event that changes its form needs a new schema number, a step and a new golden file."""
    stored = [Encoded(line.tag, line.schema, bytes(line.payload)) for line in STORED]
    assert encode(sample) in stored


def test_samples_say_every_field():
    said: dict[type[msgspec.Struct], set[str]] = {}
    for sample in SAMPLES:
        note_fields(sample, said)
    unsaid = {
        f"{kind.__name__}.{name}"
        for kind, names in said.items()
        for name in set(kind.__struct_fields__) - names
    }
    assert unsaid == set(), "tests/ledger/samples.py leaves these at their defaults"


def note_fields(value: object, said: dict[type[msgspec.Struct], set[str]]) -> None:
    """Fields that differ from their default, in this record and in all it holds."""
    if isinstance(value, tuple):
        for item in value:
            note_fields(item, said)
    elif isinstance(value, msgspec.Struct):
        plain = {key for key in msgspec.to_builtins(value) if key != "type"}
        said.setdefault(type(value), set()).update(plain)
        for name in value.__struct_fields__:
            note_fields(getattr(value, name), said)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: type(sample).__name__)
def test_samples_come_back_equal(sample):
    assert decode(encode(sample)) == sample


@given(st.dictionaries(st.text(), st.integers(-(2**62), 2**62)))
def test_canonical_does_not_know_insertion_order(mapping):
    backwards = dict(reversed(mapping.items()))
    assert canonical(mapping) == canonical(backwards)
    assert msgspec.json.decode(canonical(mapping), type=dict[str, int]) == mapping


@pytest.mark.parametrize("mark", [Heard("anna", 3, 1_000), Judged(resumed=True)])
def test_marks_are_not_stored(mark):
    with pytest.raises(ValueError, match="mark, not a fact"):
        encode(mark)


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"type":"TaskEnded","worker":"anna","slept_ms":1}',
        b'{"type":"WorkerSlept","worker":"anna"}',
        b'{"type":"WorkerSlept","worker":"anna","slept_ms":"1"}',
        b'{"type":"WorkerSlept","worker":"\xff","slept_ms":1}',
    ],
)
def test_a_damaged_payload_is_named(payload):
    with pytest.raises(LedgerUnreadable, match="stored WorkerSlept of schema 1"):
        decode(Encoded("WorkerSlept", 1, payload))


@pytest.mark.parametrize(("tag", "schema"), [("TaskAbducted", 1), ("WorkerSlept", 2)])
def test_what_a_newer_version_wrote_is_an_error(tag, schema):
    stored = Encoded(tag, schema, encode(WorkerSlept("anna", 1)).payload)
    with pytest.raises(UnknownEvent, match="a newer one wrote this ledger"):
        decode(stored)
