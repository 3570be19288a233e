"""Goal: the agent's door keeps its word: at once, twice the same, nothing lost, nothing cancelled
by going away. Method: the official client on stdio, real processes."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from leaseway.client.calls import TaskFilter
from tests.e2e.agent import ERAS, agent_of
from tests.e2e.house import House


def plan_of(*runs: str, **more: Any) -> dict[str, Any]:
    tasks = [
        {"id": f"t{at}", "run": run, "reads": [], "writes": [], **more}
        for at, run in enumerate(runs)
    ]
    return {"name": "work", "tasks": tasks}


@pytest.mark.parametrize("mode", ERAS.values())
async def test_the_same_key_is_never_run_twice(house: House, mode: str) -> None:
    house.join("box")
    async with agent_of(house.pool.environment(), mode) as agent:
        first = await agent.call("submit", plan=plan_of("true"), key="k")
        again = await agent.call("submit", plan=plan_of("true"), key="k")
        other = await agent.call("submit", plan=plan_of("false"), key="k")
        followed = await agent.follow(other)
    assert (first["status"], again["status"], other["status"]) == (
        "accepted",
        "accepted",
        "refused",
    )
    assert first["plan"] == again["plan"] == "work-1"
    assert "not run again" in again["hint"]
    assert "the key k stands for another plan, work-1" in other["hint"]
    assert "nothing ran" in other["hint"]
    assert followed["hint"].startswith("work-1 ")
    assert [plan.id for plan in house.client.plans().plans] == ["work-1"]


async def test_a_submit_answers_at_once_and_a_dropped_wait_cancels_nothing(house: House) -> None:
    house.join("box")
    async with agent_of(house.pool.environment()) as agent:
        await agent.call("explain", id="nothing")  # what is imported once is imported now
        began = time.monotonic()
        said = await agent.call("submit", plan=plan_of("sleep 4; echo done"), key="k")
        took = time.monotonic() - began
        print(f"submit answered after {took:.3f} s")
        assert took < 2
        house.wait("its start", lambda: house.client.task("work-1/t0").state == "running")
        with pytest.raises((MCPError, TimeoutError)):
            await agent.client.call_tool("wait", {"id": said["plan"]}, read_timeout_seconds=0.5)
        short = await agent.call("wait", id=said["plan"], seconds=1)
        assert (short["status"], short["next"]["tool"]) == ("running", "wait")
        assert short["counts"] == {"running": 1}
        ended = await agent.follow(short)
        assert ended["status"] == "ended"
        read = await agent.follow(ended)
    assert read["tasks"][0]["stdout_tail"] == "done\n"


async def test_what_was_not_read_is_told_until_it_was(house: House) -> None:
    house.join("box")
    async with agent_of(house.pool.environment()) as agent:
        said = await agent.call("submit", plan=plan_of("echo a; echo b >&2; exit 3"), key="k")
        while said["status"] != "ended" or "tasks" not in said:
            said = await agent.follow(said)
        unread = "1 outcome not read: work-1/t0 (failed)."
        assert unread in said["warnings"]
        (row,) = said["tasks"]
        assert (row["outcome"], row["exit_code"]) == ("failed", 3)
        assert (row["stdout_tail"], row["stderr_tail"]) == ("a\n", "b\n")
        assert row["whole_output"] == "leaseway logs work-1/t0"
        for tool, arguments in (
            ("scan", {"plan": plan_of("true")}),
            ("wait", {"id": "work-1"}),
            ("result", {"id": "work-1"}),
            ("explain", {"id": "work-1"}),
            ("wait", {"id": "nothing-1"}),
        ):
            assert unread in (await agent.call(tool, **arguments))["warnings"], tool
        assert not house.client.task("work-1/t0").acknowledged
        await agent.follow(said)
        assert house.client.task("work-1/t0").acknowledged
        assert (await agent.call("wait", id="work-1"))["warnings"] == []


async def test_a_long_output_comes_as_its_end(house: House) -> None:
    house.join("box")
    async with agent_of(house.pool.environment()) as agent:
        await agent.call("submit", plan=plan_of("seq 200000"), key="k")
        await agent.call("wait", id="work-1")
        for tail_bytes in (0, 14, 8000):
            said = await agent.call("result", id="work-1/t0", tail_bytes=tail_bytes)
            tail = said["tasks"][0].get("stdout_tail", "")
            whole = "".join(f"{number}\n" for number in range(1, 200_001))
            assert tail == (whole[-tail_bytes:] if tail_bytes else "")


async def test_what_does_not_fit_is_said_in_a_sentence_and_refused(house: House) -> None:
    house.join("box", **{"for": '"5m"'})
    async with agent_of(house.pool.environment()) as agent:
        said = await agent.call("scan", plan=plan_of("make", limit="8m"))
        assert (said["status"], said["next"]) == ("errors", None)
        sentence = said["says"][0]
        assert sentence.startswith("box's lease has 4m ")
        assert "left, t0 needs 8m: short by 3m " in sentence
        refused = await agent.call("submit", plan=plan_of("make", limit="8m"), key="k")
        assert (refused["status"], refused["next"]) == ("refused", None)
        assert "Nothing was handed in, and nothing ran. What would pass: Lower" in refused["hint"]
        mixed = plan_of("make", "true", limit="8m")
        mixed["tasks"][1]["limit"] = "5s"
        refused = await agent.call("submit", plan=mixed, key="k")
        assert refused["next"]["arguments"] == {"plan": mixed, "key": "k", "partial": True}
        accepted = await agent.follow(refused)
    assert "1 of 2 tasks accepted" in accepted["hint"]
    assert len(house.client.plans().plans) == 1


async def test_order_and_conflicts_of_a_plan(house: House) -> None:
    house.join("box")
    plan = {
        "tasks": [
            {"id": "build", "run": "true", "reads": [], "writes": ["out"]},
            {"id": "test", "run": "true", "reads": ["out"], "writes": []},
            {"id": "pack", "run": "true", "reads": [], "writes": ["out/x"], "needs": ["test"]},
            {"id": "lint", "run": "true", "reads": [], "writes": []},
        ]
    }
    async with agent_of(house.pool.environment()) as agent:
        said = await agent.call("scan", plan=plan)
        assert said["status"] == "warnings"
        assert "test reads out, which build writes" in said["says"][0]
        assert "do not run it in parallel; it waits for build." in said["says"][0]
        assert {row["task"]: row["after"] for row in said["order"]}["lint"] == []
        assert said["next"]["arguments"]["plan"] == plan
        accepted = await agent.follow(said)
    tasks = {each.name: each for each in house.client.tasks(TaskFilter(plan="plan-1")).tasks}
    assert accepted["plan"] == "plan-1"
    assert [edge.before for edge in tasks["test"].edges] == ["plan-1/build"]


def travelling(house: House) -> dict[str, str]:
    """The environment of somebody whose files are sent."""
    environment = house.pool.environment()
    del environment["LEASEWAY_IN_PLACE"]
    return environment


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A git checkout with one file."""
    root = tmp_path / "checkout"
    root.mkdir()
    (root / "input").write_text("7\n")
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


async def test_the_checkout_travels_and_what_one_command_makes_the_next_finds(
    house: House, tmp_path: Path, checkout: Path
) -> None:
    house.join("box")
    environment = {**travelling(house), "XDG_STATE_HOME": str(tmp_path / "xdg")}
    async with agent_of(environment) as agent:
        commands = ["cp input made", "cat made"]
        said = await agent.call("scan", commands=commands, folder=str(checkout))
        assert said["next"]["arguments"]["folder"] == str(checkout)
        while said["next"]["tool"] != "result" or "seen" not in said["next"]["arguments"]:
            said = await agent.follow(said)
    assert [row["outcome"] for row in said["tasks"]] == ["succeeded", "succeeded"]
    assert said["tasks"][1]["stdout_tail"] == "7\n"
    assert not (checkout / "made").exists()
    assert said["tasks"][0]["files"] == "leaseway bring commands-1/1-cp"
    assert (tmp_path / "xdg" / "leaseway" / "sent" / "commands-1.json").exists()


async def test_without_a_checkout_nothing_is_guessed(house: House, tmp_path: Path) -> None:
    house.join("box")
    async with agent_of(travelling(house), cwd=str(tmp_path)) as agent:
        for tool, more in (("scan", {}), ("submit", {"key": "k"})):
            said = await agent.call(tool, plan=plan_of("true"), **more)
            assert said["status"] == "refused"
            assert said["warnings"][0].startswith("LW904")
            assert "nothing ran" in said["hint"]
        absolute = {**plan_of("pwd"), "workdir": str(tmp_path)}
        said = await agent.call("submit", plan=absolute, key="k")
        assert said["status"] == "accepted"
        assert (await agent.call("submit", plan=plan_of("true"), in_place=True, key="m"))["plan"]


async def test_a_coordinator_that_goes_and_comes_is_found_again(house: House) -> None:
    async with agent_of(house.pool.environment()) as agent:
        assert (await agent.call("wait", id="x-1"))["status"] == "unknown"
        house.pool.kill("coordinator")
        said = await agent.call("wait", id="x-1")
        assert said["status"] == "unreachable"
        assert "leaseway up" in said["hint"]
        house.pool.up("--patience", "2s")
        assert (await agent.call("wait", id="x-1"))["status"] == "unknown"
