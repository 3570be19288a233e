"""Kinds of option values: durations, sizes, cpus; a wrong one is a usage error with an example."""

from __future__ import annotations

import click

from leaseway.core.model.units import parse_duration, parse_size


def duration(text: str) -> int:
    """`90s`, `8m`, `1h30m` → milliseconds."""
    try:
        return parse_duration(text)
    except (ValueError, OverflowError):
        raise click.BadParameter(f"expected 90s, 8m or 1h30m, got {text}") from None


def size(text: str) -> int:
    """`512MiB`, `8GB` → bytes."""
    try:
        return parse_size(text)
    except (ValueError, OverflowError):
        raise click.BadParameter(f"expected 512MiB or 8GB, got {text}") from None


def cpus(text: str) -> int:
    """`4`, `0.5` → thousandths of a cpu."""
    try:
        milli = round(float(text) * 1000)
    except (ValueError, OverflowError):
        milli = -1
    if milli < 0:
        raise click.BadParameter(f"expected a number of cpus such as 4 or 0.5, got {text}")
    return milli


def clock_time(text: str) -> int:
    """`18:00` → milliseconds from now until the clock shows it next."""
    from leaseway.planfile import moments
    from leaseway.runtime import Clock

    clock = moments.clock_time(text)
    if clock is None:
        raise click.BadParameter(f"expected a clock time such as 18:00, got {text}")
    return moments.until_clock_ms(clock, Clock.of_environment().wall_ms())
