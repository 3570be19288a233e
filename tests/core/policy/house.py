"""A pool with a policy, in virtual time."""

from __future__ import annotations

from leaseway.core.model import commands as cmd
from leaseway.core.model.policy import Approve, Policy, Weight
from tests.core.pool import AGENT, PERSON, Pool, plan

BOSS = cmd.Principal("eve", cmd.Role.OWNER)
"""An owner who hands nothing in."""


def pool_under(policy, **window):
    pool = Pool()
    pool.worker("w", **window)
    assert set_policy(pool, policy).refused is None
    return pool


def set_policy(pool, policy, **fields):
    return pool.do(cmd.SetPolicy(policy, "eve", **fields))


def weigh(**weights):
    return Policy(findings={code: Weight(weight) for code, weight in weights.items()})


def ask(**fields):
    return Policy(approve=Approve(**fields))


def hand_in(pool, *tasks, who=AGENT, dry=False, partial=False, strict=False, key="", **fields):
    given = plan(*tasks, **fields)
    command = cmd.Submit(
        given, who, key=key, digest=f"of {given}", dry=dry, partial=partial, strict=strict
    )
    return pool.do(command)


def answer(pool, id, *, yes=True, who=BOSS, reason=""):
    return pool.do(cmd.AnswerApproval(id, who, yes, reason))


__all__ = ["AGENT", "BOSS", "PERSON", "answer", "ask", "hand_in", "pool_under", "set_policy"]
