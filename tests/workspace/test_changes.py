"""Goal: what a command changed is told, none of it missed. Method: a snapshot against a comparison
of contents by brute force; layers packed from changes against the same writes done serially."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.workspace.changes import Changes, changes, pack_changes, select, snapshot
from leaseway.workspace.listing import Odd, tree_of
from leaseway.workspace.packing import pack
from leaseway.workspace.unpacking import overlay, unpack
from tests.workspace.trees import FILES, LINKS, PARTS, TREES, put, read, write

SOME_NAMES = st.lists(PARTS, min_size=1, max_size=2).map("/".join)
STEPS = st.lists(
    st.tuples(SOME_NAMES, st.one_of(FILES, LINKS, st.sampled_from([("folder",), ("delete",)]))),
    max_size=5,
)


def carry_out(root: Path, steps) -> None:
    """What a command might do: each step takes the place of whatever is in its way."""
    for name, node in steps:
        path = root / name
        for above in reversed(path.relative_to(root).parents[:-1]):
            clear(root / above, keep_folder=True)
        clear(path, keep_folder=node == ("folder",))
        if node != ("delete",):
            path.parent.mkdir(parents=True, exist_ok=True)
            put(path, node)


def clear(path: Path, keep_folder: bool) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir() and not keep_folder:
        for inner in path.iterdir():
            clear(inner, keep_folder=False)
        path.rmdir()


def every_folder(root: Path) -> set[str]:
    return {
        os.path.relpath(os.path.join(folder, name), root)
        for folder, inner, _files in os.walk(root)
        for name in inner
        if not os.path.islink(os.path.join(folder, name))
    }


@given(TREES, STEPS)
def test_changes_are_those_of_a_comparison_of_contents(nodes, steps):
    with tempfile.TemporaryDirectory() as tmp:
        root = write(Path(tmp, "t"), nodes)
        before, folders_before, seen = read(root), every_folder(root), snapshot(root)
        carry_out(root, steps)
        after, folders = read(root), every_folder(root)
        found = changes(root, seen)
        was = {**dict.fromkeys(folders_before, ("folder",)), **before}
        touched = {name for name, node in steps if node not in (("folder",), ("delete",))}
        assert set(found.added) == {name for name in after if name not in was}
        differing = {name for name in after if name in was and after[name] != was[name]}
        assert differing <= set(found.modified) <= differing | touched
        assert set(found.deleted) == {
            name
            for name, node in was.items()
            if name not in after and not (node == ("folder",) and name in folders)
        }


@given(TREES, st.lists(STEPS, max_size=3))
def test_layers_laid_over_each_other_are_the_writes_done_serially(nodes, tasks):
    """Each task runs in a view made of the archive and the layers before it."""
    with tempfile.TemporaryDirectory() as tmp:
        serial = write(Path(tmp, "serial"), nodes)
        for note in tree_of(serial).notes:
            if note.kind is Odd.LEADS_OUT:
                (serial / note.path).unlink()
        base = pack(tree_of(serial), Path(tmp, "base"))
        layers: list[tuple[Path, str]] = []
        for number, steps in enumerate(tasks):
            view = made(Path(tmp, f"view{number}"), Path(tmp, "base"), base.digest, layers)
            seen = snapshot(view)
            carry_out(view, steps)
            carry_out(serial, steps)
            drop_links_out(view)
            drop_links_out(serial)
            found = changes(view, seen)
            layer = Path(tmp, f"layer{number}")
            names = [*found.added, *found.modified]
            layers.append((layer, pack_changes(view, names, found.deleted, layer).digest))
        last = made(Path(tmp, "last"), Path(tmp, "base"), base.digest, layers)
        assert read(last) == read(serial)


def drop_links_out(root: Path) -> None:
    for note in tree_of(root).notes:
        if note.kind is Odd.LEADS_OUT:
            (root / note.path).unlink()


def made(view: Path, base: Path, digest: str, layers) -> Path:
    unpack(base, view, digest)
    for layer, layer_digest in layers:
        overlay(layer, view, layer_digest)
    return view


def test_a_time_of_change_that_was_put_back_hides_nothing(tmp_path):
    root = write(tmp_path / "t", {"a": ("file", b"old", False)})
    seen = snapshot(root)
    at = (root / "a").stat()
    with (root / "a").open("r+b") as file:
        file.write(b"new")
    os.utime(root / "a", ns=(at.st_atime_ns, at.st_mtime_ns))
    assert changes(root, seen) == Changes((), ("a",), ())


def test_nothing_changed(tmp_path):
    root = write(tmp_path / "t", {"a/b": ("file", b"x", False), "l": ("link", "a")})
    seen = snapshot(root)
    (root / "a" / "b").read_bytes()
    (root / ".git").mkdir()
    assert not changes(root, seen)


def test_kinds_that_change(tmp_path):
    nodes = {"f": ("file", b"", False), "d/x": ("file", b"", False), "l": ("link", "f")}
    root = write(tmp_path / "t", nodes)
    seen = snapshot(root)
    carry_out(root, [("f/x", ("file", b"", False)), ("d", ("link", "f")), ("l", ("folder",))])
    assert changes(root, seen) == Changes(("f/x",), ("d", "l"), ("d/x", "f"))


def test_the_x_bit_is_a_change_and_a_new_pipe_is_named(tmp_path):
    root = write(tmp_path / "t", {"a": ("file", b"", False), "b": ("file", b"", False)})
    seen = snapshot(root)
    (root / "a").chmod(0o755)
    (root / "b").unlink()
    os.mkfifo(root / "b")
    found = changes(root, seen)
    assert (found.modified, found.deleted) == (("a",), ("b",))
    assert [(note.kind, note.path) for note in found.notes] == [(Odd.SPECIAL, "b")]


def test_a_folder_that_cannot_be_read_is_named_and_not_taken_for_empty(tmp_path, monkeypatch):
    root = write(tmp_path / "t", {"d/a": ("file", b"", False), "e": ("file", b"", False)})
    seen = snapshot(root)
    scandir = os.scandir

    def closed(path):
        if str(path).endswith("/d"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", closed)
    found = changes(root, seen)
    assert not found
    assert [(note.kind, note.path) for note in found.notes] == [(Odd.UNREADABLE, "d")]


@pytest.mark.parametrize(
    ("pattern", "covered"),
    [
        ("model", {"model/a.bin", "model/sub/b.bin", "model/log"}),
        ("model/", {"model/a.bin", "model/sub/b.bin", "model/log"}),
        ("./model/a.bin", {"model/a.bin"}),
        ("model/*.bin", {"model/a.bin"}),
        ("model/**/*.bin", {"model/a.bin", "model/sub/b.bin"}),
        ("**/*.bin", {"model/a.bin", "model/sub/b.bin"}),
        ("mod*", {"model/a.bin", "model/sub/b.bin", "model/log"}),
        ("**", {"model/a.bin", "model/sub/b.bin", "model/log", "top", "[x]"}),
        (".", {"model/a.bin", "model/sub/b.bin", "model/log", "top", "[x]"}),
        ("[x]", {"[x]"}),
        ("to?", {"top"}),
        ("mode", set()),
        ("model/a.bin/deeper", set()),
        ("/model", set()),
        ("~/model", set()),
        ("nas:/model", set()),
        ("../model", set()),
    ],
)
def test_what_a_pattern_covers(pattern, covered):
    names = ("[x]", "model/a.bin", "model/log", "model/sub/b.bin", "top")
    declared, undeclared = select(Changes(names, (), names), [pattern])
    assert set(declared.added) == set(declared.deleted) == covered
    assert set(undeclared.added) == set(names) - covered


def test_patterns_count_from_the_working_folder():
    declared, undeclared = select(Changes(("a/x", "b/x"), (), ()), ["x", "../b"], base="a")
    assert (declared.added, undeclared.added) == (("a/x", "b/x"), ())
    declared, undeclared = select(Changes(("a/x", "b/x"), (), ()), ["*"], base="a")
    assert (declared.added, undeclared.added) == (("a/x",), ("b/x",))
