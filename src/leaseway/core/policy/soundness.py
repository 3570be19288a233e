"""Whether a policy can hold at all: what contradicts itself is refused whole."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from leaseway.core.model.commands import Role
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.policy import Policy, Weight
from leaseway.core.model.units import DAY, Millis
from leaseway.core.scan.names import offering
from leaseway.core.wording.rules import RULES

CONFIDENCES = {"80%": 800_000, "90%": 900_000, "95%": 950_000, "99%": 990_000}
"""As written, and in parts of a million."""

REQUESTERS = (Role.AGENT.value, Role.OWNER.value)
"""Roles that hand plans in."""

COMMANDS_MOST, PATTERN_MOST = 200, 200
GUARD_MOST_MS: Millis = DAY
VALID_MOST_MS: Millis = 30 * DAY

JUDGED = (
    *("LW103", "LW104", "LW105", "LW201", "LW202", "LW203", "LW204", "LW205", "LW206", "LW207"),
    *("LW304", "LW305", "LW307", "LW308"),
)
"""Findings that may come with an accepted plan: those that a policy may weigh."""

Numbers = dict[str, int | str | list[str]]
KeyPath = tuple[str | int, ...]


class Wrong(Struct, frozen=True):
    """One contradiction: where it stands, which it is, and its numbers."""

    path: KeyPath
    variant: str
    numbers: Numbers = {}

    def finding(self) -> Finding:
        """As a finding, for a policy that came from no file."""
        key = ".".join(str(step) for step in self.path)
        return Finding("LW908", numbers={"where": key, **self.numbers}, variant=self.variant)


def contradictions(policy: Policy, owners: int | None = None) -> list[Wrong]:
    """Everything that keeps this policy from being set. `owners`: how many may say yes, where that
    is known."""
    found = [*_weights(policy), *_codes(policy), *_amounts(policy), *_shares(policy)]
    return [*found, *_approvals(policy, owners)]


def asks(policy: Policy) -> bool:
    """Whether anything at all needs a person's yes."""
    approve = policy.approve
    conditions = (approve.longer_than_ms, approve.more_cpus_than_milli)
    return (
        bool(approve.codes or approve.commands)
        or any(each is not None for each in conditions)
        or Weight.ASK in policy.findings.values()
    )


def _weights(policy: Policy) -> Iterator[Wrong]:
    for code, weight in policy.findings.items():
        yield from _code(("findings", code), code, weight)


def _codes(policy: Policy) -> Iterator[Wrong]:
    for at, code in enumerate(policy.approve.codes):
        path: KeyPath = ("approve", "codes", at)
        yield from _code(path, code, Weight.ASK)
        weight = policy.findings.get(code)
        if weight is not None and weight is not Weight.ASK:
            yield Wrong(path, "twice", {"name": code, "got": weight.value})


def _code(path: KeyPath, code: str, weight: Weight) -> Iterator[Wrong]:
    """What is impossible stays refused, and what is never said of a plan cannot be weighed."""
    if code not in RULES:
        yield Wrong(path, "unknown-code", offering(code[:40], sorted(JUDGED)))
        return
    severity, meaning = RULES[code]
    if severity is Severity.ERROR and weight is not Weight.REFUSE:
        yield Wrong(path, "fixed", {"name": code, "got": weight.value, "meaning": meaning})
    elif severity is not Severity.ERROR and code not in JUDGED:
        yield Wrong(path, "not-judged", {"name": code, "meaning": meaning})


def _amounts(policy: Policy) -> Iterator[Wrong]:
    approve = policy.approve
    confidence = policy.confidence_ppm
    if confidence not in CONFIDENCES.values():
        yield _value("confidence", ", ".join(CONFIDENCES), f"{confidence / 10_000:g}%")
    if not 0 <= policy.guard_ms <= GUARD_MOST_MS:
        yield _value("guard", "a duration up to 24h", f"{policy.guard_ms} ms")
    if not 0 < policy.approval_valid_for_ms <= VALID_MOST_MS:
        got = f"{policy.approval_valid_for_ms} ms"
        yield _value("approval_valid_for", "a duration above 0 and up to 30d", got)
    if (approve.longer_than_ms or 0) < 0:
        yield _value("approve.longer_than", "a duration", f"{approve.longer_than_ms} ms")
    if (approve.more_cpus_than_milli or 0) < 0:
        yield _value("approve.more_cpus_than", "a number of cpus", "one below 0")
    if len(approve.commands) > COMMANDS_MOST:
        most = f"{COMMANDS_MOST} patterns at most"
        yield _value("approve.commands", most, str(len(approve.commands)))
    for pattern in approve.commands:
        if not pattern.strip() or len(pattern) > PATTERN_MOST:
            expected = f"a pattern of 1 to {PATTERN_MOST} letters"
            yield _value("approve.commands", expected, f"{len(pattern)} letters")


def _value(key: str, expected: str, got: str) -> Wrong:
    return Wrong(tuple(key.split(".")), "value", {"expected": expected, "got": got})


def _shares(policy: Policy) -> Iterator[Wrong]:
    for role, share in policy.share.items():
        path = ("share", role)
        if role not in REQUESTERS:
            yield Wrong(path, "role", offering(role[:40], list(REQUESTERS)))
        elif share == 0:
            yield Wrong(path, "no-share", {"name": role})
        elif not 1 <= share <= 100:
            yield Wrong(path, "value", {"expected": "a share from 1% to 100%", "got": f"{share}%"})


def _approvals(policy: Policy, owners: int | None) -> Iterator[Wrong]:
    roles = policy.approve.roles
    for at, role in enumerate(roles):
        if role not in REQUESTERS:
            yield Wrong(("approve", "roles", at), "role", offering(role[:40], list(REQUESTERS)))
    if asks(policy) and not roles:
        yield Wrong(("approve", "roles"), "nobody-asks")
    if asks(policy) and Role.OWNER in roles and owners is not None and owners < 2:
        yield Wrong(("approve", "roles"), "nobody-answers", {"count": owners})
