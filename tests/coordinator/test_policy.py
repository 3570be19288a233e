"""Goal: owners set the pool's policy and say yes over HTTP, and nobody else does. Method: the whole
application, with every role."""

from __future__ import annotations

import httpx
import msgspec
import pytest

from leaseway.client import access
from leaseway.client import policy as calls
from leaseway.client.asynchronous import AsyncClient
from leaseway.client.errors import (
    ApprovalNeeded,
    Conflict,
    Malformed,
    NotAllowed,
    NotFound,
    Refused,
)
from leaseway.client.invitation import read_invitation
from leaseway.client.options import ClientOptions
from leaseway.core.model.commands import Role
from leaseway.core.model.plan import PlanSpec
from leaseway.core.model.policy import Approve, Policy, Weight
from leaseway.core.model.view import Facts
from leaseway.ledger.encoding import canonical
from leaseway.wire.access import InviteRequest, JoinRequest
from leaseway.wire.plans import SubmitRequest
from tests.coordinator.pool import HOUR, URL, spec

ASKS = Policy(approve=Approve(longer_than_ms=1_000))
PLAN = PlanSpec("nightly", (spec("a", 5_000),))


def hand_in(pool, role=Role.AGENT, **more):
    return pool.client(role).submit(SubmitRequest(PLAN, **more))


async def test_nobody_has_set_one(pool):
    found = await pool.client(Role.VIEWER).send(calls.policy())
    assert (found.version, found.by, found.versions, found.policy) == (0, "", (), Policy())
    assert found.owners == 1


async def test_versions_with_who_and_when(pool):
    owner = pool.client()
    assert (await owner.send(calls.set_policy(ASKS))).version == 1
    pool.clock.at += 5_000
    second = Policy(guard_ms=7)
    said = await owner.send(calls.set_policy(second))
    assert (said.version, said.by, said.policy) == (2, "owner", second)
    assert [(each.version, each.by) for each in said.versions] == [(1, "owner"), (2, "owner")]
    assert said.versions[1].at - said.versions[0].at == 5_000
    first = await owner.send(calls.policy(1))
    assert (first.version, first.in_force, first.policy) == (1, 2, ASKS)
    with pytest.raises(NotFound) as none:
        await owner.send(calls.policy(9))
    assert none.value.problem.findings[0].numbers["name"] == "9"
    with pytest.raises(Malformed):
        await owner.send(calls.policy(-1))


@pytest.mark.parametrize("role", [Role.AGENT, Role.VIEWER, Role.WORKER])
async def test_only_an_owner_sets_it(pool, role):
    with pytest.raises(NotAllowed, match="may not set the policy"):
        await pool.client(role).send(calls.set_policy(Policy(guard_ms=1)))
    assert pool.service.view.facts.rules.versions == []


async def test_one_that_cannot_hold_is_refused_whole(pool):
    owner = pool.client()
    await owner.send(calls.set_policy(ASKS))
    before = pool.service.view.facts.position
    for bad in (
        Policy({"LW302": Weight.TELL, "LW206": Weight.REFUSE}),
        Policy(approve=Approve(roles=("owner",), longer_than_ms=1)),  # there is one owner
    ):
        with pytest.raises(Refused) as no:
            await owner.send(calls.set_policy(bad))
        assert [each.code for each in no.value.problem.findings] == ["LW908"]
    assert pool.service.view.facts.position == before
    assert (await owner.send(calls.policy())).policy == ASKS


@pytest.mark.parametrize(
    "body",
    [
        b'{"policy": {"findings": {"LW206": "maybe"}}}',
        b'{"policy": {"finding": {}}}',
        b'{"policy": {"confidence_ppm": "95%"}}',
        b'{"policy": {"share": {"agent": 1.5}}}',
        b"{}",
    ],
)
async def test_what_is_no_policy_is_malformed(pool, body):
    headers = {"authorization": f"Bearer {pool.secret(Role.OWNER)}"}
    async with httpx.AsyncClient(transport=pool.transport(), base_url=URL) as http:
        answer = await http.post("/v1/policy", content=body, headers=headers)
    assert answer.status_code == 400
    assert pool.service.view.facts.rules.versions == []


async def test_a_trial_sets_nothing(pool):
    assert (await pool.client().send(calls.set_policy(ASKS, dry=True))).version == 0


async def test_asked_answered_and_handed_in_again(pool):
    await pool.join()
    owner, agent = pool.client(), pool.client(Role.AGENT)
    await owner.send(calls.set_policy(ASKS))
    with pytest.raises(ApprovalNeeded) as needed:
        await hand_in(pool)
    problem = needed.value.problem
    assert (problem.status, problem.kind, problem.approval) == (422, "approval-needed", "A-1")
    assert problem.nothing_ran
    assert problem.decision == "declined-1"
    assert [each.variant for each in problem.findings] == ["", "longer"]
    (request,) = (await agent.send(calls.approvals())).approvals
    assert (request.id, request.state, request.principal, request.plan) == (
        "A-1",
        "open",
        "agent",
        "nightly",
    )
    assert (request.tasks[0].name, request.tasks[0].longest_ms) == ("a", 5_000)
    with pytest.raises(NotAllowed):
        await agent.send(calls.answer("A-1", yes=True))
    said = await owner.send(calls.answer("A-1", yes=True, reason="for tonight"))
    assert (said.state, said.by, said.reason) == ("given", "owner", "for tonight")
    assert (await agent.send(calls.approvals())).approvals == ()
    reply = await hand_in(pool)
    shown = await agent.plan(reply.plan)
    assert (shown.policy_version, shown.approval) == (1, "A-1")
    (used,) = (await agent.send(calls.approvals(every=True))).approvals
    assert (used.state, used.accepted) == ("used", reply.plan)
    with pytest.raises(ApprovalNeeded):
        await hand_in(pool)


async def test_answers_that_cannot_be(pool):
    await pool.join()
    owner = pool.client()
    await owner.send(calls.set_policy(ASKS))
    with pytest.raises(NotFound, match="no open request A-9"):
        await owner.send(calls.answer("A-9", yes=True))
    with pytest.raises(ApprovalNeeded):
        await hand_in(pool)
    with pytest.raises(Malformed):
        await owner.send(calls.answer("A-1", yes=True, reason="x" * 501))
    await owner.send(calls.answer("A-1", yes=False))
    with pytest.raises(Conflict):
        await owner.send(calls.answer("A-1", yes=True))
    with pytest.raises(Refused, match="said no") as no:
        await hand_in(pool)
    assert not isinstance(no.value, ApprovalNeeded)


async def test_a_snapshot_keeps_all_of_it(pool):
    await pool.join()
    await pool.client().send(calls.set_policy(ASKS))
    with pytest.raises(ApprovalNeeded):
        await hand_in(pool)
    facts = pool.service.view.facts
    assert canonical(msgspec.json.decode(canonical(facts), type=Facts)) == canonical(facts)


async def test_two_owners_ask_each_other(pool):
    await pool.join()
    owner = pool.client()
    asks = Policy(approve=Approve(roles=("owner",), longer_than_ms=1_000))
    invited = await owner.send(access.invite(InviteRequest("owner", "eve", HOUR)))
    with pytest.raises(Refused, match="1 owner"):  # an invitation says no yes
        await owner.send(calls.set_policy(asks))
    secret, once = "s" * 40, read_invitation(invited.invitation).secret.hex()
    async with AsyncClient(ClientOptions(url=URL, secret=secret), pool.transport()) as eve:
        await eve.send(access.join(JoinRequest(once, secret, "client", "eve")))
        assert (await owner.send(calls.set_policy(asks))).owners == 2
        with pytest.raises(ApprovalNeeded):
            await hand_in(pool, Role.OWNER)
        with pytest.raises(NotAllowed, match="nobody says yes to themselves"):
            await owner.send(calls.answer("A-1", yes=True))
        await eve.send(calls.answer("A-1", yes=True))
        assert (await hand_in(pool, Role.OWNER)).plan == "nightly-1"
