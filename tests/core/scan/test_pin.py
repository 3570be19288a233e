"""Goal: a scan id tells whether, and which part of, what was scanned has changed. Method: one part
changed at a time, and random pools."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from leaseway.core.model.lease import Terms, Window
from leaseway.core.model.plan import Archive, Workspace
from leaseway.core.scan.pin import (
    Changed,
    LeaseSeen,
    PromiseSeen,
    Seen,
    changed,
    changed_finding,
    is_scan_id,
    scan_id,
)
from leaseway.core.wording.say import mend, sentence
from tests.core.scan.plans import plan, task

TERMS = Terms((Window(0),))
PLAN = plan(task("a", limit_ms=5))
BOX, MINI = LeaseSeen("box", 1, 1, TERMS), LeaseSeen("mini", 1, 4, TERMS)
PROMISE = PromiseSeen("p-1/a", "box", 5, 9, 9)
SEEN = Seen(PLAN, (BOX, MINI), (PROMISE,), b"text")


def but(**fields):
    return structs.replace(SEEN, **fields)


@pytest.mark.parametrize(
    ("seen", "names"),
    [
        (SEEN, None),
        (but(leases=(MINI, BOX)), None),
        (but(plan=plan(task("a", limit_ms=6))), Changed(plan=True)),
        (but(text=b"other"), Changed(plan=True)),
        (but(leases=(structs.replace(BOX, version=2), MINI)), Changed(leases=("box",))),
        (but(leases=(structs.replace(BOX, incarnation=2), MINI)), Changed(leases=("box",))),
        (but(leases=(BOX,)), Changed(gone=1)),
        (but(leases=()), Changed(gone=2)),
        (but(leases=(BOX, MINI, LeaseSeen("new", 1, 1, TERMS))), Changed(leases=("new",))),
        (but(promises=()), Changed(promises=True)),
        (but(promises=(structs.replace(PROMISE, start=6),)), Changed(promises=True)),
        (but(plan=plan(task("b")), promises=()), Changed(plan=True, promises=True)),
    ],
)
def test_which_part_changed(seen, names):
    assert changed(scan_id(SEEN), seen) == names


def test_a_moment_on_the_clock_and_the_tree_are_no_part_of_it():
    """`by = "07:00"` is another remaining time at every look; the text of the plan says it."""
    one, two = (structs.replace(PLAN, by_ms=ms) for ms in (5_000, 4_000))
    assert changed(scan_id(but(plan=one)), but(plan=two)) is None
    assert changed(scan_id(but(plan=one)), but(plan=PLAN)) == Changed(plan=True)
    trees = [Workspace(Archive(f"sha256:{at}", at), "here:/p") for at in (1, 2)]
    one, two = (structs.replace(PLAN, workspace=tree) for tree in trees)
    assert changed(scan_id(but(plan=one)), but(plan=two)) is None
    assert changed(scan_id(but(plan=one)), but(plan=PLAN)) == Changed(plan=True)


def test_many_leases_share_a_digest():
    many = tuple(LeaseSeen(f"w{at}", 1, 1, TERMS) for at in range(20))
    pinned = scan_id(but(leases=many))
    assert len(pinned) == 32
    assert changed(pinned, but(leases=many)) is None
    assert changed(pinned, but(leases=many[1:])) == Changed(some_lease=True)
    assert changed(pinned, but(leases=many[:3])) == Changed(some_lease=True)


def test_it_is_told():
    one = changed_finding("x-y-z", Changed(leases=("box",), promises=True), SEEN)
    assert sentence(one) == (
        "What scan x-y-z saw is no longer so; the lease of box differs; what is promised differs,"
        " now 1 in all. Nothing ran."
    )
    other = changed_finding("x-y-z", Changed(plan=True, gone=1, some_lease=True), SEEN)
    assert sentence(other) == (
        "What scan x-y-z saw is no longer so; the plan p differs; leases gone: 1; leases differ,"
        " now there are 2. Nothing ran."
    )
    assert "Scan again" in mend(one)


@pytest.mark.parametrize("text", ["", "abc", "a-b", "a-b-c-d", "a/b-c-d", "--", "é-(-)"])
def test_what_is_no_scan_id(text):
    assert not is_scan_id(text)


LEASE = st.builds(
    LeaseSeen,
    st.sampled_from(["a", "b", "c"]),
    st.integers(1, 2),
    st.integers(1, 2),
    st.just(TERMS),
)


@given(*[st.lists(LEASE, max_size=3, unique_by=lambda lease: lease.worker) for _ in range(2)])
def test_leases_changed_are_told_and_no_others(before, after):
    pinned = scan_id(but(leases=tuple(before)))
    assert is_scan_id(pinned)
    found = changed(pinned, but(leases=tuple(after))) or Changed()
    differ = tuple(lease.worker for lease in after if lease not in before)
    assert found.leases == differ
    gone = len([lease for lease in before if lease not in after])
    assert found.gone == max(0, gone - len(differ))
