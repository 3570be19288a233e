"""Asking for an invitation and redeeming it. It is typed unseen or read from standard input: never
an argument, which every user of the machine could read in the list of processes."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path

from leaseway.cli.exits import Exit
from leaseway.cli.faults import Fault
from leaseway.cli.pool import fault_of
from leaseway.cli.setting import Places
from leaseway.client.errors import BadInvitation, LeasewayError
from leaseway.client.invitation import Invitation, read_invitation
from leaseway.client.joining import Joiner, join, knock
from leaseway.client.options import CredentialFile
from leaseway.client.private import write_credential

_FRESH = "Ask an owner for an invitation: leaseway access invite --role ROLE."
_KEPT = " Nothing was stored here."


def ask_for_invitation(coordinator: str) -> Invitation:
    """From the terminal without echo, or a line of standard input. Fault: none, or garbled."""
    if sys.stdin.isatty():
        text = getpass.getpass(f"Invitation to {coordinator} (not shown): ")
    else:
        text = sys.stdin.readline()
    if not text.strip():
        mend = f"Type it when asked, or give it on standard input. {_FRESH}"
        raise Fault(f"{coordinator} is joined with an invitation, and none was given.", mend)
    try:
        return read_invitation(text)
    except BadInvitation as wrong:
        raise Fault(f"The invitation cannot be read: {wrong}.{_KEPT}", _FRESH) from wrong


def redeem(coordinator: str, joiner: Joiner) -> CredentialFile:
    """Ask for an invitation and join with it; nothing is written yet. Fault: why not; before a
    person has typed 56 letters, if nobody listens there."""
    try:
        if sys.stdin.isatty():
            knock(coordinator)
        invitation = ask_for_invitation(coordinator)
        return join(coordinator, invitation, joiner)
    except BadInvitation as wrong:
        said = f"{str(wrong)[:1].upper()}{str(wrong)[1:]}.{_KEPT}"
        mend = "Check the address; an invitation works only with the coordinator that made it."
        raise Fault(said, mend, Exit.REFUSED) from wrong
    except LeasewayError as wrong:
        here = Path()
        raise fault_of(wrong, Places(coordinator, None, None, here), coordinator) from wrong


def keep(path: Path, file: CredentialFile) -> None:
    """Store a credential where later commands find it. Fault: it cannot be."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_credential(path, file)
    except OSError as wrong:
        raise Fault(
            f"The credential could not be stored in {path}: {wrong.strerror}. It is lost, and the"
            f" invitation is used.",
            f"Make room or mend the folder, let an owner revoke {file.name}, and join anew.",
            Exit.UNDECIDED,
        ) from wrong
