"""Goal: two declared paths meet unless they plainly cannot. Method: a table, and laws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.model.paths import covers, meet, place


@pytest.mark.parametrize(
    ("text", "base", "parts"),
    [
        ("a/b", "", (".", "a", "b")),
        ("./a/../b/", "", (".", "b")),
        ("a//b", "", (".", "a", "b")),
        ("", "", (".",)),
        (".", "/srv/x", ("/", "srv", "x")),
        ("../b", "/srv/a", ("/", "srv", "b")),
        ("../../../../b", "/srv/a", ("/", "b")),
        ("../b", "", (".", "..", "b")),
        ("../..", "", (".",)),
        ("/", "", ("/",)),
        ("/a/./b", "/elsewhere", ("/", "a", "b")),
        ("~/work", "/elsewhere", ("~", "work")),
        ("b", "~/work", ("~", "work", "b")),
        ("b", "work", (".", "work", "b")),
        ("nas:/x/../y", "", ("nas:", "y")),
        ("db:users", "/srv", ("db:", "users")),
        ("port:80", "", ("port:", "80")),
        ("a/b:c", "", (".", "a", "b:c")),
    ],
)
def test_normalised(text, base, parts):
    assert place(text, base).parts == parts


@pytest.mark.parametrize(
    ("one", "two", "together"),
    [
        ("a", "a", True),
        ("a", "./a/", True),
        ("a", "a/b/c", True),
        ("a", "ab", False),
        ("a/b", "a/c", False),
        (".", "a", True),
        ("..", "a", True),
        ("/a", "a", False),
        ("nas:/x", "/x", False),
        ("nas:/x", "disk:/x", False),
        ("nas:/x", "nas:/x/y", True),
        ("port:80", "port:8080", False),
        ("port:80", "port:80", True),
        ("a/*.o", "a/x.o", True),
        ("a/*.o", "a/x.c", False),
        ("a/*.o", "a/*.c", False),
        ("a/*.o", "a", True),
        ("a/*.o", "b/x.o", False),
        ("a/x*", "a/y*", False),
        ("a/x*", "a/*y", True),
        ("a/*", "a/b/c", True),
        ("*.py", "src", False),
        ("*", "src/a", True),
        ("a/**", "a/b/c.o", True),
        ("a/**/x.o", "a/y.c", True),
        ("a/**", "b", False),
        ("a/[xy].o", "a/x.o", True),
        ("a/[xy].o", "a/x.c", False),
        ("a/?.o", "a/b/c", False),
    ],
)
def test_meet(one, two, together):
    assert meet(place(one), place(two)) is together
    assert meet(place(two), place(one)) is together


def test_relative_paths_count_from_their_own_directory():
    assert meet(place("out", "/srv/a"), place("../a/out", "/srv/b"))
    assert not meet(place("out", "/srv/a"), place("out", "/srv/b"))
    assert meet(place("out", "/srv/a"), place("/srv/a/out/x", ""))


PARTS = st.sampled_from(["a", "b", "*", "a*", "*b", "**", "..", "."])
TEXTS = st.lists(PARTS, max_size=4).map("/".join)


@given(TEXTS, TEXTS, TEXTS)
def test_whoever_meets_a_place_meets_what_covers_it(one, two, three):
    part, whole, other = place(one), place(two), place(three)
    assert meet(part, part)
    assert covers(part, part)
    if covers(whole, part):
        assert meet(whole, part)
        if meet(other, part):
            assert meet(other, whole)
