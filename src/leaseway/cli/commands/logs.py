"""`logs TASK`: what a task wrote, whole or as it arrives."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import click

from leaseway.cli.answer import Asked, answers

if TYPE_CHECKING:
    from leaseway.cli.output import Reader
    from leaseway.client.blocking import Client
    from leaseway.wire.tasks import AttemptInfo, TaskInfo


@click.command("logs")
@click.argument("id", metavar="TASK")
@click.option("-f", "--follow", is_flag=True, help="Until the task has ended.")
@click.option("--attempt", type=click.IntRange(min=1), help="Of this attempt, not the latest.")
@click.option("--stream", type=click.Choice(["stdout", "stderr"]), help="Only this one.")
@answers
def logs(asked: Asked, id: str, follow: bool, attempt: int | None, stream: str | None) -> None:
    """What TASK wrote: its stdout to ours, its stderr to ours. What is missing of it is said on
    stderr."""
    from leaseway.cli.names import the_task
    from leaseway.cli.output import STREAMS, Reader, left_out_lines, writer_of

    streams = (stream,) if stream else STREAMS
    with asked.pool() as pool:
        task = pool.task(the_task(pool, id))
        check_attempt(task, attempt)
        if follow:
            task = followed(pool, task, attempt, () if asked.as_json else streams)
        readers = [Reader(pool, task.id, each, attempt) for each in streams]
        if asked.as_json:
            asked.tell(_document(task.id, readers), list)
            return
        for reader in readers:
            reader.rest(_nowhere if follow else writer_of(reader.stream))
    said = left_out_lines({each.stream: each.left_out for each in readers if each.left_out})
    if not any(reader.offset for reader in readers):
        said.append(f"leaseway: {why_empty(task, attempt)}")
    for line in said:
        click.echo(line, err=True)


def followed(
    pool: Client, task: TaskInfo, attempt: int | None, streams: tuple[str, ...]
) -> TaskInfo:
    """Copy both outputs until the task has ended."""
    from leaseway.cli.output import STREAMS, Streaming

    streaming = Streaming(pool, task.id, attempt, streams)
    with ThreadPoolExecutor(max_workers=len(STREAMS)) as workers:
        streaming.start(workers)
        try:
            while not task.ended:
                task = pool.task(task.id, wait_ms=5_000)
        finally:
            streaming.finish(whole=task.ended)
    return task


def check_attempt(task: TaskInfo, number: int | None) -> None:
    """A usage error for an attempt that was not made."""
    made = [str(each.number) for each in attempts_of(task)]
    if number is not None and str(number) not in made:
        there = f"attempt {', '.join(made)}" if made else "none yet"
        raise click.UsageError(f"{task.id} has no attempt {number}; there is {there}.")


def why_empty(task: TaskInfo, number: int | None) -> str:
    """Why there is no output."""
    attempts = attempts_of(task)
    asked = [each for each in attempts if number in (None, each.number)]
    if not asked:
        return f"{task.id} " + ("never ran." if task.ended else "has not started yet.")
    last = asked[-1]
    unseen = last.ending is None or last.ending.kind == "unknown"
    if unseen and task.ended:
        return (
            f"no output of {task.id} has arrived; {last.worker} was not heard of since it was given"
            " up, and what it wrote is there, if anywhere."
        )
    if unseen:
        return f"nothing has arrived of {task.id} yet."
    return f"{task.id} wrote nothing."


def attempts_of(task: TaskInfo) -> list[AttemptInfo]:
    """All that were made, the current one last."""
    return [*task.past, task.attempt] if task.attempt else list(task.past)


def _nowhere(data: bytes) -> None:
    """It was copied as it came."""


def _document(id: str, readers: list[Reader]) -> dict[str, object]:
    """Both outputs as text; bytes that are no UTF-8 are replaced. `complete`: all that is kept is
    here; `left_out_bytes`: what is not kept, by stream."""
    document: dict[str, object] = {"task": id, "complete": True, "left_out_bytes": {}}
    for reader in readers:
        data = bytearray()
        last = reader.rest(data.extend)
        document["attempt"] = last.attempt
        document["complete"] = document["complete"] and last.complete
        document[reader.stream] = data.decode(errors="replace")
    document["left_out_bytes"] = {each.stream: each.left_out for each in readers if each.left_out}
    return document
