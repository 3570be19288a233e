"""Add up pytest's JUnit files: what was skipped and how to enable it, then one summary line."""

from __future__ import annotations

import os
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

NO_SKIP = "LEASEWAY_NO_SKIP"


def read(paths: list[Path]) -> tuple[Counter[str], Counter[str], float]:
    """Outcomes by kind, skip reasons with their number, seconds in all."""
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    seconds = 0.0
    for path in paths:
        for suite in ET.parse(path).getroot().iter("testsuite"):
            seconds += float(suite.get("time", "0"))
            for case in suite.iter("testcase"):
                kind = outcome_of(case)
                outcomes[kind] += 1
                if kind == "skipped":
                    skip = case.find("skipped")
                    reasons[skip.get("message", "") if skip is not None else ""] += 1
    return outcomes, reasons, seconds


def outcome_of(case: ET.Element) -> str:
    for tag, kind in (("failure", "failed"), ("error", "errors")):
        if case.find(tag) is not None:
            return kind
    skip = case.find("skipped")
    if skip is None:
        return "passed"
    return "xfailed" if skip.get("type") == "pytest.xfail" else "skipped"


def main() -> None:
    outcomes, reasons, seconds = read([Path(name) for name in sys.argv[1:]])
    print()
    if reasons:
        print("Skipped here (the reason says what would enable it):")
        for reason, count in sorted(reasons.items()):
            print(f"  {count:4} × {reason}")
        if not os.environ.get(NO_SKIP):
            print(f"  {NO_SKIP}=1 turns a skip into a failure.")
    else:
        print("Nothing was skipped.")
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(outcomes.items()))
    print(f"==== {counts or 'no tests ran'} in {seconds:.2f}s ====")


if __name__ == "__main__":
    main()
