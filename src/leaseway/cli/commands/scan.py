"""`scan PLAN`: what can be said of a plan before anything runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.exits import Exit, of_scan
from leaseway.cli.tree_given import tree_given, tree_options

if TYPE_CHECKING:
    from leaseway.cli.scan_page import Scanned
    from leaseway.client.blocking import Client
    from leaseway.core.model.plan import PlanSpec

UNCHECKED = "Not checked against what runs."


@click.command("scan")
@click.argument("plan", type=click.Path(path_type=Path))
@click.option(
    "--leases",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Against the leases of this file, not against live workers.",
)
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
@tree_options
@answers
def scan(asked: Asked, /, plan: Path, leases: Path | None, strict: bool, **given: Any) -> int:
    """Check PLAN: what depends on what, what fits where, which bound is exceeded, what conflicts.
    It starts nothing.

    Against live workers and what they have promised, if a coordinator is known; else against
    the leases of a file. 0 clean, 1 warnings, 3 errors.
    """
    from leaseway.cli.plan_given import plan_of_file
    from leaseway.cli.scan_page import scan_lines
    from leaseway.client.trees import expected

    spec = expected(*plan_of_file(plan, tree_given(given)))
    places = asked.places
    known = places.folder is None or (places.folder / "url").exists()
    if leases is not None or not known:
        scanned = against_file(spec, leases)
    else:
        with asked.pool() as pool:
            scanned = against_pool(pool, spec)
    code = of_scan(scanned.findings)
    if strict and code is Exit.FAILED:
        code = Exit.REFUSED
    document = {
        "plan": scanned.report.plan,
        "exit_code": int(code),
        "checked_against_pool": scanned.report.checked_against_pool,
        "findings": scanned.findings,
        "placed": scanned.placed,
        "report": scanned.report,
    }
    asked.tell(document, lambda: scan_lines(scanned, asked.paint))
    return code


def against_file(spec: PlanSpec, leases: Path | None) -> Scanned:
    """Against a file of leases as if all were open from now on; without one, of order only."""
    from leaseway.cli.pool_leases import leases_of_file
    from leaseway.cli.scan_page import Scanned
    from leaseway.cli.standing import plural
    from leaseway.core.scan.report import scan as core_scan
    from leaseway.runtime import Clock
    from leaseway.wire.findings import finding_infos

    now = Clock.of_environment().wall_ms()
    terms = leases_of_file(leases, now) if leases is not None else {}
    report = core_scan(spec, terms, now)
    findings = finding_infos(report.findings)
    if leases is None:
        said = "Not checked against any lease: give --leases, or start a coordinator."
        findings = tuple(each for each in findings if not each.code.startswith("LW4"))
        return Scanned(report, findings, f"{said} {UNCHECKED}", knows_leases=False)
    return Scanned(
        report, findings, f"Checked against {plural(len(terms), 'lease')} of a file. {UNCHECKED}"
    )


def against_pool(pool: Client, spec: PlanSpec) -> Scanned:
    """Against live workers; the pool itself says what it would promise, or why not."""
    from leaseway.cli.scan_page import Scanned
    from leaseway.cli.standing import plural
    from leaseway.client.leases import leases_of_pool
    from leaseway.client.scanning import joined, what_pool_says
    from leaseway.core.scan.report import ScanOptions
    from leaseway.core.scan.report import scan as core_scan
    from leaseway.wire.findings import finding_infos

    live = pool.workers()
    terms = leases_of_pool(live.workers)
    report = core_scan(spec, terms, live.now, ScanOptions(checked_against_pool=True))
    placed, said = what_pool_says(pool, spec)
    against = f"Checked against {plural(len(terms), 'live worker')} and what they have promised."
    away = [each.name for each in live.workers if each.name not in terms and each.state != "ended"]
    if away:
        against += f" Not asked: {', '.join(away[:8])}."
    return Scanned(report, joined(finding_infos(report.findings), said), against, placed)
