"""The door of the room: a task's command, read."""

from __future__ import annotations

from collections.abc import Mapping

from leaseway.inference.reading import Reading, Sink, Unread
from leaseway.inference.scope import Scope, Word
from leaseway.inference.shell import LONGEST_BYTES, Shell


def read_command(run: str | tuple[str, ...], env: Mapping[str, str] | None = None) -> Reading:
    """What a command probably touches; paths count from the directory in which it starts. A text is
    read as a shell's, a list as program and arguments. Whatever it is, it never fails and takes
    bounded time: what is not understood is among `unread`."""
    sink = Sink()
    shell = Shell(sink)
    scope = Scope(variables=dict(env or {}))
    if isinstance(run, str):
        shell.text(run, scope)
    elif sum(map(len, run)) > LONGEST_BYTES:
        return Reading((), (Unread(run[0][:40], f"longer than {LONGEST_BYTES // 1024} KiB"),))
    else:
        shell.argv([Word.of(text) for text in run], scope, " ".join(run))
    return sink.reading()
