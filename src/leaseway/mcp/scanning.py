"""The tool `scan`: what depends on what, what conflicts, what fits where; it starts nothing."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from leaseway.client.errors import LeasewayError, NoAddress, Unreachable
from leaseway.core.model.units import show_ms
from leaseway.mcp.answer import (
    APPROVAL_NEEDED,
    NOTHING,
    START,
    UNREACHABLE,
    Answer,
    is_only_asked,
    listed,
    told,
)
from leaseway.mcp.asked import ScanAsked
from leaseway.mcp.checked import Checked, Ground, check, of_file, of_nobody, of_pool
from leaseway.mcp.given import ToRun, to_run
from leaseway.mcp.proposal import one_after_the_other, proposed
from leaseway.mcp.sentences import fit_sentence, nearest, sentences
from leaseway.mcp.way import Way
from leaseway.runtime import local_clock

_ROWS = 60
CLEAN, WARNINGS, ERRORS = "clean", "warnings", "errors"


def scan(asked: ScanAsked, way: Way) -> Answer:
    """Order, conflicts, what fits, and the call that does it right."""
    given = to_run(asked, way)
    with ExitStack() as opened:
        ground = _ground(asked, way, opened)
        checked = check(given, ground)
        better, again = given, checked
        if given.bare and not checked.whole_plan and len(given.plan.tasks) > 1:
            better, again = one_after_the_other(given, asked, ground, way)
    next = None if ground.leases is None else proposed(better, again)
    hint = _hint(given, ground, checked, again)
    warnings = told(checked.findings)
    if ground.away:
        warnings.append(f"Not asked, they take nothing now: {', '.join(ground.away[:8])}.")
    return Answer(_status(ground, checked), hint, warnings, next, _more(checked))


def _ground(asked: ScanAsked, way: Way, opened: ExitStack) -> Ground:
    if asked.leases:
        return of_file(asked.leases)
    try:
        return of_pool(opened.enter_context(way.client()))
    except (NoAddress, Unreachable) as error:
        return of_nobody(error)


def _status(ground: Ground, checked: Checked) -> str:
    severities = {each.severity for each in checked.findings}
    if ground.leases is None:
        return UNREACHABLE
    if is_only_asked(checked.findings):
        return APPROVAL_NEEDED
    if "error" in severities:
        return ERRORS
    return WARNINGS if "warning" in severities else CLEAN


def _hint(given: ToRun, ground: Ground, checked: Checked, again: Checked) -> str:
    count = len(given.plan.tasks)
    said = [f"{count} task{'s' if count != 1 else ''}. {ground.said} Nothing ran."]
    if ground.error is not None:
        said.append(_why_unreachable(ground.error))
    if given.bare and count > 1:
        said.append(
            "Bare commands may touch anything, so next runs them one after the other, each only if"
            " the one before it succeeded. To run side by side what may, give a plan with reads and"
            " writes."
        )
    if again.failing and not checked.whole_plan:
        passing = len(again.passing)
        rest = f"{passing} of {count} would run" if passing else "nothing of it would run"
        mends = [each.mend for each in checked.findings if each.severity == "error" and each.mend]
        said.append(f"As it is {rest}. To run all: {' '.join(mends[:2])}")
    elif is_only_asked(checked.findings):
        said.append("As it is a person must say yes first: next makes the request.")
    elif checked.whole_plan:
        said.append("As it is the plan would be refused; see what mends each finding.")
    return " ".join(said)


def _why_unreachable(error: LeasewayError) -> str:
    """That nobody was asked, and how to begin."""
    said = str(error)
    return f"{said[:1].upper()}{said[1:].rstrip('.')}. {NOTHING} {START}"


def _more(checked: Checked) -> dict[str, Any]:
    """The plan as it would go."""
    report = checked.report
    promises = {each.name: each.promise for each in checked.placed if each.promise is not None}
    order = []
    for task in report.tasks[:_ROWS]:
        row: dict[str, Any] = {
            "task": task.name,
            "after": [e.before for e in nearest(task.waits_for)],
        }
        row |= {"takes": show_ms(task.bound_ms)} if task.bound_ms is not None else {}
        row |= {"fits_on": task.fits_on[:20]} if task.fits_on else {}
        row |= {"promised": local_clock(promises[task.name])} if task.name in promises else {}
        order.append(row)
    more: dict[str, Any] = {"says": sentences(report), "order": order}
    if len(report.tasks) > _ROWS:
        more["order_left_out"] = len(report.tasks) - _ROWS
    more["fits"] = [fit_sentence(each) for each in report.workers[:20]]
    return more | listed(checked.findings)
