"""Goal: head, tail and the count between are right for every size. Method: bytes in pieces."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.worker.capture import Capture, marker, produced, ring_of, unroll

CAP = 20


def kept_of(data: bytes) -> bytes:
    """What should be there, said in another way."""
    if len(data) <= CAP:
        return data
    return data[: CAP // 2] + marker(len(data) - CAP) + data[-CAP // 2 :]


@given(pieces=st.lists(st.binary(max_size=50), max_size=12))
def test_head_and_tail(pieces, tmp_path_factory):
    folder = tmp_path_factory.mktemp("capture") / "attempt"
    stream = Capture(lambda: folder, "stdout", CAP)
    for piece in pieces:
        if piece:
            stream.take(piece)
    stream.finish()
    whole = b"".join(pieces)
    assert stream.total == len(whole)
    assert stream.trouble == ""
    if whole:
        assert (folder / "stdout").read_bytes() == kept_of(whole)
    else:
        assert not folder.exists()
    assert not ring_of(folder / "stdout").exists()


def test_somebody_else_can_finish_it(tmp_path):
    stream = Capture(lambda: tmp_path, "stdout", CAP)
    stream.take(b"0123456789abcdefghijKLMNO")
    path = tmp_path / "stdout"
    assert produced(path, CAP) == 25
    expected = b"0123456789" + marker(5) + b"fghijKLMNO"
    ring = ring_of(path).read_bytes()
    unroll(path, CAP)
    assert path.read_bytes() == expected
    ring_of(path).write_bytes(ring)  # as if it had died before removing the ring
    unroll(path, CAP)
    assert path.read_bytes() == expected


def test_a_full_disk_only_counts(tmp_path, monkeypatch):
    stream = Capture(lambda: tmp_path, "stdout", CAP)
    stream.take(b"kept")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    stream.take(b"lost")
    monkeypatch.undo()
    stream.take(b"more")
    stream.finish()
    assert stream.total == 12
    assert stream.trouble == "output not kept: No space left on device"
    assert (tmp_path / "stdout").read_bytes() == b"kept"


def test_giving_up_frees_the_disk(tmp_path):
    stream = Capture(lambda: tmp_path, "stdout", CAP)
    stream.take(b"x" * 100)
    stream.finish()
    stream.give_up()
    assert list(Path(tmp_path).iterdir()) == []
    assert "disk is full" in stream.trouble


@pytest.mark.parametrize("size", [19, 20, 21, 30, 31])
def test_produced_counts_what_was_kept(size, tmp_path):
    stream = Capture(lambda: tmp_path, "stdout", CAP)
    stream.take(b"y" * size)
    assert produced(tmp_path / "stdout", CAP) == size
    stream.finish()
