"""Goal: a request with a field that nobody knows is refused, wherever it stands, and one without is
read as ever. Method: a slip on every level, and the place it is told at."""

from __future__ import annotations

import msgspec
import pytest

from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import TermsChange, WindowOffer
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.wire import plans, strict, workers

TASK = b'{"name": "a", "run": "true"'


@pytest.mark.parametrize(
    ("kind", "raw", "field", "place"),
    [
        (plans.CancelRequest, b'{"target": "p", "mood": 1}', "mood", None),
        (workers.LeaseChange, b'{"change": {"slot": 1}}', "slot", "$.change"),
        (
            workers.LeaseChange,
            b'{"change": {"capacity": {"slot": 1}}}',
            "slot",
            "$.change.capacity",
        ),
        (workers.LeaseChange, b'{"change": {"guard": {"kill": 1}}}', "kill", "$.change.guard"),
        (
            workers.LeaseChange,
            b'{"change": {"windows": [{}, {"opens": 1}]}}',
            "opens",
            "$.change.windows[1]",
        ),
        (
            plans.SubmitRequest,
            b'{"plan": {"name": "p", "tasks": [' + TASK + b', "uses": {"cpu": 1}}]}}',
            "cpu",
            "$.plan.tasks[0].uses",
        ),
        (
            plans.SubmitRequest,
            b'{"plan": {"name": "p", "tasks": [' + TASK + b', "on": {"label": 1}}]}}',
            "label",
            "$.plan.tasks[0].on",
        ),
    ],
)
def test_a_slip_is_refused_where_it_stands(kind, raw, field, place):
    said = f"Object contains unknown field `{field}`" + (f" - at `{place}`" if place else "")
    with pytest.raises(msgspec.ValidationError) as raised:
        strict.read(raw, kind)
    assert str(raised.value) == said


def test_what_is_right_is_read_as_ever():
    change = b'{"change": {"max_run_ms": null, "windows": [{"closes_in_ms": 5}]}}'
    meant = TermsChange(windows=(WindowOffer(0, 5),), max_run_ms=None)
    assert strict.read(change, workers.LeaseChange) == workers.LeaseChange(meant)
    raw = b'{"plan": {"name": "p", "tasks": [' + TASK + b"}]}}"
    wanted = plans.SubmitRequest(PlanSpec("p", (TaskSpec("a", "true"),)))
    assert strict.read(raw, plans.SubmitRequest) == wanted
    with pytest.raises(msgspec.ValidationError, match="missing required field `target`"):
        strict.read(b"{}", plans.CancelRequest)


def test_what_is_no_request_stays_open():
    assert strict.read(b'{"slots": 3, "mood": 1}', Capacity) == Capacity(slots=3)
