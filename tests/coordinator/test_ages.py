"""Goal: a worker of another release is understood at the door; a person's slip is refused there.
Method: recorded messages with a field more in every record, sent to the whole application."""

from __future__ import annotations

import json

import httpx
import msgspec
import pytest

from leaseway.core.decisions import spoken
from leaseway.core.model.commands import Role
from leaseway.core.model.sync import RegisterReply, SyncReply
from leaseway.wire.problems import Problem
from tests.coordinator.pool import URL
from tests.wire.test_ages import recorded, with_more


async def send(pool, method: str, path: str, role: Role, body: object) -> httpx.Response:
    headers = {"authorization": f"Bearer {pool.secret(role)}"}
    async with httpx.AsyncClient(transport=pool.transport(), base_url=URL) as http:
        return await http.request(method, path, headers=headers, content=json.dumps(body))


async def register(pool, **more: object) -> RegisterReply:
    body = with_more(json.loads(recorded("register_request"))) | more
    answer = await send(pool, "POST", "/v1/register", Role.WORKER, body)
    assert answer.status_code == 200, answer.text
    return msgspec.json.decode(answer.content, type=RegisterReply)


async def sync(pool, seq: int, **more: object) -> SyncReply:
    here = {"incarnation": 1, "seq": seq, "ledger_id": "", "ledger_seen": 0}
    said = json.loads(recorded("sync_request")) | here
    answer = await send(pool, "POST", "/v1/sync", Role.WORKER, with_more(said) | more)
    assert answer.status_code == 200, answer.text
    return msgspec.json.decode(answer.content, type=SyncReply)


async def test_fields_of_a_newer_worker_are_passed_over(pool):
    reply = await register(pool)
    assert (reply.terms.max_run_ms, reply.terms.capacity.slots, reply.findings) == (30_000, 4, ())
    assert (await sync(pool, 1)).state == "active"


@pytest.mark.parametrize(("speaks", "variant"), [(1, "old"), (9, "new")])
async def test_a_worker_too_far_away_is_drained_and_told(pool, monkeypatch, speaks, variant):
    monkeypatch.setattr(spoken, "SPEAKS", 3)
    (found,) = (await register(pool, speaks=speaks)).findings
    assert (found.code, found.variant) == ("LW801", variant)
    said = await sync(pool, 1, speaks=speaks)
    assert (said.state, [each.variant for each in said.findings]) == ("draining", [variant])
    shown = await pool.client().worker("anna")
    assert (shown.state, shown.software) == ("draining", "0.1.0")
    assert "pip install -U leaseway" in shown.cause.mend


async def test_a_slip_of_a_person_is_not_passed_over(pool):
    await register(pool)
    body = {"change": {"capacity": {"slot": 1}}}
    answer = await send(pool, "POST", "/v1/workers/anna/lease", Role.OWNER, body)
    problem = msgspec.json.decode(answer.content, type=Problem)
    assert (answer.status_code, problem.findings[0].code) == (400, "LW901")
    assert "slot" in problem.detail
