"""Goal: whatever a client raises becomes an answer that says whether something was done. Method:
every error of `client.errors`, and a way that leads nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaseway.client.errors import BadAnswer, NoAddress, Unreachable, error_of
from leaseway.client.options import ClientOptions
from leaseway.mcp.answer import Answer, Next, of_error
from leaseway.mcp.calls import CALLS, answer
from leaseway.mcp.way import Way
from leaseway.wire.problems import Kind, problem

AGAIN = Next("submit", {"key": "k"}, "the same")
STATUS = {
    Kind.REFUSED: "refused",
    Kind.UNKNOWN: "unknown",
    Kind.FENCED: "refused",
    Kind.CONFLICT: "refused",
    Kind.APPROVAL_NEEDED: "approval-needed",
    Kind.MALFORMED: "mistaken",
    Kind.TOO_LARGE: "mistaken",
    Kind.NO_CREDENTIAL: "not-allowed",
    Kind.NOT_ALLOWED: "not-allowed",
    Kind.NO_ROUTE: "unknown",
    Kind.UNAVAILABLE: "unavailable",
    Kind.NO_ROOM: "unavailable",
    Kind.DEFECT: "refused",
}


@pytest.mark.parametrize("kind", Kind)
def test_every_problem_has_its_answer(kind):
    said = of_error(error_of(problem(kind, "so it is")), AGAIN)
    assert said.status == STATUS[kind]
    assert said.is_error
    assert said.hint.startswith("So it is. ")
    assert ("Nothing was" in said.hint) is True
    if STATUS[kind] == "approval-needed":
        assert said.next is not None
        assert (said.next.tool, said.next.arguments) == (AGAIN.tool, AGAIN.arguments)
    else:
        assert said.next == (AGAIN if STATUS[kind] == "unavailable" else None)


def test_what_may_have_arrived_is_asked_again():
    lost = of_error(Unreachable("http://x", "reset", "k", sent=True), AGAIN)
    assert (lost.status, lost.next) == ("unreachable", AGAIN)
    assert "nothing ran" not in lost.hint
    never = of_error(Unreachable("http://x", "refused", "k", sent=False), AGAIN)
    assert (never.status, never.next) == ("unreachable", None)
    assert "nothing ran" in never.hint
    assert of_error(BadAnswer("no coordinator"), AGAIN).status == "unreachable"


def nobody() -> ClientOptions:
    raise NoAddress("no coordinator is named")


@pytest.mark.parametrize("tool", CALLS)
def test_nobody_is_named(tool, tmp_path):
    arguments = {"commands": ["a"], "in_place": True} if tool in ("scan", "submit") else {"id": "a"}
    more = {"key": "k"} if tool == "submit" else {}
    said = answer(tool, {**arguments, **more}, Way(nobody, tmp_path))
    assert said.status == "unreachable"
    assert said.document()["next"] is None
    assert "leaseway up" in said.hint


def test_a_document_has_its_parts_first_and_few_warnings():
    warnings = [f"w{at}" for at in range(25)]
    document = Answer("clean", "All well.", warnings, AGAIN, {"says": ["x"]}).document()
    assert list(document) == ["status", "hint", "warnings", "says", "next"]
    assert document["warnings"] == [*warnings[:20], "and 5 more warnings"]
    assert document["next"] == {"tool": "submit", "arguments": {"key": "k"}, "why": "the same"}


def test_a_tool_that_is_not_there(tmp_path: Path):
    said = answer("run", None, Way(nobody, tmp_path))
    assert said.status == "mistaken"
    assert "there are scan, submit, wait, result, explain" in said.hint
