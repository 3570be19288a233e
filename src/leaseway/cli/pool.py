"""The way to the coordinator: the client, its errors told as faults. Tests replace `client_of`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import structs

from leaseway.cli.exits import Exit
from leaseway.cli.faults import Fault, Refusal
from leaseway.cli.setting import Places
from leaseway.client.blocking import Client
from leaseway.client.errors import (
    BadAnswer,
    Conflict,
    Defect,
    LeasewayError,
    Malformed,
    NoAddress,
    NotAllowed,
    NotFound,
    Refused,
    Unavailable,
    Unreachable,
)
from leaseway.client.options import client_options
from leaseway.wire.problems import Kind

NOTHING = " Nothing was handed in, and nothing ran."
NO_ROOM = (
    "Make room on the disk of the coordinator (leaseway doctor there says where), or send less:"
    " --tree DIR for one folder, --in-place for nothing."
)
CONNECT_S = 1.2
"""An address where nobody is must be told within two seconds, start-up included."""

_EXITS: dict[type[Refused], Exit] = {
    Malformed: Exit.USAGE,
    NotFound: Exit.USAGE,
    NotAllowed: Exit.REFUSED,
    Conflict: Exit.REFUSED,
    Unavailable: Exit.UNREACHABLE,
    Defect: Exit.UNDECIDED,
}


def client_of(places: Places) -> Client:
    """A client for the coordinator that options, environment or state folder name."""
    options = client_options(places.url, places.credential, places.folder)
    return Client(structs.replace(options, connect_s=CONNECT_S))


@contextmanager
def open_pool(places: Places) -> Iterator[Client]:
    """The client, closed at the end; what it raises becomes a fault with an exit code."""
    address = ""
    try:
        with client_of(places) as client:
            address = client.options.url
            yield client
    except LeasewayError as error:
        raise fault_of(error, places, address) from error


def fault_of(error: LeasewayError, places: Places, address: str) -> Fault:
    """The sentence, mend and exit code of a client's error."""
    match error:
        case Unreachable():
            return _unreachable(error)
        case NoAddress():
            return _no_address(error, places)
        case Refused():
            return refusal_of(error)
        case BadAnswer():
            mend = "Check the address: something else may listen there, or another version."
            return Fault(f"{address}: {error}.", mend, Exit.UNREACHABLE)
        case _:
            return Fault(_sentence(str(error)), exit_code=Exit.UNDECIDED)


def refusal_of(error: Refused) -> Fault:
    """What the coordinator said, finding by finding."""
    problem = error.problem
    code = _EXITS.get(type(error), Exit.REFUSED)
    if not problem.findings:
        mend = NO_ROOM if problem.kind == Kind.NO_ROOM else ""
        return Fault(_sentence(problem.detail or problem.title), mend, code)
    return Refusal(problem.findings, "", exit_code=code, decision=problem.decision)


def _unreachable(error: Unreachable) -> Fault:
    local = any(host in error.url for host in ("127.0.0.1", "localhost", "[::1]"))
    if local:
        mend = "Start one with: leaseway up. Is it elsewhere? Name it with --url or LEASEWAY_URL."
    else:
        mend = (
            "Check that it runs there, that this machine reaches it and that no firewall keeps this"
            " port shut, or name another with --url or LEASEWAY_URL."
        )
    if error.key:
        mend += f" Whether it took the plan is not known: the same again with --key {error.key}."
    said = f"No coordinator answered at {error.url} ({error.reason})."
    if not error.sent:
        said += NOTHING
    return Fault(said, mend, Exit.UNREACHABLE)


def _no_address(error: NoAddress, places: Places) -> Fault:
    if places.folder is not None and not (places.folder / "url").exists():
        return Fault(
            f"No coordinator is known: none has been started in {places.folder}.{NOTHING}",
            "Start one with: leaseway up. Is it elsewhere? Name it with --url or LEASEWAY_URL.",
            Exit.UNREACHABLE,
        )
    mend = (
        "Addresses and credential files are written by leaseway up into its state folder: url,"
        " owner.credential and three more."
    )
    return Fault(_sentence(str(error)) + NOTHING, mend, Exit.UNREACHABLE)


def _sentence(text: str) -> str:
    """With a capital and a full stop."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
