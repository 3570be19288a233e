"""What is said no to because of who asks, not because of room: outcomes never read, a share used
up, and the same task again right after it has overrun."""

from __future__ import annotations

from leaseway.core.admission.gates import longest_left, reserved_ms
from leaseway.core.admission.room import Room
from leaseway.core.model.accesses import task_key
from leaseway.core.model.commands import Principal
from leaseway.core.model.findings import Finding
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.core.model.units import DAY
from leaseway.core.model.view import Lease, View
from leaseway.core.policy.standing import is_pools_share, share_of, version_of


def backlog(view: View, principal: Principal) -> list[Finding]:
    """Too many outcomes that this principal has never acknowledged (LW312)."""
    count = len(view.index.inbox.get(principal.name, ()))
    if count < view.settings.inbox_most:
        return []
    numbers: dict[str, int | str | list[str]] = {
        "by": principal.name,
        "count": count,
        "cap": view.settings.inbox_most,
    }
    return [Finding(code="LW312", numbers=numbers)]


def unchanged(view: View, plan: PlanSpec) -> list[Finding]:
    """Tasks that have just overrun and come again with no more time than before (LW604)."""
    found: list[Finding] = []
    for task in plan.tasks:
        past = view.facts.overran.get(task_key(task, plan.workdir, plan.workspace))
        own = reserved_ms(task)
        if past is None or own is None or own > past.reserved_ms:
            continue
        numbers: dict[str, int | str | list[str]] = {
            "reserved_ms": past.reserved_ms,
            "ran_ms": past.ran_ms,
        }
        found.append(Finding(code="LW604", tasks=(task.name, past.task), numbers=numbers))
    return found


def over_share(room: Room, lease: Lease, role: str, spec: TaskSpec) -> Finding | None:
    """Whether this kind of principal would hold more of this lease's time ahead than its owner
    or the pool allows (LW311). A share is a part of what is left of the window, slot by slot; of a
    window without end, of a day."""
    share = share_of(room.view, lease, role)
    own = reserved_ms(spec)
    if share is None or own is None:
        return None
    left = longest_left(lease.terms, room.now)
    slots = lease.terms.capacity.slots or 1
    cap = (DAY if left is None else left) * slots * share // 100
    held = room.ahead_ms(lease.worker, role)
    if held + own <= cap:
        return None
    return Finding(
        code="LW311",
        tasks=(spec.name,),
        workers=(lease.worker,),
        numbers={
            "by": f"{role}s",
            "held_ms": held,
            "cap_ms": cap,
            "need_ms": own,
            "short_ms": held + own - cap,
            **_whose(room.view, lease, role),
        },
    )


def _whose(view: View, lease: Lease, role: str) -> dict[str, int]:
    """The policy, where it is the pool's share and not the owner's."""
    return {"policy": version_of(view)} if is_pools_share(view, lease, role) else {}
