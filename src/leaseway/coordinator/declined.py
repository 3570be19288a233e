"""A request that is answered with a problem document before, or instead of, a decision."""

from __future__ import annotations

import re
from collections.abc import Mapping

from leaseway.core.model.commands import Principal, Role
from leaseway.core.model.findings import Finding
from leaseway.core.scan.names import offering
from leaseway.wire.problems import Kind, Problem, finding_problem, problem

_EXPECTED = re.compile(r"Expected (?P<expected>.+?)(?:, got (?P<got>.+?))?(?: - at `(?P<at>.+)`)?")
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<name>.+?)`(?: - at `(?P<at>.+)`)?")
_MISSING = re.compile(r"Object missing required field `(?P<name>.+?)`(?: - at `(?P<at>.+)`)?")


class Declined(Exception):
    """Answer this request with a problem document."""

    def __init__(self, why: Problem) -> None:
        super().__init__(why.detail)
        self.problem = why


def no_credential() -> Declined:
    """None was shown, or none of this pool."""
    return Declined(finding_problem(Kind.NO_CREDENTIAL, Finding("LW802")))


def not_allowed(who: Principal, action: str, needed: str) -> Declined:
    """This role may not do it."""
    numbers: dict[str, int | str | list[str]] = {
        "by": who.name,
        "role": f"{'an' if who.role in (Role.OWNER, Role.AGENT) else 'a'} {who.role.value}",
        "action": action,
        "needed": needed,
    }
    finding = Finding("LW802", numbers=numbers, variant="role")
    return Declined(finding_problem(Kind.NOT_ALLOWED, finding))


def bound_to(who: Principal, worker: str, action: str) -> Declined:
    """An invited worker speaks for itself only."""
    finding = Finding("LW802", (), (worker,), {"by": who.name, "action": action}, "bound")
    return Declined(finding_problem(Kind.NOT_ALLOWED, finding))


def refused_access(variant: str, numbers: Mapping[str, str | int]) -> Declined:
    """LW802: a credential or a name that may not be used so."""
    return Declined(
        finding_problem(Kind.NOT_ALLOWED, Finding("LW802", (), (), {**numbers}, variant))
    )


def revoked(name: str) -> Declined:
    """This credential opened something once."""
    finding = Finding("LW802", numbers={"by": name}, variant="revoked")
    return Declined(finding_problem(Kind.NO_CREDENTIAL, finding))


def too_large(have: int, cap: int) -> Declined:
    """A body over the size limit."""
    finding = Finding("LW902", numbers={"have_bytes": have, "cap_bytes": cap}, variant="text")
    return Declined(finding_problem(Kind.TOO_LARGE, finding))


def malformed(said: str) -> Declined:
    """A body or a query that cannot be read; `said` by msgspec."""
    finding = _malformed(said)
    return Declined(finding_problem(Kind.MALFORMED, finding))


def unknown(what: str, name: str, known: list[str]) -> Declined:
    """There is no such thing; what there is, the nearest first."""
    finding = Finding("LW404", numbers=offering(name, known), variant=what)
    return Declined(finding_problem(Kind.UNKNOWN, finding))


def not_accepted(reason: str) -> Problem:
    """503, nothing accepted."""
    return problem(Kind.UNAVAILABLE, f"Nothing of this request was accepted: {reason}.")


def defect(said: str) -> Problem:
    """500; nothing was accepted."""
    return problem(
        Kind.DEFECT,
        f"A defect of the coordinator: {said}. Nothing of this request was accepted; the"
        " coordinator's log has more.",
    )


def _malformed(said: str) -> Finding:
    place = "the request"
    for pattern, variant in ((_EXPECTED, ""), (_UNKNOWN, "unknown-key"), (_MISSING, "missing")):
        found = pattern.fullmatch(said)
        if found is None:
            continue
        at = f"{place} at {found['at']}" if found["at"] else place
        match variant:
            case "":
                numbers = {"file": at, "expected": found["expected"]}
                return Finding("LW901", numbers=numbers | _got(found["got"]))
            case "unknown-key":
                numbers = {"file": place, "name": found["name"], "place": found["at"] or place}
                return Finding("LW901", numbers={**numbers}, variant=variant)
            case _:
                return Finding("LW901", numbers={"file": at, "expected": f"`{found['name']}`"})
    return Finding(
        "LW901", numbers={"file": place, "expected": "JSON", "got": said}, variant="syntax"
    )


def _got(got: str | None) -> dict[str, int | str | list[str]]:
    return {"got": got} if got else {}
