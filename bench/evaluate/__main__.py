"""`make evaluate`: what bounds are worth on leases that end, on a real machine's log."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from bench.evaluate import measures, picture, rows, trace
from bench.evaluate.coverage import coverage
from bench.evaluate.drain import Machine, Way
from bench.evaluate.ours import by_request, by_user
from bench.evaluate.risk import PER_HOUR_PPM
from bench.evaluate.rows import CHOSEN, OURS, REFERENCES, Result, Row, deviation, play
from bench.evaluate.trace import Job

LEASE_S = 4 * 3_600
HEADER = f"{'':43}{'broken':>8}{'wasted':>8}{'mean':>8}{'slow-':>7}{'p99':>7}{'longest':>8}"
UNITS = f"{'':43}{'starts':>8}{'cores':>8}{'wait':>8}{'down':>7}{'wait':>7}{'wait':>8}"


def main() -> int:
    """Print everything; 1 if a reference row or a check is too far from what was published."""
    parser = argparse.ArgumentParser(prog="make evaluate", description=__doc__)
    parser.add_argument("--trace", type=Path, default=trace.TRACE)
    parser.add_argument("--picture", type=Path, help="where to write the trade-off as SVG")
    asked = parser.parse_args()
    if not asked.trace.exists():
        print(f"There is no {asked.trace.name} in {asked.trace.parent}: nothing was evaluated.")
        return 0
    jobs = trace.read(asked.trace)
    good = _checks(jobs)
    leased = trace.within(jobs, LEASE_S)
    results: list[Result] = []
    good &= _references(leased, results)
    _chosen(leased)
    _ours(leased, results)
    _other_leases(jobs)
    _coverage(jobs)
    if asked.picture:
        asked.picture.write_text(picture.draw(_points(leased, results)), encoding="utf-8")
        print(f"\nThe trade-off: {asked.picture}")
    return 0 if good else 1


def _progress(what: str) -> None:
    """One line that is written over, where somebody looks at it."""
    if sys.stderr.isatty():
        print(f"\r\033[K{what}", end="", file=sys.stderr, flush=True)


def _checks(jobs: list[Job]) -> bool:
    print("Backfilling without leases, average bounded slowdown")
    ways = (
        ("EASY, first 2,000 jobs", jobs[:2000], Way(), 87.6902, 0.0001),
        ("shortest first", jobs[:2000], Way(shortest=True), 74.8811, 0.0001),
        ("with true run times", jobs[:2000], Way(believed=lambda job: job.run), 71.3686, 0.0001),
        ("EASY, whole trace", jobs, Way(), 92.58, 0.005 * 92.58),
    )
    good = True
    for name, some, way, published, within in ways:
        seen = measures.slowdown(Machine(some, way).run())
        right = abs(seen - published) <= within
        good &= right
        mark = "" if right else "  TOO FAR"
        print(f"  {name:41}{seen:9.4f}  published {published:8.4f}{mark}")
    return good


def _references(leased: list[Job], results: list[Result]) -> bool:
    print(f"\n{len(leased):,} jobs in leases of 4 h; reference rows, below each what was published")
    print(f"{HEADER}\n{UNITS}{'':>4}B: holding")
    good = True
    for row in REFERENCES:
        _progress(row.name)
        seen = play(row, leased, Way(lease=LEASE_S))
        holding = play(row, leased, Way(lease=LEASE_S, holds=True))
        results.append(seen)
        _progress("")
        print(f"{_line(row.name, seen.whole)}{holding.whole.mean_wait / 60:9.1f} m")
        good &= _published(row, seen, holding)
    print(f"  {'all within' if good else 'NOT all within'} {rows.WITHIN:.0f} % of the mean wait")
    return good


def _published(row: Row, seen: Result, holding: Result) -> bool:
    was = row.published
    assert was is not None
    assert was.holding is not None
    by = deviation(seen.whole.mean_wait / 60, was.mean_wait)
    by_holding = deviation(holding.whole.mean_wait / 60, was.holding)
    print(
        f"    {'published':39}{was.broken:7.2f}%{was.wasted:7.1f}%{was.mean_wait:6.1f} m"
        f"{was.slowdown:7.1f}{'':15}{was.holding:9.1f} m   ({by:+.1f} %, B {by_holding:+.1f} %)"
    )
    return abs(by) <= rows.WITHIN


def _chosen(leased: list[Job]) -> None:
    some = leased[: measures.first(len(leased))]
    print(f"\nWhat an hour of waiting is worth, chosen on the first {len(some):,} jobs alone")
    tried = {}
    for ppm in rows.TRIED_PPM:
        row = Row("", rows.risk(ppm))
        tried[ppm] = play(row, some, Way(lease=LEASE_S)).whole
        print(_line(f"{ppm / 10_000:.1f} % of risk", tried[ppm]))
    best = rows.chosen_ppm(tried)
    same = "as frozen" if best == PER_HOUR_PPM else f"NOT as frozen ({PER_HOUR_PPM / 10_000:.1f} %)"
    print(f"  least wait with at most {rows.MOST_BROKEN} % broken: {best / 10_000:.1f} %, {same}")


def _ours(leased: list[Job], results: list[Result]) -> None:
    print(
        f"\nLeaseway, the same jobs and order; below each the jobs after the first 30 %\n{HEADER}"
    )
    print(f"{UNITS}{'':>4}B: holding")
    for row in OURS:
        _progress(row.name)
        seen = play(row, leased, Way(lease=LEASE_S))
        results.append(seen)
        holding = ""
        if row is CHOSEN:
            whole = play(row, leased, Way(lease=LEASE_S, holds=True)).whole
            holding = f"{whole.mean_wait / 60:9.1f} m"
        _progress("")
        print(f"{_line(row.name, seen.whole)}{holding}\n{_line('    the rest', seen.rest)}")
    for result in results:
        if result.row.name in ("conformal 95 %", "user's request", "oracle"):
            print(_line(f"    the rest: {result.row.name}", result.rest))


def _other_leases(jobs: list[Job]) -> None:
    for hours in (2, 8):
        leased = trace.within(jobs, hours * 3_600)
        print(f"\nLeases of {hours} h ({len(leased):,} jobs), nothing chosen anew")
        for row in (REFERENCES[4], REFERENCES[5], CHOSEN):
            _progress(row.name)
            seen = play(row, leased, Way(lease=hours * 3_600))
            _progress("")
            print(_line(row.name, seen.whole))


def _coverage(jobs: list[Job]) -> None:
    print("\nBounds of core/estimates given at submission, meant to hold for 90 % (all jobs)")
    for name, keys in (("user → all", by_user), ("request → user → all", by_request)):
        _progress(name)
        seen = coverage(jobs, keys)
        _progress("")
        near = "within a point" if abs(seen.all - 0.9) <= 0.01 else "NOT within a point"
        worst = "at least" if seen.worst >= 0.87 else "NOT"
        print(
            f"  {name:24}{100 * seen.all:6.2f} % ({near}); worst of {seen.users} users"
            f" with 200 jobs or more {100 * seen.worst:.1f} % ({worst} 87)"
        )


def _points(leased: list[Job], results: list[Result]) -> Iterator[picture.Point]:
    for result in results:
        if result.whole.broken < picture.MOST_BROKEN:
            name = result.row.mark.strip() if result.row.mark else result.row.name
            yield picture.point(name, result.row.line, result.whole)
    for ppm in rows.TRIED_PPM:
        if ppm != PER_HOUR_PPM:
            _progress(f"the curve: {ppm / 10_000:.1f} %")
            row = Row("", rows.risk(ppm), None, CHOSEN.line)
            yield picture.point("", row.line, play(row, leased, Way(lease=LEASE_S)).whole)
    _progress("")


def _line(name: str, seen: measures.Measures) -> str:
    return (
        f"  {name:41}{seen.broken:7.2f}%{seen.wasted:7.1f}%{seen.mean_wait / 60:6.1f} m"
        f"{seen.slowdown:7.1f}{seen.p99_wait / 3600:5.1f} h{seen.longest_wait / 3600:6.1f} h"
    )


if __name__ == "__main__":
    started = time.perf_counter()
    code = main()
    print(f"\n{time.perf_counter() - started:.0f} s")
    sys.exit(code)
