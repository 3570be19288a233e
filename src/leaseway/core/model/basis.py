"""What a decision rested on besides the ledger: kept with it, so that it can be made again."""

from __future__ import annotations

from msgspec import Struct, field

from leaseway.core.model.units import Instant


class Basis(Struct, frozen=True, omit_defaults=True):
    """Who had been heard when a decision was made, and the settings that were not the usual ones.
    `heard`: workers that had not been heard within the patience, or that the decision speaks of →
    when each last was (0: never); all others had just been. `leaving`: who had said that its
    daemon ends. `resumed_at`: the coordinator's last start, while that still mattered."""

    heard: dict[str, Instant] = field(default_factory=dict)
    leaving: tuple[str, ...] = ()
    resumed_at: Instant = 0
    settings: dict[str, int] = field(default_factory=dict)
    partial: bool = False  # of a submit: what fits may be taken alone
    strict: bool = False
    ordered: bool = True
    ask: tuple[str, ...] = ()


class By(Struct, frozen=True, omit_defaults=True):
    """The command that placed tasks anew; see `core.model.commands`."""

    command: str  # advance | recheck | tick
    worker: str = ""
    why: str = ""
    everything: bool = False
