"""The policy in force, and the four numbers that rules elsewhere take from it."""

from __future__ import annotations

from leaseway.core.model.estimate import Ppm
from leaseway.core.model.policy import Policy
from leaseway.core.model.units import Millis
from leaseway.core.model.view import Lease, View

USUAL = Policy()
"""Where nobody has set one: every finding as it is by itself."""


def policy_of(view: View) -> Policy:
    """The policy in force."""
    versions = view.facts.rules.versions
    return versions[-1].policy if versions else USUAL


def version_of(view: View) -> int:
    """Its number; 0: nobody has set one."""
    versions = view.facts.rules.versions
    return versions[-1].version if versions else 0


def confidence_of(view: View) -> Ppm:
    """How often bounds that promises rest on are meant to hold."""
    return policy_of(view).confidence_ppm


def guard_of(view: View) -> Millis:
    """What the pool keeps free at the end of every window, beside the lease's own guard."""
    return policy_of(view).guard_ms


def share_of(view: View, lease: Lease, role: str) -> int | None:
    """The part of this lease's time ahead that a role may hold, in percent: the owner's or the
    pool's, whichever is smaller; None: neither says."""
    shares = [lease.terms.share.get(role), policy_of(view).share.get(role)]
    return min((each for each in shares if each is not None), default=None)


def is_pools_share(view: View, lease: Lease, role: str) -> bool:
    """Whether it is the pool's that counts there."""
    own, pools = lease.terms.share.get(role), policy_of(view).share.get(role)
    return pools is not None and (own is None or pools < own)
