"""The gates: cheap checks of one task against one lease, each a finding with its numbers.

`need_ms` is what the task reserves, `have_ms` what the lease leaves for it, both without guard;
the guard's parts are named beside them (`admission.md` G1: U ≤ T_cap, U ≤ (E − t) alone).
"""

from __future__ import annotations

import shlex
from fnmatch import fnmatchcase

from leaseway.core.local_time import drift_ms
from leaseway.core.model.capacity import RESOURCES, UNLIMITED
from leaseway.core.model.estimate import LEARNED_LEAST_MS
from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Guard, Terms, Window
from leaseway.core.model.plan import TaskSpec
from leaseway.core.model.units import Instant, Millis


def reserved_ms(spec: TaskSpec) -> Millis | None:
    """What is set aside for a task: the estimate's bound (given, or learned from earlier runs),
    else the limit; None: best effort."""
    if spec.promise == "none":
        return None
    expected = spec.estimate_ms
    if expected is None and spec.learned is not None:
        expected = max(spec.learned.bound_ms, LEARNED_LEAST_MS)
    if expected is None:
        return spec.limit_ms
    return expected if spec.limit_ms is None else min(expected, spec.limit_ms)


def usable_windows(terms: Terms, now: Instant) -> list[Window]:
    """The windows that are open or still to come, in order."""
    return sorted(
        (window for window in terms.windows if window.closes_at is None or window.closes_at > now),
        key=lambda window: window.opens_at,
    )


def is_open(terms: Terms, now: Instant) -> bool:
    """Whether a window is open now."""
    return any(window.opens_at <= now for window in usable_windows(terms, now))


def closes_at(terms: Terms, now: Instant) -> Instant | None:
    """When the window open now closes; None: no end was set, or none is open (see `is_open`)."""
    open_now = [window for window in usable_windows(terms, now) if window.opens_at <= now]
    if not open_now or any(window.closes_at is None for window in open_now):
        return None
    return max(window.closes_at or 0 for window in open_now)


def runs_until(terms: Terms, now: Instant) -> Instant | None:
    """When whatever runs now must be over: the close of the window open now, else of the next one
    (a sync may have arrived before the window was set that it is answered by); `now` if none is
    to come; None: no end was set."""
    windows = usable_windows(terms, now)
    counted = [window for window in windows if window.opens_at <= now] or windows[:1]
    if any(window.closes_at is None for window in counted):
        return None
    return max((window.closes_at or now for window in counted), default=now)


def longest_left(terms: Terms, now: Instant) -> Millis | None:
    """The longest stretch left in any window, open or to come; None: without end; 0: none."""
    lefts = [left_of(window, now) for window in usable_windows(terms, now)]
    if None in lefts:
        return None
    return max((left for left in lefts if left is not None), default=0)


def gates(
    spec: TaskSpec,
    terms: Terms,
    worker: str,
    now: Instant,
    left_ms: Millis | None = None,
    receive_ms: Millis = 0,
) -> list[Finding]:
    """Every gate this task does not pass on this worker. `left_ms` None: taken from the windows.
    `receive_ms`: for receiving its files, which counts against the window and not the run."""
    left = longest_left(terms, now) if left_ms is None else left_ms
    found = [
        _max_run(spec, terms, worker),
        _time_left(spec, terms.guard, worker, left, receive_ms),
        *_capacity(spec, terms, worker),
        _carries(spec, terms, worker),
        _command(spec, terms, worker),
        _paths(spec, terms, worker),
    ]
    return [finding for finding in found if finding is not None]


def _max_run(spec: TaskSpec, terms: Terms, worker: str) -> Finding | None:
    need = reserved_ms(spec)
    if need is None or terms.max_run_ms is None or need <= terms.max_run_ms:
        return None
    return Finding(
        code="LW301",
        tasks=(spec.name,),
        workers=(worker,),
        numbers={
            "need_ms": need,
            "cap_ms": terms.max_run_ms,
            "short_ms": need - terms.max_run_ms,
        },
    )


def left_of(window: Window, now: Instant) -> Millis | None:
    """What is left of a window that is open or to come; None: no end was set."""
    return None if window.closes_at is None else window.closes_at - max(now, window.opens_at)


def drift_of(guard: Guard, left: Millis | None) -> Millis:
    """What is kept free beside the guard for the drift of clocks until a window ends: 0.2 % of what
    is left of it, as far as the guard's clock error does not cover it."""
    return 0 if left is None else drift_ms(max(left, guard.clock_error_ms), guard.clock_error_ms)


def guard_numbers(guard: Guard, drift: Millis = 0) -> dict[str, int | str | list[str]]:
    """The guard and its parts, each named; and the drift of clocks, where it is more."""
    parts: dict[str, int | str | list[str]] = {"drift_ms": drift} if drift else {}
    return parts | {
        "guard_ms": guard.total_ms + drift,
        "stop_grace_ms": guard.stop_grace_ms,
        "kill_ms": guard.kill_ms,
        "delivery_ms": guard.delivery_ms,
        "clock_error_ms": guard.clock_error_ms,
    }


def _time_left(
    spec: TaskSpec, guard: Guard, worker: str, left: Millis | None, receive_ms: Millis
) -> Finding | None:
    if left is None:
        return None
    drift = drift_of(guard, left)
    have = left - guard.total_ms - drift - receive_ms
    need = reserved_ms(spec)
    receiving: dict[str, int | str | list[str]] = {"receive_ms": receive_ms} if receive_ms else {}
    if have <= 0:
        return Finding(
            code="LW309",
            tasks=(spec.name,),
            workers=(worker,),
            numbers={"left_ms": left, **guard_numbers(guard, drift), **receiving},
        )
    if need is None or need <= have:
        return None
    return Finding(
        code="LW302",
        tasks=(spec.name,),
        workers=(worker,),
        numbers={
            "need_ms": need,
            "have_ms": have,
            "short_ms": need - have,
            "left_ms": left,
            **guard_numbers(guard, drift),
            **receiving,
        },
    )


def _capacity(spec: TaskSpec, terms: Terms, worker: str) -> list[Finding]:
    asked, offered = spec.uses.vector(), terms.capacity.vector()
    return [
        Finding(
            code="LW401",
            tasks=(spec.name,),
            workers=(worker,),
            numbers=_amounts(resource, want, have),
        )
        for resource, want, have in zip(RESOURCES, asked, offered, strict=True)
        if want > have
    ]


def _amounts(resource: str, asked: int, offered: int) -> dict[str, int | str | list[str]]:
    unit = resource.rsplit("_", 1)[1] if "_" in resource else ""
    name = resource.rsplit("_", 1)[0] if unit else resource
    suffix = f"_{unit}" if unit else ""
    return {
        "resource": name,
        f"need{suffix}": asked,
        f"have{suffix}": min(offered, UNLIMITED),
    }


def _carries(spec: TaskSpec, terms: Terms, worker: str) -> Finding | None:
    labels = [label for label in spec.on.labels if label not in terms.labels]
    tools = [tool for tool in spec.on.tools if tool not in terms.tools]
    if not labels and not tools:
        return None
    return Finding(
        code="LW402",
        tasks=(spec.name,),
        workers=(worker,),
        numbers={"missing": labels + tools, "offered": sorted(terms.labels + terms.tools)},
    )


def first_word(run: str | tuple[str, ...]) -> str:
    """The command's name: argv[0], or a shell line's first word that is no assignment."""
    if not isinstance(run, str):
        return run[0] if run else ""
    try:
        words = shlex.split(run, comments=True)
    except ValueError:
        words = run.split()
    return next((word for word in words if "=" not in word.split("/", 1)[0]), "")


def _command(spec: TaskSpec, terms: Terms, worker: str) -> Finding | None:
    allowed = terms.scope.commands
    command = first_word(spec.run)
    name = command.rsplit("/", 1)[-1]
    if not allowed or any(
        fnmatchcase(command, pattern) or fnmatchcase(name, pattern) for pattern in allowed
    ):
        return None
    return Finding(
        code="LW501",
        tasks=(spec.name,),
        workers=(worker,),
        numbers={"command": command, "allowed": list(allowed)},
    )


def _paths(spec: TaskSpec, terms: Terms, worker: str) -> Finding | None:
    """Absolute declared paths outside the scope; relative ones belong to the working directory."""
    readable, writable = terms.scope.read, terms.scope.write
    outside = [path for path in spec.writes or () if writable and not _below(path, writable)] + [
        path for path in spec.reads or () if readable and not _below(path, readable + writable)
    ]
    if not outside:
        return None
    return Finding(
        code="LW502",
        tasks=(spec.name,),
        workers=(worker,),
        numbers={"paths": outside, "allowed": sorted({*readable, *writable})},
    )


def _below(path: str, roots: tuple[str, ...]) -> bool:
    if not path.startswith(("/", "~")):
        return True
    return any(path == root or path.startswith(root.rstrip("/") + "/") for root in roots)
