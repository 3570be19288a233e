"""Goal: an archive is the tree, the same for the same tree, or an error that names the file.
Method: hypothesis trees through pack and unpack; files that change or vanish under the reader."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from leaseway.workspace import steady
from leaseway.workspace.errors import TooLarge, Unsteady
from leaseway.workspace.limits import Limits
from leaseway.workspace.listing import Odd, Tree, tree_of
from leaseway.workspace.manifest import FILE, LINK, PROGRAM, Entry, Manifest, entry_on_disk
from leaseway.workspace.naming import DELETED
from leaseway.workspace.packing import pack, pack_names
from leaseway.workspace.unpacking import unpack
from tests.workspace.trees import TREES, read, write


@given(TREES)
def test_unpacked_is_what_was_packed(nodes):
    with tempfile.TemporaryDirectory() as tmp:
        root = write(Path(tmp, "tree"), nodes)
        tree = tree_of(root)
        left_out = {note.path for note in tree.notes if note.kind is Odd.LEADS_OUT}
        packed = pack(tree, Path(tmp, "a.tar.gz"))
        back = unpack(Path(tmp, "a.tar.gz"), Path(tmp, "back"), packed.digest)
        assert read(Path(tmp, "back")) == {n: v for n, v in nodes.items() if n not in left_out}
        assert back.manifest == packed.manifest
        assert packed.notes == ()
        assert set(packed.manifest.entries) == set(tree.files)
        again = pack(tree_of(Path(tmp, "back")), Path(tmp, "b.tar.gz"))
        assert again.digest == packed.digest


@given(TREES)
def test_packed_twice_is_the_same_archive(nodes):
    """Also elsewhere, in another order of making, with other owners' permissions."""
    with tempfile.TemporaryDirectory() as tmp:
        first = write(Path(tmp, "first"), nodes)
        second = write(Path(tmp, "second"), dict(reversed(list(nodes.items()))))
        for name, node in nodes.items():
            if node[0] == "file":
                (second / name).chmod(0o700 if node[2] else 0o600)
        one, two = io.BytesIO(), io.BytesIO()
        assert pack(tree_of(first), one) == pack(tree_of(second), two)
        assert one.getvalue() == two.getvalue()


def test_the_digest_is_of_the_tar_within(tmp_path):
    write(tmp_path / "tree", {"a": ("file", b"x", False)})
    packed = pack(tree_of(tmp_path / "tree"), tmp_path / "a.tar.gz")
    data = (tmp_path / "a.tar.gz").read_bytes()
    plain = gzip.decompress(data)
    assert packed.digest == "sha256:" + hashlib.sha256(plain).hexdigest()
    assert data[4:8] == bytes(4)  # gzip's time
    assert (packed.content_bytes, packed.files, packed.archive_bytes) == (1, 1, len(data))


def test_nothing_in_it_tells_who_packed_it(tmp_path):
    nodes = {"run": ("file", b"x", True), "text": ("file", b"y", False), "l": ("link", "run")}
    write(tmp_path / "tree", {**nodes, "e": ("folder",)}, mtime_s=1_600_000_000)
    os.utime(tmp_path / "tree" / "text", ns=(0, 1_600_000_000_999_999_999))
    pack(tree_of(tmp_path / "tree"), tmp_path / "a.tar.gz")
    with tarfile.open(tmp_path / "a.tar.gz") as tar:
        told = {m.name: (m.mode, m.mtime, m.uid, m.gid, m.uname, m.gname) for m in tar}
    nobody = (0, 0, "", "")
    assert told == {
        "e": (0o755, 0, *nobody),
        "l": (0o777, 1_600_000_000, *nobody),
        "run": (0o755, 1_600_000_000, *nobody),
        "text": (0o644, 1_600_000_000, *nobody),
    }


def test_names_stand_in_the_order_of_their_bytes(tmp_path):
    given = ["ü", "b", "a/z", "a-", "\udcff", "B"]
    root = write(tmp_path / "t", dict.fromkeys(given, ("file", b"", False)))
    pack_names(root, given, ["y", "x", "ü"], tmp_path / "a.tar.gz")
    with tarfile.open(tmp_path / "a.tar.gz") as tar:
        deleted = tar.extractfile(DELETED)
        assert deleted is not None
        assert json.loads(deleted.read()) == ["x", "y", "ü"]
        assert tar.getnames() == [DELETED, "B", "a-", "a/z", "b", "ü", "\udcff"]


def test_the_manifest_says_what_each_name_held(tmp_path):
    nodes = {"run": ("file", b"x", True), "t": ("file", b"", False), "\udcff": ("link", "t")}
    root = write(tmp_path / "tree", nodes)
    manifest = pack(tree_of(root), io.BytesIO()).manifest
    assert manifest.entries == {
        "run": Entry(PROGRAM, hashlib.sha256(b"x").hexdigest()),
        "t": Entry(FILE, hashlib.sha256(b"").hexdigest()),
        "\udcff": Entry(LINK, hashlib.sha256(b"t").hexdigest()),
    }
    assert Manifest.from_json(manifest.to_json()) == manifest
    assert {name: entry_on_disk(root / name) for name in nodes} == manifest.entries


@pytest.mark.parametrize("text", ["[]", "{}", '{"version":1}', '{"version":1,"entries":{"a":1}}'])
def test_what_is_no_manifest_is_refused(text):
    with pytest.raises(ValueError, match="manifest"):
        Manifest.from_json(text)


def test_too_large_names_the_five_largest(tmp_path):
    sizes = {"a": 10, "b": 70, "c": 30, "d": 40, "e": 50, "f": 60}
    root = write(tmp_path / "t", {n: ("file", bytes(s), False) for n, s in sizes.items()})
    with pytest.raises(TooLarge) as raised:
        pack(tree_of(root), tmp_path / "a.tar.gz", Limits(content_bytes=259))
    assert raised.value.largest == (("b", 70), ("f", 60), ("e", 50), ("d", 40), ("c", 30))
    assert "b (70" in str(raised.value)
    assert "260 bytes" in str(raised.value)
    assert sorted(tmp_path.iterdir()) == [root]
    pack(tree_of(root), tmp_path / "a.tar.gz", Limits(content_bytes=260))


def test_too_many_files(tmp_path):
    root = write(tmp_path / "t", dict.fromkeys("abc", ("file", b"", False)))
    with pytest.raises(TooLarge, match="3 files are more than the 2"):
        pack(tree_of(root), io.BytesIO(), Limits(files=2))


class Writer:
    """Somebody who changes a file each time it has been read, so many times."""

    def __init__(self, path: Path, times: int, content: bytes | None = None) -> None:
        self.path, self.times, self.content, self.reads = path, times, content, 0
        self.copy = steady.copy_content

    def __call__(self, fd, into, expected):
        is_it = os.path.samestat(os.fstat(fd), self.path.stat())
        if is_it and self.content is not None:  # once, before it is read
            self.path.write_bytes(self.content)
            self.content = None
        read = self.copy(fd, into, expected)
        if is_it:
            self.reads += 1
            if self.reads <= self.times:
                os.utime(self.path, ns=(0, self.reads))
        return read


@pytest.fixture
def two_files(tmp_path):
    return write(tmp_path / "t", {"busy": ("file", b"1", False), "calm": ("file", b"2", False)})


def test_a_file_that_changes_twice_is_read_again(two_files, tmp_path, monkeypatch):
    writer = Writer(two_files / "busy", times=2)
    monkeypatch.setattr(steady, "copy_content", writer)
    packed = pack(tree_of(two_files), tmp_path / "a.tar.gz")
    assert writer.reads == 3
    assert set(packed.manifest.entries) == {"busy", "calm"}


def test_a_file_that_never_holds_still_is_named(two_files, tmp_path, monkeypatch):
    writer = Writer(two_files / "busy", times=99)
    monkeypatch.setattr(steady, "copy_content", writer)
    with pytest.raises(Unsteady) as raised:
        pack(tree_of(two_files), tmp_path / "a.tar.gz")
    assert raised.value.paths == ("busy",)
    assert writer.reads == 3
    assert sorted(tmp_path.iterdir()) == [two_files]


def test_a_file_that_grows_is_taken_as_it_is_now(two_files, tmp_path, monkeypatch):
    writer = Writer(two_files / "busy", times=0, content=b"longer than before")
    monkeypatch.setattr(steady, "copy_content", writer)
    packed = pack(tree_of(two_files), tmp_path / "a.tar.gz")
    unpack(tmp_path / "a.tar.gz", tmp_path / "back", packed.digest)
    assert (tmp_path / "back" / "busy").read_bytes() == b"longer than before"


def test_growing_over_the_limit_while_read(two_files, monkeypatch):
    writer = Writer(two_files / "busy", times=0, content=bytes(100))
    monkeypatch.setattr(steady, "copy_content", writer)
    with pytest.raises(TooLarge):
        pack(tree_of(two_files), io.BytesIO(), Limits(content_bytes=99))


def test_a_large_file_goes_by_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(steady, "IN_MEMORY", 10)
    root = write(tmp_path / "t", {"large": ("file", bytes(range(256)) * 20, False)})
    packed = pack(tree_of(root), tmp_path / "a.tar.gz")
    unpack(tmp_path / "a.tar.gz", tmp_path / "back", packed.digest)
    assert read(tmp_path / "back") == read(root)
    assert {path.name for path in tmp_path.iterdir()} == {"t", "a.tar.gz", "back"}


def test_what_vanished_or_changed_kind_is_left_out_and_named(tmp_path):
    names = ["file", "pipe", "folder", "stays"]
    root = write(tmp_path / "t", dict.fromkeys(names, ("file", b"x", False)))
    tree = tree_of(root)
    for name in names[:-1]:
        (root / name).unlink()
    os.mkfifo(root / "pipe")
    (root / "folder").mkdir()
    (root / "folder" / "inner").write_text("x")
    packed = pack(tree, io.BytesIO())
    assert set(packed.manifest.entries) == {"stays"}
    assert {(note.kind, note.path) for note in packed.notes} == {
        (Odd.VANISHED, "file"),
        (Odd.SPECIAL, "pipe"),
        (Odd.VANISHED, "folder"),
    }


def test_what_vanishes_after_it_was_looked_at(tmp_path, monkeypatch):
    root = write(tmp_path / "t", dict.fromkeys("ab", ("file", b"x", False)))
    copy = steady.copy_content

    def gone_meanwhile(fd, into, expected):
        (root / "b").unlink(missing_ok=True)
        return copy(fd, into, expected)

    monkeypatch.setattr(steady, "copy_content", gone_meanwhile)
    packed = pack(tree_of(root), io.BytesIO())
    assert set(packed.manifest.entries) == {"a"}
    assert [(note.kind, note.path) for note in packed.notes] == [(Odd.VANISHED, "b")]


def test_names_that_must_not_travel_are_not_packed_even_when_asked(tmp_path):
    root = write(tmp_path / "t", {".git/hooks/x": ("file", b"x", True), "a": ("file", b"", False)})
    (root / "out").symlink_to("/etc")
    tree = Tree(root, (".git/hooks/x", "a", "out"), "x")
    packed = pack(tree, io.BytesIO())
    assert set(packed.manifest.entries) == {"a"}
    assert {note.kind for note in packed.notes} == {Odd.RESERVED, Odd.LEADS_OUT}
