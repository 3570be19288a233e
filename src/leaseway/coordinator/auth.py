"""Who asks, and whether that role may. The table of roles and routes is in `table`."""

from __future__ import annotations

from starlette.requests import Request

from leaseway.coordinator.access import Access
from leaseway.coordinator.credentials import LOCAL
from leaseway.coordinator.declined import bound_to, no_credential, not_allowed, revoked
from leaseway.core.model.commands import Principal, Role
from leaseway.core.model.units import Instant

ANYONE = frozenset(Role)
READERS = frozenset({Role.OWNER, Role.AGENT, Role.VIEWER})
REQUESTERS = frozenset({Role.OWNER, Role.AGENT})
WORKERS = frozenset({Role.WORKER})
OWNERS = frozenset({Role.OWNER})

_BEARER = "bearer "


NOBODY = Principal("", Role.VIEWER)
"""Who asks what needs no credential."""


def principal_of(http: Request, access: Access, now: Instant) -> Principal:
    """Who asks. Declined: no credential of this pool was shown, or one that was revoked."""
    header = http.headers.get("authorization", "")
    if header[: len(_BEARER)].lower() != _BEARER:
        raise no_credential()
    found = access.who(header[len(_BEARER) :].strip(), now)
    if found is None:
        raise no_credential()
    if found.revoked_at is not None:
        raise revoked(found.name)
    return Principal(found.name, found.role)


def check_role(who: Principal, roles: frozenset[Role], action: str) -> None:
    """Declined: the role may not do this."""
    if who.role not in roles:
        names = sorted(role.value for role in roles)
        raise not_allowed(who, action, f"somebody with the role {' or '.join(names)}")


def check_speaks_for(who: Principal, worker: str, action: str) -> None:
    """The worker credential of this machine speaks for every worker here, an invited one for its
    own name. Declined: it is another's."""
    if who.name not in LOCAL and who.name != worker:
        raise bound_to(who, worker, action)


def check_own(who: Principal, principal: str, action: str) -> None:
    """An owner may touch everything, an agent what it handed in. Declined: it is another's."""
    if who.role is not Role.OWNER and who.name != principal:
        raise not_allowed(
            who,
            f"{action} what {principal} handed in",
            principal if principal == "owner" else f"{principal} or an owner",
        )
