"""The five tools as an agent sees them; light, so that the server is there at once."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Struct

from leaseway.mcp.asked import ExplainAsked, ResultAsked, ScanAsked, SubmitAsked, WaitAsked

INSTRUCTIONS = """\
Leaseway runs tasks on machines whose owners lend them for a time. Begin with scan. Every answer \
has status, hint, warnings and next; next is the call that does it right from here: make it unless \
you know better. Do not start in parallel what was not scanned. Only plans handed in here are run, \
in order; do not log in to a worker to run things there. A refusal means that nothing ran, and \
says what would pass: the boundaries are people's, so tell the person rather than work around \
them. After submit, wait; then result; then result with seen: true once you have read it."""


@dataclass(frozen=True)
class Tool:
    """What it says of itself, and what it takes. `changes`: whether calling it changes anything."""

    says: str
    takes: type[Struct]
    changes: bool = False


TOOLS = {
    "scan": Tool(
        "Check before running: order, conflicts, what fits on which worker. Runs nothing; next is"
        " the submit that does it right.",
        ScanAsked,
    ),
    "submit": Tool(
        "Hand in a plan to run on leased workers. Answers at once; order is kept. Scan first.",
        SubmitAsked,
        changes=True,
    ),
    "wait": Tool(
        "Wait at most 20 s for a plan or task. Dropping it cancels nothing.",
        WaitAsked,
    ),
    "result": Tool(
        "Outcome, cause and end of the output. seen: true acknowledges.",
        ResultAsked,
        changes=True,
    ),
    "explain": Tool("Why a task waits, was refused or ended so.", ExplainAsked),
}
