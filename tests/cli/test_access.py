"""Goal: who may come in reads well, and what is missing is said before anything is asked. Method:
known records as lines; calls that lack something."""

from __future__ import annotations

import pytest

from leaseway.cli.commands.access import access_lines, invited_lines, revoked_lines
from leaseway.cli.commands.find import found_lines
from leaseway.cli.paint import Paint
from leaseway.client.discovery import Found
from leaseway.wire.access import AccessList, CredentialInfo, InviteReply

NOW = 1_800_000_000_000  # 2027-01-15 08:00:00 UTC


def test_the_table():
    found = AccessList(
        (
            CredentialInfo("owner", "owner", "active", heard_ago_ms=0),
            CredentialInfo("box", "worker", "active", NOW - 60_000, 2_000),
            CredentialInfo("old", "agent", "revoked", NOW - 60_000),
            CredentialInfo("", "worker", "invited", NOW, expires_at=NOW + 3_600_000),
        ),
        NOW,
    )
    assert [line.rstrip() for line in access_lines(found, Paint(False, 100))] == [
        "NAME            ROLE    STATE             SINCE                LAST HEARD",
        "owner           owner   active            file of this state   0s ago",
        "box             worker  active            2027-01-15 07:59:00  2s ago",
        "old             agent   revoked           2027-01-15 07:59:00",
        "(names itself)  worker  invited, 1h left  2027-01-15 08:00:00",
    ]


@pytest.mark.parametrize(
    ("role", "name", "elsewhere", "who", "verb"),
    [
        ("worker", "", ("10.0.0.7:7070",), "a worker", "worker join 10.0.0.7:7070"),
        ("agent", "claude", (), "claude", "connect http://127.0.0.1:7070"),
    ],
)
def test_an_invitation(role, name, elsewhere, who, verb):
    made = InviteReply("TEXT", role, name, NOW + 60_000, NOW, "http://127.0.0.1:7070", elsewhere)
    assert list(invited_lines(made)) == [
        f"Invitation for {who}, role {role}: good once, for 1m",
        "TEXT",
        f"There, and it is asked for: leaseway {verb}",
    ]


def test_revoked():
    (one,) = revoked_lines(CredentialInfo("claude", "agent", "revoked", NOW))
    assert one == "The credential of claude is revoked: it opens nothing any more."
    _, two = revoked_lines(CredentialInfo("box", "worker", "revoked", NOW))
    assert two.endswith("leaseway revoke box takes its grants back now.")


def test_what_is_found_is_not_trusted():
    paint = Paint(False, 200)
    lines = found_lines([Found("laptop", "10.0.0.7:7070", "0001-0203")], paint)
    assert lines[1].split() == ["laptop", "10.0.0.7:7070", "0001-0203"]
    assert lines[-1].startswith("None of them is trusted")
    assert found_lines([], paint)[0].startswith("Nobody announced a coordinator.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("access", "invite", "--role", "agent"), "Expected --name: who is the agent?"),
        (("access", "invite", "--name", "x"), "Missing option '--role'"),
        (("connect",), "Expected HOST:PORT"),
        (("up", "--lan", "--host", "127.0.0.1"), "--lan listens on every address"),
    ],
)
def test_what_is_missing(run, words, said):
    done = run(*words)
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())
