"""What is read as it grows: events and logs; and what a coordinator says about itself."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from leaseway.core.model.units import Instant, Millis
from leaseway.wire.findings import FindingInfo

NEXT_OFFSET = "leaseway-next-offset"
LOG_ENDED = "leaseway-ended"
LOG_COMPLETE = "leaseway-complete"
LOG_EXPECTED = "leaseway-expected-bytes"
LOG_ATTEMPT = "leaseway-attempt"
LOG_LEFT_OUT = "leaseway-left-out-bytes"
"""Headers of a piece of log, whose body is the bytes themselves."""


class EventInfo(Struct, frozen=True):
    """One event of the ledger; `doc` has its fields, `tag` its kind."""

    position: int
    at: Instant
    tag: str
    doc: dict[str, Any]


class EventList(Struct, frozen=True):
    """Events in order; `next` goes into `after` for what comes then."""

    events: tuple[EventInfo, ...]
    next: int
    head: int
    now: Instant


class LogChunk(Struct, frozen=True):
    """A piece of one output. `next_offset`: where to read on. `ended`: the attempt has ended.
    `complete`: it has, and this piece reaches the end of what its worker kept. `expected`: that
    many bytes the command wrote, once its ending is known; a long output is kept as head and tail.
    Ended with `expected` None: its worker was given up, so the rest may never come. `attempt` 0:
    none was made yet. `left_out_bytes`: so many of what the command wrote were not kept."""

    data: bytes
    next_offset: int
    ended: bool = False
    complete: bool = False
    expected: int | None = None
    attempt: int = 0
    left_out_bytes: int = 0


class LogWritten(Struct, frozen=True):
    """How many bytes of this output are there now: the next piece goes to this offset. A piece is
    the body of `POST /v1/logs/TASK?worker=&attempt=&stream=&offset=`, `end=true` with the last."""

    size: int


class AmountInfo(Struct, frozen=True):
    """One resource of a worker now, in the unit of its name (`cpus_milli`, `memory_bytes`): asked,
    free, total; None: unlimited."""

    resource: str
    asked: int
    free: int | None = None
    total: int | None = None


class AtWorkerInfo(Struct, frozen=True):
    """All that stands against a waiting task on one worker; nothing: it would be taken at once, if
    nothing else is waited for. `asked_ms`: what must lie in one window, guard and all. `left_ms`:
    left of the window open now; 0: none is; None: no end. `chosen`: it has its place here."""

    worker: str
    findings: tuple[FindingInfo, ...] = ()
    amounts: tuple[AmountInfo, ...] = ()
    asked_ms: Millis = 0
    left_ms: Millis | None = None
    chosen: bool = False


class ExplainInfo(Struct, frozen=True):
    """Why it waits, was refused, or ended so; `first`, the sentence of the first finding, says
    whether the boundary is the cause. `by`: when there will be an outcome, whatever happens;
    `open_ended`: nothing bounds its run, so by then it has started or ended; once it runs, it may
    be let run on. `workers`: of a waiting task, every worker."""

    task: str
    first: str
    findings: tuple[FindingInfo, ...] = ()
    boundary: bool = False
    by: Instant | None = None
    now: Instant = 0
    open_ended: bool = False
    workers: tuple[AtWorkerInfo, ...] = ()


class AboutInfo(Struct, frozen=True):
    """A coordinator, and who is asking it."""

    software: str
    versions: tuple[int, ...]
    speaks: tuple[int, ...]
    ledger_id: str
    head: int
    term: int
    principal: str
    role: str
    now: Instant
    patience_ms: int
    most_body_bytes: int


class BlobInfo(Struct, frozen=True):
    """An archive that is kept: its digest, and how many bytes it has."""

    digest: str
    bytes: int
