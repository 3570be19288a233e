"""Goal: a joining whose reply is lost is one joining; nothing secret goes to whoever happens to
answer. Method: a played coordinator on loopback that drops, lies or is not there."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec
import pytest

from leaseway.client.errors import NotAllowed, Unreachable
from leaseway.client.invitation import fresh_invitation
from leaseway.client.joining import CLIENT, Joiner, join
from leaseway.core.model.findings import Finding
from leaseway.wire.access import JoinReply, JoinRequest
from leaseway.wire.problems import MEDIA_TYPE, Kind, finding_problem

CLAUDE = Joiner(CLIENT, "claude", host="laptop")


class Desk:
    """`answers`: what is said to one call after the other; None: the connection is dropped."""

    def __init__(self, *answers: object) -> None:
        self.asked: list[JoinRequest] = []
        self.answers = list(answers)
        handler = type("Handler", (_Handler,), {"desk": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class _Handler(BaseHTTPRequestHandler):
    desk: Desk

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.desk.asked.append(msgspec.json.decode(body, type=JoinRequest))
        answer = self.desk.answers.pop(0)
        if answer is None:
            return
        is_yes = isinstance(answer, JoinReply)
        data = msgspec.json.encode(answer)
        self.send_response(200 if is_yes else 403)
        self.send_header("content-type", "application/json" if is_yes else MEDIA_TYPE)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def desks() -> Iterator[list[Desk]]:
    made: list[Desk] = []
    yield made
    for each in made:
        each.server.shutdown()
        each.server.server_close()


def desk_of(desks: list[Desk], *answers: object) -> Desk:
    desks.append(Desk(*answers))
    return desks[-1]


def test_a_lost_reply_is_asked_for_again_with_the_same_secret(desks):
    desk = desk_of(desks, None, JoinReply("claude", "agent"))
    invitation = fresh_invitation(b"")
    file = join(desk.address, invitation, CLAUDE)
    first, second = desk.asked
    assert first == second
    assert first.secret == file.secret
    assert first.invitation == invitation.secret.hex()
    assert (file.name, file.role, file.url) == ("claude", "agent", f"http://{desk.address}")


def test_two_joinings_have_two_secrets(desks):
    said = JoinReply("claude", "agent")
    desk = desk_of(desks, said, said)
    for _ in range(2):
        join(desk.address, fresh_invitation(b""), CLAUDE)
    assert desk.asked[0].secret != desk.asked[1].secret


def test_a_no_is_raised_as_it_was_said(desks):
    no = finding_problem(Kind.NOT_ALLOWED, Finding("LW802", variant="invitation-used"))
    with pytest.raises(NotAllowed, match="has been used"):
        join(desk_of(desks, no).address, fresh_invitation(b""), CLAUDE)


def test_who_speaks_no_tls_is_told_no_secret(desks):
    desk = desk_of(desks)
    with pytest.raises(Unreachable):
        join(desk.address, fresh_invitation(b"f" * 32), CLAUDE)
    assert desk.asked == []
