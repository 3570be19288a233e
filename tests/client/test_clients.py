"""Goal: both clients say the same, retry only what is safe, and name every failure. Method: a
transport in place of the network."""

from __future__ import annotations

import errno
import inspect
import json
import socket
import time

import httpx
import msgspec
import pytest

from leaseway.client import calls, errors
from leaseway.client.asynchronous import AsyncClient
from leaseway.client.blocking import Client
from leaseway.client.link import words
from leaseway.client.options import ClientOptions
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.core.model.sync import SyncRequest
from leaseway.wire.plans import Changed, SubmitReply, SubmitRequest
from leaseway.wire.problems import MEDIA_TYPE, Kind, problem

OPTIONS = ClientOptions("http://coordinator.test", "s3cr3t")
PLAN = SubmitRequest(PlanSpec("p", (TaskSpec("a", "true"),)))


def answering(handler) -> Client:
    return Client(OPTIONS, httpx.MockTransport(handler))


def reply(message) -> httpx.Response:
    return httpx.Response(200, content=msgspec.json.encode(message))


def verbs(client) -> dict[str, inspect.Signature]:
    members = inspect.getmembers(client, inspect.isfunction)
    return {name: inspect.signature(each) for name, each in members if not name.startswith("_")}


def test_both_clients_have_the_same_verbs():
    blocking, awaiting = verbs(Client), verbs(AsyncClient)
    assert blocking == awaiting
    assert {"submit", "scan", "task", "log", "cancel", "acknowledge", "events"} <= set(blocking)
    docs = [
        (getattr(Client, name).__doc__, getattr(AsyncClient, name).__doc__) for name in blocking
    ]
    assert all(mine and mine == theirs for mine, theirs in docs)


async def test_both_clients_send_the_same():
    seen = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(
            (request.method, request.url, request.content, request.headers["authorization"])
        )
        return reply(Changed(("a",), 1))

    awaiting = AsyncClient(OPTIONS, httpx.MockTransport(handler))
    assert answering(handler).cancel("p-1/a") == await awaiting.cancel("p-1/a")
    await awaiting.close()
    first, second = seen
    assert first == second
    assert first[3] == "Bearer s3cr3t"


def test_a_submit_that_broke_is_sent_again_under_the_same_key():
    keys = []

    def handler(request: httpx.Request) -> httpx.Response:
        keys.append(json.loads(request.content)["key"])
        if len(keys) < 3:
            raise httpx.RemoteProtocolError("the server went away")
        return reply(SubmitReply("p-1", (), 1))

    assert answering(handler).submit(PLAN).plan == "p-1"
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert keys[0].startswith("key-")


def test_two_submits_have_two_keys_and_a_given_one_is_kept():
    keys = []

    def handler(request: httpx.Request) -> httpx.Response:
        keys.append(json.loads(request.content).get("key", ""))
        return reply(SubmitReply("p-1", (), 1))

    client = answering(handler)
    client.submit(PLAN)
    client.submit(PLAN)
    client.submit(msgspec.structs.replace(PLAN, key="mine"))
    client.scan(PLAN.plan)
    assert len(set(keys)) == 4
    assert keys[2:] == ["mine", ""]


def test_tries_are_counted_and_the_key_is_told():
    tried = []

    def handler(request: httpx.Request) -> httpx.Response:
        tried.append(json.loads(request.content)["key"])
        raise httpx.ReadError("reset")

    with pytest.raises(errors.Unreachable) as raised:
        answering(handler).submit(PLAN)
    assert len(tried) == OPTIONS.tries
    assert raised.value.key == tried[0]
    assert "a retry with key" in str(raised.value)


@pytest.mark.parametrize(
    "call",
    [calls.sync(SyncRequest("box", 1, 1, "s", "b")), calls.register(None)],  # type: ignore[arg-type]
)
def test_what_is_not_harmless_is_sent_once(call):
    tried = []

    def handler(request: httpx.Request) -> httpx.Response:
        tried.append(1)
        raise httpx.ReadError("reset")

    with pytest.raises(errors.Unreachable):
        answering(handler).send(call)
    assert tried == [1]


def test_nobody_there_is_said_in_two_seconds_with_the_address():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    began = time.monotonic()
    with (
        Client(ClientOptions(f"http://127.0.0.1:{port}")) as client,
        pytest.raises(errors.Unreachable, match=f"http://127.0.0.1:{port}"),
    ):
        client.about()
    assert time.monotonic() - began < 2


def test_the_environments_proxy_is_not_asked(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    seen = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.host)
        return reply(Changed())

    answering(handler).cancel("x")
    assert seen == ["coordinator.test"]


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        (Kind.REFUSED, errors.Refused),
        (Kind.UNKNOWN, errors.NotFound),
        (Kind.FENCED, errors.Conflict),
        (Kind.CONFLICT, errors.Conflict),
        (Kind.MALFORMED, errors.Malformed),
        (Kind.TOO_LARGE, errors.Malformed),
        (Kind.NO_CREDENTIAL, errors.NotAllowed),
        (Kind.NOT_ALLOWED, errors.NotAllowed),
        (Kind.NO_ROUTE, errors.NotFound),
        (Kind.UNAVAILABLE, errors.Unavailable),
        (Kind.DEFECT, errors.Defect),
    ],
)
def test_every_problem_is_an_error_of_its_kind(kind, error):
    made = problem(kind, "because of this")

    def handler(request: httpx.Request) -> httpx.Response:
        content = msgspec.json.encode(made)
        return httpx.Response(made.status, content=content, headers={"content-type": MEDIA_TYPE})

    with pytest.raises(error, match="because of this") as raised:
        answering(handler).cancel("x")
    assert type(raised.value) is error
    assert raised.value.problem == made


def test_a_kind_of_a_newer_coordinator_is_a_refusal():
    document = {
        "type": "urn:leaseway:problem:asks-somebody",
        "title": "?",
        "status": 422,
        "detail": "somebody must say yes",
        "who": "owner",
    }

    def handler(request: httpx.Request) -> httpx.Response:
        return httpx.Response(422, json=document, headers={"content-type": MEDIA_TYPE})

    with pytest.raises(errors.Refused, match="somebody must say yes") as raised:
        answering(handler).cancel("x")
    assert raised.value.problem.kind == "asks-somebody"


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="<html>It works!</html>"),
        httpx.Response(200, json=[]),
        httpx.Response(404, text="not found"),
        httpx.Response(302, headers={"location": "http://elsewhere.test/"}),
        httpx.Response(500, text="oops", headers={"content-type": MEDIA_TYPE}),
    ],
)
def test_something_else_that_answers_is_named(answer):
    with pytest.raises(errors.BadAnswer):
        answering(lambda request: answer).cancel("x")


def test_fields_of_a_newer_coordinator_are_passed_over():
    answer = httpx.Response(200, json={"tasks": ["a"], "now": 1, "mood": {"good": True}})
    assert answering(lambda request: answer).cancel("x") == Changed(("a",), 1)


def test_every_error_has_one_root():
    kinds = [each for _, each in inspect.getmembers(errors, inspect.isclass)]
    raised = [each for each in kinds if issubclass(each, Exception)]
    assert all(issubclass(each, errors.LeasewayError) for each in raised)
    assert all(each.__name__ in (errors.__doc__ or "") for each in raised)


def test_a_name_that_nobody_has_is_told_in_words():
    broke = httpx.ConnectError("[Errno -3] Temporary failure in name resolution")
    broke.__cause__ = socket.gaierror(-3, "Temporary failure in name resolution")
    assert words(broke) == "no machine of that name was found"
    broke.__cause__ = ConnectionRefusedError(errno.ECONNREFUSED, "x")
    assert words(broke) == "Connection refused"
