"""Archives on a played desk: what it keeps, what it refuses, and where its link breaks."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec

from leaseway.core.model.plan import Archive
from leaseway.worker.views import Views
from leaseway.workspace.cache import Cache
from leaseway.workspace.listing import tree_of
from leaseway.workspace.packing import pack
from leaseway.workspace.unpacking import unpack


class Shelf:
    """`status`: what a method is answered with instead. `cut`: after so many bytes of a body the
    next answer breaks off, once each. `open`: while it is not set, nothing is answered."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.asked: list[tuple[str, str, int]] = []  # method, digest, first byte
        self.status: dict[str, int] = {}
        self.cut: list[int] = []
        self.open = threading.Event()
        self.open.set()

    def add(self, folder: Path, files: dict[str, str]) -> Archive:
        """A tree of these files, as an archive that is kept here."""
        tree = folder / f"tree-{len(self.kept)}"
        for name, text in files.items():
            path = tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        out = folder / f"archive-{len(self.kept)}"
        packed = pack(tree_of(tree), out)
        self.kept[packed.digest] = out.read_bytes()
        return Archive(packed.digest, packed.archive_bytes, packed.files)

    def unpacked(self, archive: Archive, into: Path) -> tuple[dict[str, str], tuple[str, ...]]:
        """The files of an archive that was brought here, and what it deletes."""
        path = into.with_suffix(".tar.gz")
        path.write_bytes(self.kept[archive.digest])
        done = unpack(path, into, archive.digest)
        names = sorted(name for name in done.manifest.entries)
        return {name: (into / name).read_text() for name in names}, done.deleted

    def count(self, method: str) -> int:
        """How often it was asked so."""
        return sum(asked[0] == method for asked in self.asked)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """One request about one archive."""
        method = handler.command
        digest = unquote(urlsplit(handler.path).path.rpartition("/")[2])
        asked = handler.headers.get("Range", "bytes=0-")
        first = int(asked.removeprefix("bytes=").rstrip("-"))
        self.asked.append((method, digest, first))
        body = handler.rfile.read(int(handler.headers.get("Content-Length", "0")))
        self.open.wait(20)
        status = self.status.get(method, 0)
        if not status and method == "PUT":
            self.kept[digest] = body
            said = {"digest": digest, "bytes": len(body)}
            return _say(handler, 200, msgspec.json.encode(said))
        data = self.kept.get(digest)
        if status or data is None:
            return _say(handler, status or 404, b"")
        if method == "HEAD":
            return _say(handler, 200, data)
        return self._send(handler, data, first)

    def _send(self, handler: BaseHTTPRequestHandler, data: bytes, first: int) -> None:
        most = self.cut.pop(0) if self.cut else len(data)
        handler.send_response(206 if first else 200)
        handler.send_header("Content-Length", str(len(data) - first))
        handler.end_headers()
        handler.wfile.write(data[first : first + most])
        if first + most < len(data):
            handler.close_connection = True
            handler.connection.close()


def _say(handler: BaseHTTPRequestHandler, status: int, body: bytes) -> None:
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(body)


class Here:
    """Views and a cache of one state folder, without any daemon."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.views = Views(state / "views", "spool-1")
        self.cache = Cache(state / "cache", 10_000_000)
        self.shelf = Shelf()

    def layer(self, **files: str) -> Archive:
        """An archive in the cache. A `_` in a name stands for a `/`."""
        named = {name.replace("_", "/"): text for name, text in files.items()}
        archive = self.shelf.add(self.state, named)
        path = self.state / "passing"
        path.write_bytes(self.shelf.kept[archive.digest])
        self.cache.put(archive.digest, path)
        return archive
