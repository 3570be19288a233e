"""The tree on its way to the coordinator: packed, handed in unless it is there, and remembered, so
that what is brought back later is compared with what was sent.
"""

from __future__ import annotations

import socket
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
from msgspec.structs import replace

from leaseway.cli.findings import finding_lines
from leaseway.cli.paint import paint_for, shown
from leaseway.cli.tree_given import refused
from leaseway.client import archives
from leaseway.client.blocking import Client
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.plan import Archive, PlanSpec, Workspace
from leaseway.core.model.units import show_bytes
from leaseway.runtime import Clock
from leaseway.wire.findings import finding_infos
from leaseway.workspace.errors import NotWritten, TooLarge, Unsteady
from leaseway.workspace.limits import DEFAULT_LIMITS, Limits
from leaseway.workspace.listing import Odd, Oddity, Tree
from leaseway.workspace.manifest import Manifest
from leaseway.workspace.naming import shown as shown_name
from leaseway.workspace.packing import Packed, pack

_TOLD = 5
_KEPT = (Odd.BROKEN_LINK, Odd.NOT_UTF8, Odd.CASE)
_UNTOLD_MS, _REDRAWN_MS = 1_000, 250
"""What is over within the first needs no word."""


@dataclass(frozen=True)
class Sent:
    """What was sent, and where from: for bringing results back."""

    root: Path
    manifest: Manifest


def expected(plan: PlanSpec, tree: Tree | None) -> PlanSpec:
    """The plan as if its tree had been sent: for a check that hands nothing in. The archive is
    taken to be as large as all that is in it."""
    if tree is None:
        return plan
    size = 0
    for name in tree.files:
        path = tree.root / name
        size += path.lstat().st_size if path.is_file() and not path.is_symlink() else 0
    archive = Archive("sha256:" + "0" * 64, size, len(tree.files))
    return replace(plan, workspace=Workspace(archive, origin_of(tree)))


def origin_of(tree: Tree) -> str:
    """Whose tree it is: this host, and the checkout or folder."""
    return f"{socket.gethostname()}:{shown_name(tree.identity)}"


def send_tree(
    pool: Client, plan: PlanSpec, tree: Tree, limit: int | None, *, silent: bool = False
) -> tuple[PlanSpec, Sent]:
    """Pack the tree, hand it in unless the coordinator has it, and name it in the plan. Refusal:
    too large, changing while it is read, or no room here; nothing was handed in."""
    if not silent:
        tell_oddities(tree.notes)
    limits = DEFAULT_LIMITS if limit is None else Limits(limit, DEFAULT_LIMITS.files)
    with tempfile.TemporaryDirectory(prefix="leaseway-tree-") as folder:
        path = Path(folder) / "tree.tar.gz"
        packed = _packed(tree, path, limits)
        if not archives.has(pool, packed.digest):
            moved = _told_after_a_moment(packed.archive_bytes, silent=silent)
            archives.send(pool, path, packed.digest, moved)
    archive = Archive(packed.digest, packed.archive_bytes, packed.files)
    workspace = Workspace(archive, origin_of(tree))
    return replace(plan, workspace=workspace), Sent(tree.root, packed.manifest)


def tell_oddities(notes: tuple[Oddity, ...]) -> None:
    """On stderr: what of the tree does not travel, and what is odd about what does."""
    found = [
        Finding(
            code="LW906",
            variant="kept" if note.kind in _KEPT else "",
            numbers={"name": shown_name(note.path), "got": note.detail.partition(": ")[2]},
            severity=Severity.NOTE if note.kind in _KEPT else Severity.WARNING,
        )
        for note in sorted(notes, key=lambda note: note.kind in _KEPT)[:_TOLD]
    ]
    if len(notes) > _TOLD:
        more = {"count": len(notes) - _TOLD}
        found.append(Finding("LW906", (), (), {**more}, "more", Severity.NOTE))
    for line in finding_lines(finding_infos(tuple(found)), paint_for(sys.stderr)):
        click.echo(line, err=True)


def _packed(tree: Tree, path: Path, limits: Limits) -> Packed:
    try:
        return pack(tree, path, limits)
    except TooLarge as error:
        paths = [f"{shown_name(name)} ({show_bytes(size)})" for name, size in error.largest]
        got = str(error).partition(". ")[0]
        raise refused("LW902", "tree", {"got": got, "paths": paths}) from error
    except Unsteady as error:
        paths = [shown(path) for path in error.paths]
        raise refused("LW905", "", {"paths": paths}) from error
    except NotWritten as error:
        got = str(error).partition(". ")[0]
        raise refused("LW907", "", {"got": got}) from error


def _told_after_a_moment(whole: int, *, silent: bool) -> Callable[[int], None]:
    """Progress on stderr, once it takes longer than a moment: on a terminal redrawn, elsewhere
    one line."""
    clock, last = Clock.of_environment(), 0
    began = clock.awake_ms()
    is_drawn = sys.stderr.isatty()

    def moved(done: int) -> None:
        nonlocal last
        now = clock.awake_ms() - began
        is_over = done >= whole
        if silent or now < _UNTOLD_MS or (now - last < _REDRAWN_MS and not is_over):
            return
        if is_drawn:
            said = f"\rSending the tree: {show_bytes(done)} of {show_bytes(whole)} \x1b[K"
            click.echo(said, err=True, nl=is_over)
        elif not last:
            click.echo(f"Sending the tree: {show_bytes(whole)}", err=True)
        last = now

    return moved
