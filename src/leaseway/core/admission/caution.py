"""More is kept free at the end of a window whose owner has closed early before, and of every window
where the pool's policy says so.

Only what is newly promised is careful: a promise that was given is not taken back for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Window
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Lease, View
from leaseway.core.policy.standing import guard_of
from leaseway.core.record.closings import early_close_ms

_WITH_GUARD = ("LW302", "LW303", "LW309")


def early_of(view: View, worker: str) -> Millis:
    """How much earlier than declared this worker's windows may be expected to close."""
    return early_close_ms(view.facts.record.closings.get(worker, ()))


def cautious(view: View, lease: Lease, now: Instant) -> Lease:
    """The lease with each window shorter by that, and never by more than half of what is left; and
    by what the pool's policy keeps free."""
    early, pools = early_of(view, lease.worker), guard_of(view)
    if not early and not pools:
        return lease
    windows = tuple(_shorter(window, early, pools, now) for window in lease.terms.windows)
    return replace(lease, terms=replace(lease.terms, windows=windows))


def _shorter(window: Window, early: Millis, pools: Millis, now: Instant) -> Window:
    if window.closes_at is None:
        return window
    left = window.closes_at - max(now, window.opens_at)
    closes_at = window.closes_at - min(early, max(0, left // 2)) - pools
    return Window(window.opens_at, max(window.opens_at, closes_at))


def named(findings: Iterable[Finding], view: View, lease: Lease, now: Instant) -> Iterator[Finding]:
    """The same findings, with these parts of what is kept free named among the others. `lease`: as
    it was declared."""
    parts = _kept(lease, early_of(view, lease.worker), guard_of(view), now)
    for finding in findings:
        numbers = finding.numbers
        if not parts or finding.code not in _WITH_GUARD or "guard_ms" not in numbers:
            yield finding
            continue
        more = {
            name: value + sum(parts.values())
            for name in ("left_ms", "guard_ms")
            if isinstance(value := numbers.get(name), int)
        }
        yield replace(finding, numbers={**numbers, **more, **parts})


def _kept(lease: Lease, early: Millis, pools: Millis, now: Instant) -> dict[str, Millis]:
    """As much as the longest window that is left keeps."""
    lefts = [
        window.closes_at - max(now, window.opens_at)
        for window in lease.terms.windows
        if window.closes_at is not None and window.closes_at > now
    ]
    longest = max(lefts, default=0)
    early = min(early, longest // 2)
    parts = {"early_close_ms": early, "pool_guard_ms": min(pools, longest - early)}
    return {name: part for name, part in parts.items() if part}
