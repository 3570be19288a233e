"""Wrong rules for a worker, each made from the real one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from leaseway.core import agent
from leaseway.core.model.sync import Phase
from leaseway.core.model.worker import Book
from leaseway.sim.daemon import Daemon

Real = Callable[..., Any]


def absence_is_an_order(real: Real) -> Real:
    """A grant that the reply does not name again is taken for taken back."""

    def wrong(mine: agent.Agent, reply: Any, sent: int) -> Any:
        named = {grant.ref for grant in reply.start}
        for ref, each in list(mine.attempts.items()):
            if each.phase is Phase.GRANTED and ref not in named:
                del mine.attempts[ref]
        return real(mine, reply, sent)

    return wrong


def counted_from_receipt(real: Real) -> Real:
    """Lengths of a reply count from when it came, not from when it was asked for."""

    def wrong(mine: agent.Agent, reply: Any, sent: int, now: Any) -> Any:
        return real(mine, reply, now.boot_ms, now)

    return wrong


def any_reply_counts(real: Real) -> Real:
    """A reply to an older sync is not dropped."""

    def wrong(mine: agent.Agent, reply: Any, sent: int, now: Any) -> Any:
        return real(mine, replace(reply, for_seq=mine.seq, superseded=False), sent, now)

    return wrong


def queued_before_spooled(real: Real) -> Real:
    """A grant is queued at once; its line in the journal reaches the disk when it may."""

    def wrong(daemon: Daemon, asked: Any, rest: Any) -> None:
        machine = daemon.machine
        machine.spawner.put(asked.grants)
        machine.host.later(5_000, lambda: None, daemon)
        daemon._follow(rest)

    return wrong


def last_come_first(real: Real) -> Real:
    """The queue overtakes."""

    def wrong(asked: Book, now: Any) -> Any:
        return real(replace(asked, queue=tuple(reversed(asked.queue))), now)

    return wrong
