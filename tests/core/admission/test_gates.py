"""Goal: each gate says no exactly where it must, with its numbers. Method: cases worked by hand."""

from __future__ import annotations

import pytest

from leaseway.core.admission.gates import (
    closes_at,
    first_word,
    gates,
    is_open,
    longest_left,
    reserved_ms,
)
from leaseway.core.model.capacity import Capacity, Uses
from leaseway.core.model.lease import Guard, Scope, Terms, Window
from leaseway.core.model.plan import Selector, TaskSpec
from tests.core.pool import NO_GUARD, M, Pool, S, codes, task

NOW = 1_000_000
HALF_MINUTE = Guard(stop_grace_ms=15 * S, kill_ms=10 * S, delivery_ms=4 * S, clock_error_ms=1 * S)


def terms(left_ms=None, guard=NO_GUARD, **fields):
    close = None if left_ms is None else NOW + left_ms
    return Terms(windows=(Window(NOW, close),), guard=guard, **fields)


def ask(spec, given):
    return gates(spec, given, "w", NOW)


def only(findings):
    assert len(findings) == 1, findings
    return findings[0]


@pytest.mark.parametrize(
    ("guard", "have", "short"), [(NO_GUARD, 5 * M, 3 * M), (HALF_MINUTE, 4.5 * M, 3.5 * M)]
)
def test_s3_five_left_and_eight_needed(guard, have, short):
    found = only(ask(task("a", 8 * M), terms(5 * M, guard)))
    assert found.code == "LW302"
    assert found.numbers == {
        "need_ms": 8 * M,
        "have_ms": have,
        "short_ms": short,
        "left_ms": 5 * M,
        "guard_ms": guard.total_ms,
        "stop_grace_ms": guard.stop_grace_ms,
        "kill_ms": guard.kill_ms,
        "delivery_ms": guard.delivery_ms,
        "clock_error_ms": guard.clock_error_ms,
    }


def test_what_clocks_drift_by_the_end_of_a_long_window_is_a_part_of_its_own():
    """Of an hour: 3,600,000 / 1.001 = 3,596,403, × 0.999 = 3,592,806; 7,194 less the 500 that the
    guard keeps."""
    left = 60 * M - 8_500 - 6_694
    assert ask(task("a", left), terms(60 * M, Guard())) == []
    found = only(ask(task("a", left + 1), terms(60 * M, Guard())))
    assert (found.code, found.numbers["have_ms"], found.numbers["short_ms"]) == ("LW302", left, 1)
    assert (found.numbers["drift_ms"], found.numbers["guard_ms"]) == (6_694, 8_500 + 6_694)


def test_eight_in_ten_and_two_of_two_behind_it_with_a_guard_of_one_and_a_half():
    """Its drift, 20 ms of 10 s, is within the clock error."""
    guard = Guard(stop_grace_ms=700, kill_ms=300, delivery_ms=300, clock_error_ms=200)
    pool = Pool()
    pool.worker("w", 10 * S, guard=guard)
    assert not pool.submit(task("long", 8 * S)).refused
    refused = pool.submit(task("one", 2 * S), task("two", 2 * S)).refused
    assert codes(refused.findings) == ["LW303", "LW303", "LW305"]
    assert "drift_ms" not in refused.findings[0].numbers


@pytest.mark.parametrize("hours", [1, 8])
def test_what_is_promised_up_to_the_very_end_of_a_long_window_runs_to_its_end(hours):
    """8 hours: 28,800,000 / 1.001 × 0.999 = 28,742,456; 57,544 less 500."""
    longest = hours * 60 * M - 8_500 - {1: 6_694, 8: 57_044}[hours]
    pool = Pool()
    pool.worker("w", hours * 60 * M, guard=Guard())
    pool.lasts["a"] = longest - 1
    assert pool.submit(task("a", longest + 1)).refused
    pool.submit(task("a", longest))
    pool.run(hours * 60 * M)
    assert pool.outcome("a") == "succeeded"


def test_time_left_to_the_millisecond():
    assert ask(task("a", 5 * M), terms(5 * M)) == []
    assert codes(ask(task("a", 5 * M + 1), terms(5 * M))) == ["LW302"]


def test_the_default_guard_is_the_sum_of_its_parts():
    assert Guard().total_ms == 5_000 + 1_000 + 2_000 + 500
    assert Guard().tail_ms == 6_000
    assert Guard().overhead_ms == 8_000


@pytest.mark.parametrize(("left", "code"), [(8_500, "LW309"), (8_501, "LW302"), (0, "LW309")])
def test_no_time_left_for_stopping(left, code):
    found = only(ask(task("a", 2), terms(left, Guard())))
    assert found.code == code
    assert found.numbers["left_ms"] == left


def test_best_effort_is_not_asked_how_long():
    assert ask(task("a"), terms(10 * S, Guard())) == []
    assert codes(ask(task("a"), terms(8_500, Guard()))) == ["LW309"]


def test_max_run_time():
    found = only(ask(task("a", 8 * M), terms(max_run_ms=5 * M)))
    assert found.code == "LW301"
    assert found.numbers == {"need_ms": 8 * M, "cap_ms": 5 * M, "short_ms": 3 * M}
    assert ask(task("a", 5 * M), terms(max_run_ms=5 * M)) == []
    assert ask(task("a", 5 * M), terms(max_run_ms=None)) == []
    assert codes(ask(task("a", 1), terms(max_run_ms=0))) == ["LW301"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (task("a"), None),
        (task("a", 600), 600),
        (task("a", estimate_ms=200), 200),
        (task("a", 600, estimate_ms=200), 200),
        (task("a", 600, estimate_ms=900), 600),
        (task("a", 600, promise="none"), None),
    ],
)
def test_what_is_reserved(spec, expected):
    assert reserved_ms(spec) == expected


@pytest.mark.parametrize(
    ("uses", "capacity", "numbers"),
    [
        (Uses(cpus_milli=2500), Capacity(cpus_milli=2000), ("cpus", "milli", 2500, 2000)),
        (Uses(memory_bytes=9), Capacity(memory_bytes=8), ("memory", "bytes", 9, 8)),
        (Uses(memory_bytes=1), Capacity(memory_bytes=0), ("memory", "bytes", 1, 0)),
        (Uses(gpus=1), Capacity(), ("gpus", "", 1, 0)),
        (Uses(disk_bytes=5), Capacity(disk_bytes=4), ("disk", "bytes", 5, 4)),
        (Uses(processes=3), Capacity(processes=2), ("processes", "", 3, 2)),
        (Uses(slots=2), Capacity(), ("slots", "", 2, 1)),
    ],
)
def test_capacity(uses, capacity, numbers):
    found = only(ask(task("a", uses=uses), terms(capacity=capacity)))
    resource, unit, need, have = numbers
    end = f"_{unit}" if unit else ""
    assert found.code == "LW401"
    assert found.numbers == {"resource": resource, f"need{end}": need, f"have{end}": have}


def test_zero_absent_and_unlimited_are_three_things():
    nothing = Uses(cpus_milli=0, slots=0)
    assert ask(task("a", uses=nothing), terms(capacity=Capacity(cpus_milli=0, slots=0))) == []
    much = Uses(memory_bytes=1 << 50)
    assert ask(task("a", uses=much), terms(capacity=Capacity())) == []
    assert codes(ask(task("a", uses=much), terms(capacity=Capacity(memory_bytes=0)))) == ["LW401"]


def test_labels_and_tools():
    spec = task("a", on=Selector(labels=("gpu", "arm"), tools=("make",)))
    found = only(ask(spec, terms(labels=("gpu",), tools=("git",))))
    assert found.code == "LW402"
    assert found.numbers == {"missing": ["arm", "make"], "offered": ["git", "gpu"]}
    assert ask(spec, terms(labels=("arm", "gpu"), tools=("make",))) == []


@pytest.mark.parametrize(
    ("run", "allowed"),
    [
        (("make", "x"), True),
        (("/usr/bin/make",), True),
        ("make -j4", True),
        ("CC=gcc make all", True),
        ("python3 x.py", True),
        (("rm", "-rf"), False),
        ("FLAGS=1 rm x", False),
        ("'unclosed", False),
    ],
)
def test_commands(run, allowed):
    given = terms(scope=Scope(commands=("make", "python*")))
    found = ask(TaskSpec("a", run, reads=(), writes=()), given)
    assert codes(found) == ([] if allowed else ["LW501"])
    if found:
        assert found[0].numbers == {
            "command": first_word(run),
            "allowed": ["make", "python*"],
        }


@pytest.mark.parametrize(
    ("reads", "writes", "outside"),
    [
        (("/data/in",), (), []),
        (("/data",), ("~/work/x",), []),
        (("~/work/x",), (), []),
        (("relative/x",), ("also/here",), []),
        (("/etc/passwd",), (), ["/etc/passwd"]),
        (("/database",), (), ["/database"]),
        (("/data/in",), ("/data/out",), ["/data/out"]),
    ],
)
def test_paths(reads, writes, outside):
    given = terms(scope=Scope(read=("/data",), write=("~/work",)))
    found = ask(task("a", reads=reads, writes=writes), given)
    assert [path for one in found for path in one.numbers["paths"]] == outside
    assert codes(found) == (["LW502"] if outside else [])


def test_everything_wrong_is_said_at_once():
    spec = task("a", 8 * M, uses=Uses(gpus=1), on=Selector(labels=("arm",)), reads=("/etc",))
    given = terms(5 * M, max_run_ms=5 * M, scope=Scope(commands=("make",), read=("/data",)))
    found = codes(ask(spec, given))
    assert sorted(found) == ["LW301", "LW302", "LW401", "LW402", "LW501", "LW502"]


def test_windows():
    given = Terms(windows=(Window(NOW + 50, NOW + 90), Window(NOW - 9, NOW + 20)))
    assert is_open(given, NOW)
    assert not is_open(given, NOW + 20)
    assert closes_at(given, NOW) == NOW + 20
    assert closes_at(given, NOW + 30) is None
    assert longest_left(given, NOW) == 40
    assert longest_left(given, NOW + 89) == 1
    assert longest_left(given, NOW + 90) == 0
    assert longest_left(Terms(windows=(Window(NOW),)), NOW) is None
