"""`scan PLAN`: what can be said of a plan before anything runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaseway.cli.answer import Asked, answers, json_text
from leaseway.cli.exits import Exit, of_scan
from leaseway.cli.faults import Fault
from leaseway.cli.formats.wanted import Wanted, wanted_of, wanted_options
from leaseway.cli.tree_given import TreeGiven, tree_given, tree_options

if TYPE_CHECKING:
    from leaseway.cli.plan_mending import Mending
    from leaseway.cli.scan_page import Scanned
    from leaseway.client.blocking import Client
    from leaseway.core.model.plan import PlanSpec
    from leaseway.wire.findings import FindingInfo

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
@wanted_options
@tree_options
@answers
def scan(asked: Asked, /, plan: Path, leases: Path | None, strict: bool, **given: Any) -> int:
    """Check PLAN: what depends on what, what fits where, which bound is exceeded, what conflicts.
    It starts nothing.

    Against live workers and what they have promised, if a coordinator is known; else against
    the leases of a file. 0 clean, 1 warnings, 3 errors.
    """
    from leaseway.cli.plan_given import plan_of_file
    from leaseway.client.trees import expected

    wanted, tree = wanted_of(given, asked), tree_given(given)
    try:
        mending = mended(asked, wanted, plan, leases, tree)
        spec = expected(*plan_of_file(plan, tree))
        scanned = look(asked, spec, leases, plan.read_bytes())
    except Fault as fault:
        return wanted.tell_fault(plan, fault)
    code = of_scan(scanned.findings)
    if strict and code is Exit.FAILED:
        code = Exit.REFUSED
    if wanted.for_tools:
        wanted.tell(plan, scanned.findings, int(code), strict=strict)
    else:
        tell(asked, scanned, code, wanted, mending)
    return code


def look(asked: Asked, spec: PlanSpec, leases: Path | None, text: bytes) -> Scanned:
    """The scan of one plan, against whatever is known. `text`: the plan as it was written."""
    places = asked.places
    known = places.folder is None or (places.folder / "url").exists()
    if leases is not None or not known:
        return against_file(spec, leases)
    with asked.pool() as pool:
        return against_pool(pool, spec, text)


def mended(
    asked: Asked, wanted: Wanted, plan: Path, leases: Path | None, tree: TreeGiven
) -> Mending | None:
    """`--fix` and `--diff`: the plan's text before and after; written with `--fix` alone."""
    from leaseway.cli.plan_given import plan_of_text
    from leaseway.cli.plan_mending import mend_file, write_mended
    from leaseway.client.trees import expected

    if not wanted.mends:
        return None

    def findings_of(text: str) -> tuple[FindingInfo, ...]:
        spec = expected(*plan_of_text(text, plan, tree))
        return look(asked, spec, leases, text.encode()).findings

    mending = mend_file(plan, findings_of)
    if not wanted.diff:
        write_mended(mending)
    return mending


def tell(
    asked: Asked, scanned: Scanned, code: Exit, wanted: Wanted, mending: Mending | None
) -> None:
    """As one document or as a page; of `--diff` the difference alone."""
    from msgspec import to_builtins

    from leaseway.cli.scan_page import scan_lines
    from leaseway.wire.scans import ScanDocument

    document = ScanDocument(
        plan=scanned.report.plan,
        exit_code=int(code),
        checked_against_pool=scanned.report.checked_against_pool,
        scan_id=scanned.scan_id,
        findings=scanned.findings,
        placed=scanned.placed,
        report=scanned.report,
    )
    if wanted.format == "json":
        changes = {} if mending is None else {"mending": mending.document(written=not wanted.diff)}
        click.echo(json_text(to_builtins(document) | changes))
    elif mending is not None and wanted.diff:
        asked.say(mending.diff())
    else:
        lines = [] if mending is None else [*mending.lines(), ""]
        asked.say([*lines, *scan_lines(scanned, asked.paint)])


def against_file(spec: PlanSpec, leases: Path | None) -> Scanned:
    """Against a file of leases as if all were open from now on; without one, of order only."""
    from leaseway.cli.language import counted, told
    from leaseway.cli.pool_leases import leases_of_file
    from leaseway.cli.scan_page import Scanned
    from leaseway.client.scanned import scanned
    from leaseway.runtime import Clock
    from leaseway.wire.findings import finding_infos

    now = Clock.of_environment().wall_ms()
    terms = leases_of_file(leases, now) if leases is not None else {}
    report = scanned(spec, terms, now)
    findings = finding_infos(report.findings)
    if leases is None:
        said = told("Not checked against any lease: give --leases, or start a coordinator.")
        findings = tuple(each for each in findings if not each.code.startswith("LW4"))
        return Scanned(report, findings, f"{said} {told(UNCHECKED)}", knows_leases=False)
    said = told("Checked against {leases} of a file.", leases=counted(len(terms), "lease"))
    return Scanned(report, findings, f"{said} {told(UNCHECKED)}")


def against_pool(pool: Client, spec: PlanSpec, text: bytes = b"") -> Scanned:
    """Against live workers; the pool itself says what it would promise, or why not. `text`: the
    plan as it was written."""
    from leaseway.cli.language import counted, told
    from leaseway.cli.scan_page import Scanned
    from leaseway.client.learned import laws_of, with_learned
    from leaseway.client.leases import leases_of_pool
    from leaseway.client.promised import open_tasks, seen_of, taken_of
    from leaseway.client.scanned import scanned
    from leaseway.client.scanning import joined, what_pool_says
    from leaseway.core.scan.pin import scan_id
    from leaseway.core.scan.report import ScanOptions
    from leaseway.wire.findings import finding_infos

    live = pool.workers()
    terms = leases_of_pool(live.workers)
    tasks = open_tasks(pool)
    pinned = scan_id(seen_of(spec, terms, live.workers, tasks, text))
    placed, said = what_pool_says(pool, spec)
    options = ScanOptions(
        checked_against_pool=True,
        taken=tuple(taken_of(tasks)),
        laws=laws_of(pool, spec, terms),
    )
    report = scanned(with_learned(spec, placed), terms, live.now, options)
    workers = counted(len(terms), "live worker")
    against = told("Checked against {workers} and what they have promised.", workers=workers)
    away = [each.name for each in live.workers if each.name not in terms and each.state != "ended"]
    if away:
        against += f" Not asked: {', '.join(away[:8])}."
    findings = joined(finding_infos(report.findings), said)
    return Scanned(report, findings, against, placed, scan_id=pinned)
