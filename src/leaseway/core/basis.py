"""The basis of a decision: taken down when it is made, put back when it is made again."""

from __future__ import annotations

from collections.abc import Iterable

from leaseway.core.model.basis import Basis
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Heardness, Settings, View
from leaseway.core.presence import heard_lately, is_leaving

_NEVER: Instant = -(1 << 60)
_USUAL = Settings()


def basis_of(view: View, now: Instant, named: Iterable[str] = ()) -> Basis:
    """What a decision at this moment rests on. `named`: workers whose last word it speaks of."""
    heard = view.presence.heard
    told = {name for name in view.facts.leases if not heard_lately(view, name, now)} | set(named)
    resumed = view.presence.resumed_at
    return Basis(
        heard={name: heard[name].at if name in heard else 0 for name in sorted(told)},
        leaving=tuple(name for name in sorted(view.facts.leases) if is_leaving(view, name)),
        resumed_at=resumed if now - resumed <= view.settings.patience_ms else 0,
        settings={
            name: value
            for name in Settings.__struct_fields__
            if (value := getattr(view.settings, name)) != getattr(_USUAL, name)
        },
    )


def put_back(view: View, basis: Basis, now: Instant) -> None:
    """Make a view of facts alone look as it did to whoever decided."""
    view.settings = Settings(**basis.settings)
    presence = view.presence
    presence.resumed_at = basis.resumed_at or _NEVER
    presence.looked_at = now
    presence.heard = {
        name: Heardness(at, 1, leaving=name in basis.leaving)
        for name in view.facts.leases
        if (at := basis.heard.get(name, now))
    }
