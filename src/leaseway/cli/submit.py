"""Hand a plan in, and tell what was promised."""

from __future__ import annotations

from dataclasses import dataclass

from leaseway.cli.exits import Exit
from leaseway.cli.faults import Fault, Refusal
from leaseway.cli.findings import finding_lines
from leaseway.cli.history_page import learned_text
from leaseway.cli.paint import Paint, Tone, shown
from leaseway.cli.standing import plural
from leaseway.cli.table import paragraph
from leaseway.client.blocking import Client
from leaseway.client.errors import ApprovalNeeded, NotAllowed, Refused, Unavailable
from leaseway.core.model.plan import PlanSpec
from leaseway.runtime import local_clock
from leaseway.wire.plans import SubmitReply, SubmitRequest

_SHOWN = 8  # estimates from earlier runs


@dataclass(frozen=True)
class How:
    """`--key`, `--partial`, `--strict`."""

    key: str = ""
    partial: bool = False
    strict: bool = False


def submit(pool: Client, plan: PlanSpec, how: How) -> SubmitReply:
    """The reply, or a refusal with every finding. Nothing ran then."""
    request = SubmitRequest(plan, key=how.key, partial=how.partial, strict=how.strict)
    try:
        return pool.submit(request)
    except UnicodeEncodeError as error:
        # Only what was typed or is a path here can be so: a plan file is UTF-8 throughout.
        said = (
            f"A command, name or folder of this plan is not UTF-8: {_around(error)}. Nothing ran."
        )
        mend = "Use a name that is, or let a script that travels along use that one."
        raise Fault(said, mend) from error
    except (NotAllowed, Unavailable):
        raise
    except Refused as error:
        if not error.problem.findings:
            raise
        findings = error.problem.findings
        only_warned = all(each.severity != "error" for each in findings)
        why = ": --strict lets warnings refuse" if only_warned else ""
        head = f"Plan {shown(plan.name)} was refused{why}."
        if isinstance(error, ApprovalNeeded):
            head = f"Plan {shown(plan.name)} needs a person's yes."
        kept = error.problem.decision
        raise Refusal(findings, head, "Nothing ran.", Exit.REFUSED, kept) from error


def accepted_lines(reply: SubmitReply, paint: Paint, *, notes: bool = True) -> list[str]:
    """What was accepted and promised, and what the plan was told. Refused tasks of a partial
    plan carry their findings."""
    refused = [task for task in reply.tasks if task.outcome is not None or _refuses(task.findings)]
    promises = [task.promise for task in reply.tasks if task.promise is not None]
    accepted = len(reply.tasks) - len(refused)
    head = f"{reply.plan}: {accepted} of {plural(len(reply.tasks), 'task')} accepted"
    if promises:
        head += f"; the last is promised by {local_clock(max(promises))}"
        if len(promises) < accepted:
            head += f", {accepted - len(promises)} without a promise"
    elif accepted:
        head += ", without a promise: best effort"
    told = [each for each in reply.findings if notes or each.severity != "note"]
    told += [each for task in refused for each in task.findings]
    estimates = estimate_lines(reply, paint)
    first, *rest = paragraph(head + ".", paint)
    first = first.replace(reply.plan, paint(reply.plan, Tone.STRONG), 1)
    return [first, *rest, *estimates, *finding_lines(told, paint)]


def estimate_lines(reply: SubmitReply, paint: Paint) -> list[str]:
    """Promises that rest on earlier runs, each with its bound."""
    found = [(task.name, task.learned) for task in reply.tasks if task.learned is not None]
    lines = [
        line
        for name, learned in found[:_SHOWN]
        for line in paragraph(f"{name}: {learned_text(learned)}", paint, indent="  ")
    ]
    more = len(found) - _SHOWN
    return [*lines, f"  and {plural(more, 'task')} more"] if more > 0 else lines


def _around(error: UnicodeEncodeError) -> str:
    """The place, with what stands around it."""
    near = error.object[max(0, error.start - 20) : error.end + 20]
    return near.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _refuses(findings: tuple[object, ...]) -> bool:
    return any(getattr(each, "severity", "") == "error" for each in findings)
