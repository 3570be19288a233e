"""Goal: any schedule that respects the order of a scan leaves the same files as serial work.
Method: tiny real programs on real files, as far from the list as the order lets them, and in any
order, several at the same time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from leaseway.core.scan.order import order
from tests.core.scan.plans import closure, task
from tests.core.scan.programs import FEW, backwards, in_order, left_by, program, programs
from tests.core.scan.test_order_laws import serial_order


@FEW
@given(programs(), st.randoms(use_true_random=False), st.integers(1, 3))
def test_same_files_as_serial_work(tmp_path_factory, whole, chance, together):
    folder = tmp_path_factory.mktemp("files")
    wanted = left_by(folder / "serial", [[each] for each in serial_order(whole.tasks)])
    before = closure(order(whole).edges)
    assert left_by(folder / "back", backwards(whole, before)) == wanted
    ranked = sorted(whole.tasks, key=lambda _: chance.random())
    assert left_by(folder / "any", in_order(ranked, before, together)) == wanted


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (((), ("a",)), (("*",), ("b",))),
        (((), ("d",)), ((), ("d/x",))),
        ((("d/*",), ("b",)), ((), ("d/x",))),
    ],
    ids=["write and read", "write and write", "read and write"],
)
def test_the_programs_tell_orders_apart(tmp_path, one, two):
    """Else the test above would pass whatever the order."""
    tasks = [
        structs.replace(task(name), run=program(name, *each))
        for name, each in (("one", one), ("two", two))
    ]
    there = left_by(tmp_path / "there", [[each] for each in tasks])
    assert there != left_by(tmp_path / "back", [[each] for each in reversed(tasks)])
