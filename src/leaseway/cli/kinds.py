"""Kinds of option values: durations, sizes, cpus; a wrong one is a usage error with an example."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leaseway.core.model.units import parse_duration, parse_size

if TYPE_CHECKING:
    from leaseway.planfile.recurring import Rule

UNLIMITED = -1
"""Said where there is to be no bound; other than None, which says nothing."""
WORDS_FOR_NONE = ("unlimited", "none", "forever")


def duration(text: str) -> int:
    """`90s`, `8m`, `1h30m` → milliseconds."""
    try:
        return parse_duration(text)
    except (ValueError, OverflowError):
        raise click.BadParameter(f"expected 90s, 8m or 1h30m, got {text}") from None


def bound(text: str) -> int:
    """The same, or `unlimited` → UNLIMITED."""
    if text.strip().lower() in WORDS_FOR_NONE:
        return UNLIMITED
    try:
        return duration(text)
    except click.BadParameter:
        raise click.BadParameter(f"expected 90s, 8m, 1h30m or unlimited, got {text}") from None


def limit(text: str) -> int | None:
    """The same of a task: `unlimited` is as if nothing were said."""
    length = bound(text)
    return None if length == UNLIMITED else length


def worker(text: str) -> str:
    """A name that a worker can have: it becomes part of an address."""
    from leaseway.core.decisions.terms import bad_name

    if not text.strip():
        raise click.BadParameter("expected the name of a worker, got nothing")
    if bad_name(text) is not None:
        raise click.BadParameter(f"no worker can be called {text!r}; see: leaseway workers")
    return text


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


def path(text: str) -> str:
    """A file, a folder or a glob; nothing names nothing."""
    if not text.strip():
        raise click.BadParameter("expected a file, a folder or a glob, got nothing")
    return text


def clock_time(text: str) -> str:
    """`18:00`, checked and left as it is: what it means depends on when it is asked."""
    from leaseway.planfile import moments

    if moments.clock_time(text) is None:
        raise click.BadParameter(f"expected a clock time such as 18:00, got {text}")
    return text


def until_ms(text: str) -> int:
    """`18:00` → milliseconds from now until the clock shows it next."""
    from leaseway.planfile import moments
    from leaseway.runtime import Clock

    clock = moments.clock_time(text)
    assert clock is not None, "it was checked when it was typed"
    return moments.until_clock_ms(clock, Clock.of_environment().wall_ms())


def window(text: str) -> Rule:
    """`daily 22:00-07:00` → a recurring window."""
    from leaseway.planfile.recurring import NotRecurring, read_rule

    try:
        return read_rule(text)
    except NotRecurring as error:
        raise click.BadParameter(f"expected {error}, got {text}") from None


def zone(text: str) -> str:
    """`Europe/Berlin`, checked."""
    from leaseway.planfile.recurring import NotRecurring, zone_of

    try:
        zone_of(text)
    except NotRecurring as error:
        raise click.BadParameter(f"expected {error}; got {text}") from None
    return text


def share(text: str) -> tuple[str, int]:
    """`agents=50%` → the role and its percentage. None at all would lock everybody of a kind out
    without a word: that is said with credentials."""
    kind, _, part = text.partition("=")
    digits = part.strip().removesuffix("%").strip()
    percent = int(digits) if digits.isascii() and digits.isdigit() else 0
    if kind not in ("agents", "owners") or not 1 <= percent <= 100 or "%" not in part:
        raise click.BadParameter(f"expected agents=50% or owners=80%, 1% to 100%, got {text}")
    return kind.removesuffix("s"), percent
