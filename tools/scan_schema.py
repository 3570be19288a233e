"""Write docs/scan.schema.json: what `leaseway scan --json` prints, made of the types."""

from __future__ import annotations

import json
from pathlib import Path

from leaseway.wire.scans import scan_schema

PLACE = Path(__file__).resolve().parent.parent / "docs" / "scan.schema.json"


def text() -> str:
    """The file's whole text."""
    return json.dumps(scan_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PLACE.write_text(text(), encoding="utf-8")
