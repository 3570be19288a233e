"""What a task touches, from what it declares. Nothing declared is not nothing touched: it may touch
everything below its working directory (LW206), unless it says that it knows what it does.

A task of a plan that travels with its tree runs in a view of its own. What it touches there
concerns tasks of its own plan only, by the plan's order; what it writes there meets others when it
is brought back to where the tree came from, so that place stands for it (LW202).
"""

from __future__ import annotations

from msgspec.structs import replace

from leaseway.core.model.inferred import Inferred
from leaseway.core.model.paths import Place, place
from leaseway.core.model.plan import TaskSpec, Workspace
from leaseway.core.model.touching import Access


def is_unknown(spec: TaskSpec) -> bool:
    """Whether it says nothing about what it touches, and not that this is known to be harmless."""
    return spec.reads is None and spec.writes is None and not spec.parallel


_IN_VIEW = (".", "git:", "make:")


def inferred_of(
    spec: TaskSpec, base: str | None, *, in_view: bool
) -> tuple[tuple[Inferred, Place], ...]:
    """What was inferred of a task that declares nothing, and where it lies. In a view of its own
    the files, the checkout and the builds are nobody else's."""
    if not spec.inferred or not is_unknown(spec):
        return ()
    found = ((said, place(said.what, base)) for said in spec.inferred if said.what)
    return tuple(each for each in found if not in_view or each[1].parts[0] not in _IN_VIEW)


def places_of(spec: TaskSpec, text: str, base: str | None) -> tuple[Place, ...]:
    """Where a declared path lies: as it is written, and where a client found that it leads."""
    where, real = place(text, base), spec.same_as.get(text)
    return (where,) if real is None else tuple(dict.fromkeys((where, place(real))))


def accesses_of(
    spec: TaskSpec, workdir: str | None, workspace: Workspace | None = None
) -> tuple[Access, ...]:
    """Declared reads, writes and outputs. Unknown is a write of the working directory; in a view
    of its own it is nothing that others could meet before it is brought back. What was inferred
    comes on top, as things of the machine that it runs on."""
    base = spec.workdir or workdir
    guessed = tuple(
        Access(_here(where), said.writes, f"{said.what} (inferred)")
        for said, where in inferred_of(spec, base, in_view=workspace is not None)
    )
    if is_unknown(spec) and workspace is None:
        real = [place(spec.same_as["."])] if "." in spec.same_as else []
        whole = (Access(where, True, base or ".") for where in (place(base or "."), *real))
        return (*whole, *guessed)
    writes = (*(spec.writes or ()), *spec.outputs)
    if workspace is not None:
        spec = replace(spec, same_as={})  # it says nothing of a view
    written = tuple(
        Access(where, True, text) for text in writes for where in places_of(spec, text, base)
    )
    read = tuple(
        Access(where, False, text)
        for text in spec.reads or ()
        if text not in writes
        for where in places_of(spec, text, base)
    )
    if workspace is None:
        return (*written, *read)
    brought = tuple(_brought(access, workspace) for access in written)
    return (*brought, *(each for each in read if not _in_view(each.place)), *guessed)


def _here(where: Place) -> Place:
    """A port or a package manager that was inferred is that of the machine: what is declared in a
    named space is the same on every machine."""
    root = where.parts[0]
    if not root.endswith(":"):
        return where
    return Place((f"{root} of the machine", *where.parts[1:]), where.literal, where.exact)


def _in_view(where: Place) -> bool:
    return where.parts[0] == "."


def _brought(access: Access, workspace: Workspace) -> Access:
    """A write in a view, as a write of the tree that it is brought back to."""
    if not _in_view(access.place):
        return access
    origin = f"tree {workspace.origin or workspace.archive.digest}:"
    where = Place((origin, *access.place.parts[1:]), access.place.literal, access.place.exact)
    return Access(where, True, access.named)


def task_key(spec: TaskSpec, workdir: str | None, workspace: Workspace | None = None) -> str:
    """What makes a task the same as one before: its command, where it runs, and on which files."""
    words = [spec.run] if isinstance(spec.run, str) else list(spec.run)
    tree = [] if workspace is None else [workspace.archive.digest]
    return "\0".join([*tree, spec.workdir or workdir or "", *words])
