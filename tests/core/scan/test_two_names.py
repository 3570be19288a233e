"""Goal: two names of one path are taken as one, and said. Method: small plans, worked by hand, and
laws of folding names."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.model.accesses import accesses_of
from leaseway.core.model.findings import Severity
from leaseway.core.model.paths import folded, meet, place, spelled
from leaseway.core.model.plan import TaskSpec
from leaseway.core.model.touching import meeting
from leaseway.core.scan.order import order
from leaseway.core.scan.pairs import pairs
from leaseway.core.scan.two_names import TOLD, two_names
from leaseway.core.wording.say import sentence
from tests.core.scan.plans import plan, task


def told(*tasks, **fields):
    """Variant, severity, tasks of each finding."""
    found = [each for each in order(plan(*tasks, **fields)).findings if each.code == "LW207"]
    return [(each.variant, each.severity, each.tasks) for each in found]


def before(*tasks, **fields):
    """Whom the last task waits for."""
    edges = order(plan(*tasks, **fields)).edges
    return [edge.before for edge in edges[tasks[-1].name]]


@pytest.mark.parametrize("other", ["./out/x", "out//x", "out/./x", "sub/../out/x", "/srv/p/out/x"])
def test_spellings_are_one_path_and_a_note_says_so(other):
    tasks = task("a", writes=("out/x",)), task("b", writes=(other,))
    assert told(*tasks, workdir="/srv/p") == [("spelling", Severity.NOTE, ("a", "b"))]
    assert before(*tasks, workdir="/srv/p") == ["a"]
    (finding,) = two_names(plan(*tasks, workdir="/srv/p"))
    assert sentence(finding) == f"out/x, {other} are spellings of one path, and were taken as one."


def test_a_slash_at_the_end_and_another_folder_are_nothing_to_tell():
    assert told(task("a", writes=("out/",)), task("b", reads=("out",))) == []
    assert (
        told(task("a", writes=("x",), workdir="/a"), task("b", writes=("x",), workdir="/b")) == []
    )


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Out/x", "out/x"),
        ("out", "OUT/x"),
        ("Src/*.o", "src/a.o"),
        ("stra\N{LATIN SMALL LETTER SHARP S}e", "STRASSE"),
        ("caf\N{LATIN SMALL LETTER E WITH ACUTE}", "cafe\N{COMBINING ACUTE ACCENT}"),
    ],
)
def test_names_that_differ_in_case_only_are_serialised_and_a_warning_says_so(one, two):
    for first, second in ((one, two), (two, one)):
        tasks = task("a", writes=(first,)), task("b", reads=(second,))
        ((variant, severity, names),) = told(*tasks)
        assert (variant, severity, set(names)) == ("case", Severity.WARNING, {"a", "b"})
        assert before(*tasks) == ["a"]


def test_case_in_what_does_not_meet_is_nothing():
    assert told(task("a", writes=("Src/a.c",)), task("b", writes=("src/b.c",))) == []
    assert told(task("a", writes=("Src/*.c",)), task("b", writes=("src/a.o",))) == []


def test_case_conflicts_across_plans_too():
    one = accesses_of(task("a", writes=("Out",)), "/srv")
    two = accesses_of(task("b", reads=("out/x",)), "/SRV")
    assert meeting(one, two, one_machine=True)


LINK = {"link": "/srv/p/data"}


def test_a_link_that_a_client_found_is_one_path_with_what_it_names():
    tasks = task("a", writes=("data",)), task("b", writes=("link",), same_as=LINK)
    assert told(*tasks, workdir="/srv/p") == [("", Severity.WARNING, ("b", "a"))]
    assert before(*tasks, workdir="/srv/p") == ["a"]
    (finding,) = two_names(plan(*tasks, workdir="/srv/p"))
    assert finding.numbers == {"name": "link", "same": "data", "real": "/srv/p/data"}
    assert "link and data are two names of one path, /srv/p/data" in sentence(finding)


def counted_in(whole):
    return pairs(whole, order(whole))


def test_a_link_into_a_declared_directory_lies_inside_it():
    tasks = task("a", reads=("data",)), task("b", writes=("l",), same_as={"l": "/srv/p/data/x"})
    assert told(*tasks, workdir="/srv/p") == [("inside", Severity.WARNING, ("b", "a"))]
    assert before(*tasks, workdir="/srv/p") == ["a"]
    counted = counted_in(plan(*tasks, workdir="/srv/p"))
    assert counted.conflicts == 1


def test_two_links_to_one_file_and_none_to_itself():
    tasks = (
        task("a", writes=("one",), same_as={"one": "/x/f"}),
        task("b", writes=("two",), same_as={"two": "/x/f"}),
        task("c", writes=("one",), same_as={"one": "/x/f"}),
    )
    assert told(*tasks) == [("", Severity.WARNING, ("b", "a", "c"))]
    assert before(*tasks) == ["a", "b"]


def test_unknown_access_is_a_write_of_where_its_directory_really_is():
    unknown = TaskSpec("a", "make", workdir="/srv/link", same_as={".": "/srv/real"})
    other = accesses_of(task("b", reads=("x",)), "/srv/real")
    assert meeting(accesses_of(unknown, None), other, one_machine=True)


def test_many_are_counted_and_not_told_one_by_one():
    tasks = [task(f"t{at}", writes=("x" * at + "A" * (12 - at),)) for at in range(3)]
    tasks += [
        task(f"u{at}", writes=(f"f{at}".upper(),), reads=(f"f{at}",)) for at in range(TOLD + 7)
    ]
    found = two_names(plan(*tasks))
    assert len(found) == TOLD + 1
    assert (found[-1].variant, found[-1].numbers["count"]) == ("more", 7)


TEXT = st.lists(
    st.sampled_from(["a", "A", "b", "B", "..", ".", "", "*", "\xdf", "ss", "\xe9", "e\u0301"]),
    min_size=1,
    max_size=5,
).map("/".join)


@given(TEXT, st.sampled_from(["", "/srv/A", "~/w"]))
def test_folding_and_spelling_are_idempotent(text, base):
    parts = spelled(text, base)
    again = "/".join(parts) if parts[0] in (".", "~") else "/" + "/".join(parts[1:])
    assert spelled(again, None) == parts
    where = place(text, base)
    assert tuple(map(folded, where.parts)) == where.parts
    assert place(again, None).parts == where.parts


@given(st.text(max_size=8))
def test_every_part_folds_once(part):
    assert folded(folded(part)) == folded(part)
    assert folded(part) == folded(part.upper()) or not part.isascii()


@given(st.lists(TEXT, min_size=2, max_size=4))
def test_whoever_meets_by_case_only_is_told(texts):
    tasks = [task(f"t{at}", writes=(text,)) for at, text in enumerate(texts)]
    found = [set(each.tasks) for each in two_names(plan(*tasks)) if each.variant == "case"]
    for one, two in combinations(range(len(texts)), 2):
        left, right = spelled(texts[one]), spelled(texts[two])
        plain = all(a == b for a, b in zip(left, right, strict=False))
        wild = "*" in texts[one] + texts[two]
        if not plain and not wild and meet(place(texts[one]), place(texts[two])):
            assert any({f"t{one}", f"t{two}"} <= tasks for tasks in found)
