"""A coordinator's desk, played by a test: takes what a worker says, answers as laid out."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec

from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Terms, Window
from leaseway.core.model.sync import (
    AttemptRef,
    EndingReport,
    Grant,
    RegisterReply,
    RegisterRequest,
    SyncReply,
    SyncRequest,
)
from leaseway.wire.problems import MEDIA_TYPE, refusal
from tests.worker.shelf import Shelf

HELD_S = 2.0


class Desk:
    """`next` is what the next sync is answered with beside settling; without anything to say a
    call is held. `fence`: answer every sync with this variant of LW801."""

    def __init__(self) -> None:
        self.registered: list[RegisterRequest] = []
        self.syncs: list[SyncRequest] = []
        self.endings: dict[AttemptRef, EndingReport] = {}
        self.logs: dict[tuple[AttemptRef, str], bytearray] = {}
        self.whole: set[tuple[AttemptRef, str]] = set()
        self.back: set[AttemptRef] = set()
        self.next: dict[str, Any] = {}
        self.fence: Finding | None = None
        self.settles = True
        self.patience_ms = 15_000
        self.connections: set[Any] = set()
        self.shelf = Shelf()
        self._moved = threading.Condition()
        handler = type("Handler", (_Handler,), {"desk": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def say(self, **reply: Any) -> None:
        with self._moved:
            self.next.update(reply)
            self._moved.notify_all()

    def grant(self, name: str, run: str, **more: Any) -> AttemptRef:
        ref = AttemptRef(name, 1)
        fields: dict[str, Any] = {
            "reserved_ms": 60_000,
            "not_before_in_ms": 0,
            "start_by_in_ms": 600_000,
            "stop_latest_in_ms": 3_600_000,
        }
        self.say(start=(Grant(ref=ref, run=run, **{**fields, **more}),))
        return ref

    def is_back(self, ref: AttemptRef) -> bool:
        return ref in self.back

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def register(self, request: RegisterRequest) -> RegisterReply:
        self.registered.append(request)
        terms = Terms(windows=(Window(0),), capacity=request.offer.capacity)
        return RegisterReply(len(self.registered), "ledger-1", 0, 1, terms, self.patience_ms)

    def sync(self, request: SyncRequest) -> SyncReply | Finding:
        with self._moved:
            self.syncs.append(request)
            self._moved.notify_all()  # lets an older call go
            self.endings.update({report.ref: report for report in request.endings})
            self.back.update(request.back)
            if self.fence is not None:
                return self.fence
            settled = tuple(report.ref for report in request.endings) if self.settles else ()
            if not settled and not request.back:
                self._moved.wait_for(lambda: self.next or self._is_old(request), HELD_S)
            if self._is_old(request):
                return SyncReply(for_seq=request.seq, superseded=True)
            said, self.next = self.next, {}
            return SyncReply(for_seq=request.seq, ledger_id="ledger-1", settled=settled, **said)

    def _is_old(self, request: SyncRequest) -> bool:
        last = self.syncs[-1]
        return (last.incarnation, last.seq) > (request.incarnation, request.seq)

    def log(self, ref: AttemptRef, query: dict[str, list[str]], data: bytes) -> int:
        key = (ref, query["stream"][0])
        have = self.logs.setdefault(key, bytearray())
        offset = int(query["offset"][0])
        assert offset <= len(have)
        have += data[len(have) - offset :]
        if query.get("end"):
            self.whole.add(key)
        return len(have)


class _Handler(BaseHTTPRequestHandler):
    desk: Desk
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        try:
            self.desk.shelf.answer(self)
        except OSError:
            self.close_connection = True

    do_HEAD = do_PUT = do_GET  # noqa: N815

    def do_POST(self) -> None:
        self.desk.connections.add(self.client_address)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        path = urlsplit(self.path)
        answer: Any
        if self.headers["Authorization"] != "Bearer the-secret":
            return self._answer(401, {}, "application/json")
        if path.path == "/v1/register":
            answer = self.desk.register(msgspec.json.decode(body, type=RegisterRequest))
        elif path.path == "/v1/sync":
            answer = self.desk.sync(msgspec.json.decode(body, type=SyncRequest))
        else:
            query = parse_qs(path.query)
            ref = AttemptRef(unquote(path.path.removeprefix("/v1/logs/")), int(query["attempt"][0]))
            answer = {"size": self.desk.log(ref, query, body)}
        if isinstance(answer, Finding):
            return self._answer(409, refusal("fenced", (answer,)), MEDIA_TYPE)
        return self._answer(200, answer, "application/json")

    def _answer(self, status: int, said: Any, kind: str) -> None:
        data = msgspec.json.encode(said)
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except OSError:
            self.close_connection = True
