"""`logs ID`: what a task wrote, whole or as it arrives."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import click

from leaseway.cli.answer import Asked, answers

if TYPE_CHECKING:
    from leaseway.cli.output import Reader


@click.command("logs")
@click.argument("id")
@click.option("-f", "--follow", is_flag=True, help="Until the task has ended.")
@click.option("--attempt", type=click.IntRange(min=1), help="Of this attempt, not the latest.")
@click.option("--stream", type=click.Choice(["stdout", "stderr"]), help="Only this one.")
@answers
def logs(asked: Asked, id: str, follow: bool, attempt: int | None, stream: str | None) -> None:
    """What task ID wrote: its stdout to ours, its stderr to ours."""
    from leaseway.cli.output import STREAMS, Reader, Streaming, writer_of

    streams = (stream,) if stream else STREAMS
    with asked.pool() as pool:
        if follow:
            streaming = Streaming(pool, id, attempt, () if asked.as_json else streams)
            with ThreadPoolExecutor(max_workers=len(STREAMS)) as workers:
                streaming.start(workers)
                ended = False
                try:
                    while not ended:
                        ended = pool.task(id, wait_ms=5_000).ended
                finally:
                    streaming.finish(whole=ended)
        readers = [Reader(pool, id, each, attempt) for each in streams]
        if asked.as_json:
            asked.tell(_document(id, readers), list)
        elif not follow:
            pool.task(id)  # an unknown name is answered with the nearest ones
            for reader in readers:
                reader.rest(writer_of(reader.stream))


def _document(id: str, readers: list[Reader]) -> dict[str, object]:
    """Both outputs as text; bytes that are no UTF-8 are replaced."""
    document: dict[str, object] = {"task": id, "complete": True}
    for reader in readers:
        data = bytearray()
        last = reader.rest(data.extend)
        document["attempt"] = last.attempt
        document["complete"] = document["complete"] and last.complete
        document[reader.stream] = data.decode(errors="replace")
    return document
