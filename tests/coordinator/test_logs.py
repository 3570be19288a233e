"""Goal: outputs are whole or say that they are not, and lead nowhere else. Method: the store on a
temporary folder."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.coordinator.logs import Full, Gap, LogStore, Piece, folder_name
from leaseway.core.model.sync import AttemptRef
from leaseway.worker.capture import Capture

REF = AttemptRef("nightly-3/train", 1)


@pytest.fixture
def logs(tmp_path):
    return LogStore(tmp_path, most_of_attempt=100)


def put(logs, offset, data, *, stream="stdout", end=False):
    return logs.write(Piece(REF, stream, offset, data, end))


def test_pieces_make_one_output(logs):
    assert put(logs, 0, b"hello ") == 6
    assert put(logs, 6, b"world") == 11
    assert logs.read(REF, "stdout", 0) == b"hello world"
    assert logs.read(REF, "stdout", 6, 3) == b"wor"
    assert logs.read(REF, "stdout", 50) == b""
    assert logs.read(REF, "stderr", 0) == b""


def test_repeats_and_overlaps_are_harmless(logs):
    put(logs, 0, b"hello ")
    assert put(logs, 0, b"hello ") == 6
    assert put(logs, 3, b"lo wor") == 9
    assert put(logs, 0, b"") == 9
    assert logs.read(REF, "stdout", 0) == b"hello wor"


def test_gaps_are_refused_with_how_much_is_there(logs):
    put(logs, 0, b"hello")
    with pytest.raises(Gap) as raised:
        put(logs, 9, b"x")
    assert (raised.value.have, raised.value.offset) == (5, 9)
    assert logs.read(REF, "stdout", 0) == b"hello"


def test_one_attempt_has_a_cap_for_all_its_streams(logs):
    put(logs, 0, b"x" * 60)
    with pytest.raises(Full) as raised:
        put(logs, 0, b"y" * 41, stream="stderr")
    assert (raised.value.have, raised.value.cap) == (101, 100)
    assert put(logs, 0, b"y" * 40, stream="stderr") == 40


def test_whole_when_all_is_there_or_the_worker_said_so(logs):
    put(logs, 0, b"head")
    assert logs.is_whole(REF, "stdout", 4)
    assert not logs.is_whole(REF, "stdout", 400)
    put(logs, 4, b"", end=True)
    assert logs.is_whole(REF, "stdout", 400)
    assert logs.is_whole(REF, "stderr", 0)


def test_unknown_stream_is_an_error(logs):
    with pytest.raises(ValueError, match="no stream"):
        put(logs, 0, b"x", stream="../../etc/passwd")


def test_a_disk_that_fills_up_leaves_no_half_piece(logs, monkeypatch):
    put(logs, 0, b"hello")
    wrote = os.write

    def full(file, data):
        if len(data) < 5:
            raise OSError(28, "No space left on device")
        return wrote(file, data[:4])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        put(logs, 5, b"world!!")
    monkeypatch.undo()
    assert logs.read(REF, "stdout", 0) == b"hello"


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=400))
def test_no_id_leads_out_of_the_folder(task):
    name = folder_name(task)
    assert "/" not in name
    assert not name.startswith(".")
    assert 0 < len(os.fsencode(name)) <= 200


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=300), unique=True, max_size=20))
def test_different_ids_have_different_folders(tasks):
    assert len({folder_name(task) for task in tasks}) == len(tasks)


@pytest.mark.parametrize("wrote", [0, 40, 99, 100, 101, 109, 136, 200, 1000, 12_345])
def test_what_a_worker_left_out_is_counted_to_the_byte(tmp_path, wrote):
    logs = LogStore(tmp_path / "there", most_of_attempt=10_000)
    capture = Capture(lambda: tmp_path / "here", "stdout", cap_bytes=100)
    capture.take(b"x" * wrote)
    capture.finish()
    kept = capture.path.read_bytes() if wrote else b""
    put(logs, 0, kept)
    put(logs, len(kept), b"", end=True)
    assert logs.left_out(REF, "stdout", wrote) == max(0, wrote - 100)


def test_what_a_full_disk_did_not_keep_is_left_out_too(logs):
    put(logs, 0, b"", end=True)
    assert logs.left_out(REF, "stdout", 77) == 77
