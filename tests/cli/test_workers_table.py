"""Goal: who looks at workers sees which releases they run. Method: a table and a page."""

from __future__ import annotations

from tests.cli.samples import worker


def test_releases_are_shown(run, fake):
    fake.workers_there = (worker("box", software="0.0.9"), worker("mini", software="0.1.0"))
    head, box, mini = run("workers").stdout.splitlines()
    assert head.split().index("VERSION") == len(head.split()) - 1
    assert (box.split()[-1], mini.split()[-1]) == ("0.0.9", "0.1.0")
    assert "leaseway      0.0.9" in run("lease", "show", "box").stdout
