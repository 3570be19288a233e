"""How fast the SQLite ledger takes batches, everything synced: python -m bench.ledger_rate [DIR]

Appends per second with 7 events and 3 rows each (what one short task costs), events per second in
batches of 100, reading back, and the bare syncs of the same disk beside them.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from leaseway.core.model.capacity import Uses
from leaseway.core.model.events import (
    AttemptEnded,
    AttemptGranted,
    AttemptMoved,
    Fact,
    PlanSubmitted,
    Reservation,
    Stamped,
    TaskEnded,
    TaskReserved,
    TaskSubmitted,
)
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.outcomes import Ending, EndKind, Outcome, OutcomeKind
from leaseway.core.model.plan import TaskSpec
from leaseway.core.model.sync import Phase
from leaseway.ledger.port import Batch
from leaseway.ledger.rows import PlanRow, TaskRow, WorkerRow
from leaseway.ledger.sqlite import SqliteLedger
from leaseway.runtime import Anchor

SECONDS = 1.5
NOW = 1_760_000_000_000


def one_task(number: int) -> tuple[Fact, ...]:
    """The life of one short task: seven events."""
    id, plan = f"p{number}.true", f"p{number}"
    room = Reservation("anna", NOW, NOW + 18_000, 10_000)
    cause = Finding("LW700", tasks=(id,), numbers={"ran_ms": 4}, severity=Severity.CAUSE)
    return (
        PlanSubmitted(plan, "true", "kim", "owner", (id,), key=f"k-{number}", digest="0" * 64),
        TaskSubmitted(id, plan, TaskSpec("true", ("/bin/true",), uses=Uses()), number, NOW),
        TaskReserved(id, room, NOW + 18_000),
        AttemptGranted(id, 1, "anna", 1, room, start_by=NOW + 2_000, order=1, spool_id="s-1"),
        AttemptMoved(id, 1, Phase.RUNNING, started_at=NOW, stop_at=NOW + 10_000),
        AttemptEnded(id, 1, "anna", Ending(EndKind.EXITED, 0, ran_ms=4, held_ms=4), NOW + 4),
        TaskEnded(id, Outcome(OutcomeKind.SUCCEEDED, cause, NOW + 4, attempt=1)),
    )


def one_batch(number: int) -> Batch:
    """Seven events, three rows with documents of 600 bytes."""
    doc, anchor = b"x" * 600, Anchor(NOW + number, number, number, "boot")
    rows = (
        TaskRow(f"p{number}.true", f"p{number}", "true", "ended", "kim", False, NOW, doc),
        PlanRow(f"p{number}", "kim", f"k-{number}", NOW, NOW, doc),
        WorkerRow("anna", "active", doc),
    )
    return Batch(tuple(Stamped(NOW, event) for event in one_task(number)), rows, anchor)


def hundred_events(number: int) -> Batch:
    events = [event for n in range(15) for event in one_task(number * 15 + n)][:100]
    anchor = Anchor(NOW + number, number, number, "boot")
    return Batch(tuple(Stamped(NOW, event) for event in events), (), anchor)


def rate(do: Callable[[int], object]) -> tuple[float, float]:
    """Calls per second, and the 99th percentile of one call in ms."""
    took: list[float] = []
    began = time.perf_counter()
    while (now := time.perf_counter()) - began < SECONDS:
        do(len(took))
        took.append(time.perf_counter() - now)
    return len(took) / (time.perf_counter() - began), sorted(took)[len(took) * 99 // 100] * 1_000


def bare_syncs(folder: Path) -> tuple[float, float]:
    """What the disk itself takes: 20 KiB appended and synced."""
    file = os.open(folder / "bare", os.O_WRONLY | os.O_CREAT, 0o600)
    block = b"x" * 20_480

    def write(_: int) -> None:
        os.write(file, block)
        os.fdatasync(file)

    measured = rate(write)
    os.close(file)
    return measured


def reading(ledger: SqliteLedger) -> float:
    """Events per second, read and decoded in chunks."""
    began, after, most = time.perf_counter(), 0, 100_000
    while after < most and (chunk := ledger.read(after, 1_000)):
        after = chunk[-1].position
    return after / (time.perf_counter() - began)


def say(what: str, measured: float, unit: str, slowest_ms: float) -> None:
    print(f"{what:26} {measured:9,.0f} {unit:9} p99 {slowest_ms:5.2f} ms")


def main(parent: str | None) -> None:
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        syncs, slowest = bare_syncs(Path(folder))
        say("bare sync of 20 KiB", syncs, "/s", slowest)
        ledger = SqliteLedger.open(Path(folder))
        ledger.take_term("bench")
        appends, slowest = rate(lambda number: ledger.append(one_batch(number)))
        say("append 7 events + 3 rows", appends, "/s", slowest)
        print(f"{'  ÷ bare syncs':26} {appends / syncs:9.2f}")
        batches, slowest = rate(lambda number: ledger.append(hundred_events(number)))
        say("append 100 events", batches * 100, "events/s", slowest)
        print(f"read and decode            {reading(ledger):9,.0f} events/s")
        ledger.close()
        size = (Path(folder) / "ledger.db").stat().st_size
        print(f"file                       {size / 1e6:9,.1f} MB")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
