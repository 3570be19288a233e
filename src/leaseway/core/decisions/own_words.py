"""Who wins between what a worker's owner wrote for it and what was set by command later.

The command wins until the owner's words change: then they do, and every difference is told. Words
are compared by the digest that travels with the offer, so a clock time said again is the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, structs

from leaseway.core.decisions.windows import continued
from leaseway.core.model.capacity import RESOURCES, Capacity
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.lease import Guard, Scope, Terms, TermsOffer, changed_names
from leaseway.core.model.states import LeaseState
from leaseway.core.model.units import Instant, show_bytes, show_cpus, show_ms
from leaseway.core.model.view import Lease

_WORDS = {
    "windows": "windows",
    "max_run_ms": "longest task",
    "tokens": "tokens",
    "labels": "labels",
    "tools": "tools",
    "guard": "guard",
    "share": "share",
    "scope": "scope",
    "mode": "how cpus are promised",
    "stretch_percent": "stretch",
    "extendable_until": "extendable",
}
_NONE = "none"


class Settled(Struct, frozen=True):
    """The terms after a registration, and which of them are still as a command set them."""

    terms: Terms
    version: int
    kept: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


def settled(before: Lease | None, offer: TermsOffer, offered_at: Instant, now: Instant) -> Settled:
    """What holds when a worker registers with this offer."""
    fresh = offer.at(offered_at)
    if before is None:
        return Settled(fresh, 1)
    if before.state is LeaseState.ENDED:
        return Settled(fresh, before.version + 1)
    if offer.recurring:
        windows = continued(before.terms.windows, fresh.windows, now)
        fresh = structs.replace(fresh, windows=windows)
    if not same_words(before.offer, offer):
        told = tuple(differences(before.worker, before.terms, fresh, now)) if offer.digest else ()
        return Settled(fresh, before.version + (fresh != before.terms), (), told)
    return _same_again(before, offer, fresh, now)


def same_words(before: TermsOffer, offer: TermsOffer) -> bool:
    """Whether the owner says what was said before."""
    return before.digest == offer.digest if before.digest and offer.digest else before == offer


def _same_again(before: Lease, offer: TermsOffer, fresh: Terms, now: Instant) -> Settled:
    """The same words: what a command set stays, and no window begins anew while one is left."""
    old = before.terms
    left = any(window.closes_at is None or window.closes_at > now for window in old.windows)
    kept = tuple(name for name in before.set_terms if name != "windows" or left)
    if left and ("windows" in kept or not offer.recurring):
        fresh = structs.replace(fresh, windows=old.windows, recurring=old.recurring)
        fresh = structs.replace(fresh, extendable_until=old.extendable_until)
    terms = structs.replace(fresh, **{name: getattr(old, name) for name in kept})
    told: tuple[Finding, ...] = ()
    if kept:
        numbers: dict[str, int | str | list[str]] = {
            "set_at": before.set_at,
            "names": [_WORDS.get(name, name) for name in kept],
        }
        told = (
            Finding(
                "LW606", (), (before.worker,), numbers, variant="stays", severity=Severity.NOTE
            ),
        )
    return Settled(terms, before.version + (terms != old), kept, told)


def differences(worker: str, old: Terms, new: Terms, now: Instant) -> Iterator[Finding]:
    """One finding for each term that is another now: what it was and what it is."""
    for key, was, will in _lines(old, new, now):
        numbers: dict[str, int | str | list[str]] = {"key": key, "old": was, "new": will}
        yield Finding("LW606", (), (worker,), numbers, severity=Severity.NOTE)


def _lines(old: Terms, new: Terms, now: Instant) -> Iterator[tuple[str, str, str]]:
    for name in changed_names(old, new):
        if name == "capacity":
            yield from _amounts(old.capacity, new.capacity)
            continue
        was, will = _text(old, name, now), _text(new, name, now)
        if was != will:
            yield _WORDS[name], was, will


def _amounts(old: Capacity, new: Capacity) -> Iterator[tuple[str, str, str]]:
    for name in RESOURCES:
        was, will = getattr(old, name), getattr(new, name)
        if _amount(name, was) != _amount(name, will):  # a disk is measured anew each time
            yield (
                name.removesuffix("_milli").removesuffix("_bytes"),
                _amount(name, was),
                _amount(name, will),
            )


def _amount(name: str, amount: int | None) -> str:
    if amount is None:
        return "unlimited"
    if name.endswith("_bytes"):
        return show_bytes(amount)
    return show_cpus(amount) if name.endswith("_milli") else str(amount)


def _text(terms: Terms, name: str, now: Instant) -> str:
    if name == "extendable_until":
        until = terms.extendable_until
        return _NONE if until is None else f"for {show_ms(max(0, until - now) // 1000 * 1000)}"
    match getattr(terms, name):
        case None:
            return "no cap"
        case int(length):
            return show_ms(length)
        case Guard() as guard:
            return show_ms(guard.total_ms)
        case Scope() as scope:
            return _scope(scope)
        case dict() as share:
            return ", ".join(f"{role}s {part}%" for role, part in share.items()) or _NONE
        case _:
            pass
    if name == "windows":
        return terms.recurring or _windows(terms, now)
    return ", ".join(getattr(terms, name)) or _NONE


def _scope(scope: Scope) -> str:
    parts = [
        f"{word} {' '.join(names)}"
        for word, names in (
            ("commands", scope.commands),
            ("read", scope.read),
            ("write", scope.write),
        )
        if names
    ]
    parts += [f"network {scope.network}"] if scope.network != "all" else []
    parts += [f"enforce {scope.enforce}"] if scope.enforce != "where possible" else []
    return ", ".join(parts) or "everything"


def _windows(terms: Terms, now: Instant) -> str:
    ends = [window.closes_at for window in terms.windows]
    if None in ends:
        return "no end set"
    last = max((end for end in ends if end is not None), default=now)
    return f"open for {show_ms((last - now) // 1000 * 1000)}" if last > now else "closed"
