"""Workers and their leases: looking, and what an owner asks."""

from __future__ import annotations

from starlette.responses import Response

from leaseway.coordinator.asked import Asked, reply
from leaseway.coordinator.declined import malformed
from leaseway.coordinator.showing import worker_info
from leaseway.core.model.commands import ChangeLease, Command, Revoke, SetState
from leaseway.core.model.states import LeaseState
from leaseway.wire.workers import LeaseChange, RevokeRequest, StateChange, WorkerList


async def workers(asked: Asked) -> Response:
    """All workers by name."""
    view, now = await asked.house.door.view(), asked.house.now()
    leases = sorted(view.facts.leases.items())
    return reply(WorkerList(tuple(worker_info(view, lease, now) for _, lease in leases), now))


async def worker(asked: Asked) -> Response:
    """One worker."""
    lease = await asked.house.lease(asked.part("worker"))
    return reply(worker_info(await asked.house.door.view(), lease, asked.house.now()))


async def change_lease(asked: Asked) -> Response:
    """Change terms; what runs is re-checked, not fenced."""
    request = await asked.body(LeaseChange)
    return await _done(asked, ChangeLease(asked.part("worker"), request.change, asked.who.name))


async def set_state(asked: Asked) -> Response:
    """Drain, undrain, quarantine or end a lease."""
    request = await asked.body(StateChange)
    states = [state.value for state in LeaseState]
    if request.state not in states:
        said = f"Expected one of {', '.join(states)}, got `{request.state[:40]}` - at `$.state`"
        raise malformed(said)
    state = LeaseState(request.state)
    name = asked.part("worker")
    return await _done(asked, SetState(name, state, asked.who.name, request.reason))


async def revoke(asked: Asked) -> Response:
    """Take the grants back: what runs there is stopped and fenced."""
    request = await asked.body(RevokeRequest)
    return await _done(asked, Revoke(asked.part("worker"), asked.who.name, request.reason))


async def _done(asked: Asked, command: Command) -> Response:
    await asked.house.decided(command)
    return await worker(asked)
