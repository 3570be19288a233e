"""A worker without an agent, for tests that say themselves what it says."""

from __future__ import annotations

from leaseway.core.model import commands as cmd
from leaseway.core.model.lease import Guard
from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.sync import AttemptRef, EndingReport, SyncRequest
from tests.core.pool import S, offer

GUARD = Guard(stop_grace_ms=1_000, kill_ms=500, delivery_ms=2_000, clock_error_ms=500)
REF = AttemptRef("p-1/a", 1)
DONE = Ending(EndKind.EXITED, exit_code=0, ran_ms=S)


class Voice:
    """One worker; `say` is one sync."""

    def __init__(self, pool, name="w", **fields):
        self.pool, self.name = pool, name
        self.incarnation = pool.register(name, offer(guard=GUARD, **fields)).incarnation
        self.spool, self.seq = f"spool-{name}", 0
        self.booted = pool.now

    def say(self, **fields):
        """One sync; the reply, or the refusal."""
        self.seq += 1
        fields = {"boot_ms": self.pool.now - self.booted, **fields}
        request = SyncRequest(
            self.name, self.incarnation, fields.pop("seq", self.seq), self.spool, "boot", **fields
        )
        carried = self.pool.do(cmd.Sync(request, self.pool.now, "fresh"))
        return carried.refused or carried.reply

    def again(self):
        """The same daemon comes back under a new incarnation."""
        self.incarnation = self.pool.register(self.name, offer(guard=GUARD)).incarnation
        self.seq = 0


def ended(ending=DONE, ref=REF, ago=0):
    return EndingReport(ref, ending, ended_ago_ms=ago)
