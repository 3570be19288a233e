"""Goal: the schema accepts what the reader accepts and knows every key that the reader knows.
Method: the same examples to both; the wrong samples that a schema can see."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from leaseway.planfile.lease_keys import LEASE
from leaseway.planfile.leases import leases_from_text
from leaseway.planfile.plan import plan_from_text
from leaseway.planfile.plan_keys import PLAN, TASK
from leaseway.planfile.schema import leases_schema, plan_schema
from leaseway.planfile.tables import NotOffered
from tests.planfile import json_schema

BAD = Path(__file__).parent / "bad"
PLANS = [
    'task.a.run = "x"',
    '[defaults]\nlimit = "unlimited"\n[task.a]\nrun = ["x", "y"]\nestimate = [1, "2m"]',
    'by = "07:00"\nmax_parallel = 2\ntasks = [{ id = "a", run = "x", uses = { cpus = 0.5 } }]',
    'task.a = { run = "x", reads = [], env = { A = "b" }, cut_off = "stop after 2m" }',
    'task.a = { run = "x", on = { labels = ["gpu"] }, repeat = "safe", parallel = true }',
    'task.a = { run = "x", promise = "none", limit = 1.5, give_up = "1h" }',
]
SEEN_BY_SCHEMA = ["unknown_keys", "zeros", "not_offered", "wrong_values", "no_tasks", "both_forms"]


@pytest.mark.parametrize("text", PLANS)
def test_plans_that_both_accept(text):
    plan_from_text(text, "toml", "p.toml", wall_ms=1_700_000_000_000)
    assert json_schema.valid(tomllib.loads(text), plan_schema())


@pytest.mark.parametrize("name", SEEN_BY_SCHEMA)
def test_plans_that_both_refuse(name):
    value = tomllib.loads((BAD / f"{name}.toml").read_text(encoding="utf-8"))
    assert not json_schema.valid(value, plan_schema())


@pytest.mark.parametrize(
    "text",
    [
        '[worker]\nfor = "1m"\nname = "box"\nguard = "auto"',
        '[worker.box]\nfor = "unlimited"\ncapacity = { cpus = "unlimited", memory = "1GiB" }',
        '[worker.a]\nguard = { kill = "1s" }\nscope = { network = "lan" }\n[worker.b]\nguard = 3',
    ],
)
def test_leases_that_both_accept(text):
    leases_from_text(text, "toml", "w.toml")
    assert json_schema.valid(tomllib.loads(text), leases_schema())


@pytest.mark.parametrize("text", ["[worker.a]\nfro = 1", "[worker.a]\nfor = 0", "worker = 3"])
def test_leases_that_both_refuse(text):
    assert not json_schema.valid(tomllib.loads(text), leases_schema())


@pytest.mark.parametrize("schema", [plan_schema(), leases_schema()])
def test_a_schema_is_json(schema):
    assert json.loads(json.dumps(schema)) == schema


def test_every_key_that_is_read_is_described():
    plan = json.loads(json.dumps(plan_schema()))["properties"]
    listed = plan["tasks"]["items"]["properties"]
    assert set(plan) == set(PLAN)
    offered = {key for key, kind in TASK.items() if not isinstance(kind, NotOffered)}
    assert set(plan["task"]["additionalProperties"]["properties"]) == offered
    assert set(plan["defaults"]["properties"]) == offered
    assert set(listed) == {"id", *offered}
    worker = json.loads(json.dumps(leases_schema()))["properties"]["worker"]["anyOf"][1]
    lease = {key for key, kind in LEASE.items() if not isinstance(kind, NotOffered)}
    assert set(worker["additionalProperties"]["properties"]) == lease
