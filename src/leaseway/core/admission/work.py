"""Work promised on one worker whose cpus are shared: what is left of each task, and by when."""

from __future__ import annotations

from msgspec import Struct

from leaseway.core.model.units import Instant, Millis

Milli = int
"""Thousandths of a cpu."""


class Work(Struct, frozen=True, gc=False):
    """One task. `left`: what it may still use at most, in thousandths of a cpu × ms; `cap`: cpus
    that it can really use, in thousandths; `due`: its stop time; `weight`: its share where cpus are
    short; not before `release`, and begun at the latest `late_ms` after that (or after now)."""

    name: str
    left: int
    cap: Milli
    due: Instant
    release: Instant = 0
    weight: int = 1
    late_ms: Millis = 0

    @property
    def most(self) -> int:
        """What is left, as if it used cpus from its release on. Whenever it begins within
        `late_ms`, it has no more left at any moment than this has, and competes no longer: so this
        projection tells nobody's end too early, whoever begins when."""
        return self.left + self.cap * self.late_ms if self.left else 0

    def alone_ms(self) -> Millis:
        """How long it takes at most with all the cpus it can use."""
        return self.late_ms + (-(-self.left // self.cap) if self.left else 0)
