"""Problem documents (RFC 9457): every no of the coordinator has this one form.

Whoever gets one knows that nothing ran and nothing was accepted because of this request.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from leaseway.core.model.findings import Finding
from leaseway.wire.findings import FindingInfo, finding_infos

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:leaseway:problem:"


class Kind(StrEnum):
    """What sort of no it is. The first five are the core's."""

    REFUSED = "refused"
    UNKNOWN = "unknown"
    FENCED = "fenced"
    CONFLICT = "conflict"
    APPROVAL_NEEDED = "approval-needed"
    MALFORMED = "malformed"
    TOO_LARGE = "too-large"
    NO_CREDENTIAL = "no-credential"
    NOT_ALLOWED = "not-allowed"
    NO_ROUTE = "no-route"
    UNAVAILABLE = "unavailable"
    NO_ROOM = "no-room"
    DEFECT = "defect"


STATUS: dict[Kind, tuple[int, str]] = {
    Kind.REFUSED: (422, "Refused"),
    Kind.UNKNOWN: (404, "Not found"),
    Kind.FENCED: (409, "Fenced off"),
    Kind.CONFLICT: (409, "Conflict"),
    Kind.APPROVAL_NEEDED: (422, "Needs a person's yes"),
    Kind.MALFORMED: (400, "Malformed request"),
    Kind.TOO_LARGE: (413, "Too large"),
    Kind.NO_CREDENTIAL: (401, "No credential"),
    Kind.NOT_ALLOWED: (403, "Not allowed"),
    Kind.NO_ROUTE: (404, "No such address"),
    Kind.UNAVAILABLE: (503, "503, nothing accepted"),
    Kind.NO_ROOM: (507, "No room"),
    Kind.DEFECT: (500, "A defect of the coordinator"),
}


_CORE: dict[str, Kind] = {
    "refused": Kind.REFUSED,
    "unknown": Kind.UNKNOWN,
    "fenced": Kind.FENCED,
    "conflict": Kind.CONFLICT,
    "approval-needed": Kind.APPROVAL_NEEDED,
    "credential": Kind.NOT_ALLOWED,
}


class Problem(Struct, frozen=True):
    """Why not. `detail` is a whole answer in words; `findings` is the same as data."""

    type: str
    title: str
    status: int
    detail: str
    findings: tuple[FindingInfo, ...] = ()
    nothing_ran: bool = True
    decision: str = ""  # under which the refusal is kept, for `explain --replay`
    approval: str = ""  # the request that a person must say yes to; then the same again

    @property
    def kind(self) -> str:
        """The last part of `type`; see `Kind`. A newer coordinator may know more kinds."""
        return self.type.removeprefix(TYPE_PREFIX)


def problem(kind: Kind, detail: str, findings: tuple[FindingInfo, ...] = ()) -> Problem:
    """A problem document in words of its own."""
    status, title = STATUS[kind]
    return Problem(
        type=TYPE_PREFIX + kind.value, title=title, status=status, detail=detail, findings=findings
    )


def finding_problem(kind: Kind, finding: Finding) -> Problem:
    """A problem document with one finding, in the words of the catalogue."""
    infos = finding_infos((finding,))
    return problem(kind, infos[0].sentence, infos)


def refusal(kind: str, findings: tuple[Finding, ...], decision: str = "") -> Problem:
    """A refusal of the core as a problem document; a kind not known here is a plain refusal."""
    named = _CORE.get(kind, Kind.REFUSED)
    infos = finding_infos(findings)
    detail = infos[0].sentence if infos else "Refused without a finding. Nothing ran."
    asked = [str(each.numbers.get("approval", "")) for each in findings]
    approval = next(filter(None, asked), "") if named is Kind.APPROVAL_NEEDED else ""
    return replace(problem(named, detail, infos), decision=decision, approval=approval)
