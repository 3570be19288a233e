"""Goal: every id comes back from its address. Method: quote and unquote."""

from __future__ import annotations

from urllib.parse import unquote

import httpx
from hypothesis import given
from hypothesis import strategies as st

from leaseway.wire import paths

IDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=60)


@given(IDS)
def test_task_ids_survive(id):
    for made, root in ((paths.task, paths.TASKS), (paths.log, paths.LOGS)):
        sent = httpx.Request("GET", "http://coordinator.test" + made(id)).url.raw_path.decode()
        assert unquote(sent.removeprefix(f"{root}/")) == id


def test_slashes_stay_and_dots_lead_nowhere():
    assert paths.task("nightly-3/train") == "/v1/tasks/nightly-3/train"
    assert paths.task("../x") == "/v1/tasks/%2E%2E/x"


def test_names_of_workers_and_plans_are_one_segment():
    assert paths.lease("a/b") == "/v1/workers/a%2Fb/lease"
    assert paths.plan("a/b") == "/v1/plans/a%2Fb"
