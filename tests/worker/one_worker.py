"""A worker daemon for tests.

python -m tests.worker.one_worker URL STATE [--stop-running] [--no-room-for-views]
"""

from __future__ import annotations

import sys
from pathlib import Path

from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import TermsOffer, WindowOffer
from leaseway.worker.daemon import run_worker
from leaseway.worker.options import WorkerOptions


def tell(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    offer = TermsOffer((WindowOffer(0, 3_600_000),), capacity=Capacity(cpus_milli=4000, slots=4))
    options = WorkerOptions(
        name="w1",
        url=sys.argv[1],
        credential="the-secret",
        state_dir=Path(sys.argv[2]),
        offer=offer,
        stop_running="--stop-running" in sys.argv,
        views_bytes=0 if "--no-room-for-views" in sys.argv else 1_000_000_000,
        free_bytes=0,
        tell=tell,
    )
    sys.exit(run_worker(options))
