"""The pool's policy, and requests for a person's yes: everybody may look, owners decide."""

from __future__ import annotations

from starlette.responses import Response

from leaseway.coordinator.asked import Asked, reply
from leaseway.coordinator.declined import malformed, unknown
from leaseway.coordinator.house import House
from leaseway.core.decisions.policy import in_force
from leaseway.core.model.approvals import Standing
from leaseway.core.model.commands import AnswerApproval, Role, SetPolicy
from leaseway.core.model.policy import PolicyVersion
from leaseway.core.model.units import Instant
from leaseway.core.model.view import View
from leaseway.core.policy.approvals import live
from leaseway.wire.policy import (
    ApprovalAnswer,
    ApprovalList,
    PolicyInfo,
    PolicySet,
    approval_info,
    policy_line,
)

_SMALL = 256 * 1024
_REASON_MOST = 500


def owners_of(house: House, now: Instant) -> int:
    """How many credentials may say yes."""
    listed = house.access.listed(now)
    return sum(each.role == Role.OWNER and each.state == "active" for each in listed)


async def policy(asked: Asked) -> Response:
    """The policy in force, or an older version of it."""
    view = await asked.house.door.view()
    versions = view.facts.rules.versions
    wanted = asked.number("version", in_force(view).version)
    known = {each.version: each for each in (*versions, in_force(view))}
    if wanted not in known:
        raise unknown("version", str(wanted), [str(each) for each in reversed(known)])
    return reply(_info(view, known[wanted], asked))


async def set_policy(asked: Asked) -> Response:
    """Set the policy, whole or not at all; what was promised stays."""
    request = await asked.body(PolicySet, _SMALL)
    owners = owners_of(asked.house, asked.house.now())
    command = SetPolicy(request.policy, asked.who.name, owners, dry=request.dry)
    said: PolicyVersion = await asked.house.decided(command)
    return reply(_info(await asked.house.door.view(), said, asked))


async def approvals(asked: Asked) -> Response:
    """Requests for a person's yes that are open; with `all` also those that were answered."""
    view, now = await asked.house.door.view(), asked.house.now()
    every = asked.flag("all")
    found = live(view, now).values()
    shown = (each for each in found if every or each.state is Standing.OPEN)
    return reply(ApprovalList(tuple(approval_info(each) for each in shown), now))


async def answer_approval(asked: Asked) -> Response:
    """Say yes or no to a request. Nobody says yes to themselves."""
    request = await asked.body(ApprovalAnswer, _SMALL)
    if len(request.reason) > _REASON_MOST:
        raise malformed(f"Expected {_REASON_MOST} letters at most - at `$.reason`")
    id = asked.part("approval")
    await asked.house.decided(AnswerApproval(id, asked.who, request.yes, request.reason))
    view = await asked.house.door.view()
    return reply(approval_info(view.facts.rules.approvals[id]))


def _info(view: View, said: PolicyVersion, asked: Asked) -> PolicyInfo:
    now = asked.house.now()
    return PolicyInfo(
        version=said.version,
        policy=said.policy,
        now=now,
        by=said.actor,
        at=said.at,
        at_start=said.at_start,
        in_force=in_force(view).version,
        versions=tuple(policy_line(each) for each in view.facts.rules.versions),
        owners=owners_of(asked.house, now),
    )
