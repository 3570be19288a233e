"""Goal: what people write becomes whole numbers and reads back. Method: tables, round trips."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.model import units


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("90", 90_000),
        (90, 90_000),
        (0.25, 250),
        ("0", 0),
        ("500ms", 500),
        ("90s", 90_000),
        ("1.5s", 1_500),
        ("8m", 480_000),
        ("1h30m", 5_400_000),
        ("1h 30m", 5_400_000),
        ("2d", 172_800_000),
        ("PT8M", 480_000),
        ("PT1H30M", 5_400_000),
        ("P1DT0.5S", 86_400_500),
        ("  8m ", 480_000),
    ],
)
def test_durations(text, ms):
    assert units.parse_duration(text) == ms


@pytest.mark.parametrize("text", ["", "8 minutes", "m", "8x", "-3s", -1, True, "1m;2m", "P", "PT"])
def test_no_duration(text):
    with pytest.raises(ValueError, match=r"duration"):
        units.parse_duration(text)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        (0, 0),
        ("0", 0),
        ("1024", 1_024),
        ("512MiB", 536_870_912),
        ("8GB", 8_000_000_000),
        ("8 GiB", 8_589_934_592),
        ("1.5KiB", 1_536),
        ("2k", 2_000),
        ("1TiB", 1_099_511_627_776),
    ],
)
def test_sizes(text, amount):
    assert units.parse_size(text) == amount


@pytest.mark.parametrize("text", ["", "GB", "8XB", -1, "-8GB", False])
def test_no_size(text):
    with pytest.raises(ValueError, match=r"size"):
        units.parse_size(text)


@pytest.mark.parametrize(
    ("ms", "shown"),
    [
        (0, "0s"),
        (1, "1 ms"),
        (999, "999 ms"),
        (4_200, "4.2s"),
        (5_000, "5s"),
        (59_940, "59.9s"),
        (59_999, "1m"),
        (60_000, "1m"),
        (480_000, "8m"),
        (3_900_000, "1h 5m"),
        (3_599_999, "1h"),
        (90_061_000, "1d 1h"),
        (86_400_000, "1d"),
        (-480_000, "-8m"),
    ],
)
def test_shown(ms, shown):
    assert units.show_ms(ms) == shown


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(0, "0 B"), (1_023, "1023 B"), (1_536, "1.5 KiB"), (2**30, "1 GiB"), (3 * 2**40, "3 TiB")],
)
def test_bytes_shown(amount, shown):
    assert units.show_bytes(amount) == shown


@pytest.mark.parametrize(
    ("milli", "shown"), [(1_000, "1"), (1_500, "1.5"), (250, "0.25"), (0, "0")]
)
def test_cpus_shown(milli, shown):
    assert units.show_cpus(milli) == shown


def test_moment_shown():
    assert units.show_at(45_296_789) == "12:34:56Z"


@given(st.integers(0, 50 * 86_400).map(lambda seconds: seconds * 1_000))
def test_what_is_shown_reads_back_up_to_its_second_part(ms):
    """Two parts are shown: nothing is lost that is not smaller than the second of them."""
    back = units.parse_duration(units.show_ms(ms))
    unit = next(size for size in (86_400_000, 3_600_000, 60_000, 1_000, 0) if ms >= size)
    smaller = {86_400_000: 3_600_000, 3_600_000: 60_000}.get(unit, 1_000)
    assert ms - smaller < back <= ms


@given(st.integers(0, 10**12))
def test_whole_milliseconds_survive(ms):
    assert units.parse_duration(f"{ms}ms") == ms
    assert units.parse_duration(ms / 1000) == ms
