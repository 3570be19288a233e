"""What each tool may be asked; the schemas that agents see are made from these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct, field

if TYPE_CHECKING:
    from leaseway.wire.findings import FindingInfo

Asked = TypeVar("Asked", bound=Struct)

_PLAN = (
    "A plan: {name, tasks: [{id, run, needs, reads, writes, outputs, holds, limit, estimate, uses,"
    " on, env, workdir, ...}]}, in the words of the plan file. Times like '8m'. reads and writes"
    " (paths; [] if none) are what lets tasks run side by side."
)
_COMMANDS = "Instead of a plan: commands in the order in which a person would type them."
_FOLDER = "Where they run: the git checkout around it is sent along. Default: where this runs."
_IN_PLACE = "Send nothing: run at this very path of the worker."
_ID = "PLAN, or PLAN/TASK."
_TEXT = Annotated[str, Meta(min_length=1, max_length=1_000)]


class Mistaken(Exception):
    """What was given cannot be used; says what would pass. Nothing ran."""

    def __init__(self, said: str, findings: Sequence[FindingInfo] = ()) -> None:
        super().__init__(said)
        self.findings = tuple(findings)


class Given(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be run, and where."""

    plan: Annotated[dict[str, Any], Meta(description=_PLAN)] = field(default_factory=dict)
    commands: Annotated[list[str | list[str]], Meta(description=_COMMANDS)] = field(
        default_factory=list
    )
    folder: Annotated[str, Meta(description=_FOLDER)] = ""
    in_place: Annotated[bool, Meta(description=_IN_PLACE)] = False


class ScanAsked(Given, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Check what is to be run."""

    leases: Annotated[str, Meta(description="Path of a lease file to check against.")] = ""


class SubmitAsked(Given, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hand in what is to be run."""

    key: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=200,
            description="Made up once per piece of work: the same again is never run twice.",
        ),
    ]
    partial: Annotated[bool, Meta(description="Accept what fits, refuse the rest.")] = False


class WaitAsked(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Wait for a task or plan."""

    id: Annotated[_TEXT, Meta(description=_ID)]
    seconds: Annotated[int, Meta(ge=0, le=20)] = 20


class ResultAsked(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a task or plan ended."""

    id: Annotated[_TEXT, Meta(description=_ID)]
    seen: Annotated[bool, Meta(description="Acknowledge the outcomes that this shows.")] = False
    tail_bytes: Annotated[
        int, Meta(ge=0, le=8_000, description="So much of the end of each output.")
    ] = 2_000


class ExplainAsked(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why a task waits, was refused or ended so."""

    id: Annotated[_TEXT, Meta(description=_ID)]


def schema_of(kind: type[Struct]) -> dict[str, Any]:
    """JSON Schema of the arguments."""
    _, parts = msgspec.json.schema_components([kind])
    schema: dict[str, Any] = parts[kind.__name__]
    return {name: value for name, value in schema.items() if name not in ("title", "description")}


def read(arguments: dict[str, Any] | None, kind: type[Asked]) -> Asked:
    """The arguments. Mistaken: what was expected, and where. A null is taken for not said."""
    given = {name: value for name, value in (arguments or {}).items() if value is not None}
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as wrong:
        takes = ", ".join(kind.__struct_fields__)
        raise Mistaken(f"{wrong}. This tool takes: {takes}.") from wrong
