"""What a plan and a task may be called: it becomes part of ids, addresses, folders and tables."""

from __future__ import annotations

import re

from leaseway.core.model.findings import Finding
from leaseway.core.model.plan import PlanSpec

EXPECTED = (
    "a name: 1 to 200 characters, no /, no control characters, no space at either end, and neither"
    " . nor .."
)
PATTERN = r"(?!\s)(?!\.\.?\Z)[^/\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,200}(?<!\s)"
_NAME = re.compile(PATTERN)
_SHOWN = 60


def bad_names(plan: PlanSpec) -> list[Finding]:
    """Names that cannot be (LW901), shown so that they move no cursor."""
    names = [("plan", plan.name), *(("task", task.name) for task in plan.tasks)]
    return [
        Finding(
            code="LW901",
            variant="name",
            numbers={"what": what, "got": ascii(name[:_SHOWN]), "expected": EXPECTED},
        )
        for what, name in names
        if not _NAME.fullmatch(name)
    ]
