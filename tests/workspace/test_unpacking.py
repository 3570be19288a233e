"""Goal: no archive writes where it should not, and none is half unpacked. Method: archives written
by hand with tarfile, each with the digest that is true of it; damaged ones from hypothesis."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.workspace.errors import BadArchive, NotWritten
from leaseway.workspace.limits import Limits
from leaseway.workspace.listing import tree_of
from leaseway.workspace.naming import DELETED
from leaseway.workspace.packing import pack, pack_names
from leaseway.workspace.unpacking import overlay, unpack
from tests.workspace.trees import TREES, archive_by_hand, member, read, write

LINK, HARD, DIR = tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE


def refused(tmp_path: Path, *members, limits: Limits | None = None) -> BadArchive:
    """The archive is refused by both ways in, and leaves nothing behind."""
    limits = limits or Limits()
    digest = archive_by_hand(tmp_path / "bad.tar.gz", *members)
    view = write(tmp_path / "view", {"kept": ("file", b"x", False)})
    with pytest.raises(BadArchive):
        overlay(tmp_path / "bad.tar.gz", view, digest, limits)
    assert read(view) == {"kept": ("file", b"x", False)}
    with pytest.raises(BadArchive) as raised:
        unpack(tmp_path / "bad.tar.gz", tmp_path / "new", digest, limits)
    assert {path.name for path in tmp_path.iterdir()} == {"bad.tar.gz", "view"}
    return raised.value


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("/etc/passwd", "absolute"),
        ("../up", "plain name"),
        ("a/../../up", "plain name"),
        ("a/./b", "plain name"),
        ("a//b", "plain name"),
        ("a\0b", "plain name"),
        (".git/hooks/post-checkout", "git or Leaseway"),
        ("sub/.GIT/config", "git or Leaseway"),
    ],
)
def test_bad_names(tmp_path, name, why):
    made = member("placeholder")
    made.pax_headers = {"path": name}  # the way to write a NUL
    bad = refused(tmp_path, (made, b"x"))
    assert bad.member == name
    assert why in str(bad)


@pytest.mark.parametrize(
    "made",
    [
        member("dev", tarfile.CHRTYPE),
        member("dev", tarfile.BLKTYPE),
        member("pipe", tarfile.FIFOTYPE),
        member("hard", HARD, link="kept"),
        member("sparse", tarfile.GNUTYPE_SPARSE),
        member("contiguous", tarfile.CONTTYPE),
    ],
    ids=lambda made: made.name,
)
def test_kinds_that_do_not_travel(tmp_path, made):
    refused(tmp_path, (made, b""))


@pytest.mark.parametrize("target", ["/etc", "..", "a/../../x", "../view/kept"])
def test_links_that_lead_out(tmp_path, target):
    bad = refused(tmp_path, (member("link", LINK, link=target), b""))
    assert bad.member == "link"
    assert "leads out" in str(bad)


def test_a_link_that_leads_out_through_another(tmp_path):
    bad = refused(
        tmp_path, (member("here", LINK, link="."), b""), (member("up", LINK, link="here/.."), b"")
    )
    assert bad.member == "up"


def test_a_file_below_a_link(tmp_path):
    bad = refused(tmp_path, (member("d", LINK, link="e"), b""), (member("d/file"), b"x"))
    assert bad.member == "d/file"


def test_a_file_below_a_file(tmp_path):
    assert refused(tmp_path, (member("d/file"), b"x"), (member("d"), b"x")).member == "d/file"


def test_a_name_twice(tmp_path):
    bad = refused(tmp_path, (member("a"), b"1"), (member("a"), b"2"))
    assert (bad.member, "twice" in str(bad)) == ("a", True)


def test_more_bytes_than_allowed(tmp_path):
    bad = refused(tmp_path, (member("bomb"), bytes(2_000_000)), limits=Limits(1_999_999, 1))
    assert "limits" in str(bad)


def test_more_members_than_allowed(tmp_path):
    many = [(member(str(n), DIR), b"") for n in range(11)]
    refused(tmp_path, *many, limits=Limits(files=10))


def test_a_bomb_of_headers_is_stopped_before_it_is_in_memory(tmp_path):
    made = member("a")
    made.pax_headers = {"comment": "x" * 3_000_000}
    assert "mebibyte" in str(refused(tmp_path, (made, b"")))


def test_a_bomb_behind_the_end(tmp_path):
    data = gzip.compress(bytes(40_000_000))
    pack(tree_of(write(tmp_path / "t", {})), tmp_path / "a.tar.gz")
    whole = (tmp_path / "a.tar.gz").read_bytes() + data
    (tmp_path / "a.tar.gz").write_bytes(whole)
    with pytest.raises(BadArchive, match="unpacks to more"):
        unpack(tmp_path / "a.tar.gz", tmp_path / "new", "sha256:0", Limits(1_000, 10))


def test_something_behind_the_end(tmp_path):
    digest = archive_by_hand(tmp_path / "a.tar.gz", (member("a"), b"x"))
    data = (tmp_path / "a.tar.gz").read_bytes() + gzip.compress(b"more")
    (tmp_path / "a.tar.gz").write_bytes(data)
    with pytest.raises(BadArchive, match="after its end"):
        unpack(tmp_path / "a.tar.gz", tmp_path / "new", digest)


@pytest.mark.parametrize("content", [b"{}", b"[1]", b"not json", b'["../x"]', b"[" * 100_000])
def test_a_bad_list_of_deletions(tmp_path, content):
    refused(tmp_path, (member(DELETED), content))


def test_the_list_of_deletions_stands_first_or_not_at_all(tmp_path):
    assert refused(tmp_path, (member("a"), b""), (member(DELETED), b"[]")).member == DELETED


@pytest.mark.parametrize("mtime", ["inf", "nan", "1e300", "-99999999999999"])
def test_times_that_cannot_be(tmp_path, mtime):
    made = member("a")
    made.pax_headers = {"mtime": mtime}
    refused(tmp_path, (made, b""))


def test_another_archive_than_was_asked_for(tmp_path):
    root = write(tmp_path / "t", {"a": ("file", b"x", False)})
    digest = pack(tree_of(root), tmp_path / "a.tar.gz").digest
    (root / "a").write_bytes(b"y")
    pack(tree_of(root), tmp_path / "a.tar.gz")
    with pytest.raises(BadArchive, match="not what it is called"):
        unpack(tmp_path / "a.tar.gz", tmp_path / "new", digest)
    assert not (tmp_path / "new").exists()


@given(st.data())
def test_damaged_archives_are_refused_and_nothing_else_happens(data):
    """Bytes of the tar within are changed; the digest is left as it was, or made true again."""
    with tempfile.TemporaryDirectory() as tmp:
        root = write(Path(tmp, "t"), {"a/b": ("file", b"12345", True), "\udcff": ("link", "a")})
        out = io.BytesIO()
        digest = pack_names(root, ["a/b", "\udcff"], ["gone"], out).digest
        plain = bytearray(gzip.decompress(out.getvalue()))
        for _ in range(data.draw(st.integers(1, 3))):
            plain[data.draw(st.integers(0, 4096))] = data.draw(st.integers(0, 255))
        archive = Path(tmp, "a.tar.gz")
        cut = data.draw(st.sampled_from([None, None, -1, -9, 100]))
        archive.write_bytes(gzip.compress(bytes(plain))[:cut])
        if data.draw(st.booleans()):
            import hashlib

            digest = "sha256:" + hashlib.sha256(plain).hexdigest()
        try:
            unpack(archive, Path(tmp, "new"), digest)
        except BadArchive:
            assert {path.name for path in Path(tmp).iterdir()} == {"t", "a.tar.gz"}


def test_no_archive_at_all(tmp_path):
    with pytest.raises(BadArchive, match="cannot be read"):
        unpack(tmp_path / "absent", tmp_path / "new", "sha256:0")
    (tmp_path / "text").write_text("hello")
    with pytest.raises(BadArchive, match="damaged"):
        unpack(tmp_path / "text", tmp_path / "new", "sha256:0")


def test_into_a_folder_that_holds_something(tmp_path):
    root = write(tmp_path / "t", {"a": ("file", b"x", False)})
    digest = pack(tree_of(root), tmp_path / "a.tar.gz").digest
    with pytest.raises(NotWritten, match="not empty"):
        unpack(tmp_path / "a.tar.gz", root, digest)
    (tmp_path / "empty").mkdir()
    unpack(tmp_path / "a.tar.gz", tmp_path / "empty", digest)
    assert read(tmp_path / "empty") == read(root)


def test_modes_and_times_come_back(tmp_path):
    nodes = {"run": ("file", b"x", True), "text": ("file", b"x", False), "l": ("link", "run")}
    root = write(tmp_path / "t", nodes, mtime_s=1_234_567_890)
    digest = pack(tree_of(root), tmp_path / "a.tar.gz").digest
    unpack(tmp_path / "a.tar.gz", tmp_path / "new", digest)
    at = {name: (tmp_path / "new" / name).lstat() for name in nodes}
    assert {name: int(found.st_mtime) for name, found in at.items()} == dict.fromkeys(
        nodes, 1_234_567_890
    )
    assert (at["run"].st_mode & 0o777, at["text"].st_mode & 0o777) == (0o755, 0o644)


@given(TREES, TREES, st.lists(st.sampled_from(["a", "b", "a/a", "a/b", "b/a", "x.txt"])))
def test_an_overlay_is_the_layer_written_over_the_tree(below, layer, deleted):
    """The oracle: a plain value in which a name takes the place of what is above and below it."""
    with tempfile.TemporaryDirectory() as tmp:
        view = write(Path(tmp, "view"), below)
        source = tree_of(write(Path(tmp, "layer"), layer))
        archive = Path(tmp, "l.tar.gz")
        packed = pack_names(source.root, source.files, deleted, archive)
        overlay(archive, view, packed.digest)
        assert without_empty(read(view)) == without_empty(
            laid_over(below, {n: layer[n] for n in source.files}, deleted)
        )


def laid_over(below, layer, deleted):
    held = {name: node for name, node in below.items() if name not in deleted}
    for name, node in layer.items():
        above = ["/".join(name.split("/")[:n]) for n in range(1, name.count("/") + 1)]
        for folder in above:
            if held.get(folder, ("folder",))[0] != "folder":
                del held[folder]
        if node[0] != "folder":
            held = {n: v for n, v in held.items() if not n.startswith(f"{name}/")}
        if node[0] != "folder" or not any(n.startswith(f"{name}/") for n in held):
            held[name] = node
    return held


def without_empty(nodes):
    return {name: node for name, node in nodes.items() if node[0] != "folder"}


def test_an_overlay_never_writes_or_deletes_through_a_link_of_the_tree(tmp_path):
    outside = write(tmp_path / "outside", {"file": ("file", b"mine", False)})
    view = write(tmp_path / "view", {})
    (view / "d").symlink_to(outside)
    (view / "f").symlink_to(outside / "file")
    digest = archive_by_hand(
        tmp_path / "a.tar.gz",
        (member(DELETED), json.dumps(["d/file"]).encode()),
        (member("d/new"), b"theirs"),
        (member("f"), b"theirs"),
    )
    overlay(tmp_path / "a.tar.gz", view, digest)
    assert read(outside) == {"file": ("file", b"mine", False)}
    assert read(view) == {"d/new": ("file", b"theirs", False), "f": ("file", b"theirs", False)}


def test_a_deleted_folder_goes_if_it_is_empty_then(tmp_path):
    view = write(tmp_path / "view", dict.fromkeys(("d/a", "e/a", "e/theirs"), ("file", b"", False)))
    digest = pack_names(view, [], ["d", "d/a", "e", "e/a"], tmp_path / "a.tar.gz").digest
    overlay(tmp_path / "a.tar.gz", view, digest)
    assert set(os.listdir(view)) == {"e"}
    assert os.listdir(view / "e") == ["theirs"]
