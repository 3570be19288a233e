"""The tool `submit`: hand in, and be told what was promised. It waits for nothing."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from leaseway.client.blocking import Client
from leaseway.client.errors import (
    ApprovalNeeded,
    Conflict,
    LeasewayError,
    NotAllowed,
    Refused,
    Unavailable,
)
from leaseway.client.sent import remember
from leaseway.client.trees import Sent, hand_in
from leaseway.core.model.plan import PlanSpec
from leaseway.mcp.answer import NOTHING, REFUSED, Answer, Next, listed, of_error, refused, told
from leaseway.mcp.asked import SubmitAsked
from leaseway.mcp.checked import check, of_pool
from leaseway.mcp.given import ToRun, to_run
from leaseway.mcp.proposal import proposed
from leaseway.mcp.way import Way
from leaseway.runtime import local_clock
from leaseway.wire.plans import PlacedTask, SubmitReply, SubmitRequest

ACCEPTED = "accepted"
_ROWS = 60


def submit(asked: SubmitAsked, way: Way) -> Answer:
    """Accepted, with the plan's id; or refused, with what would pass."""
    given = to_run(asked, way)
    again = Next("submit", to_builtins(asked), "the same key and plan: never run twice")
    try:
        with way.client() as pool:
            plan, sent = _with_tree(pool, given)
            try:
                reply = pool.submit(SubmitRequest(plan, key=asked.key, partial=asked.partial))
            except Conflict as error:
                return _other_body(error, asked.key)
            except (ApprovalNeeded, NotAllowed, Unavailable):
                raise
            except Refused as error:
                return _refused(pool, given, asked, error)
            if sent is not None:
                remember(way.sent, reply.plan, sent)
    except LeasewayError as error:
        return of_error(error, again)
    return _accepted(reply)


def _with_tree(pool: Client, given: ToRun) -> tuple[PlanSpec, Sent | None]:
    if given.tree is None:
        return given.plan, None
    return hand_in(pool, given.plan, given.tree)


def _accepted(reply: SubmitReply) -> Answer:
    refusals = [task for task in reply.tasks if _is_refused(task)]
    accepted = len(reply.tasks) - len(refusals)
    promises = [task.promise for task in reply.tasks if task.promise is not None]
    hint = f"{reply.plan}: {accepted} of {len(reply.tasks)} tasks accepted"
    if reply.repeated:
        hint += "; this key and plan were handed in before, and are not run again"
    elif promises:
        hint += f"; the last is promised by {local_clock(max(promises))}"
    else:
        hint += ", without a promise: best effort"
    warnings = told(reply.findings) + [each for task in refusals for each in told(task.findings)]
    more: dict[str, Any] = {"plan": reply.plan, "tasks": [_row(t) for t in reply.tasks[:_ROWS]]}
    next = Next("wait", {"id": reply.plan}, "returns when it has ended, or after 20 s")
    return Answer(ACCEPTED, f"{hint}.", warnings, next, more | listed(reply.findings))


def _row(task: PlacedTask) -> dict[str, Any]:
    row: dict[str, Any] = {"id": task.id}
    row |= {"after": sorted({edge.before for edge in task.edges})} if task.edges else {}
    row |= {"worker": task.reservation.worker} if task.reservation else {}
    row |= {"promised": local_clock(task.promise)} if task.promise is not None else {}
    return row | ({"refused": True} if _is_refused(task) else {})


def _is_refused(task: PlacedTask) -> bool:
    return task.outcome is not None or any(each.severity == "error" for each in task.findings)


def _refused(pool: Client, given: ToRun, asked: SubmitAsked, error: Refused) -> Answer:
    """What was found, and the call that would pass."""
    findings = error.problem.findings
    if not findings:
        raise error
    checked = check(given, of_pool(pool))
    return refused(findings, None if asked.partial else proposed(given, checked, asked.key))


def _other_body(error: Conflict, key: str) -> Answer:
    """The key stands for another plan."""
    findings = error.problem.findings
    plan = next((str(each.numbers["plan"]) for each in findings if "plan" in each.numbers), "")
    hint = (
        f"Refused: the key {key} stands for another plan{f', {plan}' if plan else ''}. {NOTHING}"
        " To run this one too, hand it in under a key of its own."
    )
    follow = Next("wait", {"id": plan}, "how the plan under this key stands") if plan else None
    return Answer(REFUSED, hint, told(findings), follow, listed(findings))
