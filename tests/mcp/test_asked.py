"""Goal: what agents are told of arguments is what is taken. Method: schemas and readings beside
what was written down by hand."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from leaseway.mcp.asked import Mistaken, SubmitAsked, WaitAsked, read, schema_of
from leaseway.mcp.calls import CALLS
from leaseway.mcp.tools import INSTRUCTIONS, TOOLS

TAKEN: dict[str, list[dict[str, Any]]] = {
    "scan": [{"commands": ["make", ["make", "test"]], "leases": "l.toml"}, {"plan": {"a": 1}}],
    "submit": [{"commands": ["make"], "key": "k", "partial": True, "in_place": True}],
    "wait": [{"id": "a-1"}, {"id": "a-1/b", "seconds": 0}],
    "result": [{"id": "a-1", "seen": True, "tail_bytes": 0}],
    "explain": [{"id": "a-1/b"}],
}
NOT_TAKEN: dict[str, list[dict[str, Any]]] = {
    "scan": [{"commands": [1]}, {"plan": "x"}, {"more": 1}],
    "submit": [{"commands": ["make"]}, {"key": ""}, {"key": 1}],
    "wait": [{}, {"id": ""}, {"id": "a", "seconds": 21}, {"id": "a", "seconds": 1.5}],
    "result": [{"id": "a", "tail_bytes": -1}],
    "explain": [{"id": ["a"]}],
}


@pytest.mark.parametrize("name", TOOLS)
def test_schema_and_reader_agree(name):
    kind = TOOLS[name].takes
    schema = schema_of(kind)
    Draft202012Validator.check_schema(schema)
    judge = Draft202012Validator(schema)
    for arguments in TAKEN[name]:
        judge.validate(arguments)
        read(arguments, kind)
    for arguments in NOT_TAKEN[name]:
        assert not judge.is_valid(arguments), arguments
        with pytest.raises(Mistaken) as raised:
            read(arguments, kind)
        assert "This tool takes: " in str(raised.value)


def test_a_null_is_not_said():
    assert read({"id": "a-1", "seconds": None}, WaitAsked) == WaitAsked(id="a-1", seconds=20)


def test_only_a_submit_must_have_a_key():
    assert schema_of(SubmitAsked)["required"] == ["key"]


def test_few_tools_with_short_words():
    assert list(TOOLS) == list(CALLS) == ["scan", "submit", "wait", "result", "explain"]
    assert all(len(tool.says) < 120 for tool in TOOLS.values())
    assert len(INSTRUCTIONS) < 800
    assert all(word in INSTRUCTIONS for word in ("scan", "next", "submit", "wait", "result"))
