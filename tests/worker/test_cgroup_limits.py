"""Goal: what is offered by itself is no more than this process may use. Method: control groups made
of plain files, and the affinity of this process."""

from __future__ import annotations

import os

import pytest

from leaseway.core.model.capacity import Capacity
from leaseway.worker import meter
from leaseway.worker.cgroup_limits import Limits, limits_here

GIB = 1 << 30


def groups(root, own="0::/", **files):
    """`files`: path with `__` for `/` and a final word → content."""
    (root / "own").write_text(own + "\n")
    for name, text in files.items():
        *folders, file = name.split("__")
        folder = root.joinpath("fs", *folders)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file.replace("_", ".")).write_text(text + "\n")
    return limits_here(root / "fs", root / "own")


def test_of_a_container(tmp_path):
    found = groups(tmp_path, cpu_max="150000 100000", memory_max=str(2 * GIB))
    assert found == Limits(1_500, 2 * GIB)


def test_the_tightest_on_the_way_up_counts(tmp_path):
    found = groups(
        tmp_path,
        "0::/a/b",
        a__b__cpu_max="max 100000",
        a__b__memory_max=str(4 * GIB),
        a__cpu_max="200000 50000",
        a__memory_max=str(3 * GIB),
        c__cpu_max="1000 100000",
    )
    assert found == Limits(4_000, 3 * GIB)


@pytest.mark.parametrize("own", ["", "5:cpu:/old", "0::/gone/for/ever", "0::/../../outside"])
def test_what_is_not_there_bounds_nothing(tmp_path, own):
    assert groups(tmp_path, own) == Limits()


@pytest.mark.parametrize("text", ["max", "max 100000", "", "x y", "100000 0"])
def test_odd_files_bound_nothing(tmp_path, text):
    assert groups(tmp_path, cpu_max=text, memory_max="max") == Limits()


def test_less_than_one_cpu_is_still_one_slot(tmp_path, monkeypatch):
    monkeypatch.setattr(meter, "limits_here", lambda: Limits(500, 100))
    here = meter.capacity_here(tmp_path)
    assert (here.cpus_milli, here.memory_bytes, here.slots) == (500, 100, 1)


def test_the_affinity_counts_where_it_is_less(tmp_path, monkeypatch):
    monkeypatch.setattr(meter, "limits_here", lambda: Limits(64_000, 1 << 60))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 2, 5})
    here = meter.capacity_here(tmp_path)
    assert (here.cpus_milli, here.slots) == (3_000, 3)
    assert here.memory_bytes is not None
    assert 0 < here.memory_bytes < 1 << 60
    assert isinstance(here, Capacity)
