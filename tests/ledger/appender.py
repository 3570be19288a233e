"""A process that appends until it is killed: python -m tests.ledger.appender FOLDER

Every batch has `EVENTS` events and two rows that say which batch it was. A line on standard output
is an acknowledgement.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

from leaseway.ledger.port import Batch
from leaseway.ledger.sqlite import SqliteLedger
from tests.ledger.batches import batch, slept, task

EVENTS = 7


def numbered_batch(number: int) -> Batch:
    doc = b"%d" % number
    rows = (task("last", doc=doc), task(f"t{number}", doc=doc))
    return batch(*slept(*[number] * EVENTS), rows=rows, at=number)


def main(folder: Path) -> None:
    ledger = SqliteLedger.open(folder)
    ledger.take_term("appender")
    for number in itertools.count(ledger.head() // EVENTS + 1):
        sys.stdout.write(f"{ledger.append(numbered_batch(number))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
