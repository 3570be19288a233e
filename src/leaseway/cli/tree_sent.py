"""The tree on its way to the coordinator, and what a person is told of that."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

import click

from leaseway.cli.findings import finding_lines
from leaseway.cli.paint import paint_for
from leaseway.cli.tree_given import refused
from leaseway.client.blocking import Client
from leaseway.client.trees import Sent, TreeRefused, hand_in
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.plan import PlanSpec
from leaseway.core.model.units import show_bytes
from leaseway.runtime import Clock
from leaseway.wire.findings import finding_infos
from leaseway.workspace.listing import Odd, Oddity, Tree
from leaseway.workspace.naming import shown as shown_name

_TOLD = 5
_KEPT = (Odd.BROKEN_LINK, Odd.NOT_UTF8, Odd.CASE)
_UNTOLD_MS, _REDRAWN_MS = 1_000, 250
"""What is over within the first needs no word."""


def send_tree(
    pool: Client, plan: PlanSpec, tree: Tree, limit: int | None, *, silent: bool = False
) -> tuple[PlanSpec, Sent]:
    """Pack the tree, hand it in unless the coordinator has it, and name it in the plan. Refusal:
    too large, changing while it is read, or no room here; nothing was handed in."""
    if not silent:
        tell_oddities(tree.notes)
    try:
        watched = partial(_told_after_a_moment, silent=silent)
        return hand_in(pool, plan, tree, limit, watched)
    except TreeRefused as error:
        raise refused(error) from error


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
