"""The worker's door: what its agent is told, and what it asks for in return. Pure.

The agent keeps the promise book of one worker. It starts nothing by itself that was not granted,
stops only what it was told to stop, forgets only what is settled: absence is never an order.
"""

from __future__ import annotations

from typing import assert_never

from leaseway.core.in_hand import Agent, Mine, adopt, next_request
from leaseway.core.local_time import local, moved_stop
from leaseway.core.model import worker as wk
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.outcomes import StopReason
from leaseway.core.model.sync import Phase, RegisterReply, SyncReply
from leaseway.core.model.units import Millis

__all__ = ["Agent", "Mine", "adopt", "handle", "next_request"]

_TELL_START_MS: Millis = 300
_RETRY_MS: Millis = 1_000


def handle(agent: Agent, event: wk.AgentEvent, now: wk.WorkerNow) -> list[wk.Instruction]:
    """One event in, instructions out."""
    match event:
        case wk.SyncReplied(reply=reply, sent_boot=sent):
            return _replied(agent, reply, sent, now)
        case wk.Registered(reply=registered):
            return _registered(agent, registered, now)
        case wk.SyncFailed(reason=reason, fenced=fenced):
            return [wk.Quit(reason)] if fenced else [wk.CallSync(_RETRY_MS)]
        case wk.Started() | wk.Stopping() | wk.Over() | wk.Finished() | wk.Returned():
            return _from_spawner(agent, event)
        case wk.Received() | wk.Kept() | wk.Dropped() | wk.Uploaded():
            return _of_files(agent, event)
        case wk.NoteChecked():
            return _checked(agent, event)
        case wk.Woke(slept_ms=slept):
            agent.slept_ms += slept
            return [wk.CallSync(0)]
        case wk.Ticked():
            return _cut_off(agent, now)
        case wk.Leave(now=at_once):
            return _leave(agent, at_once)
        case _:
            assert_never(event)


# Replies ------------------------------------------------------------------------------------------


def _registered(agent: Agent, reply: RegisterReply, now: wk.WorkerNow) -> list[wk.Instruction]:
    agent.incarnation = reply.incarnation
    agent.terms_version = reply.lease_version
    agent.seq = 0
    agent.heard_boot = now.boot_ms
    made: list[wk.Instruction] = [wk.SetCapacity(reply.terms.capacity)]
    if not agent.ledger_id:
        agent.ledger_id = reply.ledger_id
        made.append(wk.KeepLedger(reply.ledger_id, 0))
    agent.held_back = agent.ledger_id != reply.ledger_id
    return [*made, *_versions(agent, reply.findings), wk.CallSync(0)]


def _replied(
    agent: Agent, reply: SyncReply, sent_boot: Millis, now: wk.WorkerNow
) -> list[wk.Instruction]:
    """A reply to anything but the latest sync is dropped whole."""
    if reply.superseded or reply.for_seq != agent.seq:
        return []
    agent.heard_boot = now.boot_ms
    agent.slept_ms -= agent.slept_told_ms
    agent.slept_told_ms = 0
    made = [*_versions(agent, reply.findings), *_follow(agent, reply)]
    if agent.held_back:
        return [*made, wk.CallSync(reply.call_by_ms)]
    made += _settled(agent, reply)
    made += _started(agent, reply, sent_boot)
    made += _stops(agent, reply, sent_boot)
    made += _forgotten(agent, reply)
    if reply.terms is not None:
        agent.terms_version = reply.terms_version
        made.append(wk.SetCapacity(reply.terms.capacity))
    return [*made, wk.CallSync(0 if _has_news(agent) else reply.call_by_ms)]


def _versions(agent: Agent, findings: tuple[Finding, ...]) -> list[wk.Instruction]:
    """That coordinator and worker are too far apart, told once."""
    found = next((each for each in findings if each.variant in ("old", "new")), None)
    fresh = found is not None and found.variant != agent.told_apart
    agent.told_apart = "" if found is None else found.variant
    return [wk.Tell(found)] if found is not None and fresh else []


def _has_news(agent: Agent) -> bool:
    """Whether something waits to be told that the last sync did not say."""
    return any(seq == 0 for seq in agent.back.values())


def _follow(agent: Agent, reply: SyncReply) -> list[wk.Instruction]:
    """Keep to one ledger: another id is followed only once the owner has accepted it."""
    if reply.ledger_id != agent.ledger_id:
        if not reply.ledger_accepted:
            fresh = not agent.held_back
            agent.held_back = True
            return [wk.Tell(_foreign(agent, reply))] if fresh else []
        agent.ledger_id, agent.ledger_seen = reply.ledger_id, 0
    agent.held_back = False
    if reply.head <= agent.ledger_seen:
        return []
    agent.ledger_seen = reply.head
    return [wk.KeepLedger(agent.ledger_id, reply.head)]


def _foreign(agent: Agent, reply: SyncReply) -> Finding:
    return Finding(
        code="LW805",
        workers=(agent.worker,),
        numbers={"old": agent.ledger_id, "new": reply.ledger_id},
        severity=Severity.WARNING,
    )


def _settled(agent: Agent, reply: SyncReply) -> list[wk.Instruction]:
    gone = [ref for ref in reply.settled if (mine := agent.attempts.get(ref)) and mine.finished]
    for ref in gone:
        del agent.attempts[ref]
    agent.back = {ref: seq for ref, seq in agent.back.items() if seq != reply.for_seq}
    return [wk.Settle(tuple(gone))] if gone else []


def _started(agent: Agent, reply: SyncReply, sent_boot: Millis) -> list[wk.Instruction]:
    fresh: list[wk.LocalGrant] = []
    for grant in reply.start:
        if grant.ref in agent.attempts or grant.ref in agent.back:
            continue
        if agent.leaving:
            agent.back[grant.ref] = 0
            continue
        mine = agent.attempts[grant.ref] = Mine(grant=local(grant, sent_boot))
        fresh.append(mine.grant)
    if not fresh:
        return []
    fresh.sort(key=lambda granted: granted.order)
    to_receive = tuple(granted for granted in fresh if granted.has_view)
    made: list[wk.Instruction] = [wk.SpoolGrants(tuple(fresh))]
    return [*made, wk.Receive(to_receive)] if to_receive else made


def _stops(agent: Agent, reply: SyncReply, sent_boot: Millis) -> list[wk.Instruction]:
    made: list[wk.Instruction] = []
    for stop in reply.stop:
        mine = agent.attempts.get(stop.ref)
        if mine is not None and not mine.is_over and mine.told_to_stop is None:
            mine.told_to_stop = stop.reason
            made.append(wk.StopAttempt(stop.ref, stop.reason))
    for moved in reply.stop_times:
        mine = agent.attempts.get(moved.ref)
        if mine is not None and not mine.is_over:
            before = (mine.started_boot, mine.stop_boot)
            mine.stop_boot = moved_stop(mine.grant, before, moved, sent_boot)
            made.append(wk.MoveStop(moved.ref, mine.stop_boot, moved.reason))
    return made


def _forgotten(agent: Agent, reply: SyncReply) -> list[wk.Instruction]:
    """Only what is kept, which is settled; an attempt in hand is never forgotten."""
    gone = tuple(ref for ref in reply.forget if ref in agent.kept)
    for ref in gone:
        del agent.kept[ref]
    return [wk.Forget(gone)] if gone else []


# From below ---------------------------------------------------------------------------------------


def _from_spawner(
    agent: Agent, event: wk.Started | wk.Stopping | wk.Over | wk.Finished | wk.Returned
) -> list[wk.Instruction]:
    mine = agent.attempts.get(event.ref)
    if mine is None:
        return []
    match event:
        case wk.Started(started_boot=started):
            if not mine.is_over:
                mine.phase = Phase.RUNNING
                mine.started_boot = started
            return [wk.CallSync(_TELL_START_MS)]
        case wk.Stopping():
            if not mine.is_over:
                mine.phase = Phase.STOPPING
            return []
        case wk.Over():
            return _over(mine, event)
        case wk.Finished():
            mine.phase = Phase.ENDED
            mine.finished = event
            return [wk.CallSync(0)]
        case wk.Returned(ref=ref):
            if mine.finished is None and mine.phase is Phase.GRANTED:
                del agent.attempts[ref]
                agent.back[ref] = 0
            return [wk.CallSync(0)]
        case _:
            assert_never(event)


def _over(mine: Mine, event: wk.Over) -> list[wk.Instruction]:
    """Its room is free again; what it changed is still to be brought to the coordinator."""
    if mine.is_over:
        return []
    mine.phase = Phase.ENDED
    mine.started_boot = event.started_boot
    return [wk.Collect(event.ref), wk.CallSync(_TELL_START_MS)]


def _checked(agent: Agent, event: wk.NoteChecked) -> list[wk.Instruction]:
    """A changed advice is told soon; a mere number goes with what is told anyway."""
    mine = agent.attempts.get(event.ref)
    if mine is None or mine.is_over:
        return []
    before, mine.checked = mine.checked, event
    is_same = before is not None and before.checkpoint.advice is event.checkpoint.advice
    return [] if is_same else [wk.CallSync(_TELL_START_MS)]


def _of_files(
    agent: Agent, event: wk.Received | wk.Kept | wk.Dropped | wk.Uploaded
) -> list[wk.Instruction]:
    match event:
        case wk.Received(ref=ref, received_ms=received_ms):
            mine = agent.attempts.get(ref)
            if mine is None or not mine.is_receiving:
                return []
            mine.received_ms = received_ms
            return [wk.Ready(ref)]
        case wk.Kept(ref=ref):
            agent.kept[ref] = None
        case wk.Dropped(ref=ref):
            agent.kept.pop(ref, None)
        case wk.Uploaded():
            pass
        case _:
            assert_never(event)
    return []


def _cut_off(agent: Agent, now: wk.WorkerNow) -> list[wk.Instruction]:
    """Tasks that asked to be stopped after so long without the coordinator."""
    if agent.heard_boot is None:
        return []
    silent = now.boot_ms - agent.heard_boot
    made: list[wk.Instruction] = []
    for ref, mine in agent.attempts.items():
        limit = mine.grant.cut_off_ms
        if limit is None or silent <= limit or mine.told_to_stop or mine.is_over:
            continue
        mine.told_to_stop = StopReason.CUT_OFF
        made.append(wk.StopAttempt(ref, StopReason.CUT_OFF))
    return made


def _leave(agent: Agent, at_once: bool) -> list[wk.Instruction]:
    agent.leaving = True
    made: list[wk.Instruction] = []
    for ref, mine in agent.attempts.items():
        waits = mine.phase is Phase.GRANTED
        if not mine.is_over and mine.told_to_stop is None and (waits or at_once):
            mine.told_to_stop = StopReason.SHUTDOWN
            made.append(wk.StopAttempt(ref, StopReason.SHUTDOWN))
    return [*made, wk.CallSync(0)]
