"""What `leaseway scan --json` prints, as a type; docs/scan.schema.json is made of it."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from leaseway.core.scan.report import ScanReport
from leaseway.wire.findings import FindingInfo
from leaseway.wire.plans import PlacedTask


class ScanDocument(Struct, frozen=True):
    """`findings` with those of the pool, `placed`: what the pool would promise, `report`: what was
    found here. `scan_id`: for `run --check`, empty where no pool was asked."""

    plan: str
    exit_code: int
    checked_against_pool: bool
    scan_id: str
    findings: tuple[FindingInfo, ...]
    placed: tuple[PlacedTask, ...]
    report: ScanReport


def scan_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the document."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **msgspec.json.schema(ScanDocument),
    }
