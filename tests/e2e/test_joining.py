"""Goal: a box joins over TLS with an invitation, and nobody else does. Method: real processes on
loopback with --tls; a second coordinator in the first one's place; every byte that is left."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import socket
import ssl
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from leaseway.cli.joining import JOINED
from leaseway.client import access
from leaseway.client.options import read_credential
from leaseway.demo.pool import LocalPool
from leaseway.wire.access import InviteRequest
from tests.e2e.house import command_line

BOX = ("--for", "1h", "--slots", "2")


@dataclass
class Net:
    """A pool that is asked over TLS, a person's folder, and what was secret."""

    pool: LocalPool
    folder: Path
    secrets: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        return (self.pool.state / "url").read_text().strip().removeprefix("https://")

    def invite(self, role: str, name: str = "") -> str:
        with self.pool.client() as owner:
            made = owner.send(access.invite(InviteRequest(role, name)))
        self.secrets.append(made.invitation)
        return made.invitation

    def run(self, *words: str, given: str = "", state: str = "none") -> subprocess.CompletedProcess:
        """A command of somebody on another machine: another home, another state."""
        environment = self.pool.environment()
        environment["LEASEWAY_STATE"] = str(self.folder / state)
        environment["XDG_CONFIG_HOME"] = str(self.folder / "config")
        environment["XDG_STATE_HOME"] = str(self.folder / "state")
        if state == "none":
            del environment["LEASEWAY_STATE"]
        return subprocess.run(
            self.pool.command(*words),
            input=given,
            capture_output=True,
            check=False,
            text=True,
            timeout=60,
            env=environment,
        )

    def join(self, name: str, invitation: str) -> None:
        """A worker process that is given an invitation on standard input."""
        self.pool.folder.mkdir(exist_ok=True)
        state = self.folder / name
        words = ("worker", "join", self.address, "--state", str(state), "--name", name, *BOX)
        environment = {**self.pool.environment(name), "LEASEWAY_STATE": str(self.folder / "none")}
        with (self.pool.folder / f"{name}.out").open("ab") as out:
            process = subprocess.Popen(
                self.pool.command(*words),
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
        self.pool.members[name] = process
        assert process.stdin is not None
        process.stdin.write(invitation.encode() + b"\n")
        process.stdin.close()
        self.pool.wait(f"worker {name}", lambda: "registered at https://" in self.printed(name))

    def printed(self, member: str) -> str:
        return (self.pool.folder / f"{member}.out").read_text()

    def head(self) -> int:
        with self.pool.client() as owner:
            return owner.about().head


@pytest.fixture
def net(tmp_path: Path) -> Iterator[Net]:
    with LocalPool(tmp_path / "pool") as pool:
        pool.up("--tls", "--patience", "2s")
        yield Net(pool, tmp_path)


def test_from_an_invitation_to_a_result(net: Net):
    """The first hour: a box and an agent come in, a command runs, an owner looks and revokes."""
    net.join("box", net.invite("worker"))
    kept = net.folder / "box" / JOINED
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    connected = net.run("connect", net.address, given=net.invite("agent", "claude"))
    assert connected.returncode == 0, connected.stderr
    ran = net.run("run", "--limit", "20s", "--", "echo", "over tls")
    assert (ran.returncode, ran.stdout) == (0, "over tls\n"), ran.stderr
    mine = net.run("inbox", "--json")
    assert mine.returncode == 0
    assert net.run("access").returncode == 3
    rows = {row["name"]: row for row in listed(net)}
    assert (rows["box"]["role"], rows["claude"]["role"]) == ("worker", "agent")
    assert rows["box"]["heard_ago_ms"] is not None
    revoke(net, "claude")
    again = net.run("workers")
    assert again.returncode == 3
    assert "The credential of claude was revoked." in again.stderr
    net.secrets += [secret_in(kept), secret_in(net.folder / "config/leaseway/connected.credential")]
    nothing_is_left_lying(net)


def test_a_box_comes_back_without_a_new_invitation_and_not_once_it_is_revoked(net: Net):
    net.join("box", net.invite("worker"))
    net.pool.members["box"].terminate()
    assert net.pool.members.pop("box").wait(20) == 0
    revoke(net, "box")
    before = net.head()
    words = ("worker", "join", net.address, "--state", str(net.folder / "box"), "--name", "box")
    back = net.run(*words, *BOX)
    assert back.returncode == 3
    assert "The credential of box was revoked." in back.stdout + back.stderr
    assert net.head() == before


@pytest.mark.parametrize(
    ("spoil", "code", "said"),
    [
        (lambda text: text[:-1] + ("A" if text[-1] != "A" else "B"), 2, "checksum does not fit"),
        (lambda text: text[:20], 2, "an invitation has 56 letters"),
        (lambda text: "", 2, "none was given"),
    ],
    ids=["a letter", "cut off", "nothing"],
)
def test_a_bad_invitation_leaves_nothing(net: Net, spoil, code, said):
    refused(net, spoil(net.invite("worker")), code, said)


def test_a_used_one_leaves_nothing(net: Net):
    invitation = net.invite("agent", "claude")
    assert net.run("connect", net.address, given=invitation).returncode == 0
    refused(net, invitation, 3, "has been used")


def test_a_second_coordinator_in_its_place_gets_nothing(net: Net, tmp_path):
    """The same port, another authority: refused by fingerprint before an invitation is shown, and
    a worker that was joined shows its credential to nobody."""
    address, invitation = net.address, net.invite("worker")
    net.join("box", net.invite("worker"))
    secret = secret_in(net.folder / "box" / JOINED)
    net.pool.members["coordinator"].terminate()
    net.pool.members.pop("coordinator").wait(20)
    with LocalPool(tmp_path / "other") as other:
        other.up("--tls", "--port", address.rpartition(":")[2])
        theirs = Net(other, tmp_path / "elsewhere")
        assert theirs.address == address
        before = theirs.head()
        refused(theirs, invitation, 3, f"nother coordinator answers at https://{address}", before)
        net.pool.wait(
            "the worker to see it",
            lambda: "another coordinator answers there" in net.printed("box"),
        )
        assert theirs.head() == before
        left = every_byte(tmp_path / "other")
        assert secret.encode() not in left
        assert invitation.encode() not in left


def test_on_loopback_without_tls_an_agent_gets_a_credential_of_its_own(tmp_path):
    """An invitation without a fingerprint is redeemed on this machine, over plain HTTP."""
    with LocalPool(tmp_path / "pool") as pool:
        pool.up()
        net = Net(pool, tmp_path)
        address = net.address.removeprefix("http://")
        invitation = net.invite("agent", "claude")
        done = net.run("connect", address, given=invitation)
        assert done.returncode == 0, done.stderr
        assert f"Connected to http://{address} as claude" in done.stdout
        assert net.run("plans").returncode == 0
        far = net.run("connect", "192.0.2.1:7070", given=net.invite("agent", "other"))
        assert far.returncode == 3
        assert "on its own machine, unencrypted" in " ".join(far.stderr.split())
        assert net.run("connect", "--forget").stdout == "Forgotten.\n"
        assert net.run("plans").returncode == 5


def test_there_is_no_door_without_tls(net: Net):
    """Plain HTTP gets no word, and an older TLS no handshake."""
    host, port = net.address.split(":")
    with socket.create_connection((host, int(port)), timeout=10) as plain:
        plain.sendall(b"GET /v1/ca HTTP/1.1\r\nHost: x\r\n\r\n")
        with contextlib.suppress(ConnectionResetError):
            assert b"HTTP" not in plain.recv(4_096)
    older = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    older.check_hostname, older.verify_mode = False, ssl.CERT_NONE
    older.maximum_version = ssl.TLSVersion.TLSv1_2
    with (
        socket.create_connection((host, int(port)), timeout=10) as raw,
        pytest.raises(ssl.SSLError),
    ):
        older.wrap_socket(raw)


def test_typed_unseen(net: Net):
    """At a terminal the invitation is asked for, and what is typed does not appear."""
    invitation = net.invite("viewer", "guest")
    environment = {**net.pool.environment(), "XDG_CONFIG_HOME": str(net.folder / "config")}
    ours, theirs = pty.openpty()
    words = net.pool.command("connect", net.address)
    process = subprocess.Popen(
        words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
    )
    os.close(theirs)
    seen = b""
    while b"(not shown): " not in seen:
        seen += os.read(ours, 4_096)
    os.write(ours, invitation.encode() + b"\n")
    with contextlib.suppress(OSError):  # the other end is closed
        while piece := os.read(ours, 4_096):
            seen += piece
    os.close(ours)
    assert process.wait(20) == 0
    assert b"as guest, role viewer" in seen
    assert invitation.encode() not in seen
    assert invitation[:8].encode() not in seen


def refused(net: Net, invitation: str, code: int, said: str, before: int | None = None) -> None:
    """As a worker and as a client: told why, nothing stored, nothing in the ledger."""
    before = net.head() if before is None else before
    state = net.folder / "new"
    as_worker = ("worker", "join", net.address, "--state", str(state), "--name", "new", *BOX)
    for words in (as_worker, ("connect", net.address)):
        done = net.run(*words, given=invitation + "\n", state="nowhere")
        told = " ".join((done.stdout + done.stderr).split())
        assert said in told
        assert done.returncode == code
        assert "Traceback" not in told
    assert not state.exists()
    assert net.head() == before


def revoke(net: Net, name: str) -> None:
    with net.pool.client() as owner:
        assert owner.send(access.revoke(name)).state == "revoked"


def listed(net: Net) -> list[dict]:
    """As the owner on the coordinator's own machine sees it."""
    done = net.run("access", "--json", "--state", str(net.pool.state))
    found: list[dict] = json.loads(done.stdout)["credentials"]
    return found


def secret_in(path: Path) -> str:
    return read_credential(path).secret


def every_byte(folder: Path) -> bytes:
    """Everything in a folder but credential files."""
    files = [each for each in folder.rglob("*") if each.is_file()]
    return b"\0".join(each.read_bytes() for each in files if each.suffix != ".credential")


def nothing_is_left_lying(net: Net) -> None:
    """No secret in ledger, logs, printed lines, events, command lines or environments."""
    local = [secret_in(each) for each in net.pool.state.glob("*.credential")]
    secrets = [*net.secrets, *local]
    assert len(secrets) >= 8
    with net.pool.client() as owner:
        events = str(owner.events(limit=500)).encode()
    left = every_byte(net.pool.folder) + every_byte(net.folder / "box") + events
    for member in net.pool.members:
        for pid in net.pool.pids(member):
            left += command_line(pid).encode() + Path(f"/proc/{pid}/environ").read_bytes()
    for secret in secrets:
        assert secret.encode() not in left
        assert secret.replace("-", "").encode() not in left
