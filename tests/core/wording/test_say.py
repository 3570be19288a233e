"""Goal: every finding becomes sentences, the boundary first. Method: known texts word for word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.model.findings import Finding, Severity
from leaseway.core.wording.say import mend, sentence
from leaseway.core.wording.template import per_worker

MINUTE = 60_000


def finding(code, tasks=("build",), workers=("box",), *, variant="", severity=None, **numbers):
    kind = Severity.ERROR if severity is None else severity
    return Finding(code, tuple(tasks), tuple(workers), numbers, variant, kind)


def test_eight_against_five():
    told = finding("LW302", need_ms=8 * MINUTE, have_ms=5 * MINUTE, short_ms=3 * MINUTE)
    assert sentence(told) == (
        "The boundary: build needs 8m, box has 5m left; short by 3m. Nothing ran."
    )
    assert mend(told) == (
        "Lower the bound of build to 5m or less, split it, or ask the owner of box to extend the"
        " lease by 3m."
    )


def test_eight_against_five_with_the_guard_named():
    told = finding(
        "LW302",
        need_ms=8 * MINUTE,
        have_ms=270_000,
        short_ms=210_000,
        left_ms=5 * MINUTE,
        guard_ms=30_000,
        stop_grace_ms=20_000,
        kill_ms=5_000,
        delivery_ms=4_000,
        clock_error_ms=1_000,
    )
    assert sentence(told) == (
        "The boundary: build needs 8m, box has 4m 30s left; short by 3m 30s."
        " Of the 5m to the end of the lease 30s are kept free (stop grace 20s, kill 5s,"
        " delivery 4s, clock error 1s). Nothing ran."
    )


def test_what_clocks_drift_and_files_take_is_told_by_itself():
    told = finding(
        "LW302",
        need_ms=60 * MINUTE,
        have_ms=3_581_806,
        short_ms=18_194,
        left_ms=60 * MINUTE,
        guard_ms=15_194,
        stop_grace_ms=5_000,
        kill_ms=1_000,
        delivery_ms=2_000,
        clock_error_ms=500,
        drift_ms=6_694,
        receive_ms=3_000,
    )
    assert sentence(told).endswith(
        " delivery 2s, clock error 500 ms). 6.7s of it are kept for clocks that drift further"
        " by the end. Receiving its files takes 3s. Nothing ran."
    )


def test_every_cap_too_short():
    caps = {per_worker("cap_ms", "mini"): 5 * MINUTE, "cap_ms": 8 * MINUTE}
    told = finding("LW301", workers=("box", "mini"), need_ms=10 * MINUTE, **caps)
    assert sentence(told) == (
        "The boundary: build needs 10m, longer than the max run time of each:"
        " box 8m, mini 5m. Nothing ran."
    )


def test_many_workers_are_counted():
    told = finding("LW302", workers=[f"w{at}" for at in range(11)], have_ms=1_000, need_ms=2_000)
    assert "w0 1s, w1 1s, w2 1s, w3 1s, w4 1s, w5 1s, w6 1s, w7 1s and 3 more." in sentence(told)


def test_one_number_for_all_workers():
    told = finding("LW302", workers=("a", "b"), need_ms=480_000, have_ms=300_000)
    assert sentence(told).startswith(
        "The boundary: build needs 8m, and none of these has that left: a 5m, b 5m."
    )


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        (
            {"resource": "cpus", "need_milli": 8000, "have_milli": 1500},
            "The boundary: build asks more than box has: 8 cpus of 1.5. Nothing ran.",
        ),
        (
            {"resource": "memory", "need_bytes": 8 << 30, "have_bytes": 0},
            "The boundary: build asks more than box has: 8 GiB memory of 0 B. Nothing ran.",
        ),
        (
            {"resource": "gpus", "need": 1, "have": 0},
            "The boundary: build asks more than box has: 1 gpu of 0. Nothing ran.",
        ),
    ],
    ids=["cpus", "memory", "gpus"],
)
def test_capacity_in_its_own_unit(numbers, text):
    assert sentence(finding("LW401", **numbers)) == text


def test_whole_cycle_is_written_out():
    path = [f"t{at}" for at in range(40)] + ["t0"]
    assert " → ".join(path) in sentence(finding("LW101", path=path))


def test_long_lists_are_counted():
    told = finding("LW206", tasks=[f"t{at}" for at in range(15)], severity=Severity.WARNING)
    assert ", t11 and 3 more: neither" in sentence(told)


def test_own_limit_is_the_cause():
    told = finding("LW702", severity=Severity.CAUSE, reserved_ms=2_000, ran_ms=6_000, by="KILL")
    assert sentence(told) == ("Its own limit is the cause: reserved 2s, ran 6s, ended by KILL.")


def test_plan_file_position():
    told = finding(
        "LW901",
        tasks=(),
        workers=(),
        where="plan.toml:3:7",
        file="plan.toml",
        expected="a duration",
        got="fast",
    )
    assert sentence(told) == ("plan.toml:3:7: expected a duration, got fast. Nothing ran.")


def test_the_first_number_that_is_there():
    told = finding("LW901", tasks=(), file="the request", expected="a list")
    assert sentence(told) == "the request: expected a list. Nothing ran."
    told = finding("LW902", variant="command", have=200, cap=100)
    assert "over the size limit: 200, at most 100." in sentence(told)


def test_moments_are_shown_by_the_reader():
    told = finding("LW303", need_ms=1_000, free_at=5, close_at=9)
    assert "by T9, box is free from T5." in sentence(told, at=lambda moment: f"T{moment}")


def test_causes_never_say_that_nothing_ran():
    for code in ("LW701", "LW605", "LW804"):
        assert "Nothing ran" not in sentence(finding(code))


def test_a_warning_does_not_refuse_unless_made_an_error():
    assert not sentence(finding("LW305", severity=Severity.WARNING)).endswith("Nothing ran.")
    assert sentence(finding("LW305")).endswith("Nothing ran.")


def test_unknown_variant_takes_the_default():
    assert sentence(finding("LW804", variant="deep", slept_ms=2_000)) == "box slept for 2s."


def test_unknown_code_lists_its_numbers():
    told = finding("LW999", need_ms=1_000, free_bytes=2048, variant="odd", names=["a", "b"])
    assert sentence(told) == (
        "LW999 odd: build, box, need 1s, free 2 KiB, names a, b. Nothing ran."
    )
    assert mend(told) == ""
    assert sentence(Finding("LW999", severity=Severity.NOTE)) == "LW999."


NUMBERS = st.dictionaries(
    st.sampled_from(
        ["need_ms", "have_ms@x", "path", "nearest", "name", "over", "free_at", "have_bytes"]
    ),
    st.integers(0, 10**12) | st.text(max_size=5) | st.lists(st.text(max_size=4), max_size=4),
)


@given(
    st.sampled_from(["LW101", "LW102", "LW301", "LW303", "LW401", "LW999"]),
    st.lists(st.text(max_size=4), max_size=3),
    st.lists(st.text(max_size=4), max_size=3),
    NUMBERS,
)
def test_never_raises(code, tasks, workers, numbers):
    told = Finding(code, tuple(tasks), tuple(workers), numbers)
    assert sentence(told)
    assert isinstance(mend(told), str)


def test_a_mend_is_rounded_to_what_will_do():
    told = finding("LW302", need_ms=480_000, have_ms=289_900, short_ms=190_100)
    assert "box has 4m 50s left; short by 3m 10s." in sentence(told)
    assert mend(told) == (
        "Lower the bound of build to 4m 49s or less, split it, or ask the owner of box to extend"
        " the lease by 3m 11s."
    )
    told = finding("LW302", need_ms=5_000, have_ms=1_990, short_ms=3_010)
    assert mend(told).startswith("Lower the bound of build to 1.9s or less,")
    assert mend(told).endswith("extend the lease by 3.1s.")
