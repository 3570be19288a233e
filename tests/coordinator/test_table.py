"""Goal: what the client asks is what the coordinator answers, and one module decides. Method: match
every call with the table of routes; read the imports."""

from __future__ import annotations

import ast

import pytest
from starlette.routing import compile_path

from leaseway.client import access, calls, policy
from leaseway.client.calls import Call, LogPiece, TaskFilter
from leaseway.coordinator.endpoint import BYTES, Endpoint
from leaseway.coordinator.table import ENDPOINTS
from leaseway.core.model.lease import TermsChange
from leaseway.core.model.policy import Policy
from leaseway.wire import paths
from leaseway.wire.access import InviteRequest, JoinRequest
from leaseway.wire.plans import SubmitRequest
from leaseway.wire.streams import LogChunk
from tests.checkout import SRC, name_of, parsed, python_files
from tests.coordinator.pool import plan, registering, spec, syncing

CALLS: list[Call] = [
    calls.about(),
    calls.submit(SubmitRequest(plan(spec("a")), key="once")),
    calls.plans("p-1", 5),
    calls.plan("p-1"),
    calls.tasks(TaskFilter(plan="p", state="s", principal="o", ended=True, before="b", limit=1)),
    calls.task("p-1/a", 5),
    calls.explain("p-1/a"),
    calls.workers(),
    calls.worker("box"),
    calls.change_lease("box", TermsChange()),
    calls.set_state("box", "active", ""),
    calls.revoke("box", ""),
    calls.cancel("p-1"),
    calls.give_up("p-1/a"),
    calls.acknowledge(()),
    calls.inbox("owner", 5),
    calls.history("0", "p-1/a", 5),
    calls.record(),
    calls.events(1, 5, 5),
    calls.log("p-1/a", 1, "stdout", 0, 5),
    calls.write_log(LogPiece("box", "p-1/a", 1, "stdout", 0, b"", end=True)),
    calls.blob("sha256:0"),
    calls.keep_blob("sha256:0"),
    calls.register(registering()),
    calls.sync(syncing()),
    access.authority(),
    access.join(JoinRequest("", "", "client")),
    access.credentials(),
    access.invite(InviteRequest("agent")),
    access.revoke("box"),
    policy.policy(3),
    policy.set_policy(Policy(guard_ms=1)),
    policy.approvals(every=True),
    policy.answer("A-3", yes=True),
]


def endpoint_of(call: Call) -> Endpoint:
    (found,) = [
        each
        for each in ENDPOINTS
        if each.method == call.method and compile_path(each.path)[0].fullmatch(call.path)
    ]
    return found


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.method} {call.path}")
def test_every_call_has_its_route(call):
    endpoint = endpoint_of(call)
    is_blob = call.path.startswith(paths.BLOBS)
    is_bytes = call.reply is LogChunk or (is_blob and call.method == "GET")
    assert endpoint.reply is (BYTES if is_bytes else call.reply)
    assert set(call.query) <= set(endpoint.query)
    streamed = is_blob and call.method == "PUT"
    assert (call.body is not None or streamed) == (endpoint.body is not None)


def test_every_route_has_its_call():
    assert {id(endpoint_of(call)) for call in CALLS} == {id(each) for each in ENDPOINTS}


def test_only_the_service_decides():
    deciding = [
        name_of(path)
        for path in python_files("src")
        if SRC / "core" not in path.parents
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ImportFrom) and node.module == "leaseway.core.decide"
    ]
    assert deciding == ["src/leaseway/coordinator/service.py"]
