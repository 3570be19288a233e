"""Goal: who may not is refused, told in one line of the log, and nothing runs. Method: every route
with every role and with none; a worker that speaks for another; a ledger that does not move."""

from __future__ import annotations

import logging

import httpx
import pytest

from leaseway.client import access, calls
from leaseway.client.calls import LogPiece
from leaseway.client.errors import NotAllowed
from leaseway.client.invitation import read_invitation
from leaseway.coordinator import table
from leaseway.core.model.commands import Role
from leaseway.wire.access import InviteRequest, JoinRequest
from leaseway.wire.plans import SubmitRequest
from tests.coordinator.pool import URL, Pool, plan, registering, spec, syncing
from tests.coordinator.test_roles import address

OPEN = {"authority", "join"}
SECRET = "mini-has-made-this-secret-and-nobody-else-has-it"


async def send(pool: Pool, call, secret: str | None):
    """One call with this secret, as a client sends it."""
    headers = {} if secret is None else {"authorization": f"Bearer {secret}"}
    async with httpx.AsyncClient(transport=pool.transport(), base_url=URL) as http:
        return await http.request(
            call.method, call.path, headers=headers, content=call.body, params=call.query
        )


async def invited_worker(pool: Pool, name: str = "mini") -> str:
    """The secret of a worker that came in with an invitation."""
    made = await pool.client().send(access.invite(InviteRequest("worker", name)))
    invitation = read_invitation(made.invitation).secret.hex()
    request = JoinRequest(invitation, SECRET, "worker", host="box")
    assert (await pool.client().send(access.join(request))).name == name
    return SECRET


def position(pool: Pool) -> int:
    return pool.service.view.facts.position


def lines(caplog) -> list[str]:
    return [each.getMessage() for each in caplog.records if "refused" in each.getMessage()]


@pytest.mark.parametrize("endpoint", table.ENDPOINTS, ids=lambda each: each.handler.__name__)
async def test_every_route_for_every_role_and_for_none(pool, endpoint):
    """The table says who may; what it does not say is shut."""
    asked: list[Role | None] = [None, *Role]
    for role in asked:
        headers = {} if role is None else {"authorization": f"Bearer {pool.secret(role)}"}
        async with httpx.AsyncClient(transport=pool.transport(), base_url=URL) as http:
            answer = await http.request(endpoint.method, address(endpoint), headers=headers)
        if endpoint.is_open:
            assert answer.status_code not in (401, 403)
        elif role is None:
            assert answer.status_code == 401
        else:
            assert (answer.status_code == 403) == (role not in endpoint.roles)
            assert answer.status_code != 401


def test_only_these_need_no_credential():
    assert {each.handler.__name__ for each in table.ENDPOINTS if each.is_open} == OPEN


@pytest.mark.parametrize("secret", [None, "guessed"])
async def test_without_a_credential(pool, caplog, secret):
    await pool.join()
    before = position(pool)
    answer = await send(pool, calls.submit(SubmitRequest(plan(spec("a")))), secret)
    assert answer.status_code == 401
    assert position(pool) == before
    assert lines(caplog) == ["refused: nobody known from 127.0.0.1 may not hand in a plan"]
    assert "guessed" not in caplog.text


async def test_with_a_viewers(pool, caplog):
    await pool.join()
    before = position(pool)
    for _ in range(3):
        call = calls.submit(SubmitRequest(plan(spec("a"))))
        answer = await send(pool, call, pool.secret(Role.VIEWER))
        assert answer.status_code == 403
        assert answer.json()["nothing_ran"] is True
    assert position(pool) == before
    assert lines(caplog) == ["refused: viewer from 127.0.0.1 may not hand in a plan"]
    assert pool.secret(Role.VIEWER) not in caplog.text


async def test_a_refusal_is_told_again_after_a_minute(pool, caplog):
    for later_ms in (0, 59_999, 1):
        pool.clock.at += later_ms
        await send(pool, access.credentials(), None)
    assert len(lines(caplog)) == 2


async def test_with_another_workers(pool, caplog):
    """An invited worker says nothing in the name of another: no register, no sync, no output."""
    await pool.join()
    await pool.submit(spec("a"))
    (grant, *_) = (await pool.sync()).start
    secret = await invited_worker(pool)
    before = position(pool)
    piece = LogPiece("box", grant.ref.task, grant.ref.number, "stdout", 0, b"forged")
    for call in (calls.register(registering()), calls.sync(syncing(seq=9)), calls.write_log(piece)):
        answer = await send(pool, call, secret)
        assert answer.status_code == 403
        (finding,) = answer.json()["findings"]
        assert (finding["code"], finding["variant"]) == ("LW802", "bound")
        assert finding["sentence"].startswith("The credential of mini speaks for mini only")
    assert position(pool) == before
    assert (await pool.client().log(grant.ref.task)).data == b""
    assert lines(caplog) == [
        f"refused: mini from 127.0.0.1 may not {what}"
        for what in ("register a worker", "sync a worker", "write output")
    ]
    assert SECRET not in caplog.text


async def test_another_workers_tree_is_not_given_out(pool):
    secret = await invited_worker(pool)
    place = "/v1/blobs/sha256:" + "a" * 64
    headers = {"authorization": f"Bearer {secret}"}
    async with httpx.AsyncClient(transport=pool.transport(), base_url=URL) as http:
        answer = await http.get(place, headers=headers, params={"worker": "box"})
    assert answer.status_code == 403
    assert answer.json()["findings"][0]["variant"] == "bound"


async def test_an_invited_worker_speaks_for_itself(pool):
    secret = await invited_worker(pool)
    assert (await send(pool, calls.register(registering("mini")), secret)).status_code == 200
    assert (await send(pool, calls.sync(syncing("mini", 1)), secret)).status_code == 200


async def test_a_revoked_credential_that_calls_again(pool, caplog):
    secret = await invited_worker(pool)
    await send(pool, calls.register(registering("mini")), secret)
    await pool.client().send(access.revoke("mini"))
    before = position(pool)
    answer = await send(pool, calls.sync(syncing("mini", 1)), secret)
    assert answer.status_code == 401
    (finding,) = answer.json()["findings"]
    assert (finding["variant"], finding["numbers"]) == ("revoked", {"by": "mini"})
    assert position(pool) == before
    assert lines(caplog) == ["refused: mini from 127.0.0.1 may not sync a worker"]


async def test_who_is_invited_is_who_asks(pool):
    """Plans and inbox belong to the name of the credential."""
    await pool.join()
    made = await pool.client().send(access.invite(InviteRequest("agent", "claude")))
    invitation = read_invitation(made.invitation).secret.hex()
    await pool.client().send(access.join(JoinRequest(invitation, SECRET, "client", host="x")))
    answer = await send(pool, calls.submit(SubmitRequest(plan(spec("a")))), SECRET)
    name = answer.json()["plan"]
    assert (await pool.client().plan(name)).principal == "claude"
    with pytest.raises(NotAllowed, match="agent is an agent and may not cancel what claude"):
        await pool.client(Role.AGENT).cancel(name)
    ref = await pool.run_one()
    assert (await send(pool, calls.inbox(None, 5), SECRET)).json()["principal"] == "claude"
    assert [t.id for t in (await pool.client().inbox("claude")).tasks] == [ref.task]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{}", 400),
        (b"[" * 5_000, 413),
        (b'{"invitation":"x","secret":"short","kind":"client","host":"h"}', 400),
        (b'{"invitation":"x","secret":"%s","kind":"owner","host":"h"}' % (b"s" * 43), 400),
        (b'{"invitation":"x","secret":"%s","kind":"client"}' % (b"s" * 43), 400),
        (b'{"invitation":"x","secret":"%s","kind":"client","host":"../x"}' % (b"s" * 43), 400),
        (b'{"invitation":"x","secret":"%s","kind":"client","host":"h"}' % (b"s" * 43), 403),
    ],
)
async def test_what_a_stranger_may_send(pool, body, status):
    async with httpx.AsyncClient(transport=pool.transport(), base_url=URL) as http:
        answer = await http.post("/v1/join", content=body)
    assert answer.status_code == status
    assert pool.house.access.listed(0)[4:] == ()


async def test_an_unencrypted_coordinator_has_no_authority(pool):
    answer = await send(pool, access.authority(), None)
    assert answer.status_code == 404


@pytest.fixture(autouse=True)
def _warnings(caplog):
    caplog.set_level(logging.WARNING)
