"""More is kept free at the end of a window whose owner has closed early before.

Only what is newly promised is careful: a promise that was given is not taken back for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Window
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Lease, View
from leaseway.core.record.closings import early_close_ms

_WITH_GUARD = ("LW302", "LW303", "LW309")


def early_of(view: View, worker: str) -> Millis:
    """How much earlier than declared this worker's windows may be expected to close."""
    return early_close_ms(view.facts.record.closings.get(worker, ()))


def cautious(view: View, lease: Lease, now: Instant) -> Lease:
    """The lease with each window shorter by that, and never by more than half of what is left."""
    early = early_of(view, lease.worker)
    if not early:
        return lease
    windows = tuple(_shorter(window, early, now) for window in lease.terms.windows)
    return replace(lease, terms=replace(lease.terms, windows=windows))


def _shorter(window: Window, early: Millis, now: Instant) -> Window:
    if window.closes_at is None:
        return window
    left = window.closes_at - max(now, window.opens_at)
    return Window(window.opens_at, window.closes_at - min(early, max(0, left // 2)))


def named(findings: Iterable[Finding], view: View, lease: Lease, now: Instant) -> Iterator[Finding]:
    """The same findings, with this part of what is kept free named among the others. `lease`: as it
    was declared."""
    early = early_of(view, lease.worker)
    for finding in findings:
        numbers = finding.numbers
        if not early or finding.code not in _WITH_GUARD or "guard_ms" not in numbers:
            yield finding
            continue
        kept = _kept(lease, early, now)
        more = {
            name: value + kept
            for name in ("left_ms", "guard_ms")
            if isinstance(value := numbers.get(name), int)
        }
        yield replace(finding, numbers={**numbers, **more, "early_close_ms": kept})


def _kept(lease: Lease, early: Millis, now: Instant) -> Millis:
    """As much as the longest window that is left keeps."""
    lefts = [
        window.closes_at - max(now, window.opens_at)
        for window in lease.terms.windows
        if window.closes_at is not None and window.closes_at > now
    ]
    return min(early, max(lefts, default=0) // 2)
