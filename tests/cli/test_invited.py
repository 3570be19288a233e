"""Goal: whoever is asked for an invitation does not type it in vain. Method: a port on which nobody
listens, and one on which somebody does."""

from __future__ import annotations

import getpass
import socket

import pytest

from leaseway.cli.exits import Exit
from leaseway.cli.faults import Fault
from leaseway.cli.invited import redeem
from leaseway.client.errors import Unreachable
from leaseway.client.joining import CLIENT, Joiner, knock


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


def address(listener: socket.socket) -> str:
    return f"127.0.0.1:{listener.getsockname()[1]}"


def test_nobody_is_asked_for_an_invitation_where_nobody_listens(listener, monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    asked: list[str] = []

    def nothing_typed(prompt: str) -> str:
        asked.append(prompt)
        return ""

    monkeypatch.setattr(getpass, "getpass", nothing_typed)
    with pytest.raises(Fault, match="none was given"):
        redeem(address(listener), Joiner(CLIENT))
    assert len(asked) == 1
    nowhere = address(listener)
    listener.close()
    with pytest.raises(Fault, match=f"answered at https://{nowhere} .Connection refused") as told:
        redeem(nowhere, Joiner(CLIENT))
    assert told.value.exit_code == Exit.UNREACHABLE
    assert len(asked) == 1


@pytest.mark.parametrize("given", ["nonsense", "host:port", "host:70707", "http://[::1", ""])
def test_what_is_no_address_is_not_knocked_at(given):
    knock(given)


def test_somebody_who_says_nothing_is_there_and_nobody_is_told_with_the_reason(listener):
    knock(address(listener))
    knock(f"http://{address(listener)}")
    nowhere = address(listener)
    listener.close()
    with pytest.raises(Unreachable, match="Connection refused"):
        knock(nowhere)
