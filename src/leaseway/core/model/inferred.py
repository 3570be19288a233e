"""What somebody inferred that a task probably touches: never as good as what is declared."""

from __future__ import annotations

from msgspec import Struct


class Inferred(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One access. `what`: a path, counted from the task's working directory, or a thing of a named
    space (`git:/srv/x`, `port:8000`); `rule`: what said so; `text`: the piece of the command that
    it rests on. `what` empty: `text` is a piece that was not understood, and `rule` says why."""

    what: str
    rule: str
    text: str = ""
    writes: bool = False
