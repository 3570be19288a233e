"""Who asks, and whether that role may. The table of roles and routes is in `table`."""

from __future__ import annotations

from starlette.requests import Request

from leaseway.coordinator.credentials import Keyring
from leaseway.coordinator.declined import no_credential, not_allowed
from leaseway.core.model.commands import Principal, Role

ANYONE = frozenset(Role)
READERS = frozenset({Role.OWNER, Role.AGENT, Role.VIEWER})
REQUESTERS = frozenset({Role.OWNER, Role.AGENT})
WORKERS = frozenset({Role.WORKER})
OWNERS = frozenset({Role.OWNER})

_BEARER = "bearer "


def principal_of(http: Request, keyring: Keyring) -> Principal:
    """Who asks. Declined: no credential of this pool was shown."""
    header = http.headers.get("authorization", "")
    if header[: len(_BEARER)].lower() != _BEARER:
        raise no_credential()
    who = keyring.principal_of(header[len(_BEARER) :].strip())
    if who is None:
        raise no_credential()
    return who


def check_role(who: Principal, roles: frozenset[Role], action: str) -> None:
    """Declined: the role may not do this."""
    if who.role not in roles:
        names = sorted(role.value for role in roles)
        raise not_allowed(who, action, f"somebody with the role {' or '.join(names)}")


def check_own(who: Principal, principal: str, action: str) -> None:
    """An owner may touch everything, an agent what it handed in. Declined: it is another's."""
    if who.role is not Role.OWNER and who.name != principal:
        raise not_allowed(
            who,
            f"{action} what {principal} handed in",
            principal if principal == "owner" else f"{principal} or an owner",
        )
