"""Goal: the word that somebody meant. Method: pairs known beforehand."""

from __future__ import annotations

import pytest

from leaseway.planfile.nearest import FOREIGN, nearest
from leaseway.planfile.plan_keys import PLAN, TASK

KNOWN = sorted({*PLAN, *TASK, "id", "cpus", "gpus", "memory", "max_run_time"})


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("lmit", "limit"),
        ("Limit", "limit"),
        ("give-up", "give_up"),
        ("max parallel", "max_parallel"),
        ("depends_on", "needs"),
        ("dependsOn", "needs"),
        ("command", "run"),
        ("frobnicate", None),
        ("", None),
        ("x" * 10**6, None),
    ],
)
def test_nearest(word, meant):
    assert nearest(word, KNOWN) == meant


def test_a_foreign_word_counts_only_where_its_meaning_is_known():
    assert nearest("command", ["cpus"]) is None


def test_every_foreign_word_means_a_key():
    assert set(FOREIGN.values()) <= set(KNOWN)
    assert not set(FOREIGN) & set(TASK)
