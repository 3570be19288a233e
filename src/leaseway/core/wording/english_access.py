"""English: who may come in."""

from __future__ import annotations

_FRESH = "Ask an owner for a fresh one: leaseway access invite --role ROLE."

ACCESS: dict[str, tuple[str, str]] = {
    "LW802/revoked": (
        "The credential of {by} was revoked.",
        "Ask an owner for an invitation, then: leaseway worker join HOST:PORT --anew on a worker,"
        " leaseway connect HOST:PORT elsewhere.",
    ),
    "LW802/bound": (
        "The credential of {by} speaks for {by} only and may not {action} as {worker}.",
        "Join under the name {by}, or ask an owner for an invitation for {worker}.",
    ),
    "LW802/own": (
        "{name} is the credential that asks; nobody locks themselves out.",
        "Let another owner revoke it.",
    ),
    "LW802/name-taken": (
        "{name} is a credential of this pool already.",
        "Take another name, or let an owner revoke the old one first: leaseway access revoke"
        " {name}.",
    ),
    "LW802/invitation-used": ("This invitation has been used; each is good once.", _FRESH),
    "LW802/invitation-expired": ("This invitation expired {expired_ms} ago.", _FRESH),
    "LW802/invitation-unknown": (
        "This coordinator knows no such invitation: it was taken back, or another state folder"
        " made it.",
        _FRESH,
    ),
    "LW802/invitation-kind": (
        "This invitation is for the role {role}, and it was shown for another.",
        "A worker joins with: leaseway worker join HOST:PORT; everybody else with: leaseway"
        " connect HOST:PORT.",
    ),
    "LW802/invitation-name": (
        "This invitation is for {name}, and {got} was asked for.",
        "Leave the name out, or ask an owner for an invitation for {got}.",
    ),
    "LW802/secret-known": (
        "This secret is a credential of this pool already.",
        "Join again: a secret is made anew each time.",
    ),
}
