"""Who may come in: the authority's certificate and redeeming, which need no credential; inviting,
listing and revoking, which are an owner's."""

from __future__ import annotations

from starlette.responses import Response

from leaseway.coordinator.asked import Asked, reply
from leaseway.coordinator.declined import Declined, malformed
from leaseway.core.decisions.terms import bad_name
from leaseway.core.model.commands import Role
from leaseway.wire.access import (
    AccessList,
    AccessRevoke,
    CaInfo,
    InviteReply,
    InviteRequest,
    JoinRequest,
)
from leaseway.wire.problems import Kind, finding_problem, problem

LONGEST_MS = 30 * 24 * 3_600_000
SECRET_LEAST, SECRET_MOST = 40, 200
_SMALL = 4_096
"""Whoever asks these is not known yet: nothing large is read from them."""


async def authority(asked: Asked) -> Response:
    """The certificate of the coordinator's own authority. Compare its fingerprint."""
    tls = asked.house.place.tls
    if tls is None:
        detail = "This coordinator is asked on its own machine only; nothing is encrypted here."
        raise Declined(problem(Kind.NO_ROUTE, detail))
    return reply(CaInfo(tls.ca))


async def join(asked: Asked) -> Response:
    """Redeem an invitation for a credential; the same again is answered the same."""
    request = await asked.body(JoinRequest, _SMALL)
    if request.kind not in ("worker", "client"):
        raise malformed("Expected worker or client - at `$.kind`")
    if not SECRET_LEAST <= len(request.secret) <= SECRET_MOST:
        raise malformed(f"Expected a secret of {SECRET_LEAST} letters or more - at `$.secret`")
    for name in (request.name, request.host):
        _check_name(name)
    if not request.name and not request.host:
        raise malformed("Expected a name - at `$.host`")
    await asked.house.door.view()  # a coordinator that decides nothing takes nobody in
    return reply(asked.house.access.join(request, asked.house.now()))


async def credentials(asked: Asked) -> Response:
    """Every credential and open invitation, with when it was last heard."""
    now = asked.house.now()
    return reply(AccessList(asked.house.access.listed(now), now))


async def invite(asked: Asked) -> Response:
    """Make an invitation; it is told this once."""
    request = await asked.body(InviteRequest, _SMALL)
    roles = [role.value for role in Role]
    if request.role not in roles:
        said = f"Expected one of {', '.join(roles)}, got `{request.role[:40]}` - at `$.role`"
        raise malformed(said)
    if not 0 < request.for_ms <= LONGEST_MS:
        raise malformed("Expected a length above 0 and of 30 days at most - at `$.for_ms`")
    if not request.name and request.role != Role.WORKER:
        raise malformed("Expected a name for who is invited - at `$.name`")
    _check_name(request.name)
    now, place = asked.house.now(), asked.house.place
    text = asked.house.access.invite(request, now)
    return reply(
        InviteReply(
            text,
            request.role,
            request.name,
            now + request.for_ms,
            now,
            place.url,
            place.elsewhere,
        )
    )


async def revoke_access(asked: Asked) -> Response:
    """Take a credential back: from now on it opens nothing."""
    request = await asked.body(AccessRevoke, _SMALL)
    return reply(asked.house.access.revoke(request.name, asked.who, asked.house.now()))


def _check_name(name: str) -> None:
    bad = bad_name(name) if name else None
    if bad is not None:
        raise Declined(finding_problem(Kind.MALFORMED, bad))
