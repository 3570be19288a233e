"""Which runs count as runs of the same thing."""

from __future__ import annotations

import hashlib
import re
import shlex

from msgspec import Struct

from leaseway.core.model.estimate import Likeness
from leaseway.core.model.plan import TaskSpec, Workspace

_CHANGING = re.compile(
    r"(?<![0-9a-zA-Z])(?:"
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"  # a UUID
    r"|(?=[a-fA-F]*[0-9])[0-9a-fA-F]{7,}"  # a digest, whole or short
    r")(?![0-9a-zA-Z])"
    r"|\d+(?:\.\d+)*"
)
_SHOWN = 200  # characters of a command that are kept to be read


class HistoryKey(Struct, frozen=True):
    """One history that a run belongs to. `id`: twelve hex digits, made of all the rest."""

    id: str
    likeness: Likeness
    command: str
    place: str
    labels: str


def worker_class(labels: tuple[str, ...]) -> str:
    """Workers whose owners gave them the same labels are taken to be alike."""
    return " ".join(sorted(labels))


def template_of(run: str | tuple[str, ...]) -> tuple[str, ...]:
    """The command with `#` for numbers, digests and UUIDs. The program's own name stays; of a
    text for the shell it is all one."""
    if isinstance(run, str):
        return (_CHANGING.sub("#", run),)
    return (*run[:1], *(_CHANGING.sub("#", word) for word in run[1:]))


def shape_of(run: str | tuple[str, ...]) -> tuple[str, ...]:
    """The template with the size of whole numbers left in it: a `#` for each of their digits."""
    if isinstance(run, str):
        return (_CHANGING.sub(_sized, run),)
    return (*run[:1], *(_CHANGING.sub(_sized, word) for word in run[1:]))


def _sized(found: re.Match[str]) -> str:
    text = found.group()
    return "#" * len(text.lstrip("0") or "0") if text.isdecimal() else "#"


def keys_of(
    spec: TaskSpec, workdir: str | None, workspace: Workspace | None, labels: str
) -> tuple[HistoryKey, ...]:
    """The histories of a command on workers of one class, nearest first. A command in which
    nothing changes is its own shape and template."""
    place = place_of(spec, workdir, workspace)
    words, template = words_of(spec.run), template_of(spec.run)
    found = [_key(Likeness.COMMAND, words, place, labels)]
    if template != words:
        found.append(_key(Likeness.SHAPE, shape_of(spec.run), place, labels))
        found.append(_key(Likeness.TEMPLATE, template, place, labels))
    return (*found, _key(Likeness.ANYWHERE, template, place, ""))


def place_of(spec: TaskSpec, workdir: str | None, workspace: Workspace | None) -> str:
    """Where it runs: a folder, or one below the tree that it is handed in with, whatever is in
    that tree today."""
    folder = spec.workdir or workdir or ""
    return folder if workspace is None else f"{workspace.origin}:{folder}"


def words_of(run: str | tuple[str, ...]) -> tuple[str, ...]:
    """The command as words; a text for the shell is one."""
    return (run,) if isinstance(run, str) else run


def _key(likeness: Likeness, words: tuple[str, ...], place: str, labels: str) -> HistoryKey:
    text = "\0".join((likeness.value, labels, place, *words))
    id = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]
    shown = words[0] if len(words) == 1 else shlex.join(words)
    return HistoryKey(id, likeness, shown[:_SHOWN], place[:_SHOWN], labels)
