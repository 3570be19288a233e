"""Goal: the checks of the simulation are not blind. Method: plant a bug into the real code, run
worlds until one breaks, and ask which check spoke; without the bug the same worlds break nothing.
"""

from __future__ import annotations

import inspect

import pytest

from leaseway.core import decide
from leaseway.core.decisions import sync
from leaseway.sim.faults import ALL
from leaseway.sim.shrink import check_of
from leaseway.sim.world import run
from tests.sim.planted import PLANTED, Planted
from tests.sim.test_world import QUIET, SEEDS


def broken(planted: Planted) -> tuple[int, str]:
    """The first seed that breaks, and the check that says so."""
    kinds = frozenset() if planted.quiet else ALL
    for seed in range(planted.within):
        report = run(seed, kinds)
        if report.broken:
            return seed, check_of(report.broken[0])
    return planted.within, ""


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.title)
def test_a_planted_bug_is_caught(planted, monkeypatch):
    real = inspect.getattr_static(planted.owner, planted.name)
    monkeypatch.setattr(planted.owner, planted.name, planted.wrong(real))
    if planted.owner is sync and planted.name == "sync":
        monkeypatch.setattr(decide, "sync", planted.wrong(real))
    seed, check = broken(planted)
    assert check in planted.caught, f"seed {seed} of {planted.within}: {check or 'nothing spoke'}"


def test_without_them_the_same_worlds_break_nothing():
    """`test_world` runs them; here it is only made sure that it runs enough of them."""
    assert max(planted.within for planted in PLANTED if not planted.quiet) <= SEEDS
    assert max(planted.within for planted in PLANTED if planted.quiet) <= QUIET


def test_there_are_at_least_eight():
    assert len({planted.title for planted in PLANTED}) == len(PLANTED) >= 8
