"""What a command changed in its view, packed: what it declared, and what it changed beside that.

Nothing is followed: a symbolic link is brought as a link if it stays in the tree, else it is named.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.plan import Archive
from leaseway.core.model.worker import LocalGrant
from leaseway.worker.views import LIMITS, Views
from leaseway.workspace.changes import Changes, changes, pack_changes, select
from leaseway.workspace.errors import TooLarge, Unsteady
from leaseway.workspace.limits import Limits
from leaseway.workspace.listing import Odd
from leaseway.workspace.naming import in_order, is_reserved, shown
from leaseway.workspace.packing import Packed

EXTRA_BYTES = 64 * 1024 * 1024
"""Of what was not declared, so much content is archived; beyond it files are only named."""

NAMED = 20
TOLD = 5
TRIES = 3
RESULTS, EXTRA = "results", "extra"


@dataclass
class _Part:
    """One archive and what is to be said of it."""

    archive: Archive | None = None
    left: tuple[str, ...] = ()  # why some is not in it, in words
    lost: bool = False  # could not be packed at all


def collected(
    grant: LocalGrant, ending: Ending, views: Views, extra_bytes: int = EXTRA_BYTES
) -> tuple[Ending, str]:
    """The ending with what was collected, and why the view is to be kept (empty: it is not). The
    archives lie in the folder about the view, on the disk. NotWritten, OSError: try again."""
    ref = grant.ref
    if not views.is_made(ref):
        return _lacking(grant, ending, "its view is gone, and with it what it changed"), ""
    try:
        before = views.before(ref)
    except (OSError, ValueError):
        said = f"nobody knows what it changed; its files are kept in {views.path(ref)}"
        return _lacking(grant, ending, said), "what it looked like before is not known"
    view, about = views.path(ref), views.about(ref)
    with contextlib.suppress(OSError):
        view.chmod(0o755)  # a command may have locked itself out, and us
    changed = changes(view, before)
    declared, others = select(changed, grant.brings, grant.workdir)
    results = _packed(view, declared, about / RESULTS, LIMITS)
    results.left += tuple(_never_travel(grant.outputs))
    some, too_much = _within(view, others, extra_bytes)
    extra = _packed(view, some, about / EXTRA, LIMITS)
    names = _names(others)
    made = replace(
        ending,
        results=results.archive,
        extra=extra.archive,
        undeclared=tuple(shown(name) for name in names[:NAMED]),
        undeclared_count=len(names),
    )
    if results.left:
        made = replace(made, detail=joined(made.detail, *results.left))
    if results.lost:
        made = _lacking(grant, made, f"its files are kept in {view}")
    return made, _why_kept(made, results, extra, too_much)


def is_success(ending: Ending) -> bool:
    """Exit 0 by itself, with all it declared."""
    return _is_well(ending) and not ending.missing


def joined(*said: str) -> str:
    """Details one after the other; of many, the first and how many more."""
    told = [each for each in said if each]
    more = [f"and {len(told) - TOLD} more"] if len(told) > TOLD else []
    return "; ".join([*told[:TOLD], *more])


def without_results(grant: LocalGrant, ending: Ending, why: str) -> Ending:
    """Nothing can be brought back, so what it was to bring is missing."""
    return _lacking(grant, replace(ending, results=None), why)


def _lacking(grant: LocalGrant, ending: Ending, why: str) -> Ending:
    """What was declared counts as missing, if the command thought that it was done."""
    started = ending.kind not in (EndKind.SPAWN_FAILED, EndKind.NOT_STARTED)
    missing = grant.outputs if _is_well(ending) else ending.missing
    detail = joined(ending.detail, why) if started else ending.detail
    return replace(ending, missing=missing, detail=detail)


def _is_well(ending: Ending) -> bool:
    return ending.kind is EndKind.EXITED and ending.exit_code == 0 and ending.reason is None


def _why_kept(ending: Ending, results: _Part, extra: _Part, too_much: bool) -> str:
    if not is_success(ending):
        return "it did not succeed"
    if results.left or results.lost:
        return "not all that it declared could be brought back"
    if extra.left or extra.lost or too_much:
        return "it changed more beside what it declared than was brought back"
    return ""


def _names(changed: Changes) -> tuple[str, ...]:
    odd = (note.path for note in changed.notes)
    return in_order((*changed.added, *changed.modified, *changed.deleted, *odd))


def _within(view: Path, changed: Changes, most_bytes: int) -> tuple[Changes, bool]:
    """As much of it as may be archived, in the order of names, and whether something is left."""
    kept: set[str] = set()
    room = most_bytes
    names = (*changed.added, *changed.modified)
    for name in in_order(names):
        size = _size(view / name)
        if size <= room:
            room -= size
            kept.add(name)
    some = Changes(
        tuple(name for name in changed.added if name in kept),
        tuple(name for name in changed.modified if name in kept),
        changed.deleted,
        changed.notes,
    )
    return some, len(kept) < len(set(names))


def _size(path: Path) -> int:
    with contextlib.suppress(OSError):
        found = os.lstat(path)
        return found.st_size if stat.S_ISREG(found.st_mode) else 0
    return 0


def _packed(view: Path, part: Changes, out: Path, limits: Limits) -> _Part:
    """Nobody writes there any more; if somebody does, that file is left out and named."""
    names = (*part.added, *part.modified)
    left = [f"{shown(note.path)}: {note.detail}" for note in part.notes]
    if not names and not part.deleted:
        return _Part(None, tuple(left))
    for _ in range(TRIES):
        try:
            packed = pack_changes(view, names, part.deleted, out, limits)
        except Unsteady as error:
            left += [f"{shown(name)} changes while it is read" for name in error.paths]
            names = tuple(name for name in names if name not in error.paths)
        except TooLarge as error:
            return _Part(None, (*left, f"what it changed cannot be brought back: {error}"), True)
        else:
            left += _left_out(packed)
            whole = packed.files or part.deleted
            return _Part(_archive(packed) if whole else None, tuple(left))
    return _Part(None, (*left, "its files go on changing"), True)


def _never_travel(outputs: Iterable[str]) -> Iterable[str]:
    """Declared outputs that no tree holds; what is there of them was not even looked at."""
    for name in outputs:
        if is_reserved(os.path.normpath(name)):
            yield f"{shown(name)}: left out: git or Leaseway uses this name itself"


def _left_out(packed: Packed) -> Iterable[str]:
    for note in packed.notes:
        if note.kind is not Odd.VANISHED:
            yield f"{shown(note.path)}: {note.detail}"


def _archive(packed: Packed) -> Archive:
    return Archive(packed.digest, packed.archive_bytes, packed.files)
