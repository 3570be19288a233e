"""Goal: globs meet exactly if some file is named by both. Method: every name over two letters, up
to a length, matched by a plain recursion; bounds by patterns that are far too long."""

from __future__ import annotations

import time
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.model.globs import matches, same_name
from leaseway.core.model.paths import covers, meet, place

LETTERS = "01"
NAMES = ["".join(name) for size in range(6) for name in product(LETTERS, repeat=size)]
TOKENS = st.sampled_from(["0", "1", "*", "?", "[0]", "[01]", "[!0]"])
PARTS = st.lists(TOKENS, min_size=1, max_size=3).map("".join)
PATHS = st.lists(st.one_of(PARTS, st.just("**")), min_size=1, max_size=3)
FILES = [parts for size in range(6) for parts in product(["0", "1"], repeat=size)]


def plainly(pattern: str, name: str) -> bool:
    """Matched letter by letter; the sets are those of `TOKENS`."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return plainly(pattern[1:], name) or (bool(name) and plainly(pattern, name[1:]))
    if not name:
        return False
    if pattern[0] == "[":
        inside, _, rest = pattern[1:].partition("]")
        takes = (name[0] not in inside[1:]) if inside[0] == "!" else (name[0] in inside)
        return takes and plainly(rest, name[1:])
    return pattern[0] in ("?", name[0]) and plainly(pattern[1:], name[1:])


def named(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Whether a path lies at or below what the pattern names."""
    if not pattern:
        return True
    if pattern[0] == "**":
        return named(pattern[1:], parts) or (bool(parts) and named(pattern, parts[1:]))
    return bool(parts) and plainly(pattern[0], parts[0]) and named(pattern[1:], parts[1:])


@given(PARTS, PARTS)
def test_parts_meet_as_enumerated(one, two):
    expected = any(plainly(one, name) and plainly(two, name) for name in NAMES)
    # Two patterns of at most three tokens meet in a name of six letters or in none; five show all
    # but a pair of stars between three letters each, so beyond them only "no" is asserted.
    if expected or len(one) + len(two) <= 5:
        assert same_name(one, two) is expected
    assert same_name(one, two) is same_name(two, one)


@given(PARTS, st.sampled_from(NAMES[1:]))
def test_a_name_is_matched_as_enumerated(pattern, name):
    assert matches(pattern, name) is plainly(pattern, name)


@given(PATHS, PATHS)
def test_paths_meet_as_enumerated(one, two):
    """Parts of one letter, so that every file is enumerated."""
    left = tuple("*" if part not in ("0", "1", "**") else part for part in one)
    right = tuple("?" if part not in ("0", "1", "**") else part for part in two)
    expected = any(named(left, file) and named(right, file) for file in FILES)
    ones, twos = place("/".join(left)), place("/".join(right))
    assert meet(ones, twos) is expected
    assert meet(twos, ones) is expected


@given(PATHS, st.lists(st.sampled_from(["0", "1"]), min_size=1, max_size=4))
def test_a_glob_covers_a_file_if_it_names_it(one, file):
    assert covers(place("/".join(one)), place("/".join(file))) is named(tuple(one), tuple(file))


@given(PATHS, PATHS)
def test_what_is_covered_has_no_file_outside(one, two):
    if covers(place("/".join(one)), place("/".join(two))):
        for file in FILES:
            assert named(tuple(one), file) or not named(tuple(two), file)


@pytest.mark.parametrize(
    ("one", "two", "together"),
    [
        ("a*b*c", "abc", True),
        ("a*b*c", "acb", False),
        ("a*b", "ab", True),
        ("aba*aba", "aba", False),  # both ends agree, and it is too short
        ("*a*", "*b*", True),
        ("a?", "?b", True),
        ("a?", "ab?", False),
        ("[a-c]x", "[d-f]x", False),
        ("[a-c]x", "[c-f]x", True),
        ("[!0]", "0", False),
        ("[!0]", "1", True),
        ("[^0-9]", "[5-7]", False),
        ("[!a]", "a", True),  # `[!A]` may have been written
        ("[]0]", "]", True),
        ("[]0]", "1", False),
        ("[z-a]", "q", True),  # turned round: any letter
        ("a[b", "a[b", True),
        ("a[b*", "a[bc", True),
        ("a[b*", "abc", False),
        ("x.[ch]", "x.c", True),
        ("x.[ch]", "*.o", False),
        ("**", "a", True),
    ],
)
def test_same_name(one, two, together):
    assert same_name(one, two) is together
    assert same_name(two, one) is together


def test_a_directory_covers_what_is_below():
    assert covers(place("a"), place("a/b/*.o"))
    assert covers(place("a/*"), place("a/b/c"))
    assert covers(place("a/*.d"), place("a/b.d/c/*.o"))
    assert covers(place("a/**"), place("a"))
    assert not covers(place("a/*.d"), place("a/b.e"))
    assert not covers(place("a/*"), place("a"))
    assert not covers(place("a/*"), place("b/c"))


@pytest.mark.parametrize(
    ("one", "two", "together"),
    [
        ("*a" * 5_000, "*b" * 5_000, False),  # their ends differ
        ("*a" * 5_000, "*b" * 5_000 + "*", True),
        ("[ab]" * 2_500, "?" * 10_000, True),
        ("?" * 10_000, "a" * 9_999, True),  # too long to be told apart: counts as meeting
        ("?" * 1_000, "a" * 999, False),
        ("*" * 10_000, "**/" * 3_000 + "x", True),
        ("[" * 10_000, "]" * 10_000, True),
        ("[a-b]" * 200, "[b-c]" * 200, True),
        ("x" + "*" * 9_999, "y" + "?" * 9_999, False),
        ("*/" * 5_000, "?/" * 5_000, True),
    ],
)
def test_a_glob_of_ten_thousand_letters_takes_little(one, two, together):
    started = time.process_time()
    assert meet(place(one), place(two)) is together
    assert meet(place(two), place(one)) is together
    covers(place(one), place(two))
    assert time.process_time() - started < 1.0
