"""Capacity of a worker and what a task uses of it, as vectors of whole numbers.

Zero, absent and unlimited are three things: 0 is none, a missing key takes the default, and `None`
in a capacity is unlimited.
"""

from __future__ import annotations

from msgspec import Struct

Vector = tuple[int, ...]
RESOURCES = ("cpus_milli", "memory_bytes", "gpus", "disk_bytes", "processes", "slots")
UNLIMITED = 1 << 62


class Uses(Struct, frozen=True, omit_defaults=True):
    """What one task takes while it runs. Default: one cpu, one slot, nothing else reserved."""

    cpus_milli: int = 1000
    memory_bytes: int = 0
    gpus: int = 0
    disk_bytes: int = 0
    processes: int = 0
    slots: int = 1

    def vector(self) -> Vector:
        """The amounts in the order of `RESOURCES`."""
        return (
            self.cpus_milli,
            self.memory_bytes,
            self.gpus,
            self.disk_bytes,
            self.processes,
            self.slots,
        )


class Capacity(Struct, frozen=True, omit_defaults=True):
    """What a worker offers at once; `None` is unlimited."""

    cpus_milli: int | None = 1000
    memory_bytes: int | None = None
    gpus: int | None = 0
    disk_bytes: int | None = None
    processes: int | None = None
    slots: int | None = 1

    def vector(self) -> Vector:
        """The amounts in the order of `RESOURCES`, unlimited as a very large number."""
        amounts = (
            self.cpus_milli,
            self.memory_bytes,
            self.gpus,
            self.disk_bytes,
            self.processes,
            self.slots,
        )
        return tuple(UNLIMITED if amount is None else amount for amount in amounts)


def without_cpus(amounts: Vector) -> Vector:
    """The same for a task whose cpus are shared with others, not set aside."""
    return (0, *amounts[1:])


def fits(free: Vector, asked: Vector) -> bool:
    """Whether `asked` fits into `free` in every resource."""
    return all(have >= want for have, want in zip(free, asked, strict=True))


def minus(left: Vector, right: Vector) -> Vector:
    """Elementwise difference."""
    return tuple(have - want for have, want in zip(left, right, strict=True))


def plus(left: Vector, right: Vector) -> Vector:
    """Elementwise sum."""
    return tuple(have + want for have, want in zip(left, right, strict=True))
