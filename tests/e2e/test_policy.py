"""Goal: a plan that needs a person's yes waits for it, and runs once afterwards; a start keeps what
a person set. Method: real processes, the official MCP client as the agent, the command as the
owner."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.e2e.agent import agent_of
from tests.e2e.house import House

POLICY = """
[approve]
longer_than = "2s"
"""
PLAN = {
    "name": "work",
    "tasks": [{"id": "t", "run": "echo done", "limit": "5s", "reads": [], "writes": []}],
}


def leaseway(house: House, *words: str) -> str:
    """The command as the owner types it; its page."""
    told = subprocess.run(
        [sys.executable, "-m", "leaseway", "--state", str(house.pool.state), *words],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    return told.stdout


async def test_an_agent_asks_a_person_answers_and_it_runs_once(house: House) -> None:
    house.join("box")
    file = house.folder / "policy.toml"
    file.write_text(POLICY)
    assert "Policy 1 is in force now" in leaseway(house, "policy", "set", str(file))
    async with agent_of(house.pool.environment()) as agent:
        scanned = await agent.call("scan", plan=PLAN, in_place=True)
        assert scanned["status"] == "approval-needed"
        assert "A-1" not in leaseway(house, "approve")
        asked = await agent.follow(scanned)
        assert (asked["status"], asked["approval"]) == ("approval-needed", "A-1")
        assert "leaseway approve A-1" in asked["hint"]
        assert "nothing ran" in asked["hint"]
        again = await agent.follow(asked)
        assert (again["status"], again["approval"]) == ("approval-needed", "A-1")
        shown = leaseway(house, "approve", "A-1", "--show")
        assert "echo done" in shown
        assert "agent (agent)" in shown
        assert "may hand work in once" in leaseway(house, "approve", "A-1", "--reason", "yes")
        accepted = await agent.follow(again)
        assert accepted["status"] == "accepted"
        repeated = await agent.follow(again)  # the same key: the same plan
        assert (repeated["status"], repeated["plan"]) == ("accepted", accepted["plan"])
    assert house.wait_ended("work-1/t").outcome is not None
    (plan,) = house.client.plans().plans
    assert (plan.approval, plan.policy_version) == ("A-1", 1)
    found = json.loads(leaseway(house, "approve", "--all", "--json"))
    assert [(each["state"], each["accepted"]) for each in found["approvals"]] == [
        ("used", "work-1")
    ]


def test_a_start_sets_its_file_once(house: House, tmp_path: Path) -> None:
    """What the file of a start says counts when it is new; else what a person set since."""
    file, other = tmp_path / "policy.toml", tmp_path / "other.toml"
    file.write_text('guard = "7s"\n')
    other.write_text('guard = "9s"\n')

    def start() -> int:
        house.pool.kill("coordinator")
        house.pool.up("--policy", str(file))
        shown: int = json.loads(leaseway(house, "policy", "--json"))["policy"].get("guard_ms")
        return shown

    assert start() == 7_000
    leaseway(house, "policy", "set", str(other))
    assert start() == 9_000
    file.write_text('guard = "8s"\n')
    assert start() == 8_000


def test_a_start_with_a_bad_file_starts_nothing(house: House, tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text('[findings]\nLW301 = "tell"\n')
    told = subprocess.run(
        [sys.executable, "-m", "leaseway", "--state", str(tmp_path / "s"), "up", "--policy", file],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert told.returncode == 3
    assert "LW908" in told.stderr
    assert "Nothing was changed." in told.stderr
    assert not (tmp_path / "s").exists()
