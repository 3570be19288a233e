"""Which findings can be mended without asking anybody, and by which change of the plan.

Only what the finding's own numbers decide. A bound that an estimate gives is never lowered: an
estimate says how long something takes, and that does not become less by writing less.
"""

from __future__ import annotations

from leaseway.core.model.findings import Finding
from leaseway.core.model.fixes import Fix, FixKind

_SECOND = 1_000
_KEYS = {
    "worker": ("workers", "not_on"),
    "token": ("holds",),
    "label": ("on.labels",),
    "tool": ("on.tools",),
}
_OWN_BOUND = {"LW301": "cap_ms", "LW302": "have_ms"}
_IN_THIS_ORDER = {"LW103", "LW201", "LW202"}


def fixes_of(finding: Finding) -> tuple[Fix, ...]:
    """The changes that mend a finding; none where a person must choose."""
    code, variant = finding.code, finding.variant
    if code in _OWN_BOUND and finding.tasks:
        return _lower(finding, _OWN_BOUND[code])
    if code in _IN_THIS_ORDER and variant in ("", "write-after-read") and len(finding.tasks) == 2:
        after, before = finding.tasks
        return (Fix(FixKind.ADD, "needs", after, before),)
    match code:
        case "LW101" if variant == "self" and finding.tasks:
            return (Fix(FixKind.REMOVE, "needs", finding.tasks[0], finding.tasks[0]),)
        case "LW102" if finding.tasks:
            return _rename(finding, ("needs",))
        case "LW104" if finding.tasks:
            names = _names(finding, "implied")
            return tuple(Fix(FixKind.REMOVE, "needs", finding.tasks[0], name) for name in names)
        case "LW106" if not variant:
            return (Fix(FixKind.IN_ORDER, "tasks"),)
        case "LW304":
            return tuple(Fix(FixKind.SET, "promise", task, "none") for task in finding.tasks)
        case "LW404" if variant in _KEYS:
            return _rename(finding, _KEYS[variant])
    return ()


def _names(finding: Finding, number: str) -> list[str]:
    value = finding.numbers.get(number)
    return value if isinstance(value, list) else []


def _lower(finding: Finding, number: str) -> tuple[Fix, ...]:
    """The most that any worker would take, in whole seconds."""
    told = [
        value
        for name, value in finding.numbers.items()
        if name.partition("@")[0] == number and isinstance(value, int)
    ]
    most = max(told, default=0) // _SECOND * _SECOND
    return (Fix(FixKind.LOWER, "limit", finding.tasks[0], most),) if most > 0 else ()


def _rename(finding: Finding, keys: tuple[str, ...]) -> tuple[Fix, ...]:
    """Where only one name is near."""
    name, near = finding.numbers.get("name"), _names(finding, "nearest")
    if len(near) != 1 or not isinstance(name, str):
        return ()
    return tuple(
        Fix(FixKind.REPLACE, key, task, near[0], name)
        for task in finding.tasks or ("",)
        for key in keys
    )
