"""What the pool itself says of a plan, beside what a scan here finds."""

from __future__ import annotations

from leaseway.client.blocking import Client
from leaseway.client.errors import NotAllowed, Refused, Unavailable
from leaseway.core.model.plan import PlanSpec
from leaseway.wire.findings import FindingInfo
from leaseway.wire.plans import PlacedTask, SubmitRequest


def what_pool_says(
    pool: Client, spec: PlanSpec, *, partial: bool = False
) -> tuple[tuple[PlacedTask, ...], tuple[FindingInfo, ...]]:
    """A submit that changes nothing: what would be promised, and findings; no promises where it
    would be refused. LeasewayError: it could not be asked."""
    try:
        reply = pool.submit(SubmitRequest(spec, partial=partial, dry=True))
    except (NotAllowed, Unavailable):
        raise
    except Refused as error:
        if not error.problem.findings:
            raise
        return (), error.problem.findings
    told = tuple(finding for task in reply.tasks for finding in task.findings)
    return reply.tasks, (*reply.findings, *told)


def joined(
    first: tuple[FindingInfo, ...], second: tuple[FindingInfo, ...]
) -> tuple[FindingInfo, ...]:
    """Both, what both say once, errors first."""
    rank = {"error": 0, "warning": 1}
    said = {(each.code, each.tasks) for each in second}
    mine = [each for each in first if each.code != "LW304"]  # the pool knows of earlier runs
    whole = [*second, *(each for each in mine if (each.code, each.tasks) not in said)]
    return tuple(sorted(whole, key=lambda each: (rank.get(each.severity, 2), each.code)))
