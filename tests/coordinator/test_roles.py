"""Goal: every role may do exactly what the table says. Method: every role on every route, and every
route without a credential."""

from __future__ import annotations

import re

import httpx
import pytest

from leaseway.coordinator import table
from leaseway.core.model.commands import Role
from tests.coordinator.pool import URL, spec

ENDPOINTS = [each for each in table.ENDPOINTS if not each.is_open]
EXPECTED = {
    Role.OWNER: "about acknowledge answer_approval approvals blob cancel change_lease credentials"
    " events explain give_up history inbox invite keep_blob plan plans policy read_log record"
    " revoke revoke_access set_policy set_state submit task tasks worker workers",
    Role.AGENT: "about acknowledge approvals blob cancel events explain give_up history inbox"
    " keep_blob plan plans policy read_log record submit task tasks worker workers",
    Role.VIEWER: "about approvals blob events explain history inbox plan plans policy read_log"
    " record task tasks worker workers",
    Role.WORKER: "about blob keep_blob register sync worker workers write_log",
}


def address(endpoint) -> str:
    return re.sub(r"\{\w+(:path)?\}", "nope", endpoint.path)


async def send(pool, endpoint, secret: str | None) -> httpx.Response:
    headers = {} if secret is None else {"authorization": f"Bearer {secret}"}
    async with httpx.AsyncClient(transport=pool.transport(), base_url=URL) as http:
        return await http.request(endpoint.method, address(endpoint), headers=headers, content=b"")


@pytest.mark.parametrize("role", list(Role))
async def test_role_by_route(pool, role):
    may = set()
    for endpoint in ENDPOINTS:
        answer = await send(pool, endpoint, pool.secret(role))
        assert answer.status_code != 401
        if answer.status_code != 403:
            may.add(endpoint.handler.__name__)
            continue
        problem = answer.json()
        assert problem["type"] == "urn:leaseway:problem:not-allowed"
        assert problem["nothing_ran"] is True
        (finding,) = problem["findings"]
        assert (finding["code"], finding["variant"]) == ("LW802", "role")
        assert endpoint.does in finding["sentence"]
    assert may == set(EXPECTED[role].split())


@pytest.mark.parametrize("secret", [None, "", "guessed", "é"])
async def test_without_a_credential_nothing_is_answered(pool, secret):
    for endpoint in ENDPOINTS:
        headers = [] if secret is None else [(b"authorization", f"Bearer {secret}".encode())]
        async with httpx.AsyncClient(transport=pool.transport(), base_url=URL) as http:
            answer = await http.request(endpoint.method, address(endpoint), headers=headers)
        assert answer.status_code == 401, endpoint.path
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.json()["findings"][0]["code"] == "LW802"


async def test_a_refused_role_changes_nothing(pool):
    before = pool.service.view.facts.position
    for role in (Role.VIEWER, Role.WORKER):
        with pytest.raises(Exception, match="may not hand in a plan"):
            await pool.submit(spec("a"), role=role)
    assert pool.service.view.facts.position == before


async def test_agents_touch_only_what_they_handed_in(pool):
    await pool.join()
    await pool.submit(spec("owners"))
    await pool.submit(spec("agents"), role=Role.AGENT)
    agent = pool.client(Role.AGENT)
    for verb in (agent.cancel, agent.give_up):
        with pytest.raises(Exception, match="agent is an agent and may not"):
            await verb("nightly-1/owners")
    with pytest.raises(Exception, match="may not cancel"):
        await agent.cancel("nightly-1")
    await agent.cancel("nightly-2")
    await pool.client(Role.OWNER).cancel("nightly-1/owners")


async def test_agents_acknowledge_only_their_own(pool):
    await pool.join()
    await pool.submit(spec("owners"))
    ref = await pool.run_one()
    agent = pool.client(Role.AGENT)
    with pytest.raises(Exception, match="Nothing ran"):
        await agent.acknowledge([ref.task])
    assert (await agent.acknowledge()).tasks == ()
    assert not (await agent.task(ref.task)).acknowledged
    assert (await pool.client().acknowledge([ref.task])).tasks == (ref.task,)
