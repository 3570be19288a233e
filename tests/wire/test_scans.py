"""Goal: the published schema is that of the types, and what a scan prints has its form. Method:
compare the file with what the types give, and read a scan with the type."""

from __future__ import annotations

import json

import msgspec

from leaseway.core.model.lease import Terms, Window
from leaseway.core.scan.report import scan
from leaseway.wire.findings import finding_infos
from leaseway.wire.scans import ScanDocument, scan_schema
from tests.checkout import ROOT
from tests.core.scan.plans import eight


def test_the_published_schema_is_that_of_the_types():
    published = (ROOT / "docs" / "scan.schema.json").read_text(encoding="utf-8")
    assert json.loads(published) == json.loads(json.dumps(scan_schema())), (
        "run: python tools/scan_schema.py"
    )


def test_a_scan_is_read_back():
    report = scan(eight(), {"box": Terms((Window(0),))}, 1)
    findings = finding_infos(report.findings)
    document = ScanDocument("p", 0, False, "", findings, (), report)
    assert msgspec.json.decode(msgspec.json.encode(document), type=ScanDocument) == document


def test_the_placement_is_part_of_it():
    definitions = scan_schema()["$defs"]
    assert {"start_ms", "end_ms", "worker", "task"} <= definitions["PlacedAt"]["properties"].keys()
    assert {"makespan_ms", "bound_ms", "gap_percent"} <= definitions["Placement"][
        "properties"
    ].keys()
