"""Goal: the cache holds what it says, within its bound, whoever else uses it. Method: archives of
known sizes, times of use set by hand, and real processes that put and remove at the same time."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from leaseway.workspace.cache import Cache
from leaseway.workspace.errors import BadArchive, TooLarge
from leaseway.workspace.packing import pack_names
from leaseway.workspace.unpacking import unpack
from tests.checkout import ROOT
from tests.workspace.trees import read, write


def archive(tmp_path: Path, name: str) -> tuple[Path, str]:
    """A small archive that holds one file of this name."""
    root = write(tmp_path / f"tree-{name}", {name: ("file", name.encode(), False)})
    path = tmp_path / f"{name}.tar.gz"
    return path, pack_names(root, [name], [], path).digest


def used(cache: Cache, digest: str, at_s: int) -> None:
    path = cache.get(digest)
    assert path is not None
    os.utime(path, (at_s, at_s))


def test_what_was_put_is_there(tmp_path):
    path, digest = archive(tmp_path, "a")
    cache = Cache(tmp_path / "deep" / "cache", 10_000)
    assert cache.get(digest) is None
    kept = cache.put(digest, path)
    assert (cache.get(digest), kept.read_bytes()) == (kept, path.read_bytes())
    unpack(kept, tmp_path / "back", digest)
    assert read(tmp_path / "back") == {"a": ("file", b"a", False)}
    assert cache.held_bytes() == path.stat().st_size
    assert cache.put(digest, io.BytesIO(b"not looked at again")) == kept


def test_what_is_not_what_it_is_called_is_not_kept(tmp_path):
    path, digest = archive(tmp_path, "a")
    other, other_digest = archive(tmp_path, "b")
    cache = Cache(tmp_path / "cache", 10_000)
    with pytest.raises(BadArchive):
        cache.put(digest, other)
    with pytest.raises(BadArchive):
        cache.put(digest, io.BytesIO(path.read_bytes()[:-20]))
    assert list((tmp_path / "cache").iterdir()) == []
    assert cache.get(other_digest) is None


@pytest.mark.parametrize("digest", ["", "sha256:", "sha256:../../x", "md5:" + "0" * 64, "0" * 64])
def test_what_is_no_digest(tmp_path, digest):
    with pytest.raises(BadArchive, match="no digest"):
        Cache(tmp_path, 10_000).get(digest)


def test_the_least_recently_used_goes_first(tmp_path):
    given = {name: archive(tmp_path, name) for name in "abc"}
    size = max(path.stat().st_size for path, _ in given.values())
    cache = Cache(tmp_path / "cache", 2 * size)
    for at_s, name in ((1, "a"), (2, "b")):
        cache.put(given[name][1], given[name][0])
        used(cache, given[name][1], at_s)
    used(cache, given["a"][1], 3)
    cache.put(given["c"][1], given["c"][0])
    assert [name for name in "abc" if cache.get(given[name][1])] == ["a", "c"]
    assert cache.held_bytes() <= 2 * size


def test_what_is_held_stays(tmp_path):
    given = {name: archive(tmp_path, name) for name in "ab"}
    cache = Cache(tmp_path / "cache", given["a"][0].stat().st_size + 20)
    cache.put(given["a"][1], given["a"][0])
    with cache.hold(given["a"][1]) as held:
        assert held is not None
        cache.put(given["b"][1], given["b"][0])
        assert held.exists()
    path, digest = archive(tmp_path, "c")
    cache.put(digest, path)
    assert not held.exists()
    with cache.hold(given["a"][1]) as none:
        assert none is None


def test_letting_go_takes_the_oldest_as_far_as_nobody_holds_it(tmp_path):
    given = {name: archive(tmp_path, name) for name in "abc"}
    cache = Cache(tmp_path / "cache", 1_000_000)
    for at_s, name in enumerate("abc"):
        cache.put(given[name][1], given[name][0])
        used(cache, given[name][1], at_s)
    with cache.hold(given["a"][1]):
        used(cache, given["a"][1], 0)
        assert cache.let_go(1) == given["b"][0].stat().st_size
    assert [name for name in "abc" if cache.get(given[name][1])] == ["a", "c"]
    assert cache.let_go(1_000_000) == sum(given[name][0].stat().st_size for name in "ac")


def test_more_than_the_cache_may_hold(tmp_path):
    path, digest = archive(tmp_path, "a")
    cache = Cache(tmp_path / "cache", path.stat().st_size - 1)
    with pytest.raises(TooLarge, match="does not fit"):
        cache.put(digest, path)
    assert list((tmp_path / "cache").iterdir()) == []


def test_what_a_crashed_writer_left_is_swept(tmp_path):
    path, digest = archive(tmp_path, "a")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / ".part-crashed").write_bytes(b"x")
    kept = Cache(tmp_path / "cache", 10_000).put(digest, path)
    assert list((tmp_path / "cache").iterdir()) == [kept]


CROWD = """
import sys
from pathlib import Path
from leaseway.workspace.cache import Cache
from leaseway.workspace.unpacking import unpack
folder, most, start, *given = sys.argv[1:]
cache = Cache(Path(folder), int(most))
pairs = list(zip(given[::2], given[1::2]))
for turn in range(30):
    path, digest = pairs[(turn + int(start)) % len(pairs)]
    cache.put(digest, Path(path))
    with cache.hold(digest) as held:
        if held is not None:
            held.read_bytes()
"""


def test_several_processes_put_and_remove_at_once(tmp_path):
    given = [archive(tmp_path, name) for name in "abcd"]
    most = 2 * max(path.stat().st_size for path, _ in given)
    told = [str(part) for pair in given for part in pair]
    folder = tmp_path / "cache"
    crowd = [
        subprocess.Popen(
            [sys.executable, "-c", CROWD, str(folder), str(most), str(start), *told],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
        )
        for start in range(3)
    ]
    assert [process.communicate()[1] for process in crowd] == [""] * 3
    cache = Cache(folder, most)
    cache.put(given[0][1], given[0][0])
    for path, digest in given:
        kept = cache.get(digest)
        assert kept is None or kept.read_bytes() == path.read_bytes()
    assert not list(folder.glob(".part-*"))
