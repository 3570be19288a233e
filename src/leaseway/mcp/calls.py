"""A call carried out: whatever was given, an answer in the one form, with what is unread in its
warnings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from leaseway.client.errors import LeasewayError
from leaseway.client.trees import TreeRefused
from leaseway.mcp.answer import (
    MISTAKEN,
    NOTHING,
    UNREACHABLE,
    Answer,
    Next,
    mistaken,
    of_error,
    refused_here,
)
from leaseway.mcp.asked import Mistaken, read
from leaseway.mcp.explaining import explain
from leaseway.mcp.naming import outcome_of
from leaseway.mcp.results import result
from leaseway.mcp.scanning import scan
from leaseway.mcp.submitting import submit
from leaseway.mcp.tools import TOOLS
from leaseway.mcp.waiting import wait
from leaseway.mcp.way import Way

_NAMED = 4
_LOOKED_AT = 100
CALLS: dict[str, Callable[[Any, Way], Answer]] = {
    "scan": scan,
    "submit": submit,
    "wait": wait,
    "result": result,
    "explain": explain,
}


def answer(name: str, arguments: dict[str, Any] | None, way: Way) -> Answer:
    """Carry a call out; whatever was given, an answer in the one form."""
    tool = TOOLS.get(name)
    if tool is None:
        said = f"There is no tool {name[:100]!r}; there are {', '.join(TOOLS)}. {NOTHING}"
        return Answer(MISTAKEN, said)
    try:
        given = read(arguments, tool.takes)
        said_back = CALLS[name](given, way)
    except Mistaken as wrong:
        said_back = mistaken(wrong)
    except TreeRefused as wrong:
        said_back = refused_here(wrong.finding)
    except LeasewayError as wrong:
        again = Next(name, dict(arguments or {}), "the same again")
        said_back = of_error(wrong, again)
    return with_unread(said_back, way)


def with_unread(said: Answer, way: Way) -> Answer:
    """The answer, and in its warnings which outcomes nobody has read."""
    if said.status == UNREACHABLE:
        return said
    try:
        with way.client() as pool:
            inbox = pool.inbox(limit=_LOOKED_AT)
    except LeasewayError:
        return said  # it was told already, or is about to be
    count = len(inbox.tasks)
    if not count:
        return said
    named = ", ".join(f"{task.id} ({outcome_of(task)})" for task in inbox.tasks[:_NAMED])
    many = f"{count}{' or more' if inbox.more else ''} outcome{'s' if count != 1 else ''}"
    rest = f" and {count - _NAMED} more" if count > _NAMED else ""
    unread = f"{many} not read: {named}{rest}."
    next = said.next
    if next is None and said.status == "ended":
        plan = inbox.tasks[0].id.partition("/")[0]
        next = Next("result", {"id": plan}, "outcomes that were not read")
    return replace(said, warnings=(unread, *said.warnings), next=next)
