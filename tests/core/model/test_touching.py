"""Whoever must wait is named, directly or through somebody who is. Method: random newcomers, every
conflicting pair found by brute force, and the closure of the named ones compared with it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.model.paths import meet, place
from leaseway.core.model.touching import Access, Touching

PATH = st.lists(st.sampled_from("abc"), max_size=3).map(lambda parts: "/" + "/".join(parts))
TEXT = st.tuples(st.sampled_from(["", "", "", "nas:"]), PATH, st.sampled_from(["", "", "/*.o"]))
ACCESS = st.tuples(TEXT, st.booleans()).map(
    lambda given: Access(place("".join(given[0])), given[1], "".join(given[0]))
)
NEWCOMER = st.tuples(st.sampled_from(["m1", "m2"]), st.lists(ACCESS, min_size=1, max_size=2))


def conflicts(one, two) -> bool:
    return any(
        (left.writes or right.writes)
        and meet(left.place, right.place)
        and (left.is_shared or one[0] == two[0])
        for left in one[1]
        for right in two[1]
    )


@given(st.lists(NEWCOMER, max_size=14), st.sets(st.integers(0, 13), max_size=4))
def test_the_closure_of_the_named_holds_every_conflict(newcomers, ended) -> None:
    """`ended`: numbers of tasks that are over by the time the later half arrives."""
    touching = Touching()
    behind: dict[int, set[int]] = {}
    live: dict[int, tuple[str, list[Access]]] = {}
    for seq, (machine, accesses) in enumerate(newcomers):
        if seq == len(newcomers) // 2:
            # those at the front end first, as they do when everybody waits for who stands before
            for gone in [name for name in live if name in ended and not behind[name] & set(live)]:
                touching.remove(f"t{gone}")
                del live[gone]
        named = {met.task for met in touching.before(machine, tuple(accesses))}
        names = {f"t{number}": number for number in live}
        direct = {names[name] for name in named}
        wanted = {number for number, other in live.items() if conflicts((machine, accesses), other)}
        assert direct <= wanted
        assert wanted <= closure(direct, behind)
        behind[seq] = direct
        live[seq] = (machine, accesses)
        touching.add(f"t{seq}", seq, machine, tuple(accesses))


def closure(start: set[int], behind: dict[int, set[int]]) -> set[int]:
    found: set[int] = set()
    stack = list(start)
    while stack:
        at = stack.pop()
        if at not in found:
            found.add(at)
            stack += behind[at]
    return found


def test_what_is_skipped_hides_nobody() -> None:
    """A covering writer that does not count does not stand before those behind it either."""
    touching = Touching()
    write = (Access(place("/a"), True, "/a"),)
    touching.add("first", 1, "m", write)
    touching.add("second", 2, "m", write)
    assert [met.task for met in touching.before("m", write)] == ["second"]
    assert [met.task for met in touching.before("m", write, frozenset({"second"}))] == ["first"]
