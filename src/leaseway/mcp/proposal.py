"""Which call does it right: what is proposed has been checked itself."""

from __future__ import annotations

from typing import Any

from leaseway.mcp.answer import Next, is_only_asked
from leaseway.mcp.asked import Given
from leaseway.mcp.checked import Checked, Ground, check
from leaseway.mcp.given import ToRun, placed
from leaseway.mcp.way import Way
from leaseway.runtime import fresh_id

_EVERYTHING = {"reads": ["."], "writes": ["."]}
"""What is not known may be everything: so said, what one changes reaches the one after it."""


def one_after_the_other(
    given: ToRun, asked: Given, ground: Ground, way: Way
) -> tuple[ToRun, Checked]:
    """Bare commands as a plan in which each needs the one before it, as a person would type them;
    of two ways to say that the one that a lease allows."""
    found = [_chained(given, asked, more, way) for more in (_EVERYTHING, {})]
    checked = [(each, check(each, ground)) for each in found]
    return min(checked, key=lambda pair: len(pair[1].failing))


def proposed(given: ToRun, checked: Checked, key: str = "") -> Next | None:
    """The submit that may follow; None: nothing of it would run."""
    errors = any(each.severity == "error" for each in checked.findings)
    asks = is_only_asked(checked.findings)
    if errors and not asks and (checked.whole_plan or not checked.passing):
        return None
    arguments: dict[str, Any] = {"plan": given.shown, "key": key or fresh_id("key"), **given.place}
    if asks:
        why = "hands this plan in, which makes the request that a person answers"
        return Next("submit", arguments, why)
    if not errors:
        why = "hands this plan in; Leaseway keeps the order"
        return Next("submit", arguments, why)
    gone = ", ".join(sorted(checked.failing)[:8])
    why = f"runs {len(checked.passing)} of {len(checked.report.tasks)}; not run: {gone}"
    return Next("submit", {**arguments, "partial": True}, why)


def _chained(given: ToRun, asked: Given, more: dict[str, Any], way: Way) -> ToRun:
    tasks = []
    before: list[str] = []
    for task in given.shown["tasks"]:
        tasks.append({**task, "needs": before, **more} if before else {**task, **more})
        before = [task["id"]]
    return placed({**given.shown, "tasks": tasks}, asked, way)
