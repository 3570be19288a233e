"""What the policy makes of an otherwise good plan: refused, to be asked about, or only told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from msgspec import Struct
from msgspec.structs import replace

from leaseway.core.admission.gates import first_word, reserved_ms
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.core.model.policy import Policy, Weight
from leaseway.core.model.units import Millis

_STEPS = re.compile(r"[;&|\n(){}`]+")
"""Where a shell's line may begin another command. A guard against accidents, not a parser."""

Numbers = dict[str, int | str | list[str]]


class Judged(Struct, frozen=True):
    """`told`: all findings as the policy leaves them. `refused`: those of them that it makes
    errors. `asked`: what a person must say yes to; `reasons`: codes and conditions of it."""

    told: tuple[Finding, ...]
    refused: tuple[Finding, ...] = ()
    asked: tuple[Finding, ...] = ()
    reasons: tuple[str, ...] = ()


def judge(
    policy: Policy, version: int, role: str, plan: PlanSpec, found: Iterable[Finding]
) -> Judged:
    """`plan`: with what was learned of its tasks. `found`: its warnings and notes."""
    before = tuple(found)
    told = tuple(_weighed(policy, version, each) for each in before)
    refused = tuple(new for new, old in zip(told, before, strict=True) if new is not old)
    if role not in policy.approve.roles:
        return Judged(told, refused)
    codes = {code for code, weight in policy.findings.items() if weight is Weight.ASK}
    codes |= set(policy.approve.codes)
    asked = [each for each in told if each.code in codes and each not in refused]
    asked += conditions(policy, plan)
    reasons = {f"{each.code}/{each.variant}".removesuffix("/") for each in asked}
    reasons = {each if each.startswith("LW314") else each[:5] for each in reasons}
    return Judged(told, refused, tuple(asked), tuple(sorted(reasons)))


def _weighed(policy: Policy, version: int, finding: Finding) -> Finding:
    """A refusal says that it is one by the policy."""
    if policy.findings.get(finding.code) is not Weight.REFUSE:
        return finding
    if finding.severity is Severity.ERROR:
        return finding
    numbers: Numbers = {**finding.numbers, "policy": version}
    return replace(finding, numbers=numbers, severity=Severity.ERROR)


def conditions(policy: Policy, plan: PlanSpec) -> Iterator[Finding]:
    """Tasks that need a yes for what they are, each condition once with all of them."""
    approve, tasks = policy.approve, plan.tasks
    cap_ms, cap_milli = approve.longer_than_ms, approve.more_cpus_than_milli
    if cap_ms is not None:
        lengths = {task.name: longest_ms(task) for task in tasks}
        longer = {name: each for name, each in lengths.items() if each is not None}
        longer = {name: each for name, each in longer.items() if each > cap_ms}
        if longer:
            yield _about("longer", longer, {"need_ms": max(longer.values()), "cap_ms": cap_ms})
        unknown = [name for name, each in lengths.items() if each is None]
        if unknown:
            yield _about("unbounded", unknown, {"cap_ms": cap_ms})
    if cap_milli is not None:
        cpus = {task.name: task.uses.cpus_milli for task in tasks}
        more = {name: each for name, each in cpus.items() if each > cap_milli}
        if more:
            most = max(more.values())
            yield _about("cpus", more, {"need_milli": most, "cap_milli": cap_milli})
    met = {task.name: pattern for task in tasks if (pattern := met_by(approve.commands, task.run))}
    if met:
        yield _about("command", met, {"allowed": sorted(set(met.values()))})


def _about(variant: str, names: Iterable[str], numbers: Numbers) -> Finding:
    return Finding("LW314", tuple(names), (), numbers, variant, Severity.WARNING)


def longest_ms(task: TaskSpec) -> Millis | None:
    """How long it may run at most: its limit, else what is reserved for it; None: nobody says."""
    return task.limit_ms if task.limit_ms is not None else reserved_ms(task)


def met_by(patterns: Iterable[str], run: str | tuple[str, ...]) -> str:
    """The first pattern that meets the whole command, or the program of one of its steps."""
    whole = run if isinstance(run, str) else " ".join(run)
    steps = [whole, *_STEPS.split(whole)] if isinstance(run, str) else [run]
    words = [word for step in steps if (word := first_word(step))]
    names = {whole.strip(), *words, *(word.rsplit("/", 1)[-1] for word in words)}
    names |= {step.strip() for step in steps if isinstance(step, str)}
    for pattern in patterns:
        if any(fnmatchcase(name, pattern) for name in names):
            return pattern
    return ""
