"""Set the pool's policy: whole, by an owner, or not at all."""

from __future__ import annotations

from leaseway.core.decisions.decision import Accepted, Decision, Refused
from leaseway.core.model.commands import SetPolicy
from leaseway.core.model.policy import PolicyChanged, PolicyVersion
from leaseway.core.model.units import Instant
from leaseway.core.model.view import View
from leaseway.core.policy.soundness import contradictions
from leaseway.core.policy.standing import USUAL, policy_of, version_of


def set_policy(view: View, command: SetPolicy, now: Instant) -> Decision:
    """The version that is in force then: a new one where it differs. What was promised stays."""
    wrong = contradictions(command.policy, command.owners)
    if wrong:
        return Refused(tuple(each.finding() for each in wrong))
    before = policy_of(view)
    if command.dry or command.policy == before or _known_at_start(view, command):
        return Accepted(reply=in_force(view))
    version = version_of(view) + 1
    event = PolicyChanged(version, command.actor, command.policy, command.at_start)
    reply = PolicyVersion(version, command.actor, now, command.policy, command.at_start)
    return Accepted((event,), reply)


def in_force(view: View) -> PolicyVersion:
    """The last version; 0 where nobody has set one."""
    versions = view.facts.rules.versions
    return versions[-1] if versions else PolicyVersion(0, "", 0, USUAL)


def _known_at_start(view: View, command: SetPolicy) -> bool:
    """Whether the file of the start says what it said at the last one: what a person set since
    then stands."""
    if not command.at_start:
        return False
    starts = [each for each in view.facts.rules.versions if each.at_start]
    return bool(starts) and starts[-1].policy == command.policy
