"""Goal: an archive is kept whole under its own digest or not at all, and given to those who may
have it. Method: archives made by hand, through the real routes; digests by hashlib."""

from __future__ import annotations

import gzip
import hashlib
import os

import httpx
import pytest
from msgspec.structs import replace

from leaseway.coordinator import blobs
from leaseway.coordinator.blobs import BlobStore, NoRoom, NotThat, TooBig
from leaseway.coordinator.routes import blobs as routes
from leaseway.core.model.commands import Role
from leaseway.core.model.plan import Archive, Workspace
from leaseway.wire.plans import SubmitRequest
from tests.coordinator.pool import URL, plan, spec


def made(content: bytes, level: int = 6) -> tuple[str, bytes]:
    """Digest and bytes of an archive with this content."""
    return "sha256:" + hashlib.sha256(content).hexdigest(), gzip.compress(content, level, mtime=0)


def put(store, digest, data, step=7):
    with store.receiving(digest) as receiving:
        for at in range(0, len(data), step):
            receiving.take(data[at : at + step])


def put_on_full_disk(store, digest, data):
    with open("/dev/full", "wb", buffering=0) as full, store.receiving(digest) as receiving:
        receiving._out = full
        receiving.take(data)


def names(store_folder):
    return sorted(path.name for path in store_folder.iterdir()) if store_folder.exists() else []


@pytest.fixture
def store(tmp_path):
    return BlobStore(tmp_path / "blobs", most_bytes=1_000, most_of_one=600)


def test_an_archive_is_there_under_its_digest(store):
    digest, data = made(b"hello" * 100)
    assert store.size(digest) is None
    put(store, digest, data)
    assert store.size(digest) == len(data)
    assert store.path(digest).read_bytes() == data


def test_the_name_is_of_the_content_not_of_how_it_was_compressed(store):
    digest, data = made(b"hello" * 100, level=1)
    other, best = made(b"hello" * 100, level=9)
    assert digest == other
    assert data != best
    put(store, digest, best)
    assert store.size(digest) == len(best)


@pytest.mark.parametrize(
    ("spoiled", "said"),
    [
        (lambda data: data[:-1], "ends in the middle"),
        (lambda data: data + b"x", "follows the end"),
        (lambda data: b"not gzip at all", "no archive"),
        (lambda data: b"", "ends in the middle"),
        (lambda data: gzip.compress(b"another", mtime=0), "its digest is"),
    ],
)
def test_what_is_not_that_archive_is_not_kept(store, tmp_path, spoiled, said):
    digest, data = made(b"hello" * 100)
    with pytest.raises(NotThat, match=said):
        put(store, digest, spoiled(data))
    assert names(tmp_path / "blobs") == []


def test_an_archive_that_unpacks_to_too_much_is_not_kept(store, tmp_path, monkeypatch):
    monkeypatch.setattr(blobs, "MOST_CONTENT", 1 << 20)
    digest, data = made(bytes(10 << 20))
    assert len(data) < 20_000
    with pytest.raises(TooBig):
        put(store, digest, data, step=4096)
    assert names(tmp_path / "blobs") == []


def test_a_full_disk_keeps_nothing(store, tmp_path):
    digest, data = made(b"hello")
    with pytest.raises(OSError, match="No space"):
        put_on_full_disk(store, digest, data)
    assert names(tmp_path / "blobs") == []


def test_a_full_store_lets_go_of_what_was_not_asked_for_longest(store):
    kept = {}
    for at, letter in enumerate("abc"):
        digest, data = made(os.urandom(250))
        kept[letter] = digest
        put(store, digest, data)
        os.utime(store.path(digest), (at, at))
    store.make_room(400, needed={kept["a"]})
    assert [letter for letter in "abc" if store.size(kept[letter]) is None] == ["b"]


def test_what_is_needed_is_never_let_go(store):
    needed = set()
    for _ in range(3):
        digest, data = made(os.urandom(250))
        put(store, digest, data)
        needed.add(digest)
    with pytest.raises(NoRoom, match="still needed"):
        store.make_room(400, needed)
    with pytest.raises(TooBig):
        store.make_room(601, set())
    assert all(store.size(digest) for digest in needed)


def test_what_an_earlier_coordinator_left_half_received_is_removed(store, tmp_path):
    digest, data = made(b"hello")
    put(store, digest, data)
    (tmp_path / "blobs" / "blob-1.part").write_bytes(b"half")
    store.sweep()
    assert names(tmp_path / "blobs") == [digest.removeprefix("sha256:")]


async def send(pool, method, digest, role, content=None, **query):
    headers = {"authorization": f"Bearer {pool.secret(role)}"}
    async with httpx.AsyncClient(transport=pool.transport(), base_url=URL) as http:
        path = f"/v1/blobs/{digest}"
        return await http.request(method, path, headers=headers, content=content, params=query)


async def hand_in(pool, tree):
    given = replace(plan(spec("a")), workspace=tree)
    return await pool.client(Role.OWNER).submit(SubmitRequest(given))


async def test_handed_in_and_received_again(pool):
    digest, data = made(b"hello" * 1000)
    answer = await send(pool, "PUT", digest, Role.AGENT, data)
    assert (answer.status_code, answer.json()) == (200, {"digest": digest, "bytes": len(data)})
    again = await send(pool, "PUT", digest, Role.OWNER, b"whatever, it is there")
    assert again.json() == {"digest": digest, "bytes": len(data)}
    assert (await send(pool, "HEAD", digest, Role.AGENT)).status_code == 200
    assert (await send(pool, "GET", digest, Role.VIEWER)).content == data


async def test_one_that_fills_the_last_batch_to_the_brim(pool, monkeypatch):
    digest, data = made(os.urandom(3_000))
    monkeypatch.setattr(routes, "_BATCH", len(data))
    answer = await send(pool, "PUT", digest, Role.AGENT, data)
    assert (answer.status_code, answer.json()["bytes"]) == (200, len(data))


async def test_one_that_is_not_there(pool):
    digest, _ = made(b"nobody handed this in")
    answer = await send(pool, "GET", digest, Role.OWNER)
    assert answer.status_code == 404
    assert "hand it in first" in answer.json()["detail"]
    assert (await send(pool, "HEAD", digest, Role.OWNER)).status_code == 404


async def test_a_worker_that_asks_before_it_hands_in_is_not_told_of_as_refused(pool, caplog):
    """It learns nothing of what others handed in, and nobody is alarmed; receiving is refused."""
    digest, data = made(b"of another")
    await send(pool, "PUT", digest, Role.AGENT, data)
    asked = await send(pool, "HEAD", digest, Role.WORKER, worker="box")
    assert asked.status_code == 404
    assert "refused" not in caplog.text
    asked = await send(pool, "GET", digest, Role.WORKER, worker="box")
    assert asked.status_code == 403
    assert "may not receive" in caplog.text


@pytest.mark.parametrize("name", ["nope", "sha256:..", "sha256:" + "A" * 64, "sha256:" + "0" * 63])
async def test_a_name_that_is_no_digest_leads_nowhere(pool, name):
    for method in ("GET", "PUT"):
        answer = await send(pool, method, name, Role.OWNER, b"x")
        assert answer.status_code == 400
        assert answer.json()["findings"][0]["code"] == "LW901"


async def test_another_content_than_its_name_is_refused(pool):
    digest, _ = made(b"one")
    _, data = made(b"two")
    answer = await send(pool, "PUT", digest, Role.AGENT, data)
    assert answer.status_code == 400
    assert "its digest is" in answer.json()["findings"][0]["sentence"]
    assert (await send(pool, "HEAD", digest, Role.OWNER)).status_code == 404


async def test_without_room_it_says_so_and_keeps_nothing(pool):
    pool.house.blobs = BlobStore(pool.house.blobs._folder, most_bytes=10, most_of_one=1_000)
    digest, data = made(b"hello" * 100)
    answer = await send(pool, "PUT", digest, Role.AGENT, data)
    assert answer.status_code == 507
    assert "Nothing of it was kept" in answer.json()["detail"]
    pool.house.blobs = BlobStore(pool.house.blobs._folder, most_bytes=10, most_of_one=20)
    assert (await send(pool, "PUT", digest, Role.AGENT, data)).status_code == 413


async def test_a_plan_whose_tree_was_not_handed_in_is_not_accepted(pool):
    await pool.join()
    digest, data = made(b"a tree")
    tree = Workspace(Archive(digest, len(data), 1))
    before = pool.service.view.facts.position
    with pytest.raises(Exception, match="hand it in first"):
        await hand_in(pool, tree)
    assert pool.service.view.facts.position == before
    await send(pool, "PUT", digest, Role.AGENT, data)
    assert (await hand_in(pool, tree)).plan == "nightly-1"


async def test_a_worker_receives_what_its_own_attempts_are_made_of(pool):
    await pool.join()
    digest, data = made(b"a tree")
    await send(pool, "PUT", digest, Role.AGENT, data)
    refused = await send(pool, "GET", digest, Role.WORKER, worker="box")
    assert refused.status_code == 403
    await hand_in(pool, Workspace(Archive(digest, len(data), 1)))
    await pool.sync()
    assert (await send(pool, "GET", digest, Role.WORKER, worker="box")).content == data
    assert (await send(pool, "GET", digest, Role.WORKER, worker="mini")).status_code == 403
