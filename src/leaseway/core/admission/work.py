"""Work promised on one worker whose cpus are shared: what is left of each task, and by when."""

from __future__ import annotations

from msgspec import Struct

from leaseway.core.model.units import Instant, Millis

Milli = int
"""Thousandths of a cpu."""


class Work(Struct, frozen=True, gc=False):
    """One task. `left`: what it may still use at most, in thousandths of a cpu × ms; `cap`: cpus
    that it can really use, in thousandths; `due`: its stop time; `weight`: its share where cpus are
    short; not before `release`."""

    name: str
    left: int
    cap: Milli
    due: Instant
    release: Instant = 0
    weight: int = 1

    def alone_ms(self) -> Millis:
        """How long it takes with all the cpus it can use."""
        return -(-self.left // self.cap) if self.left else 0
