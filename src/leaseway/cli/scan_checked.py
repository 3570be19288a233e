"""`run --check`: nothing is handed in unless all is as it was scanned."""

from __future__ import annotations

from pathlib import Path

import click

from leaseway.cli.exits import Exit
from leaseway.cli.faults import Refusal
from leaseway.client.blocking import Client
from leaseway.client.leases import leases_of_pool
from leaseway.client.promised import open_tasks, seen_of
from leaseway.client.trees import expected
from leaseway.core.model.plan import PlanSpec
from leaseway.core.scan.pin import changed, changed_finding, is_scan_id
from leaseway.wire.findings import finding_infos
from leaseway.workspace.listing import Tree


def still_as_scanned(
    pool: Client, pinned: str, plan: PlanSpec, tree: Tree | None, path: Path
) -> None:
    """Refusal (LW313) names what is no longer as it was scanned. UsageError: no scan id."""
    if not is_scan_id(pinned):
        raise click.UsageError(f"--check: {pinned!r} is no scan id; leaseway scan PLAN prints one.")
    live = pool.workers()
    leases = leases_of_pool(live.workers)
    text = path.read_bytes()
    seen = seen_of(expected(plan, tree), leases, live.workers, open_tasks(pool), text)
    found = changed(pinned, seen)
    if found is not None:
        told = finding_infos((changed_finding(pinned, found, seen),))
        raise Refusal(told, "Not handed in:", "Nothing ran.", Exit.REFUSED)
