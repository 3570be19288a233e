"""Terms under which nothing could ever run: told when they are offered, not when work is missing.

`zero` is not `absent`: a lease without a cap says nothing of it, a cap of zero lets nothing start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from leaseway.core.admission.gates import guard_numbers, usable_windows
from leaseway.core.model.capacity import Capacity
from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Guard, Terms, TermsOffer, WindowOffer
from leaseway.core.model.units import Instant, Millis

WORKER_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")


def bad_name(name: str) -> Finding | None:
    """A name that no worker can have: it becomes part of paths, addresses and logs."""
    if WORKER_NAME.fullmatch(name):
        return None
    return Finding(code="LW404", variant="bad-name", numbers={"name": name})


def wrong_offer(worker: str, offer: TermsOffer) -> list[Finding]:
    """What is impossible in an offer, whenever it is made."""
    found = [*_zeros(worker, offer.max_run_ms, offer.capacity), *_shares(worker, offer.share)]
    found += wrong_windows(worker, offer.windows)
    lengths = [
        None if window.closes_in_ms is None else window.closes_in_ms - window.opens_in_ms
        for window in offer.windows
    ]
    return found or list(_too_short(worker, lengths, offer.guard))


def wrong_terms(worker: str, terms: Terms, now: Instant, *, windows: bool) -> list[Finding]:
    """What is impossible in terms from now on; `windows`: whether these or the guard are new."""
    found = [*_zeros(worker, terms.max_run_ms, terms.capacity), *_shares(worker, terms.share)]
    if not windows:
        return found
    lengths = [
        None if window.closes_at is None else window.closes_at - max(now, window.opens_at)
        for window in usable_windows(terms, now)
    ]
    return found or list(_too_short(worker, lengths, terms.guard))


def wrong_windows(worker: str, windows: tuple[WindowOffer, ...]) -> Iterator[Finding]:
    """No window at all, or windows that would close before they open, or with that."""
    if not windows:
        yield Finding(code="LW901", workers=(worker,), variant="no-windows")
    for window in windows:
        if window.closes_in_ms is not None and window.closes_in_ms <= window.opens_in_ms:
            yield Finding(
                code="LW901",
                workers=(worker,),
                variant="window",
                numbers={"opens_in_ms": window.opens_in_ms, "closes_in_ms": window.closes_in_ms},
            )


def _zeros(worker: str, max_run_ms: Millis | None, capacity: Capacity) -> Iterator[Finding]:
    amounts = (
        ("max run time", max_run_ms),
        ("cpus", capacity.cpus_milli),
        ("slots", capacity.slots),
    )
    for key, amount in amounts:
        if amount is not None and amount <= 0:
            numbers: dict[str, int | str | list[str]] = {"key": key}
            yield Finding(code="LW901", workers=(worker,), variant="zero-terms", numbers=numbers)


def _shares(worker: str, share: dict[str, int]) -> Iterator[Finding]:
    """A share of nothing would lock everybody of a kind out without a word."""
    for role, percent in share.items():
        if not 1 <= percent <= 100:
            numbers: dict[str, int | str | list[str]] = {"role": role, "got": f"{percent}%"}
            yield Finding("LW901", (), (worker,), numbers, "share")


def _too_short(worker: str, lengths: list[Millis | None], guard: Guard) -> Iterator[Finding]:
    """No window is longer than the guard that is kept free at its end."""
    ends = [length for length in lengths if length is not None]
    if not ends or len(ends) < len(lengths) or max(ends) > guard.total_ms:
        return
    numbers = {"left_ms": max(ends), **guard_numbers(guard)}
    yield Finding(code="LW309", workers=(worker,), variant="terms", numbers=numbers)
