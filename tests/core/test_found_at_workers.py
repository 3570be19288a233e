"""Goal: what simulation found in the worker's agent stays found. Method: the agent alone."""

from __future__ import annotations

import pytest

from leaseway.core.agent import Agent, handle, next_request
from leaseway.core.model.outcomes import StopReason
from leaseway.core.model.sync import AttemptRef, Grant, StopTime, SyncReply
from leaseway.core.model.worker import MoveStop, Started, SyncReplied, WorkerNow


def test_a_held_call_does_not_cut_off_who_asked_to_be():
    """A task to be stopped after 2 s of silence: its worker is not kept waiting for that long."""
    agent = Agent("w1", "w1-spool", "boot-1", seq=1)
    now = WorkerNow(0, 0)
    grant = Grant(AttemptRef("p-1/a", 1), "true", 5_000, 0, 2_000, 90_000, cut_off_ms=2_000)
    handle(agent, SyncReplied(SyncReply(for_seq=1, start=(grant,)), 0), now)
    assert next_request(agent, now).hold_ms == 1_000


@pytest.mark.parametrize(("shrinks", "stop_boot"), [(False, 5_000), (True, 998)])
def test_more_time_never_comes_out_as_less(shrinks, stop_boot):
    """Counted from when the request was sent, and that was long on its way."""
    agent = Agent("w1", "w1-spool", "boot-1", seq=1)
    ref = AttemptRef("p-1/a", 1)
    grant = Grant(ref, "true", 5_000, 0, 2_000, 90_000)
    handle(agent, SyncReplied(SyncReply(for_seq=1, start=(grant,)), 0), WorkerNow(0, 0))
    handle(agent, Started(ref, 0), WorkerNow(0, 0))
    moved = SyncReply(for_seq=1, stop_times=(StopTime(ref, 1_000, shrinks=shrinks),))
    made = handle(agent, SyncReplied(moved, 0), WorkerNow(4_000, 4_000))
    assert MoveStop(ref, stop_boot, StopReason.RESERVED) in made
