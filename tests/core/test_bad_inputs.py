"""Goal: what can never come to anything ends with a finding that says why, and nothing runs.
Method: one bad input each, handed to the pool in virtual time; the words are known beforehand."""

from __future__ import annotations

import pytest

from leaseway.core.model import commands as cmd
from leaseway.core.model.capacity import Uses
from leaseway.core.model.lease import TermsChange, WindowOffer
from leaseway.core.model.sync import RegisterRequest
from leaseway.core.wording.say import mend, sentence
from tests.core.pool import PERSON, M, Pool, S, codes, kinds, offer, task


def joined(terms, name="box"):
    """What a worker that offers these terms is told."""
    pool = Pool()
    request = RegisterRequest(name=name, offer=terms, spool_id="s", boot_id="b", machine_id="m")
    return pool, pool.do(cmd.Register(request))


def test_a_cycle_is_refused_with_every_task_on_its_path_and_no_other():
    pool = Pool()
    pool.worker("w")
    before = len(pool.history)
    refused = pool.submit(
        task("a", S, needs=("c",)),
        task("b", S, needs=("a",)),
        task("c", S, needs=("b", "free")),
        task("free", S),
    ).refused
    (finding,) = refused.findings
    assert finding.code == "LW101"
    path = finding.numbers["path"]
    assert path[0] == path[-1]
    assert sorted(path[1:]) == ["a", "b", "c"]
    assert " → ".join(path) in sentence(finding)
    assert sentence(finding).endswith("Nothing ran.")
    assert [type(one.event).__name__ for one in pool.history[before:]] == ["PlanDeclined"]


def test_what_needs_a_task_that_has_failed_is_skipped_with_its_name():
    pool = Pool()
    pool.worker("w")
    pool.lasts = {"a": M}
    pool.submit(task("a", 2 * S), task("b", S, needs=("a",)))
    pool.run(10 * S)
    cause = pool.task("b").outcome.cause
    assert (cause.code, cause.numbers["outcome"]) == ("LW707", "overran")
    assert "it needs p-1/a, which did not succeed (overran)" in sentence(cause)
    assert kinds(pool).count("AttemptGranted") == 1


def test_a_task_of_an_earlier_plan_that_failed_cannot_be_needed():
    pool = Pool()
    pool.worker("w")
    pool.lasts = {"build": M}
    pool.submit(task("build", 2 * S))
    pool.run(10 * S)
    assert pool.outcome("build") == "overran"
    refused = pool.submit(
        task("test", S, needs=("build",)), task("bulid", S), workdir="/elsewhere"
    ).refused
    (finding,) = refused.findings
    assert (finding.code, finding.numbers["name"]) == ("LW102", "build")
    assert "nearest: bulid" in sentence(finding)


def test_what_needs_a_task_that_is_refused_is_told_that_it_cannot_succeed():
    pool = Pool()
    pool.worker("w")
    reply = pool.submit(
        task("a", S, uses=Uses(cpus_milli=64_000)),
        task("b", S, needs=("a",)),
        task("c", S),
        partial=True,
    ).reply
    first, second, _ = reply.tasks
    assert codes(first.findings) == ["LW401"]
    assert codes(second.findings) == ["LW105"]
    assert pool.outcome("b") == "skipped"


def test_a_token_that_nobody_has_is_refused_with_those_that_are_there():
    pool = Pool()
    pool.worker("w", tokens=("gpu-room",))
    (finding,) = pool.submit(task("a", S, holds=("scanner",))).refused.findings
    assert (finding.code, finding.variant) == ("LW404", "token")
    assert "scanner" in sentence(finding)
    assert "gpu-room" in sentence(finding) + mend(finding)


@pytest.mark.parametrize("closes_in_ms", [60 * M, 30 * M])
def test_a_lease_that_closes_before_it_opens_is_no_lease(closes_in_ms):
    pool, said = joined(offer(windows=(WindowOffer(60 * M, closes_in_ms),)))
    (finding,) = said.refused.findings
    assert (finding.code, finding.variant) == ("LW901", "window")
    assert "would close before it opens" in sentence(finding)
    assert "1h" in sentence(finding)
    assert pool.view.facts.leases == {}


def test_a_lease_is_not_changed_so_that_it_closes_before_it_opens():
    pool = Pool()
    pool.worker("w", 60 * M)
    held = pool.view.facts.leases["w"].terms
    change = TermsChange(windows=(WindowOffer(10 * M, 5 * M),))
    (finding,) = pool.do(cmd.ChangeLease("w", change, PERSON.name)).refused.findings
    assert (finding.code, finding.variant) == ("LW901", "window")
    assert pool.view.facts.leases["w"].terms == held


@pytest.mark.parametrize(("percent", "shown"), [(0, "0%"), (-5, "-5%"), (101, "101%")])
def test_a_share_of_nothing_locks_nobody_out_in_silence(percent, shown):
    pool, said = joined(offer(share={"agent": percent}))
    (finding,) = said.refused.findings
    assert (finding.code, finding.variant) == ("LW901", "share")
    assert f"The share of agent in box is {shown}; expected 1% to 100%." in sentence(finding)
    assert pool.view.facts.leases == {}


def test_a_share_is_not_set_to_nothing_either():
    pool = Pool()
    pool.worker("w", 60 * M)
    change = TermsChange(share={"agent": 0})
    assert codes(pool.do(cmd.ChangeLease("w", change, PERSON.name)).refused.findings) == ["LW901"]
    assert pool.view.facts.leases["w"].terms.share == {}
