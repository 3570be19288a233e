"""Goal: every no is a problem document that says what is wrong, and nothing ran. Method: wrong
requests of every kind against the whole application."""

from __future__ import annotations

import httpx
import msgspec
import pytest

from leaseway.client.errors import Conflict, Refused
from leaseway.coordinator import service as service_module
from leaseway.coordinator.routes import about
from leaseway.core.model.commands import Role
from leaseway.core.model.plan import PlanSpec
from leaseway.wire.plans import SubmitRequest
from leaseway.wire.problems import MEDIA_TYPE, Problem
from tests.coordinator.pool import URL, spec

BEST_EFFORT = {"name": "x", "tasks": [{"name": "a", "run": "true", "promise": "none"}]}


async def refused(pool, method: str, path: str, *, role=Role.OWNER, **more) -> Problem:
    headers = {"authorization": f"Bearer {pool.secret(role)}", **more.pop("headers", {})}
    async with httpx.AsyncClient(transport=pool.transport(), base_url=URL) as http:
        answer = await http.request(method, path, headers=headers, **more)
    assert answer.headers["content-type"] == MEDIA_TYPE
    problem = msgspec.json.decode(answer.content, type=Problem)
    assert problem.status == answer.status_code
    assert problem.nothing_ran
    assert "Traceback" not in answer.text
    return problem


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "this is not valid JSON"),
        (b"{", "this is not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b"[]", "expected `object`, got `array`"),
        (b"{}", "expected `plan`"),
        (b'{"plan": {"name": "x", "tasks": [{"name": 1}]}}', "at $.plan.tasks[0].name"),
        (b'{"plan": {"name": "x", "tasks": [], "taks": []}}', "unknown key taks in $.plan"),
        (b'{"plan": {"name": "x", "tasks": []}, "dri": true}', "unknown key dri"),
        (b'{"plan": {"name": "\xed\xa0\x80", "tasks": []}}', "not valid JSON"),
    ],
)
async def test_malformed_body(pool, body, said):
    problem = await refused(pool, "POST", "/v1/plans", content=body)
    assert (problem.status, problem.kind) == (400, "malformed")
    assert problem.findings[0].code == "LW901"
    assert said in problem.detail


async def test_a_body_nested_beyond_reading(pool):
    body = b'{"later": ' + b"[" * 100_000
    problem = await refused(pool, "POST", "/v1/sync", role=Role.WORKER, content=body)
    assert (problem.status, problem.kind) == (400, "malformed")
    assert "not nested so deeply" in problem.detail


@pytest.mark.parametrize(
    "query", ["limit=many", "limit=-1", "limit=1e3", "limit=%C2%B2", "limit=" + "9" * 40, "ended=1"]
)
async def test_malformed_query(pool, query):
    problem = await refused(pool, "GET", f"/v1/tasks?{query}")
    assert (problem.status, problem.findings[0].code) == (400, "LW901")


async def test_limits_are_limited(pool):
    await pool.client().tasks()
    assert (await pool.client().events(limit=999_999)).next >= 0


async def test_body_over_the_limit_is_not_read(pool):
    sent = 0

    async def endless():
        nonlocal sent
        while True:
            sent += 1
            yield b" " * 100_000

    problem = await refused(pool, "POST", "/v1/plans", content=endless())
    assert (problem.status, problem.kind) == (413, "too-large")
    assert problem.findings[0].code == "LW902"
    assert problem.findings[0].numbers["cap_bytes"] == pool.house.body_most
    assert sent < 20


async def test_body_whose_told_length_is_over_the_limit(pool):
    headers = {"content-length": str(10**12)}
    problem = await refused(pool, "POST", "/v1/plans", content=b"{}", headers=headers)
    assert problem.status == 413


@pytest.mark.parametrize(
    "path", ["/v1/tasks/nightly-1/trian", "/v1/explain/nightly-1/trian", "/v1/logs/nightly-1/trian"]
)
async def test_unknown_task_offers_the_nearest(pool, path):
    await pool.join()
    await pool.submit(spec("train"))
    problem = await refused(pool, "GET", path)
    assert (problem.status, problem.kind) == (404, "unknown")
    assert problem.findings[0].numbers["nearest"] == ["nightly-1/train"]


async def test_unknown_worker_and_plan_offer_the_nearest(pool):
    await pool.join()
    await pool.submit(spec("train"))
    worker = await refused(pool, "GET", "/v1/workers/bax")
    assert (worker.status, worker.findings[0].numbers["nearest"]) == (404, ["box"])
    state = {"json": {"state": "draining"}}
    worker = await refused(pool, "POST", "/v1/workers/bax/state", **state)
    assert (worker.status, worker.findings[0].numbers["nearest"]) == (404, ["box"])
    plan = await refused(pool, "GET", "/v1/plans/nigthly-1")
    assert (plan.status, plan.findings[0].numbers["nearest"]) == (404, ["nightly-1"])


async def test_refused_plan(pool):
    await pool.join()
    plan = {"name": "x", "tasks": [{"name": "a", "run": "true", "limit_ms": 10**9, "reads": []}]}
    problem = await refused(pool, "POST", "/v1/plans", json={"plan": plan})
    assert (problem.status, problem.kind) == (422, "refused")
    assert problem.findings[0].code == "LW302"
    assert problem.detail.endswith("Nothing ran.")


async def test_conflict(pool):
    await pool.join()
    await pool.submit(spec("a"), key="once")
    with pytest.raises(Conflict) as raised:
        await pool.submit(spec("b"), key="once")
    assert raised.value.problem.findings[0].code == "LW903"


async def test_fenced(pool):
    problem = await refused(
        pool,
        "POST",
        "/v1/sync",
        role=Role.WORKER,
        json={"worker": "box", "incarnation": 1, "seq": 1, "spool_id": "s", "boot_id": "b"},
    )
    assert (problem.status, problem.kind) == (409, "fenced")
    assert problem.findings[0].code == "LW801"


async def test_unavailable(pool):
    await pool.join()
    pool.service.ledger._disk.broken = "the disk is full"
    problem = await refused(pool, "POST", "/v1/plans", json={"plan": BEST_EFFORT})
    assert (problem.status, problem.title) == (503, "503, nothing accepted")
    assert "the disk is full" in problem.detail


async def test_lost_term_silences_reads_too(pool):
    await pool.join()
    type(pool.service.ledger)(pool.service.ledger._disk).take_term("another")
    for _ in range(2):
        problem = await refused(pool, "POST", "/v1/plans", json={"plan": BEST_EFFORT})
        assert problem.status == 503
    for path in ("/v1", "/v1/tasks", "/v1/plans", "/v1/workers", "/v1/inbox", "/v1/events"):
        assert (await refused(pool, "GET", path)).status == 503


async def test_defect_in_a_decision(pool, monkeypatch):
    def broken(view, command, now):
        raise AssertionError("a secret detail")

    await pool.join()
    monkeypatch.setattr(service_module, "carry_out", broken)
    problem = await refused(pool, "POST", "/v1/cancel", json={"target": "x"})
    assert problem.status == 404  # nothing to decide
    problem = await refused(pool, "POST", "/v1/plans", json={"plan": BEST_EFFORT})
    assert (problem.status, problem.kind) == (500, "defect")
    monkeypatch.undo()
    assert (await pool.client().about()).head == pool.service.view.facts.position


async def test_defect_in_a_route(pool, monkeypatch, caplog):
    monkeypatch.setattr(about, "AboutInfo", None)
    problem = await refused(pool, "GET", "/v1")
    assert (problem.status, problem.kind) == (500, "defect")
    assert "NoneType" not in problem.detail
    assert "NoneType" in caplog.text


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/v2/tasks"),
        ("DELETE", "/v1/tasks"),
        ("GET", "/v1/sync"),
        ("GET", "//"),
    ],
)
async def test_no_such_address(pool, method, path):
    problem = await refused(pool, method, path)
    assert (problem.status, problem.kind) == (404, "no-route")


@pytest.mark.parametrize("name", ["a/b", "..", "x" * 201, "a\nb\x1b[31mred"])
async def test_a_name_that_cannot_be_is_refused_at_the_door(pool, name):
    await pool.join()
    with pytest.raises(Refused) as raised:
        await pool.submit(spec(name))
    (told,) = raised.value.problem.findings
    assert (told.code, told.variant) == ("LW901", "name")
    assert told.sentence.isprintable()
    with pytest.raises(Refused):
        await pool.client().submit(SubmitRequest(PlanSpec(name, (spec("fine"),))))


async def test_an_address_that_is_not_there_moves_no_cursor(pool):
    async with httpx.AsyncClient(transport=pool.transport(), base_url="http://there") as http:
        said = (await http.get("/v1/%1b%5b31m")).json()["detail"]
    assert said.isprintable()
    assert "Nothing ran" not in said, "asking is no running"
