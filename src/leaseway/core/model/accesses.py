"""What a task touches, from what it declares. Nothing declared is not nothing touched: it may touch
everything below its working directory (LW206), unless it says that it knows what it does.
"""

from __future__ import annotations

from leaseway.core.model.paths import place
from leaseway.core.model.plan import TaskSpec
from leaseway.core.model.touching import Access


def is_unknown(spec: TaskSpec) -> bool:
    """Whether it says nothing about what it touches, and not that this is known to be harmless."""
    return spec.reads is None and spec.writes is None and not spec.parallel


def accesses_of(spec: TaskSpec, workdir: str | None) -> tuple[Access, ...]:
    """Declared reads, writes and outputs; unknown is a write of the working directory."""
    base = spec.workdir or workdir
    if is_unknown(spec):
        return (Access(place(base or ".", None), True, base or "."),)
    writes = (*(spec.writes or ()), *spec.outputs)
    written = tuple(Access(place(text, base), True, text) for text in writes)
    read = tuple(
        Access(place(text, base), False, text) for text in spec.reads or () if text not in writes
    )
    return (*written, *read)


def task_key(spec: TaskSpec, workdir: str | None) -> str:
    """What makes a task the same as one before: its command and where it runs."""
    words = [spec.run] if isinstance(spec.run, str) else list(spec.run)
    return "\0".join([spec.workdir or workdir or "", *words])
