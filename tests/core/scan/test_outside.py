"""Goal: what leads out of the tree, or above where anything is, is told before anything is placed.
Method: paths by hand."""

from __future__ import annotations

import pytest

from leaseway.core.model.plan import Archive, Workspace
from leaseway.core.scan.outside import TOLD, above_roots, outside
from leaseway.core.scan.report import scan
from tests.core.scan.plans import codes, plan, task


@pytest.mark.parametrize(
    ("text", "real"),
    [
        ("../../../../etc/x", "/etc/x"),  # from /home/ann
        ("../../..", "/"),
        ("/../x", "/x"),
        ("/a/../../b", "/b"),
        ("nas:../x", "nas:/x"),
        ("~/../x", "~/x"),
        ("../../x", None),
        ("a/../../b", None),
        ("/a/..", None),
        ("a..b/..c", None),
        ("nas:a/../x", None),
    ],
)
def test_more_steps_up_than_there_are_folders(text, real):
    found = above_roots(plan(task("t", reads=(text,)), workdir="/home/ann"))
    assert [each.numbers for each in found] == (
        [] if real is None else [{"over": text, "real": real}]
    )


def test_of_a_root_that_is_not_known_nobody_can_say():
    assert above_roots(plan(task("t", reads=("../../x",)))) == []


def test_many_are_counted():
    many = tuple(f"/../{at}" for at in range(TOLD + 7))
    *told, last = above_roots(plan(task("t", writes=many)))
    assert (len(told), last.numbers) == (TOLD, {"count": 7})


def test_a_scan_tells_both_as_admission_does():
    tree = Workspace(Archive("0" * 64, 1), "o")
    leading_out = plan(
        task("t", writes=("../x", "y")), task("u", reads=("a/../z",)), workspace=tree
    )
    (found,) = outside(leading_out)
    assert (found.code, found.tasks, found.numbers) == ("LW209", ("t",), {"over": "../x"})
    report = scan(leading_out, {}, 0)
    assert codes(report.findings).count("LW209") == 1
    assert report.exit_code == 3
    assert "LW209" in codes(scan(plan(task("t", reads=("/../x",))), {}, 0).findings)
