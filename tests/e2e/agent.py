"""An agent's program for tests: the official client, and `leaseway mcp` as its process on stdio."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import TextContent

ERAS = {"2025-11-25": "legacy", "2026-07-28": "auto"}
PARTS = {"status", "hint", "warnings", "next"}
_VARIES = (
    (re.compile(r"key-[0-9a-f]+"), "KEY"),
    (re.compile(r"\b\d+(\.\d+)? ?(ms|s)\b(?! \()"), "TIME"),
)


@dataclass
class Agent:
    """A client that calls tools, checks the form of every answer, and keeps a transcript."""

    client: Client
    lines: list[str] = field(default_factory=list)

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The answer, which has the four parts, and says as text what it says as data."""
        said = await self.client.call_tool(tool, arguments)
        document = said.structured_content
        assert isinstance(document, dict)
        (content,) = said.content
        assert isinstance(content, TextContent)
        assert json.loads(content.text) == document
        assert PARTS <= document.keys(), document
        assert isinstance(document["hint"], str)
        assert document["hint"]
        assert all(isinstance(each, str) for each in document["warnings"])
        assert "Traceback" not in content.text
        self._note(tool, arguments, document)
        return document

    async def follow(self, said: dict[str, Any]) -> dict[str, Any]:
        """Do exactly what `next` says."""
        return await self.call(said["next"]["tool"], **said["next"]["arguments"])

    def _note(self, tool: str, arguments: dict[str, Any], said: dict[str, Any]) -> None:
        if said["status"] == "running":
            return  # how often that is said is a matter of the machine
        following = said["next"]
        lines = [f"agent: {tool} {json.dumps(arguments)}", f"leaseway: {said['status']}"]
        lines += [f"  {said['hint']}", *(f"  ! {each}" for each in said["warnings"])]
        lines += [f"  - {each}" for each in said.get("says", ())]
        rows = said.get("tasks", ()) if tool == "result" else ()
        lines += [f"  = {told_row(each)}" for each in rows]
        lines.append(f"  next: {following['tool']}, {following['why']}" if following else "  next:")
        self.lines += [*lines, ""]

    def transcript(self) -> str:
        """All of it, without what differs from run to run."""
        text = "\n".join(self.lines)
        for pattern, instead in _VARIES:
            text = pattern.sub(instead, text)
        return text


def told_row(row: dict[str, Any]) -> str:
    """One task of a result."""
    tail = row.get("stdout_tail", "")
    return f"{row['id']} {row['outcome']}" + (f" {json.dumps(tail)}" if tail else "")


@asynccontextmanager
async def agent_of(
    environment: dict[str, str], mode: str = "auto", cwd: str | None = None
) -> AsyncIterator[Agent]:
    """A connected agent; leaving ends its server."""
    words = ["-m", "leaseway", "mcp"]
    parameters = StdioServerParameters(command=sys.executable, args=words, env=environment, cwd=cwd)
    async with Client(parameters, mode=mode) as client:
        yield Agent(client)
