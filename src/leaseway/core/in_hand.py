"""What a worker's agent has in its hands, and how a sync says it. Pure."""

from __future__ import annotations

from msgspec import Struct, field

from leaseway.core.local_time import hold_ms, report
from leaseway.core.model import worker as wk
from leaseway.core.model.outcomes import StopReason
from leaseway.core.model.sync import SPEAKS, AttemptRef, EndingReport, Held, Phase, SyncRequest
from leaseway.core.model.units import Millis

MOST_KEPT = 100
"""Of the views that are kept, so many are named in one sync; the next names the next."""


class Mine(Struct):
    """One attempt in this worker's hands."""

    grant: wk.LocalGrant
    phase: Phase = Phase.GRANTED
    started_boot: Millis | None = None
    finished: wk.Finished | None = None
    told_to_stop: StopReason | None = None
    stop_boot: Millis | None = None  # as it was told to move it
    checked: wk.NoteChecked | None = None  # its last checkpoint
    received_ms: Millis | None = None  # how long its files took; None: not received, or none

    @property
    def is_receiving(self) -> bool:
        """Whether it waits for its files."""
        return self.phase is Phase.GRANTED and self.grant.has_view and self.received_ms is None

    @property
    def is_over(self) -> bool:
        """Whether nothing of it runs any more; `finished` follows when all is delivered."""
        return self.phase is Phase.ENDED


class Agent(Struct):
    """State of one worker's agent. `held_back`: a ledger it does not know; it stops and deletes
    nothing and starts nothing until the owner has looked."""

    worker: str
    spool_id: str
    boot_id: str
    ledger_id: str = ""
    ledger_seen: int = 0
    incarnation: int = 0
    seq: int = 0
    terms_version: int = 0
    attempts: dict[AttemptRef, Mine] = field(default_factory=dict)
    back: dict[AttemptRef, int] = field(default_factory=dict)  # → seq that told it, 0: not yet
    heard_boot: Millis | None = None
    offset_ms: int = 0
    slept_ms: Millis = 0
    slept_told_ms: Millis = 0  # what of it the latest sync told
    held_back: bool = False
    leaving: bool = False
    told_apart: str = ""  # that the versions are too far apart was told: which is older
    meter: dict[str, int] = field(default_factory=dict)
    kept: dict[AttemptRef, None] = field(default_factory=dict)  # views, oldest first


def adopt(agent: Agent, records: tuple[wk.Adopted, ...]) -> list[wk.Instruction]:
    """Take over what the spool knows, at the start of a daemon; what is to be gone on with."""
    for record in records:
        ended = record.ended
        finished = None
        if ended is not None:
            finished = wk.Finished(ended.ref, ended.ending, ended.started_boot, ended.ended_boot)
        agent.attempts[record.grant.ref] = Mine(
            grant=record.grant,
            phase=Phase.ENDED if finished else record.phase,
            started_boot=record.started_boot,
            finished=finished,
            received_ms=record.received_ms,
            checked=record.checked,
        )
    mine = agent.attempts
    receiving = tuple(each.grant for each in mine.values() if each.is_receiving)
    over = [ref for ref, each in mine.items() if each.is_over and each.finished is None]
    made: list[wk.Instruction] = [wk.Receive(receiving)] if receiving else []
    return [*made, *(wk.Collect(ref) for ref in over)]


def _held(ref: AttemptRef, mine: Mine, now: wk.WorkerNow) -> Held:
    checked = mine.checked
    return Held(
        ref,
        mine.phase,
        None if mine.started_boot is None else now.boot_ms - mine.started_boot,
        stop_in_ms=None if mine.stop_boot is None else mine.stop_boot - now.boot_ms,
        receiving=mine.is_receiving,
        checkpoint=None if checked is None else checked.checkpoint,
        checked_ago_ms=0 if checked is None else now.boot_ms - checked.at_boot,
    )


def next_request(agent: Agent, now: wk.WorkerNow) -> SyncRequest:
    """The next sync: everything held, everything ended and not settled, all handed back."""
    agent.seq += 1
    held: list[Held] = []
    endings: list[EndingReport] = []
    for ref, mine in agent.attempts.items():
        if mine.finished is not None:
            endings.append(report(mine.finished, now))
        else:
            held.append(_held(ref, mine, now))
    for ref in agent.back:
        agent.back[ref] = agent.seq
    agent.slept_told_ms = agent.slept_ms
    return SyncRequest(
        worker=agent.worker,
        incarnation=agent.incarnation,
        seq=agent.seq,
        spool_id=agent.spool_id,
        boot_id=agent.boot_id,
        speaks=SPEAKS,
        ledger_id=agent.ledger_id,
        ledger_seen=agent.ledger_seen,
        terms_version=agent.terms_version,
        held=tuple(held),
        endings=tuple(endings),
        back=tuple(agent.back),
        boot_ms=now.boot_ms,
        slept_ms=agent.slept_ms,
        offset_ms=agent.offset_ms,
        hold_ms=hold_ms(m.grant.cut_off_ms for m in agent.attempts.values() if not m.is_over),
        meter=agent.meter,
        leaving=agent.leaving,
        kept=_some_kept(agent),
    )


def _some_kept(agent: Agent) -> tuple[AttemptRef, ...]:
    """A few of the kept views, others with each sync until all were named."""
    if len(agent.kept) <= MOST_KEPT:
        return tuple(agent.kept)
    refs = list(agent.kept)
    first = agent.seq * MOST_KEPT % len(refs)
    return tuple([*refs[first:], *refs[:first]][:MOST_KEPT])
