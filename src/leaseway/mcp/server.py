"""The tools on stdio, in the Model Context Protocol: both its eras, as the client opens.

Work lives in the coordinator, never here: a handler that is cancelled leaves nothing undone.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import msgspec
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from leaseway import __version__
from leaseway.mcp.asked import schema_of
from leaseway.mcp.tools import INSTRUCTIONS, TOOLS

if TYPE_CHECKING:
    from leaseway.mcp.answer import Answer
    from leaseway.mcp.way import Way


def run(way: Way) -> None:
    """Serve until stdin ends."""
    anyio.run(_serve, way)


async def _serve(way: Way) -> None:
    server = server_of(way)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def server_of(way: Way) -> Server[Any]:
    """The server, not yet connected to anything."""
    listing = ListToolsResult(tools=_tools())

    async def list_tools(_context: Any, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return listing

    async def call_tool(_context: Any, params: CallToolRequestParams) -> CallToolResult:
        # In a thread that is left alone if the caller goes away: it changes nothing by waiting.
        call = partial(_answer, params.name, params.arguments, way)
        said = await anyio.to_thread.run_sync(call, abandon_on_cancel=True)
        document = said.document()
        text = msgspec.json.encode(document).decode()
        content = TextContent(type="text", text=text)
        return CallToolResult(
            content=[content], structured_content=document, is_error=said.is_error
        )

    return Server(
        "leaseway",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _answer(name: str, arguments: dict[str, Any] | None, way: Way) -> Answer:
    # Imported with the first call: a client waits for the server to be there, not for this.
    from leaseway.mcp.calls import answer

    return answer(name, arguments, way)


def _tools() -> list[Tool]:
    return [
        Tool(
            name=name,
            description=tool.says,
            input_schema=schema_of(tool.takes),
            annotations=ToolAnnotations(
                read_only_hint=not tool.changes, destructive_hint=False, idempotent_hint=True
            ),
        )
        for name, tool in TOOLS.items()
    ]
