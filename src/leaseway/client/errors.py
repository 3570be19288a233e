"""What a client may raise.

LeasewayError
├── Unreachable          no coordinator answered at the address tried
├── NoAddress            neither argument, environment nor state folder names a coordinator
├── BadInvitation        an invitation cannot be read, or does not belong to who answers
├── BadAnswer            something answered that is no coordinator of a version known here
└── Refused              the coordinator said no; `problem` is its document, and nothing ran
    ├── Malformed        the request cannot be read (400, 413)
    ├── NotAllowed       no credential, or one that may not do this (401, 403)
    ├── NotFound         there is no such plan, task or worker (404)
    ├── Conflict         the key, the grant or the state stands against it (409)
    ├── ApprovalNeeded   a person must say yes first; then the same again passes (422)
    ├── Unavailable      nothing accepted: try again (503), or make room first (507)
    └── Defect           a defect of the coordinator (500)
"""

from __future__ import annotations

from leaseway.wire.problems import Kind, Problem


class LeasewayError(Exception):
    """A coordinator could not be asked, or said no."""


class Unreachable(LeasewayError):
    """No coordinator answered at the address tried."""

    def __init__(self, url: str, reason: str, key: str = "", *, sent: bool = True) -> None:
        said = f"no coordinator answers at {url} ({reason})"
        if key:
            said += f"; whether it took the plan is not known, a retry with key {key} is harmless"
        super().__init__(said)
        self.url = url
        self.reason = reason
        self.key = key
        self.sent = sent  # False: nothing went out, so nothing came of it


class NoAddress(LeasewayError):
    """Neither argument, environment nor state folder names a coordinator."""


class BadInvitation(LeasewayError):
    """An invitation cannot be read, or does not belong to who answers. Nothing was kept."""


class BadAnswer(LeasewayError):
    """Something answered that is no coordinator of a version known here."""


class Refused(LeasewayError):
    """The coordinator said no. Nothing ran."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail or problem.title)
        self.problem = problem


class Malformed(Refused):
    """The request cannot be read."""


class NotAllowed(Refused):
    """No credential, or one that may not do this."""


class NotFound(Refused):
    """There is no such plan, task or worker."""


class Conflict(Refused):
    """The key, the grant or the state stands against it."""


class ApprovalNeeded(Refused):
    """A person must say yes first; `problem.approval` is the request."""


class Unavailable(Refused):
    """503, nothing accepted: try again."""


class Defect(Refused):
    """A defect of the coordinator."""


_KINDS: dict[str, type[Refused]] = {
    Kind.MALFORMED: Malformed,
    Kind.TOO_LARGE: Malformed,
    Kind.NO_CREDENTIAL: NotAllowed,
    Kind.NOT_ALLOWED: NotAllowed,
    Kind.UNKNOWN: NotFound,
    Kind.NO_ROUTE: NotFound,
    Kind.FENCED: Conflict,
    Kind.CONFLICT: Conflict,
    Kind.APPROVAL_NEEDED: ApprovalNeeded,
    Kind.UNAVAILABLE: Unavailable,
    Kind.NO_ROOM: Unavailable,
    Kind.DEFECT: Defect,
}


def error_of(problem: Problem) -> Refused:
    """The error for a problem document; kinds not known here are plain refusals."""
    return _KINDS.get(problem.kind, Refused)(problem)
