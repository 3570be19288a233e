"""How long a task is taken to be, and when the last of its rectangle must be over."""

from __future__ import annotations

from msgspec import structs

from leaseway.core.admission.gates import drift_of, left_of, reserved_ms
from leaseway.core.model.lease import Guard, Window
from leaseway.core.model.plan import TaskSpec
from leaseway.core.model.units import Instant, Millis


def expected_ms(spec: TaskSpec) -> Millis | None:
    """How long a task takes at most, as far as is known: promised or not, the same."""
    return reserved_ms(spec if spec.promise == "auto" else structs.replace(spec, promise="auto"))


def latest_end(window: Window, guard: Guard, now: Instant) -> Instant | None:
    """When a rectangle in this window must be over: clock error and drift are kept free. None: it
    has no end."""
    if window.closes_at is None:
        return None
    return window.closes_at - guard.clock_error_ms - drift_of(guard, left_of(window, now))
