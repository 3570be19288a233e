"""The leases of a file as a scan takes them."""

from __future__ import annotations

from pathlib import Path

from leaseway.cli.plan_given import file_refusal
from leaseway.core.model.lease import Terms
from leaseway.planfile.leases import read_leases
from leaseway.planfile.report import PlanFileError


def leases_of_file(path: Path, wall_ms: int) -> dict[str, Terms]:
    """The leases of a file, open from `wall_ms` on."""
    try:
        found = read_leases(path, wall_ms=wall_ms)
    except PlanFileError as error:
        raise file_refusal(error) from error
    return {name: lease.offer.at(wall_ms) for name, lease in found.items()}
