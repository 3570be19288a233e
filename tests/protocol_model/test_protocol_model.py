"""Goal: the protocol holds and each of its rules is needed. Method: search all states, and mutants.

Sizes are those of `variants.CI_SIZE`; the larger ones are `python -m tests.protocol_model --full`.
"""

from pathlib import Path

import pytest

from .hold import healed, started
from .search import Found, SearchTooLarge, explore, unable_to_reach
from .trace import PROPERTIES, story, summary
from .variants import CI_SIZE, FENCE, FENCE_MUTANTS, HOLD, SMALL_MUTANTS, SPOOL, Variant

PAGE = Path(__file__).parents[2] / "docs" / "protocol-model.md"
MUTANTS = (*FENCE_MUTANTS, *SMALL_MUTANTS)
FEWEST_STATES = 100_000


def sizes_of(variant: Variant) -> dict[str, int]:
    """Only the two-worker model has sizes to choose."""
    return CI_SIZE if variant in (FENCE, *FENCE_MUTANTS) else {}


@pytest.fixture(scope="module")
def fence() -> Found:
    """The protocol with two workers, searched whole, once."""
    return FENCE.judge(FENCE.model(**CI_SIZE))


def contains_in_order(names: list[str], shows: tuple[str, ...]) -> bool:
    """Whether the trace has these steps, in this order, with others between."""
    rest = iter(names)
    return all(step in rest for step in shows)


def test_the_protocol_with_two_workers_breaks_nothing(fence: Found) -> None:
    """No state has two outcomes, two believers, a stale effect or an unfenced row."""
    assert fence.broken == ""


def test_the_search_saw_enough_to_mean_something(fence: Found) -> None:
    """A model that cannot move breaks nothing either."""
    assert fence.states > FEWEST_STATES


@pytest.mark.parametrize(
    "label",
    [
        "store refuses write 1 from A",
        "keep done 1 from A as evidence",
        "keep stopped 1 from B as evidence",
        "settle done 1 from B again",
        "take 1 back, A never started it",
        "A hands 1 back unstarted",
        "A lapses",
        "B sleeps",
        "call it lost",
        "tick, A loses it, B loses it",
        "lose settle 2 to B",
    ],
)
def test_the_protocol_passes_through_every_danger(fence: Found, label: str) -> None:
    """The dangers were met and survived, not avoided by a model too tame to have them."""
    assert label in fence.labels


@pytest.mark.parametrize("variant", [HOLD, SPOOL], ids=lambda v: v.name)
def test_the_small_models_break_nothing(variant: Variant) -> None:
    """Hold: a grant at the end of a full hold starts. Spool: no ending is lost to a restart."""
    found = variant.judge(variant.model())
    assert found.broken == "", story(variant.model(), found)
    assert found.states > 100


def test_the_small_models_pass_through_every_danger() -> None:
    """A dead grant, a vain one, an old backup and a true loss all occur."""
    held, spooled = HOLD.judge(HOLD.model()), SPOOL.judge(SPOOL.model())
    assert {"dead on arrival, hand back", "grant to an older try", "tick, lost"} <= held.labels
    assert {
        "hear of an attempt nobody here knows",
        "owner looks and adopts the reported attempt",
        "call it lost",
        "worker deletes the settled ending",
    } <= spooled.labels


@pytest.mark.parametrize("variant", MUTANTS, ids=lambda v: v.name)
def test_less_one_rule_the_named_property_breaks(variant: Variant) -> None:
    """The shortest trace has the length and the turns that the missing rule lets happen."""
    model = variant.model(**sizes_of(variant))
    found = variant.judge(model)
    told = f"{summary(variant, found)}\n{story(model, found)}"
    assert found.broken == variant.breaks, told
    assert len(found.trace) == variant.length, told
    assert contains_in_order(found.names(), variant.shows), told
    row = f"| {variant.name} | {variant.breaks} | {variant.length} | {found.states:,} |"
    assert row in PAGE.read_text(encoding="utf-8")


def test_a_trace_can_be_read() -> None:
    """Numbered steps in words, each with the state it led to."""
    variant = next(v for v in MUTANTS if v.name == "no dedup")
    model = variant.model(**CI_SIZE)
    last = story(model, variant.judge(model)).splitlines()[-1]
    assert last.startswith("   8. write an outcome row by done 1 from A  attempt 1 left 0 rows 2")
    assert last.endswith("in flight: settle 1 to A")


def test_a_search_that_is_cut_gives_no_verdict() -> None:
    """Running out of room must never look like having found nothing."""
    with pytest.raises(SearchTooLarge):
        explore(FENCE.model(**CI_SIZE), limit=1000)


def test_a_grant_dead_by_a_slow_wire_is_made_anew() -> None:
    """Beyond the edge of the liveness claim the task is late, not stuck."""
    model = HOLD.model(wire=2)
    assert unable_to_reach(model, explore(model), started, healed) == []


def test_the_page_names_the_protocol_and_every_property(fence: Found) -> None:
    """`docs/protocol-model.md` cannot drift from the search; mutants compare their own row."""
    page = PAGE.read_text(encoding="utf-8")
    small = [(variant, variant.judge(variant.model())) for variant in (HOLD, SPOOL)]
    for variant, found in [(FENCE, fence), *small]:
        assert f"| {variant.name} | {found.states:,} | holds |" in page
    for letter, meaning in PROPERTIES.items():
        assert f"**{letter}**: {meaning}" in page
