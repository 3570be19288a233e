"""Goal: the description of the interface says what there is. Method: compare it with the table, and
follow every reference."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx

from leaseway.coordinator.openapi import openapi
from leaseway.coordinator.table import ENDPOINTS
from tests.coordinator.pool import URL


def described() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(openapi(ENDPOINTS))
    return document


def test_every_route_is_described_once():
    found = {
        (method.upper(), path)
        for path, methods in described()["paths"].items()
        for method in methods
    }
    assert found == {(each.method, re.sub(r":path\}", "}", each.path)) for each in ENDPOINTS}
    names = [
        operation["operationId"]
        for methods in described()["paths"].values()
        for operation in methods.values()
    ]
    assert len(names) == len(set(names)) == len(ENDPOINTS)


def test_every_reference_leads_somewhere():
    document = described()
    schemas = document["components"]["schemas"]
    used = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(document)))
    assert used <= set(schemas)
    assert {"TaskInfo", "SubmitRequest", "Problem", "SyncReply"} <= set(schemas)


def test_every_operation_says_what_it_does_and_who_may():
    for methods in described()["paths"].values():
        for operation in methods.values():
            assert operation["summary"]
            assert "Roles: " in operation["description"]
            assert operation["responses"]["default"]["content"]["application/problem+json"]


async def test_it_is_served_to_anybody(pool):
    async with httpx.AsyncClient(transport=pool.transport(), base_url=URL) as http:
        answer = await http.get("/v1/openapi.json")
    assert answer.json()["openapi"] == "3.1.0"
