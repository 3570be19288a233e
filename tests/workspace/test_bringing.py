"""Goal: results come home whole or not at all, and nothing somebody wrote meanwhile is lost.
Method: every way the two sides can differ, by hand and by hypothesis; steps that fail."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from leaseway.workspace import bringing, manifest
from leaseway.workspace.bringing import Aside, Brought, Delivery, bring
from leaseway.workspace.errors import BadArchive, NotWritten, Unsteady
from leaseway.workspace.listing import Odd, tree_of
from leaseway.workspace.manifest import Manifest
from leaseway.workspace.packing import pack, pack_names
from tests.workspace.test_changes import STEPS, carry_out
from tests.workspace.trees import TREES, archive_by_hand, member, read, write

A, B, C = (("file", content, False) for content in (b"sent", b"local", b"result"))


class Trip:
    """A tree that was sent, what became of it here, and what comes back."""

    def __init__(self, tmp_path: Path, sent, local, results, deleted=()) -> None:
        self.tmp = tmp_path
        write(tmp_path / "sent", sent)
        self.sent = pack(tree_of(tmp_path / "sent"), tmp_path / "sent.tar.gz").manifest
        self.home = write(tmp_path / "home", local)
        there = write(tmp_path / "there", results)
        archive = tmp_path / "r.tar.gz"
        packed = pack_names(there, tree_of(there).files, deleted, archive)
        self.delivery = Delivery(archive, packed.digest, "train/1")

    def bring(self) -> Brought:
        return bring(self.delivery, self.home, self.sent)

    def names(self) -> list[str]:
        return sorted(os.listdir(self.home))


def test_every_way_a_file_can_differ(tmp_path):
    trip = Trip(
        tmp_path,
        sent={"untouched": A, "both": A, "only-here": A, "same-here": A, "removed-here": A},
        local={"untouched": A, "both": B, "only-here": B, "same-here": C, "new-both": B},
        results={
            "untouched": C,
            "both": C,
            "same-here": C,
            "removed-here": C,
            "new": C,
            "new-both": C,
        },
    )
    assert trip.bring() == Brought(
        written=("new", "removed-here", "untouched"),
        kept_aside=(
            Aside("both", "both.from-train-1"),
            Aside("new-both", "new-both.from-train-1"),
        ),
        deleted=(),
        unchanged=("same-here",),
    )
    assert read(trip.home) == {
        "untouched": C,
        "both": B,
        "both.from-train-1": C,
        "only-here": B,
        "same-here": C,
        "removed-here": C,
        "new": C,
        "new-both": B,
        "new-both.from-train-1": C,
    }


def test_deletions_take_only_what_is_as_it_was_sent(tmp_path):
    trip = Trip(
        tmp_path,
        sent={"d/old": A, "changed": A, "gone": A},
        local={"d/old": A, "changed": B},
        results={},
        deleted=["d", "d/old", "changed", "gone"],
    )
    assert trip.bring() == Brought(
        written=(),
        kept_aside=(Aside("changed", None),),
        deleted=("d", "d/old"),
        unchanged=("gone",),
    )
    assert read(trip.home) == {"changed": B}


def test_bringing_twice_changes_nothing(tmp_path):
    trip = Trip(tmp_path, {"a": A, "b": A}, {"a": A, "b": B}, {"a": C, "b": C, "new": C})
    trip.bring()
    once = read(trip.home)
    again = trip.bring()
    assert read(trip.home) == once
    assert again == Brought((), (Aside("b", "b.from-train-1"),), (), ("a", "new"))


def test_what_was_put_beside_is_not_overwritten_either(tmp_path):
    trip = Trip(tmp_path, {}, {"a": B, "a.from-train-1": B, "a.from-train-1.2": B}, {"a": C})
    assert trip.bring().kept_aside == (Aside("a", "a.from-train-1.3"),)
    assert read(trip.home)["a.from-train-1.3"] == C
    assert read(trip.home)["a.from-train-1"] == B


def test_nothing_is_written_through_a_local_link(tmp_path):
    outside = write(tmp_path / "outside", {"x": B})
    trip = Trip(tmp_path, {}, {"keep": B}, {"d/x": C, "d/y": C})
    (trip.home / "d").symlink_to(outside)
    assert trip.bring().kept_aside == (
        Aside("d/x", "d.from-train-1/x"),
        Aside("d/y", "d.from-train-1/y"),
    )
    assert read(outside) == {"x": B}
    assert os.readlink(trip.home / "d") == str(outside)


def test_a_local_file_where_a_folder_comes_and_the_other_way_round(tmp_path):
    trip = Trip(tmp_path, {}, {"f": B, "d/x": B}, {"f/x": C, "d": C})
    assert trip.bring().kept_aside == (
        Aside("d", "d.from-train-1"),
        Aside("f/x", "f.from-train-1/x"),
    )
    assert read(trip.home) == {
        "f": B,
        "d/x": B,
        "d.from-train-1": C,
        "f.from-train-1/x": C,
    }


def test_a_file_that_became_a_folder_there(tmp_path):
    trip = Trip(tmp_path, {"f": A}, {"f": A}, {"f/x": C}, deleted=["f"])
    assert trip.bring().written == ("f/x",)
    assert read(trip.home) == {"f/x": C}


def test_the_x_bit_alone_is_a_difference(tmp_path):
    program = ("file", b"sent", True)
    trip = Trip(tmp_path, {"a": A, "b": A}, {"a": A, "b": program}, {"a": program, "b": C})
    assert trip.bring().kept_aside == (Aside("b", "b.from-train-1"),)
    assert read(trip.home)["a"] == program


def test_a_bad_archive_changes_nothing(tmp_path):
    trip = Trip(tmp_path, {}, {"a": B}, {})
    digest = archive_by_hand(tmp_path / "bad", (member("a"), b"x"), (member("../x"), b"x"))
    with pytest.raises(BadArchive):
        bring(Delivery(tmp_path / "bad", digest, "t"), trip.home, Manifest())
    assert trip.names() == ["a"]


def fail_at(monkeypatch, step: int) -> None:
    """The disk is full at the nth thing that is put in place."""
    appear = bringing._appear
    calls = []

    def full(fresh, path):
        calls.append(path)
        if len(calls) == step:
            raise OSError(28, "No space left on device", str(path))
        appear(fresh, path)

    monkeypatch.setattr(bringing, "_appear", full)


SENT = {"a": A, "b": A, "d/c": A, "old/x": A}
LOCAL = {"a": A, "b": B, "d/c": A, "old/x": A, "mine": B}
RESULTS = {"a": C, "b": C, "d/c": C, "n/e/w": C, "zero": ("folder",)}


@pytest.mark.parametrize("step", [1, 2, 3, 4, 5])
def test_a_full_disk_in_the_middle_undoes_everything(tmp_path, monkeypatch, step):
    trip = Trip(tmp_path, SENT, LOCAL, RESULTS, deleted=["old", "old/x"])
    before = read(trip.home)
    fail_at(monkeypatch, step)
    with pytest.raises(NotWritten) as raised:
        trip.bring()
    assert raised.value.errno == 28
    assert read(trip.home) == before
    assert trip.names() == ["a", "b", "d", "mine", "old"]


def test_if_even_undoing_fails_what_was_taken_away_is_kept_in_sight(tmp_path, monkeypatch):
    trip = Trip(tmp_path, {"a": A}, {"a": A}, {"a": C})
    rename = os.rename

    def refuses(old, new, **at):
        if Path(new) == trip.home / "a":
            raise OSError(5, "Input/output error")
        rename(old, new, **at)

    fail_at(monkeypatch, 1)
    monkeypatch.setattr(os, "rename", refuses)
    with pytest.raises(NotWritten):
        trip.bring()
    (rescued,) = trip.names()
    assert rescued.startswith("leaseway-rescued-")
    assert (trip.home / rescued / "0").read_bytes() == b"sent"


def test_a_file_that_is_written_while_results_come_is_kept(tmp_path, monkeypatch):
    """Between looking at it and taking it away."""
    trip = Trip(tmp_path, {"a": A, "b": A}, {"a": A, "b": A}, {"a": C, "b": C})
    look = manifest.entry_on_disk

    def written_after(path):
        entry = look(path)
        if path == trip.home / "b":
            path.write_bytes(b"somebody's")
        return entry

    monkeypatch.setattr(bringing, "entry_on_disk", written_after)
    with pytest.raises(Unsteady) as raised:
        trip.bring()
    assert raised.value.paths == ("b",)
    assert read(trip.home) == {"a": A, "b": ("file", b"somebody's", False)}


def test_a_file_that_appears_while_results_come_is_kept(tmp_path, monkeypatch):
    trip = Trip(tmp_path, {}, {"keep": B}, {"a": C, "b": C})
    appear = bringing._appear

    def somebody_first(fresh, path):
        if path.name == "b":
            path.write_bytes(b"local")
        appear(fresh, path)

    monkeypatch.setattr(bringing, "_appear", somebody_first)
    with pytest.raises(Unsteady):
        trip.bring()
    assert read(trip.home) == {"keep": B, "b": B}


def test_what_a_crash_left_is_swept_and_bringing_again_completes(tmp_path, monkeypatch):
    trip = Trip(tmp_path, SENT, LOCAL, RESULTS, deleted=["old", "old/x"])
    fail_at(monkeypatch, 3)
    with monkeypatch.context() as crash:  # as if killed: nothing is undone, nothing removed
        crash.setattr(bringing._Bringing, "_put_back", lambda self: None)
        crash.setattr("leaseway.workspace.disk.remove_tree", lambda *_, **__: None)
        with pytest.raises(NotWritten):
            trip.bring()
    assert any(name.startswith(".leaseway-staging-") for name in trip.names())
    monkeypatch.undo()
    trip.bring()
    assert read(trip.home) == {
        "a": C,
        "b": B,
        "b.from-train-1": C,
        "d/c": C,
        "n/e/w": C,
        "mine": B,
        "zero": ("folder",),
    }


@given(TREES, STEPS, STEPS)
def test_nothing_local_is_ever_lost(sent, here, there):
    """Whatever both sides did: each local file is where it was unless it was as sent, and each
    file that came is somewhere."""
    with tempfile.TemporaryDirectory() as tmp:
        trip = Trip(Path(tmp), sent, sent, {})
        home, remote = trip.home, write(Path(tmp, "remote"), sent)
        carry_out(home, here)
        carry_out(remote, there)
        listed = tree_of(remote)
        out = {note.path for note in listed.notes if note.kind is Odd.LEADS_OUT}
        deleted = [n for n in sent if n not in read(remote)]
        packed = pack_names(remote, listed.files, deleted, Path(tmp, "back"))
        local, came = read(home), {n: v for n, v in read(remote).items() if n not in out}
        brought = bring(Delivery(Path(tmp, "back"), packed.digest, "t"), home, trip.sent)
        now = read(home)
        for name, node in local.items():
            if node[0] != "folder" and node != sent.get(name):
                assert now[name] == node
        beside = {kept.path: kept.beside for kept in brought.kept_aside}
        for name, node in came.items():
            if node[0] != "folder":
                assert now[beside.get(name) or name] == node
        assert set(brought.written) | set(brought.unchanged) | set(beside) >= set(came)
