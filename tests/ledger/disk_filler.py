"""A process whose files may not grow: python -m tests.ledger.disk_filler FOLDER

The system's own limit on a file's size stands for the full disk. Prints what happened as JSON.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

from leaseway.ledger.errors import LedgerUnavailable
from leaseway.ledger.sqlite import SqliteLedger
from tests.ledger.batches import batch, slept, task
from tests.ledger.conformance import contents


def append(ledger: SqliteLedger, number: int) -> int:
    rows = (task(f"t{number}", doc=b"x" * 3_000), task("last", doc=b"%d" % number))
    return ledger.append(batch(*slept(*[number] * 5), rows=rows, at=number))


def main(folder: Path) -> None:
    ledger = SqliteLedger.open(folder)
    ledger.take_term("filler")
    number = append(ledger, 1) // 5
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, most))
    refused: list[str] = []
    same = True
    while len(refused) < 3:
        before = contents(ledger)
        try:
            number = append(ledger, number + 1) // 5
        except LedgerUnavailable as full:
            refused.append(str(full))
            same = same and contents(ledger) == before
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    went_on = append(ledger, number + 1) // 5
    ledger.close()
    sys.stdout.write(
        json.dumps({"before": number, "refused": refused, "same": same, "after": went_on})
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
