"""A shorter story of the same failure: kinds of faults that it does not need are left out, one
after the other, as long as the same check still speaks."""

from __future__ import annotations

import re

from leaseway.sim.faults import ALL, Fault
from leaseway.sim.world import Report, run

_TASK = re.compile(r"\bp\d+-\d+/t\d+")


def check_of(sentence: str) -> str:
    """Which check says this: its first words, without names and numbers."""
    return " ".join(sentence.split(":", maxsplit=1)[0].split()[:3])


def shrunk(report: Report) -> tuple[Report, frozenset[Fault]]:
    """The same failure with as few kinds of faults as possible, and which those are."""
    kinds = ALL
    check = check_of(report.broken[0])
    for kind in sorted(ALL):
        shorter = run(report.seed, kinds - {kind})
        if shorter.broken and check_of(shorter.broken[0]) == check:
            report, kinds = shorter, kinds - {kind}
    return report, kinds


def story(report: Report) -> list[str]:
    """The lines that matter for what broke."""
    names = {name for sentence in report.broken for name in _TASK.findall(sentence)}
    return report.trace.about(names)
