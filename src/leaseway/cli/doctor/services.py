"""Whether something keeps the coordinator and the workers of this machine up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leaseway.cli.doctor.check import Check
from leaseway.cli.services.installing import Standing


def service_checks(found: Sequence[Standing], *, serves: bool) -> Iterator[Check]:
    """Judge. `serves`: this machine has a coordinator's state or a worker's."""
    if not found and serves:
        mend = "leaseway up --service, or leaseway worker join … --service"
        yield Check("service", "note", "none: nothing here comes back after a reboot", mend)
    for each in found:
        yield _check(each)


def _check(service: Standing) -> Check:
    user = "--user " if service.scope == "user" else ""
    unit = f"{service.name}.service"
    if not service.active:
        said = f"{service.name} is installed, and no systemd runs here to start it"
        return Check("service", "note", said)
    said = f"{service.name} is {service.active}, {service.enabled or 'not enabled'}"
    if service.active not in ("active", "activating", "reloading"):
        return Check("service", "bad", said, f"systemctl {user}status {unit}")
    if service.enabled != "enabled":
        mend = f"systemctl {user}enable {unit}"
        return Check("service", "note", f"{said}: it does not start at boot", mend)
    return Check("service", "ok", said)
