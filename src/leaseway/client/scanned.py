"""A scan as commands make it: nothing is swept meanwhile. It makes many small records and drops few
of them, so the collector would look through all of them again and again and find nothing."""

from __future__ import annotations

import gc
from collections.abc import Mapping

from leaseway.core.model.lease import Terms
from leaseway.core.model.plan import PlanSpec
from leaseway.core.model.units import Instant
from leaseway.core.scan.report import ScanOptions, ScanReport, scan


def scanned(
    plan: PlanSpec, leases: Mapping[str, Terms], now: Instant, options: ScanOptions | None = None
) -> ScanReport:
    """As `core.scan.report.scan`."""
    swept = gc.isenabled()
    gc.disable()
    try:
        return scan(plan, leases, now, options)
    finally:
        if swept:
            gc.enable()
