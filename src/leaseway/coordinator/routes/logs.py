"""Outputs: read by offset while they grow, written by the worker that holds or held the attempt."""

from __future__ import annotations

from starlette.responses import Response

from leaseway.coordinator.asked import Asked, reply
from leaseway.coordinator.auth import check_speaks_for
from leaseway.coordinator.declined import Declined, malformed, too_large
from leaseway.coordinator.errors import NotAccepted
from leaseway.coordinator.kept import attempt_of, produced
from leaseway.coordinator.logs import MOST_AT_ONCE, STREAMS, Full, Gap, Piece
from leaseway.coordinator.wakeups import deadline_in
from leaseway.core.model.findings import Finding
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.view import Attempt, Task
from leaseway.wire import streams
from leaseway.wire.problems import Kind, Problem, finding_problem, problem


async def read_log(asked: Asked) -> Response:
    """A piece of one output; with `wait` when there is more, or no more will come."""
    id, stream = asked.part("task"), _stream(asked)
    offset, deadline = asked.number("offset", 0), deadline_in(asked.wait_ms())
    with asked.house.wakeups.listen(f"task:{id}", f"log:{id}") as bell:
        while True:
            task, _ = await asked.house.task(id)
            chunk = _chunk(asked, task, stream, offset)
            waits = not chunk.data and not chunk.complete and not _no_more(task, chunk)
            if not waits or not await bell.until(deadline):
                break
    return Response(chunk.data, 200, _headers(chunk), "application/octet-stream")


async def write_log(asked: Asked) -> Response:
    """A piece of one output from the worker that holds or held the attempt."""
    id, stream, worker = asked.part("task"), _stream(asked), asked.text("worker") or ""
    check_speaks_for(asked.who, worker, "write output")
    ref = AttemptRef(id, asked.number("attempt", 0))
    data = await asked.raw()
    task, _ = await asked.house.task(id)
    attempt = attempt_of(task, ref.number)
    if attempt is None or attempt.worker != worker:
        raise Declined(_fenced(task, ref, worker, attempt))
    piece = Piece(ref, stream, asked.number("offset", 0), data, bool(asked.flag("end")))
    try:
        size = asked.house.logs.write(piece)
    except Gap as wrong:
        raise Declined(_gap(wrong)) from wrong
    except Full as wrong:
        raise too_large(wrong.have, wrong.cap) from wrong
    except OSError as wrong:
        raise NotAccepted(f"the output could not be kept: {wrong.strerror}") from wrong
    asked.house.wakeups.ring((f"log:{id}",))
    return reply(streams.LogWritten(size))


def _stream(asked: Asked) -> str:
    stream = asked.text("stream") or "stdout"
    if stream not in STREAMS:
        said = f"Expected one of {', '.join(STREAMS)}, got `{stream[:40]}` - at `?stream`"
        raise malformed(said)
    return stream


def _chunk(asked: Asked, task: Task, stream: str, offset: int) -> streams.LogChunk:
    number = asked.number("attempt", task.numbers)
    if not number:
        return streams.LogChunk(b"", offset, ended=task.outcome is not None)
    ref, attempt = AttemptRef(task.id, number), attempt_of(task, number)
    data = asked.house.logs.read(ref, stream, offset, MOST_AT_ONCE)
    after = offset + len(data)
    expected = produced(task, number, stream)
    whole = (
        expected is not None
        and after >= asked.house.logs.size(ref, stream)
        and asked.house.logs.is_whole(ref, stream, expected)
    )
    ended = attempt is None or attempt.ending is not None or task.outcome is not None
    left_out = asked.house.logs.left_out(ref, stream, expected or 0)
    return streams.LogChunk(data, after, ended, whole, expected, number, left_out)


def _no_more(task: Task, chunk: streams.LogChunk) -> bool:
    """Whether it is no use to wait: no attempt was ever made, or nothing is heard of its worker."""
    return task.outcome is not None and chunk.expected is None


def _headers(chunk: streams.LogChunk) -> dict[str, str]:
    headers = {
        streams.NEXT_OFFSET: str(chunk.next_offset),
        streams.LOG_ENDED: str(chunk.ended).lower(),
        streams.LOG_COMPLETE: str(chunk.complete).lower(),
        streams.LOG_ATTEMPT: str(chunk.attempt),
        streams.LOG_LEFT_OUT: str(chunk.left_out_bytes),
    }
    if chunk.expected is not None:
        headers[streams.LOG_EXPECTED] = str(chunk.expected)
    return headers


def _fenced(task: Task, ref: AttemptRef, worker: str, attempt: Attempt | None) -> Problem:
    numbers: dict[str, int | str | list[str]] = {"number": ref.number, "current": task.numbers}
    variant = "attempt" if attempt is None else "worker"
    finding = Finding("LW801", (task.id,), (worker,), numbers, variant)
    return finding_problem(Kind.FENCED, finding)


def _gap(wrong: Gap) -> Problem:
    """`have` says where to go on; a worker asks for it by writing nothing at offset 0."""
    return problem(Kind.CONFLICT, f"This piece leaves a gap: {wrong}. Nothing of it was kept.")
