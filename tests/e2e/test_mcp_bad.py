"""Goal: whatever an agent sends, the answer has the one form, says that nothing ran, and the server
stays up; without a coordinator too. Method: the official client and raw lines on stdin."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agent import ERAS, agent_of
from tests.e2e.house import House

DEEP: dict[str, Any] = {"tasks": [{"id": "a", "run": "true"}]}
for _ in range(60):
    DEEP = {"tasks": [DEEP]}
BIG = "x" * 1_000_000
BAD: list[tuple[str, dict[str, Any], str, str]] = [
    ("scan", {}, "mistaken", "Expected a plan, or commands: neither"),
    ("scan", {"commands": ["a"], "plan": {"tasks": []}}, "mistaken", "both were given"),
    ("scan", {"commands": "make"}, "mistaken", "Expected `array`, got `str`"),
    ("scan", {"commands": [BIG]}, "mistaken", "1 mistake in the plan"),
    ("scan", {"commands": ["", [], " "]}, "mistaken", "mistakes in the plan"),
    ("scan", {"commands": ["a\0b"]}, "mistaken", "1 mistake in the plan"),
    ("scan", {"plan": DEEP}, "mistaken", "in the plan"),
    ("scan", {"plan": {"tasks": [{"id": "a", "rum": 1}]}}, "mistaken", "2 mistakes in the plan"),
    ("scan", {"plan": [1]}, "mistaken", "Expected `object`"),
    ("scan", {"commands": ["a"], "folder": "/nowhere/at/all"}, "mistaken", "There is no folder"),
    ("scan", {"commands": ["a"], "folder": "a\0"}, "mistaken", "There is no folder"),
    ("scan", {"commands": ["a"], "leases": "/nowhere"}, "mistaken", "lease file cannot be used"),
    ("submit", {"commands": ["a"]}, "mistaken", "missing required field `key`"),
    ("submit", {"commands": ["a"], "key": ""}, "mistaken", "length >= 1"),
    ("submit", {"commands": ["a"], "key": "k" * 201}, "mistaken", "length <= 200"),
    ("submit", {"commands": ["a"], "key": "k", "partial": "yes"}, "mistaken", "Expected `bool`"),
    ("submit", {"commands": [BIG], "key": "k"}, "mistaken", "1 mistake in the plan"),
    ("wait", {"id": "nothing-7"}, "unknown", "nothing-7"),
    ("wait", {"id": "nothing-7/a"}, "unknown", "nothing-7/a"),
    ("wait", {"id": "x", "seconds": 21}, "mistaken", "<= 20"),
    ("wait", {"id": "x", "seconds": -1}, "mistaken", ">= 0"),
    ("result", {"id": "../../v1"}, "unknown", "There is no"),
    ("result", {"id": "x", "tail_bytes": 10**9}, "mistaken", "<= 8000"),
    ("result", {"id": "é\u202e", "seen": None}, "unknown", "There is no"),
    ("result", {"id": 7}, "mistaken", "Expected `str`"),
    ("explain", {"id": "x" * 1_001}, "mistaken", "length <= 1000"),
    ("explain", {"id": "a/b/c//"}, "unknown", "There is no"),
    ("explain", {"id": "x", "because": True}, "mistaken", "unknown field `because`"),
    ("explode", {}, "mistaken", "there are scan, submit, wait, result, explain"),
]


@pytest.mark.parametrize("mode", ERAS.values())
async def test_nonsense_gets_an_answer(house: House, mode: str) -> None:
    house.join("box")
    async with agent_of(house.pool.environment(), mode) as agent:
        for tool, arguments, status, words in BAD:
            said = await agent.call(tool, **arguments)
            shown = (tool, str(arguments)[:80], said)
            assert said["status"] == status, shown
            assert words in said["hint"], shown
            assert "nothing ran" in said["hint"].lower(), shown
            assert len(str(said)) < 8_000, shown
        assert (await agent.call("scan", commands=["true"]))["status"] == "clean"
    assert house.client.plans().plans == ()


@pytest.fixture
def alone(tmp_path: Path) -> dict[str, str]:
    """An environment in which no coordinator is known."""
    known = {name: text for name, text in os.environ.items() if not name.startswith("LEASEWAY_")}
    there = {"LEASEWAY_STATE": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path)}
    return {**known, **there, "LEASEWAY_IN_PLACE": "1"}


@pytest.mark.parametrize("named", ["", "http://127.0.0.1:9"])
async def test_without_a_coordinator(alone: dict[str, str], tmp_path: Path, named: str) -> None:
    lease = tmp_path / "leases.toml"
    lease.write_text('[worker.box]\nfor = "5m"\n')
    plan = {"tasks": [{"id": "a", "run": "true", "reads": [], "writes": [], "limit": "8m"}]}
    environment = {**alone, **({"LEASEWAY_URL": named} if named else {})}
    async with agent_of(environment) as agent:
        for tool, arguments in (
            ("scan", {"commands": ["a", "b"]}),
            ("submit", {"commands": ["a"], "key": "k"}),
            ("wait", {"id": "a-1"}),
            ("result", {"id": "a-1"}),
            ("explain", {"id": "a-1/a"}),
        ):
            said = await agent.call(tool, **arguments)
            assert said["status"] == "unreachable"
            assert "leaseway up" in said["hint"]
            assert "nothing ran" in said["hint"]
            assert said["next"] is None
        order = await agent.call("scan", commands=["a", "b"])
        assert [row["after"] for row in order["order"]] == [[], ["1-a"]]
        said = await agent.call("scan", plan=plan, leases=str(lease))
        assert said["status"] == "errors"
        assert said["says"][0].startswith("box's lease has 4m ")
        plan["tasks"][0]["limit"] = "4m"
        assert (await agent.call("scan", plan=plan, leases=str(lease)))["status"] == "clean"


def talk(environment: dict[str, str], *lines: str, answers: int) -> list[dict[str, Any]]:
    """What a server answers to raw lines, and its exit code is 0."""
    words = [sys.executable, "-m", "leaseway", "mcp"]
    with subprocess.Popen(
        words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for line in lines:
            server.stdin.write(line + "\n")
        server.stdin.flush()
        found = [json.loads(server.stdout.readline()) for _ in range(answers)]
        server.stdin.close()
        assert server.wait(timeout=20) == 0
    return found


INITIALIZE = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    }
)


def test_lines_that_are_no_messages(alone: dict[str, str]) -> None:
    done = '{"jsonrpc": "2.0", "method": "notifications/initialized"}'
    listing = '{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}'
    said = talk(alone, "", "{", '["no"]', INITIALIZE, done, "no json", listing, answers=2)
    first, second = said
    assert first["result"]["protocolVersion"] == "2025-06-18"
    assert "Begin with scan" in first["result"]["instructions"]
    tools = second["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["scan", "submit", "wait", "result", "explain"]
    assert all(len(tool["description"]) < 120 for tool in tools)
    assert all(tool["inputSchema"]["type"] == "object" for tool in tools)


def test_it_is_there_in_time(alone: dict[str, str]) -> None:
    """The strictest client gives a server ten seconds; on an idle machine it takes less than one.
    Most of it is the kit's own import, which is measured beside it."""
    taken, kit = [], []
    for _ in range(3):
        began = time.monotonic()
        talk(alone, INITIALIZE, answers=1)
        taken.append(time.monotonic() - began)
        began = time.monotonic()
        subprocess.run([sys.executable, "-c", "import mcp.server.stdio"], check=True)
        kit.append(time.monotonic() - began)
    print(f"from nothing to answered and gone: {min(taken):.2f} s, the kit alone {min(kit):.2f} s")
    assert min(taken) < 10
    assert min(taken) < min(kit) * 1.5 + 0.3


def test_it_imports_nothing_of_a_coordinator() -> None:
    code = (
        "import sys, leaseway.cli.commands.mcp, leaseway.mcp.server, leaseway.mcp.calls\n"
        "rooms = {name.split('.')[1] for name in sys.modules if name.startswith('leaseway.')}\n"
        "print(*sorted(rooms)); print('apsw' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    rooms, apsw = done.stdout.splitlines()
    assert not {"coordinator", "worker", "ledger", "sim", "demo"} & set(rooms.split())
    assert {"mcp", "client", "core"} <= set(rooms.split())
    assert apsw == "False"
