"""The service: the only caller of `decide`, and the owner of the view.

Per batch: every command is decided and evolved on the view; then one transaction appends the whole
batch; only then may anybody be told (`door` does that). If the append fails, nothing was said and
the view is made anew from the ledger.

Three steps, so that the middle one may run in a thread while the view rests:

    draft = service.draft(commands)     decides, writes nothing
    service.append(draft)               the one place where something is stored
    service.stored(draft)               snapshot if due
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from leaseway.coordinator.errors import BrokenHistory, Defect
from leaseway.coordinator.restore import restored, save
from leaseway.coordinator.rows import rows_of
from leaseway.core.decide import carry_out
from leaseway.core.decisions.decision import Refused
from leaseway.core.index import take_touched
from leaseway.core.model.commands import Command, Open, Tick
from leaseway.core.model.events import Heard, Judged, Stamped
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Settings, View
from leaseway.core.rings import rings
from leaseway.ledger.errors import LedgerUnavailable
from leaseway.ledger.port import Batch, Ledger
from leaseway.runtime import Clock, LedgerClock, fresh_id

_log = logging.getLogger(__name__)
_MARKS = (Heard, Judged)

Reply = Any
"""What a decision answered; its type belongs to its command."""


class ServiceOptions(Struct, frozen=True):
    """The pool's settings, how often a snapshot is due, and where new names come from."""

    settings: Settings = Settings()
    snapshot_every: int = 20_000
    fresh: Callable[[str], str] = fresh_id


@dataclass
class Draft:
    """A batch that was decided and is not stored yet. `answers`: one for each command."""

    answers: list[Reply | Refused] = field(default_factory=list)
    stamped: list[Stamped] = field(default_factory=list)
    rings: dict[str, None] = field(default_factory=dict)
    batch: Batch | None = None  # None: nothing to store


class Service:
    """One ledger, one view, one term."""

    def __init__(self, ledger: Ledger, clock: Clock, options: ServiceOptions, term: int) -> None:
        self.ledger = ledger
        self.options = options
        self.clock = LedgerClock.start(clock, ledger.anchor())
        self.term = term
        self.stale = False  # the view holds what is not in the ledger
        self._since_snapshot = 0
        self.view = View(options.settings)
        self.recover()

    @classmethod
    def lead(
        cls, ledger: Ledger, clock: Clock, holder: str, options: ServiceOptions | None = None
    ) -> Service:
        """Take a new term of this ledger and fold its events."""
        term = ledger.take_term(holder)
        return cls(ledger, clock, options or ServiceOptions(), term)

    def now(self) -> Instant:
        """Ledger time; never before what has happened."""
        return max(self.clock.now(), self.view.facts.last_at)

    def recover(self) -> None:
        """Make the view anew from the ledger. Nobody is judged before having been heard."""
        self.stale = True
        self.view = restored(self.ledger, self.options.settings)
        self._preface: list[Command] = [Tick(resumed=True)]
        if not self.view.facts.ledger_id:
            self._preface.insert(0, Open(self.options.fresh("ledger")))
        self.stale = False

    def draft(self, commands: Sequence[Command]) -> Draft:
        """Decide a batch on the view. Defect: the view is spoilt, `recover` it."""
        draft, now = Draft(), self.now()
        preface, self._preface = self._preface, []
        for command in preface:
            try:
                self._decide(draft, -1, command, now)
            except Defect as wrong:
                raise BrokenHistory(f"after a replay, {wrong}") from wrong
        draft.answers.clear()
        for at, command in enumerate(commands):
            self._decide(draft, at, command, now)
        self._complete(draft)
        return draft

    def _complete(self, draft: Draft) -> None:
        """What is stored with the events, and who is woken by them."""
        touched = take_touched(self.view)
        if not draft.stamped:
            return
        try:
            rows = rows_of(self.view, touched)
            woken = [name for each in draft.stamped for name in rings(self.view, each.event)]
        except Exception as wrong:
            raise BrokenHistory(
                f"the rows of a batch cannot be made: {type(wrong).__name__}: {wrong}"
            ) from wrong
        draft.batch = Batch(tuple(draft.stamped), rows, self.clock.mark())
        draft.rings.update(dict.fromkeys([*woken, "events"]))

    def append(self, draft: Draft) -> None:
        """Store the batch, whole or not at all. LedgerUnavailable: `recover`; TermLost: be silent.
        May run in a thread."""
        if draft.batch is None:
            return
        self.stale = True
        head = self.ledger.append(draft.batch)
        if head != self.view.facts.position:
            raise BrokenHistory(
                f"the ledger ends at {head} and the view at {self.view.facts.position}"
            )
        self.stale = False

    def stored(self, draft: Draft) -> None:
        """The batch is in the ledger: take a snapshot if one is due."""
        self._since_snapshot += len(draft.stamped)
        if self._since_snapshot < self.options.snapshot_every:
            return
        try:
            save(self.ledger, self.view)
        except LedgerUnavailable as wrong:
            _log.warning("no snapshot at %d: %s", self.view.facts.position, wrong)
            return
        self._since_snapshot = 0

    def carry_out(self, commands: Sequence[Command]) -> Draft:
        """All three steps at once, for those who need no thread. Raises like each of them; after
        LedgerUnavailable or Defect the view is as the ledger tells it."""
        try:
            draft = self.draft(commands)
            self.append(draft)
        except (Defect, LedgerUnavailable):
            self.recover()
            raise
        self.stored(draft)
        return draft

    def _decide(self, draft: Draft, at: int, command: Command, now: Instant) -> None:
        try:
            carried = carry_out(self.view, command, now)
        except Exception as wrong:
            self.stale = True
            raise Defect(at, command, wrong) from wrong
        for event in carried.events:
            if not isinstance(event, _MARKS):
                draft.stamped.append(Stamped(now, event))
        draft.answers.append(carried.reply if carried.refused is None else carried.refused)
