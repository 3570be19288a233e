"""Between lengths that travel and moments of one worker's own clock (`admission.md` §8.2)."""

from __future__ import annotations

from collections.abc import Iterable

from leaseway.core.model.sync import EndingReport, Grant, StopTime
from leaseway.core.model.units import Millis
from leaseway.core.model.worker import Finished, LocalGrant, WorkerNow

DRIFT_PPM = 1_000
"""Assumed error of a clock's rate, both sides (`admission.md` §8.2)."""

HOLD_MS: Millis = 20_000
"""The longest a call to the coordinator may be held."""


def shortened(length_ms: Millis, kill_ms: Millis = 0, drift_ppm: int = DRIFT_PPM) -> Millis:
    """The longest a worker may count so that the coordinator's `length_ms` is never passed.

    L_w / (1 − ρ) + kill ≤ L_c / (1 + ρ), rounded down (`admission.md` §8.2).
    """
    million = 1_000_000
    allowed = length_ms * million // (million + drift_ppm) - kill_ms
    return max(0, allowed * (million - drift_ppm) // million)


def longest(length_ms: Millis, clock_error_ms: Millis) -> Millis:
    """How long a worker may count until the end of a window that leaves `clock_error_ms` free.

    What clocks may drift is taken out of that clock error first, and shortens what is left only
    where it is more. Without a clock error the owner takes both clocks for exact."""
    if clock_error_ms <= 0:
        return length_ms
    return min(length_ms, shortened(length_ms + clock_error_ms))


def drift_ms(left_ms: Millis, clock_error_ms: Millis) -> Millis:
    """What clocks may drift until the end of a window, beyond the clock error that is kept free:
    the same for who promises and for who counts (`longest`)."""
    return left_ms - clock_error_ms - longest(max(0, left_ms - clock_error_ms), clock_error_ms)


def hold_ms(cut_offs: Iterable[Millis | None]) -> Millis:
    """How long a call may be held. Nothing is heard meanwhile; so no longer than half of what the
    most impatient task asked to be cut off after."""
    return min([HOLD_MS, *(cut_off // 2 for cut_off in cut_offs if cut_off is not None)])


def local(grant: Grant, sent_boot: Millis) -> LocalGrant:
    """The grant in this worker's time: lengths count from when the request was sent."""
    return LocalGrant(
        ref=grant.ref,
        run=grant.run,
        reserved_ms=grant.reserved_ms,
        not_before_boot=sent_boot + grant.not_before_in_ms,
        start_by_boot=sent_boot + grant.start_by_in_ms,
        stop_latest_boot=sent_boot + longest(grant.stop_latest_in_ms, grant.guard.clock_error_ms),
        uses=grant.uses,
        guard=grant.guard,
        workdir=grant.workdir,
        env=grant.env,
        outputs=grant.outputs,
        cut_off_ms=grant.cut_off_ms,
        order=grant.order,
        layers=grant.layers,
        brings=grant.brings,
        pacing=grant.pacing,
        shared=grant.shared,
    )


def moved_stop(
    grant: LocalGrant, before: tuple[Millis | None, Millis | None], moved: StopTime, sent: Millis
) -> Millis:
    """The stop time after a move, on this worker's clock. `before`: start and stop as known here.

    Counted from when the request was sent it comes out too early by the request's way; so a move
    that is no shrinking never takes back what was allowed already.
    """
    started, stop = before
    told = sent + shortened(max(0, moved.stop_in_ms))
    if moved.shrinks:
        return told
    own = 0 if started is None else min(started + grant.reserved_ms, grant.stop_latest_boot)
    return max(told, own if stop is None else stop)


def report(finished: Finished, now: WorkerNow) -> EndingReport:
    """An ending as a sync tells it: how long ago, as of now."""
    started = finished.started_boot
    return EndingReport(
        ref=finished.ref,
        ending=finished.ending,
        started_ago_ms=None if started is None else max(0, now.boot_ms - started),
        ended_ago_ms=max(0, now.boot_ms - finished.ended_boot),
        stdout=finished.stdout,
        stderr=finished.stderr,
    )
