"""Goal: who must wait until a machine is free is told so, with what is free and what there is.
Method: amounts by hand."""

from __future__ import annotations

from leaseway.core.model.capacity import Capacity, Uses
from leaseway.core.model.findings import Severity
from leaseway.core.model.lease import Guard, Terms, Window
from leaseway.core.scan.problem import Taken
from leaseway.core.scan.report import ScanOptions, scan
from leaseway.core.wording.say import sentence
from tests.core.scan.plans import plan, task

GIB = 1 << 30
NOW = 5_000_000
WINDOW = (Window(0, NOW + 3_600_000),)
BOX = Terms(WINDOW, capacity=Capacity(4_000, 8 * GIB, slots=4), guard=Guard(0, 0, 0, 0))
SMALL = Terms(WINDOW, capacity=Capacity(2_000, 2 * GIB, slots=4), guard=Guard(0, 0, 0, 0))


def held(cpus=0, memory=0, worker="box", start=NOW - 10, end=NOW + 10):
    return Taken(worker, start, end, Uses(cpus, memory).vector())


def told(taken, *tasks, leases=None):
    options = ScanOptions(taken=tuple(taken))
    report = scan(plan(*tasks), leases or {"box": BOX}, NOW, options)
    return [each for each in report.findings if each.code == "LW403"]


def wants(name, cpus=1_000, memory=0):
    return task(name, limit_ms=1_000, uses=Uses(cpus, memory))


def test_asked_against_free_and_total():
    (found,) = told([held(cpus=3_000)], wants("big", 2_000), wants("small", 1_000))
    assert (found.tasks, found.workers, found.severity) == (("big",), ("box",), Severity.WARNING)
    assert sentence(found) == (
        "big fits box only while it is free: it asks 2 cpus, 1 are free of 4."
    )


def test_memory():
    (found,) = told([held(memory=7 * GIB)], wants("big", memory=2 * GIB))
    assert (found.variant, found.numbers) == (
        "memory",
        {"need_bytes": 2 * GIB, "free_bytes": GIB, "cap_bytes": 8 * GIB},
    )


def test_exactly_what_is_free_fits():
    assert told([held(cpus=3_000)], wants("t", 1_000)) == []


def test_what_is_promised_for_later_is_free_now():
    assert told([held(cpus=4_000, start=NOW + 1, end=NOW + 99)], wants("t")) == []
    assert told([held(cpus=4_000, start=NOW - 9, end=NOW)], wants("t")) == []


def test_room_on_another_machine_is_room():
    leases = {"box": BOX, "small": SMALL}
    assert told([held(cpus=4_000)], wants("t", 2_000), leases=leases) == []
    (found,) = told([held(cpus=4_000)], wants("t", 3_000), leases=leases)
    assert found.workers == ("box",), "the small one never fits"


def test_the_nearest_miss_of_several():
    leases = {"box": BOX, "small": SMALL}
    taken = [held(cpus=3_500), held(cpus=1_000, worker="small")]
    (found,) = told(taken, wants("t", 2_000), leases=leases)
    assert (found.workers, found.numbers["free_milli"]) == (("small",), 1_000)


def test_without_a_pool_nothing_is_taken():
    assert told([], wants("t", 4_000)) == []
