"""Goal: any schedule that respects the order of a scan leaves the same files as serial work.
Method: tiny real programs on real files, in random groups that run at the same time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from leaseway.core.scan.order import order
from tests.core.scan.plans import closure, task
from tests.core.scan.programs import left_by, program, programs, schedule
from tests.core.scan.test_order_laws import serial_order


@settings(max_examples=40)
@given(programs(), st.data())
def test_same_files_as_serial_work(tmp_path_factory, whole, data):
    folder = tmp_path_factory.mktemp("files")
    wanted = left_by(folder / "serial", [[each] for each in serial_order(whole.tasks)])
    groups = schedule(data, whole, closure(order(whole).edges))
    assert left_by(folder / "any", groups) == wanted


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
