"""Goal: what people decided is used as they decided it. Method: event by event, one rule broken at
a time."""

from __future__ import annotations

import pytest

from leaseway.core.history import History
from leaseway.core.model.approvals import ApprovalAsked, ApprovalDenied, ApprovalGiven
from leaseway.core.model.events import PlanSubmitted
from leaseway.core.model.policy import Policy, PolicyChanged

FIRST = PolicyChanged(1, "eve", Policy())
ASKED = ApprovalAsked("A-1", "bot", "agent", "d", "p", ("LW206",), (), 1, 100)
GIVEN = ApprovalGiven("A-1", "eve", 50)
PLAN = PlanSubmitted("p-1", "p", "bot", "agent", (), policy_version=1, approval="A-1")


def broken(*events, last_at=2):
    history = History()
    found = []
    for at, event in enumerate(events):
        found += history.feed(last_at if at == len(events) - 1 else 0, event)
    return found


def test_an_honest_history_breaks_nothing():
    assert broken(FIRST, ASKED, GIVEN, PLAN) == []
    assert broken(FIRST, ASKED, ApprovalDenied("A-1", "eve", 50)) == []
    assert broken(PlanSubmitted("p-1", "p", "bot", "agent", ())) == []


@pytest.mark.parametrize(
    ("events", "last_at", "speaks"),
    [
        ((PolicyChanged(2, "eve", Policy()),), 2, "31 policy: 2 came after 0"),
        ((FIRST, ASKED, ASKED), 2, "30 approval: A-1 was asked for twice"),
        ((FIRST, GIVEN), 2, "30 approval: A-1 was answered and was not open"),
        ((FIRST, ASKED, GIVEN, GIVEN), 2, "30 approval: A-1 was answered and was not open"),
        (
            (FIRST, ASKED, ApprovalGiven("A-1", "bot", 50)),
            2,
            "30 approval: bot answered A-1, for which they asked",
        ),
        ((FIRST, ASKED, PLAN), 2, "30 approval: p-1 passed with A-1, which it did not have"),
        (
            (FIRST, ASKED, ApprovalDenied("A-1", "eve", 50), PLAN),
            2,
            "30 approval: p-1 passed with A-1, which it did not have",
        ),
        (
            (FIRST, ASKED, GIVEN, PLAN, PLAN),
            2,
            "30 approval: p-1 passed with A-1, which it did not have",
        ),
        (
            (FIRST, ASKED, GIVEN, PLAN),
            50,
            "30 approval: p-1 passed with A-1, which it did not have",
        ),
        (
            (
                FIRST,
                ASKED,
                GIVEN,
                PlanSubmitted(
                    "p-1", "p", "ann", "agent", (), "", "", approval="A-1", policy_version=1
                ),
            ),
            2,
            "30 approval: p-1 of ann passed with A-1, another's",
        ),
        (
            (FIRST, PlanSubmitted("p-1", "p", "bot", "agent", ())),
            2,
            "31 policy: p-1 was decided under 0, and 1 was in force",
        ),
    ],
)
def test_each_rule_speaks(events, last_at, speaks):
    (said,) = broken(*events, last_at=last_at)
    assert said.startswith(speaks)
