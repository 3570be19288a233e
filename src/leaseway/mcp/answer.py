"""The one form of every answer, and the errors of a client told in it.

`status` says in a word how it stands, `hint` in a sentence; `warnings` are to be read; `next` is
the call that does it right from here, whole, or null where nothing is left to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import Struct

from leaseway.client.errors import (
    ApprovalNeeded,
    BadAnswer,
    LeasewayError,
    Malformed,
    NotAllowed,
    NotFound,
    Refused,
    Unavailable,
    Unreachable,
)
from leaseway.core.model.findings import Finding
from leaseway.mcp.asked import Mistaken
from leaseway.wire.findings import FindingInfo, finding_infos

NOTHING = "Nothing was handed in, and nothing ran."
START = (
    "Start one on this machine: leaseway up, and beside it: leaseway worker join --for 1h. Or name"
    " one that runs: leaseway connect, or LEASEWAY_URL and LEASEWAY_CREDENTIAL."
)
MISTAKEN, REFUSED, UNKNOWN = "mistaken", "refused", "unknown"
UNREACHABLE, UNAVAILABLE, NOT_ALLOWED = "unreachable", "unavailable", "not-allowed"
APPROVAL_NEEDED = "approval-needed"
_ERRORS = (
    MISTAKEN,
    REFUSED,
    UNKNOWN,
    UNREACHABLE,
    UNAVAILABLE,
    NOT_ALLOWED,
    APPROVAL_NEEDED,
)
_MOST_WARNINGS = 20


class Next(Struct, frozen=True):
    """A call: tool and arguments as they are to be given, and why."""

    tool: str
    arguments: dict[str, Any]
    why: str = ""


@dataclass(frozen=True)
class Answer:
    """One answer; `more`: what this tool says beside the four parts that all have."""

    status: str
    hint: str
    warnings: Sequence[str] = ()
    next: Next | None = None
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def is_error(self) -> bool:
        """Whether what was asked for was not done."""
        return self.status in _ERRORS

    def document(self) -> dict[str, Any]:
        """As it travels."""
        said = {"status": self.status, "hint": self.hint, "warnings": self._told(), **self.more}
        plain = msgspec.to_builtins({**said, "next": self.next})
        assert isinstance(plain, dict)
        return plain

    def _told(self) -> list[str]:
        over = len(self.warnings) - _MOST_WARNINGS
        more = [f"and {over} more warnings"] if over > 0 else []
        return [*self.warnings[:_MOST_WARNINGS], *more]


def mistaken(error: Mistaken) -> Answer:
    """The answer to arguments that cannot be used."""
    return Answer(MISTAKEN, f"{error} {NOTHING}", told(error.findings), more=listed(error.findings))


def refused(findings: Sequence[FindingInfo], next: Next | None = None) -> Answer:
    """The answer to what a rule refuses: every finding, and what mends it."""
    errors = [each for each in findings if each.severity == "error"] or list(findings)
    mends = " ".join(dict.fromkeys(each.mend for each in errors[:3] if each.mend))
    hint = f"Refused. {NOTHING} What would pass: {mends or 'see the findings.'}"
    return Answer(REFUSED, hint, told(findings), next, listed(findings))


def refused_here(finding: Finding) -> Answer:
    """The same, found on this machine."""
    return refused(finding_infos((finding,)))


def is_only_asked(findings: Sequence[FindingInfo]) -> bool:
    """Whether a person's yes is all that is missing."""
    errors = [each for each in findings if each.severity == "error"]
    return bool(errors) and all(
        each.code == "LW314" and each.variant in ("", "dry") for each in errors
    )


def _of_refusal(error: Refused, again: Next) -> Answer:
    if isinstance(error, ApprovalNeeded):
        return _approval_needed(error, again)
    if error.problem.findings:
        return refused(error.problem.findings)
    return Answer(REFUSED, f"{sentence(str(error))} {NOTHING}")


def _approval_needed(error: ApprovalNeeded, again: Next) -> Answer:
    """The answer to a plan that waits for a person. `again`: the same call."""
    request, findings = error.problem.approval, error.problem.findings
    said = sentence(str(error)).removesuffix(" Nothing ran.")
    hint = (
        f"{said} {NOTHING} Tell your person: leaseway approve {request} --show, then leaseway"
        f" approve {request}. No agent can say yes. After that the same call passes once; until"
        " then it is answered the same."
    )
    next = Next(again.tool, again.arguments, "the same plan, once a person has said yes")
    more = {"approval": request, **listed(findings)}
    return Answer(APPROVAL_NEEDED, hint, told(findings), next, more)


def of_error(error: LeasewayError, again: Next) -> Answer:
    """The answer when a coordinator could not be asked, or said no. `again`: the same call."""
    match error:
        case Unreachable(sent=False):
            hint = f"No coordinator answered at {error.url} ({error.reason}). {NOTHING} {START}"
            return Answer(UNREACHABLE, hint)
        case Unreachable():
            said = f"The coordinator at {error.url} was asked, and no answer came ({error.reason})."
            hint = f"{said} The same call again is harmless and tells how it stands."
            return Answer(UNREACHABLE, hint, next=again)
        case NotFound():
            hint = f"{sentence(str(error))} {NOTHING}"
            return Answer(UNKNOWN, hint, more=listed(error.problem.findings))
        case Malformed():
            return Answer(MISTAKEN, f"{sentence(str(error))} {NOTHING}")
        case NotAllowed():
            return Answer(NOT_ALLOWED, f"{sentence(str(error))} {NOTHING}")
        case Unavailable():
            hint = f"{sentence(str(error))} Nothing was accepted; try again in a moment."
            return Answer(UNAVAILABLE, hint, next=again)
        case Refused():
            return _of_refusal(error, again)
        case BadAnswer():
            mend = "Something else may listen at that address, or another version."
            return Answer(UNREACHABLE, f"{sentence(str(error))} {mend}")
        case _:
            return Answer(UNREACHABLE, f"{sentence(str(error))} {NOTHING} {START}")


def told(findings: Sequence[FindingInfo]) -> list[str]:
    """Errors and warnings as sentences, with their codes."""
    return [
        f"{each.code}: {each.sentence}"
        for each in findings
        if each.severity in ("error", "warning")
    ]


def listed(findings: Sequence[FindingInfo], most: int = 40) -> dict[str, Any]:
    """Findings as data; their sentences stand in `warnings`, those of notes here."""
    kept = []
    for each in findings[:most]:
        row: dict[str, Any] = {"code": each.code, "severity": each.severity}
        row |= {"tasks": each.tasks[:20]} if each.tasks else {}
        row |= {"says": each.sentence} if each.severity not in ("error", "warning") else {}
        row |= {"mend": each.mend} if each.mend else {}
        kept.append(row)
    more = {"findings_left_out": len(findings) - most} if len(findings) > most else {}
    return {"findings": kept, **more} if kept else {}


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
