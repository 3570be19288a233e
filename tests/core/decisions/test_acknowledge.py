"""Goal: outcomes stay until their own reader has seen them. Method: two principals, by hand."""

from __future__ import annotations

import pytest

from leaseway.core.model import commands as cmd
from tests.core.pool import AGENT, PERSON, Pool, S, codes, kinds, task


@pytest.fixture
def pool():
    """`a` is the person's, `b` and `c` the agent's; `c` still runs."""
    made = Pool()
    made.worker("w", slots=3)
    made.lasts = {"c": 60 * S}
    made.submit(task("a", 10 * S))
    made.submit(task("b", 10 * S), task("c", 90 * S), who=AGENT)
    made.run(S)
    return made


def seen(pool, who, *names):
    return pool.do(cmd.Acknowledge(names, who))


def inbox(pool, who):
    return list(pool.view.index.inbox.get(who.name, {}))


def test_each_has_an_inbox(pool):
    assert (inbox(pool, PERSON), inbox(pool, AGENT)) == (["p-1/a"], ["p-2/b"])


def test_all_of_one_s_own(pool):
    assert seen(pool, AGENT).reply == ("p-2/b",)
    assert (inbox(pool, PERSON), inbox(pool, AGENT)) == (["p-1/a"], [])
    assert pool.task("b").acknowledged
    assert not pool.task("a").acknowledged


def test_twice_is_once(pool):
    seen(pool, AGENT, "p-2/b", "p-2/b")
    before = kinds(pool)
    assert seen(pool, AGENT, "p-2/b").reply == ()
    assert seen(pool, AGENT).reply == ()
    assert kinds(pool) == before


def test_not_somebody_else_s(pool):
    refused = seen(pool, AGENT, "p-1/a").refused
    assert (refused.kind, codes(refused.findings)) == ("credential", ["LW802"])
    assert inbox(pool, PERSON) == ["p-1/a"]


def test_an_owner_may(pool):
    assert seen(pool, PERSON, "p-2/b").reply == ("p-2/b",)
    assert inbox(pool, AGENT) == []


def test_not_before_its_end(pool):
    refused = seen(pool, AGENT, "p-2/b", "p-2/c").refused
    assert (refused.kind, codes(refused.findings)) == ("conflict", ["LW714"])
    assert inbox(pool, AGENT) == ["p-2/b"], "all or nothing"


def test_unknown(pool):
    refused = seen(pool, AGENT, "p-2/x").refused
    assert (refused.kind, codes(refused.findings)) == ("unknown", ["LW404"])
