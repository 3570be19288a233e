"""Goal: an agent that knows nothing and does what `next` says does no harm. Method: the official
client against real processes; what ran beside what is read from the ledger and from the tasks' own
trace, not from what the tools say."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from leaseway.client.calls import TaskFilter
from leaseway.wire.tasks import AttemptInfo, TaskInfo
from tests.e2e.agent import ERAS, Agent, agent_of
from tests.e2e.house import House

STORY = Path(__file__).parent / "stories" / "agent.txt"
COMMANDS: list[str | list[str]] = [
    "echo in >> trace; sleep 0.4; echo out >> trace",
    "test $(tail -n 1 trace) = out",
    "echo in >> trace; sleep 0.2; echo out >> trace",
    "wc -l < trace",
    "cp trace copy",
    "cat copy",
    ["curl", "-X", "DELETE", "http://127.0.0.1:9/"],
    "rm copy",
]
RUN = ("1-echo", "2-test", "3-echo", "4-wc", "5-cp", "6-cat")


async def told(agent: Agent) -> dict[str, Any]:
    """Pass on eight commands, then only do what `next` says."""
    said = await agent.call("scan", commands=COMMANDS)
    for _ in range(40):
        if said["next"] is None:
            return said
        said = await agent.follow(said)
    raise AssertionError(f"it never ended: {agent.transcript()}")


@pytest.mark.parametrize("era", ERAS)
async def test_eight_commands_and_no_knowledge(house: House, tmp_path: Path, era: str) -> None:
    house.join("box", scope='{ commands = ["echo", "test", "wc", "cp", "cat", "rm"] }')
    async with agent_of(house.pool.environment(), ERAS[era], str(tmp_path)) as agent:
        assert agent.client.protocol_version == era
        last = await told(agent)
        transcript = agent.transcript()
    tasks = {task.name: task for task in house.client.tasks(TaskFilter(plan="commands-1")).tasks}
    assert len(tasks) == 8

    # None beside another, by the ledger and by what the tasks wrote themselves.
    spans = []
    for name in RUN:
        (attempt,) = attempts_of(tasks[name])
        assert attempt.ended_at is not None
        spans.append((attempt.granted_at, attempt.ended_at))  # before it is granted nothing runs
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert (tmp_path / "trace").read_text().split() == ["in", "out", "in", "out"]

    # What was refused never ran, nor what comes after it.
    for name, kind in (("7-curl", "refused"), ("8-rm", "skipped")):
        task = tasks[name]
        assert attempts_of(task) == []
        assert task.outcome is not None
        assert task.outcome.kind == kind
    assert (tmp_path / "copy").exists()
    granted = {e.doc["task"] for e in every_event(house) if e.tag.startswith("Attempt")}
    assert granted == {f"commands-1/{name}" for name in RUN}

    # Everything was read, and it was an agent who asked.
    assert all(task.acknowledged for task in tasks.values())
    assert {task.principal for task in tasks.values()} == {"agent"}
    assert last["warnings"] == []
    compare(transcript)


def attempts_of(task: TaskInfo) -> list[AttemptInfo]:
    return [*task.past, *([task.attempt] if task.attempt else [])]


def every_event(house: House) -> list[Any]:
    found: list[Any] = []
    after = 0
    while True:
        page = house.client.events(after)
        found += page.events
        after = page.next
        if after >= page.head:
            return found


def compare(text: str) -> None:
    """LEASEWAY_WRITE_STORIES=1 writes it anew."""
    if os.environ.get("LEASEWAY_WRITE_STORIES"):
        STORY.parent.mkdir(exist_ok=True)
        STORY.write_text(text, encoding="utf-8")
    assert text == STORY.read_text(encoding="utf-8")
