"""Submit: check a plan, place every task, promise. Atomic: any error refuses the whole plan."""

from __future__ import annotations

from msgspec.structs import replace

from leaseway.core.admission.asker import backlog, unchanged
from leaseway.core.admission.check import check
from leaseway.core.decisions.decision import Accepted, Decision, Refused
from leaseway.core.decisions.placing import Placing, Promised, Submitted
from leaseway.core.estimates.asking import Asking
from leaseway.core.model.approvals import Approval
from leaseway.core.model.commands import Submit
from leaseway.core.model.events import PlanSubmitted
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.units import Instant
from leaseway.core.model.view import View
from leaseway.core.policy.approvals import approved, told
from leaseway.core.policy.standing import confidence_of, policy_of, version_of
from leaseway.core.policy.verdict import Judged, judge
from leaseway.core.scan.order import order


def submit(view: View, command: Submit, now: Instant) -> Decision:
    """Accept a plan with a promise for each task that has a bound, or say why not."""
    earlier = _earlier(view, command)
    if earlier is not None:
        return earlier
    asking = Asking(view, command.plan, confidence_of(view))
    command = replace(command, plan=asking.learned())
    found = backlog(view, command.principal)
    found += unchanged(view, command.plan)
    found += check(command.plan, view, now)
    found += asking.findings(command.plan)
    ordered = order(command.plan, unknown_serialises=command.plan.workspace is None)
    warnings = [*found, *ordered.findings]
    errors = [finding for finding in warnings if finding.severity is Severity.ERROR]
    of_tasks = [each for each in errors if each.code in ("LW404", "LW604") and each.tasks]
    if len(of_tasks) < len(errors) or (errors and not command.partial):
        return Refused(tuple(errors))
    warnings = [finding for finding in warnings if finding not in errors]
    attempt = Placing(view, command, ordered, now)
    attempt.run(of_tasks)
    warnings += attempt.told
    refusals = attempt.refusals()
    judged = _judged(view, command, [*warnings, *_of_tasks(attempt)])
    warned = [finding for finding in warnings if finding.severity is Severity.WARNING]
    noted = [*judged.refused, *(warned if command.strict else ())]
    if noted or (refusals and not command.partial):
        return Refused((*refusals, *noted))
    if all(promised.findings for promised in attempt.promised):
        return Refused(tuple(refusals))
    return _under_policy(view, attempt, judged, warnings)


def _judged(view: View, command: Submit, found: list[Finding]) -> Judged:
    policy, version = policy_of(view), version_of(view)
    return judge(policy, version, command.principal.role, command.plan, found)


def _of_tasks(attempt: Placing) -> list[Finding]:
    """Of a plan that is taken in part: what is told of those that are left out."""
    said = [each for promised in attempt.promised for each in promised.findings]
    said += [each for each in attempt.refusals() if each.code == "LW305"]
    return [each for each in said if each.severity is Severity.WARNING]


def _under_policy(
    view: View, attempt: Placing, judged: Judged, warnings: list[Finding]
) -> Decision:
    """Accepted, with the version of the policy; or first a person must say yes."""
    yes: Approval | None = None
    if judged.asked:
        found = approved(view, attempt.command, judged, attempt.now)
        if isinstance(found, Refused):
            return found
        yes = found
        warnings = [*warnings, told(yes)]
    said = attempt.accepted(tuple(warnings))
    if not said.events:
        return said
    opened, *others = said.events
    assert isinstance(opened, PlanSubmitted)
    opened = replace(
        opened, policy_version=version_of(view), approval="" if yes is None else yes.asked.id
    )
    return replace(said, events=(opened, *others))


def _earlier(view: View, command: Submit) -> Decision | None:
    """The plan already made under this key, or the refusal of another body under it."""
    if not command.key or command.dry:
        return None
    name = view.facts.keys.get(f"{command.principal.name}\n{command.key}")
    if name is None:
        return None
    plan = view.facts.plans[name]
    if plan.digest != command.digest:
        numbers: dict[str, int | str | list[str]] = {
            "name": command.key,
            "plan": name,
            "by": command.principal.name,
        }
        return Refused((Finding(code="LW903", numbers=numbers),), kind="conflict")
    tasks = tuple(
        Promised(
            task=task.id,
            name=task.spec.name,
            reservation=task.reservation,
            promise=task.promise,
            edges=task.edges,
            learned=task.spec.learned,
        )
        for task in (view.facts.tasks.get(each) for each in plan.tasks)
        if task is not None
    )
    return Accepted(reply=Submitted(name, tasks, plan.findings, repeated=True))
