"""A person's yes: which plan it is for, whether there is one, and the request where there is none.

What was approved is a plan's content: who handed it in, its tasks, its files, what it may use. By
when it is wanted may differ from one time to the next.
"""

from __future__ import annotations

import hashlib

import msgspec
from msgspec.structs import replace

from leaseway.core.decisions.decision import Refused
from leaseway.core.model.approvals import Approval, ApprovalAsked, AskedTask, Standing
from leaseway.core.model.commands import Submit
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.plan import TaskSpec
from leaseway.core.model.units import DAY, Instant, Millis
from leaseway.core.model.view import View
from leaseway.core.policy.standing import policy_of, version_of
from leaseway.core.policy.verdict import Judged, longest_ms

OPEN_MS: Millis = DAY
"""So long a request is open; then it is forgotten, and the same plan makes another."""

OPEN_MOST = 50
"""So many requests of one principal are open; more wait until some are answered."""

KEPT = 1_000
"""So many requests are known in all; the oldest go first."""

SHOWN, RUN_SHOWN, FINDINGS_SHOWN = 20, 400, 50
NEEDED = "approval-needed"
"""The kind of a refusal that a person's yes would mend."""

_encode = msgspec.json.Encoder(order="deterministic").encode


def digest_of(command: Submit) -> str:
    """What a yes is bound to."""
    tasks = tuple(replace(task, learned=None) for task in command.plan.tasks)
    plan = replace(command.plan, tasks=tasks, by_ms=None)
    bound = (command.principal.name, plan, command.partial)
    return "sha256:" + hashlib.sha256(_encode(bound)).hexdigest()


def live(view: View, now: Instant) -> dict[str, Approval]:
    """Requests that are open, and answers that still count."""
    return {id: each for id, each in view.facts.rules.approvals.items() if now < each.until}


def approved(view: View, command: Submit, judged: Judged, now: Instant) -> Approval | Refused:
    """The yes that this plan has, or the refusal that asks for one."""
    digest, reasons = digest_of(command), set(judged.reasons)
    mine = [each for each in live(view, now).values() if each.asked.digest == digest]
    for each in mine:
        if each.state is Standing.GIVEN and reasons <= set(each.asked.reasons):
            return each
    for each in mine:
        if each.state is Standing.DENIED and reasons >= set(each.asked.reasons):
            return _denied(each, judged)
    for each in mine:
        if each.state is Standing.OPEN and reasons <= set(each.asked.reasons):
            return _needed(view, judged, each.asked.id)
    if command.dry:
        return _needed(view, judged, "")
    return _asked(view, command, judged, digest, now)


def _asked(view: View, command: Submit, judged: Judged, digest: str, now: Instant) -> Refused:
    """A new request; it takes the place of one for the same plan under other reasons."""
    name = command.principal.name
    others = [
        each
        for each in live(view, now).values()
        if each.state is Standing.OPEN
        and each.asked.principal == name
        and each.asked.digest != digest
    ]
    if len(others) >= OPEN_MOST:
        numbers: dict[str, int | str | list[str]] = {"by": name, "count": len(others)}
        return Refused((Finding("LW314", numbers=numbers, variant="full"), *judged.asked))
    rules, plan = view.facts.rules, command.plan
    event = ApprovalAsked(
        id=f"A-{rules.next_approval}",
        principal=name,
        role=command.principal.role,
        digest=digest,
        plan=plan.name,
        reasons=judged.reasons,
        findings=judged.asked[:FINDINGS_SHOWN],
        policy_version=version_of(view),
        until=now + OPEN_MS,
        tasks=tuple(_shown(task) for task in _first(plan.tasks, judged)),
        count=len(plan.tasks),
    )
    return replace(_needed(view, judged, event.id), events=(event,))


def _first(tasks: tuple[TaskSpec, ...], judged: Judged) -> list[TaskSpec]:
    """Those that are asked about stand first: nothing of them hides behind a long plan."""
    about = {name for each in judged.asked for name in each.tasks}
    return sorted(tasks, key=lambda task: task.name not in about)[:SHOWN]


def _shown(task: TaskSpec) -> AskedTask:
    run = task.run if isinstance(task.run, str) else " ".join(task.run)
    cut = run if len(run) <= RUN_SHOWN else run[: RUN_SHOWN - 1] + "…"
    return AskedTask(task.name, cut, longest_ms(task), task.uses.cpus_milli)


def _needed(view: View, judged: Judged, id: str) -> Refused:
    valid_ms = policy_of(view).approval_valid_for_ms
    numbers: dict[str, int | str | list[str]] = {"policy": version_of(view), "valid_ms": valid_ms}
    numbers |= {"approval": id} if id else {}
    finding = Finding("LW314", numbers=numbers, variant="" if id else "dry")
    return Refused((finding, *judged.asked), kind=NEEDED)


def _denied(each: Approval, judged: Judged) -> Refused:
    numbers: dict[str, int | str | list[str]] = {
        "approval": each.asked.id,
        "by": each.actor,
        "answered_at": each.answered_at,
    }
    numbers |= {"reason": each.reason} if each.reason else {}
    return Refused((Finding("LW314", numbers=numbers, variant="denied"), *judged.asked))


def told(each: Approval) -> Finding:
    """The note that goes with a plan which has a person's yes."""
    numbers: dict[str, int | str | list[str]] = {"approval": each.asked.id, "by": each.actor}
    return Finding("LW314", numbers=numbers, variant="approved", severity=Severity.NOTE)
