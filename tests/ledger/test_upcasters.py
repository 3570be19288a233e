"""Goal: an old event reaches today's form. Method: invent older schemas and lift from each."""

from __future__ import annotations

import pytest

from leaseway.core.model.events import SCHEMAS, WorkerSlept
from leaseway.ledger.encoding import Encoded, decode, encode
from leaseway.ledger.errors import LedgerUnreadable, UnknownEvent
from leaseway.ledger.upcasters import CURRENT, STEPS, Payload, Upcasters


def seconds_became_milliseconds(payload: Payload) -> Payload:
    slept_s = payload.pop("slept_s")
    return {**payload, "slept_ms": slept_s * 1000}


def name_became_worker(payload: Payload) -> Payload:
    name = payload.pop("name")
    return {**payload, "worker": name}


INVENTED = Upcasters(
    {**SCHEMAS, "WorkerSlept": 3},
    {
        ("WorkerSlept", 1): seconds_became_milliseconds,
        ("WorkerSlept", 2): name_became_worker,
    },
)


@pytest.mark.parametrize(
    ("schema", "payload"),
    [
        (1, b'{"type":"WorkerSlept","name":"anna","slept_s":90}'),
        (2, b'{"type":"WorkerSlept","name":"anna","slept_ms":90000}'),
        (3, b'{"type":"WorkerSlept","worker":"anna","slept_ms":90000}'),
    ],
)
def test_every_older_schema_is_lifted(schema, payload):
    stored = Encoded("WorkerSlept", schema, payload)
    assert decode(stored, INVENTED) == WorkerSlept("anna", 90_000)


def test_what_is_written_carries_the_schema_of_today():
    assert encode(WorkerSlept("anna", 1), INVENTED).schema == 3
    assert encode(WorkerSlept("anna", 1)).schema == SCHEMAS["WorkerSlept"]


@pytest.mark.parametrize("schema", [-1, 0, 4])
def test_a_schema_outside_the_known_ones_is_an_error(schema):
    with pytest.raises(UnknownEvent, match="knows 1 to 3"):
        decode(Encoded("WorkerSlept", schema, b"{}"), INVENTED)


def test_a_step_that_leads_nowhere_is_an_error():
    wrong = Upcasters({"WorkerSlept": 2}, {("WorkerSlept", 1): lambda payload: payload})
    with pytest.raises(LedgerUnreadable, match="stored WorkerSlept of schema 1"):
        decode(Encoded("WorkerSlept", 1, b'{"type":"WorkerSlept","slept_s":1}'), wrong)


@pytest.mark.parametrize(
    ("schemas", "steps"),
    [
        ({"WorkerSlept": 3}, {("WorkerSlept", 1)}),
        ({"WorkerSlept": 2}, {("WorkerSlept", 1), ("WorkerSlept", 2)}),
        ({"WorkerSlept": 1}, {("TaskAbducted", 1)}),
    ],
)
def test_schemas_and_steps_must_agree(schemas, steps):
    with pytest.raises(ValueError, match="steps and schemas differ"):
        Upcasters(schemas, dict.fromkeys(steps, seconds_became_milliseconds))


def test_the_registry_of_today_is_complete():
    assert CURRENT == Upcasters(SCHEMAS, STEPS)
