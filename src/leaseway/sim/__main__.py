"""`python -m leaseway.sim --seeds 0-499 [--trace SEED]`: run seeds, print the shortest useful trace
of what fails. Exit code 1 if anything did."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from leaseway.runtime import Clock
from leaseway.sim.shrink import shrunk, story
from leaseway.sim.world import Report, run


def main(arguments: list[str]) -> int:
    """Run what was asked for."""
    asked = _parser().parse_args(arguments)
    if asked.trace is not None:
        report = run(asked.trace)
        _say(*report.trace.lines, *report.broken, f"digest {report.digest}")
        return 1 if report.broken else 0
    first, _, last = asked.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    return _run_all(seeds)


def _run_all(seeds: range) -> int:
    clock = Clock()
    began = clock.awake_ms()
    outcomes: Counter[str] = Counter()
    failed: list[int] = []
    for seed in seeds:
        report = run(seed)
        outcomes.update(report.outcomes)
        if report.broken:
            failed.append(seed)
            _explain(report)
    took = max(1, clock.awake_ms() - began)
    told = ", ".join(f"{count} {kind}" for kind, count in sorted(outcomes.items()))
    _say(
        f"{len(seeds)} seeds, {len(failed)} failed {failed or ''}",
        f"{len(seeds) * 60_000 // took} seeds a minute",
        f"outcomes: {told}",
    )
    return 1 if failed else 0


def _explain(report: Report) -> None:
    """Seed, what broke, and the shortest story of it."""
    _say(f"seed {report.seed}:", *(f"  {sentence}" for sentence in report.broken))
    shorter, kinds = shrunk(report)
    needed = " ".join(sorted(kinds)) or "no faults at all"
    _say(f"  with {needed}:", *(f"    {line}" for line in story(shorter)))
    _say(f"  all of it: python -m leaseway.sim --trace {report.seed}")


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m leaseway.sim", description=__doc__)
    parser.add_argument("--seeds", default="0-499", help="FIRST-LAST, both included")
    parser.add_argument("--trace", type=int, metavar="SEED", help="print everything of one seed")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
