"""One line in the log for whom the door was shut on: who, from where, what for; no secret, and not
a line for every knock."""

from __future__ import annotations

import logging

from leaseway.core.model.units import Instant, Millis

QUIET_MS: Millis = 60_000
MOST = 1_000
_log = logging.getLogger(__name__)


class Refusals:
    """What was told lately, so that whoever knocks in a loop does not fill the disk."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, str, str], Instant] = {}

    def tell(self, who: str, source: str, what: str, now: Instant) -> None:
        """`who`: a credential's name, empty for none. `what`: as in "may not …"."""
        key = (who, source, what)
        if now - self._told.get(key, now - QUIET_MS) < QUIET_MS:
            return
        if len(self._told) >= MOST:
            self._told = {each: at for each, at in self._told.items() if now - at < QUIET_MS}
            if len(self._told) >= MOST:
                return
        self._told[key] = now
        _log.warning("refused: %s from %s may not %s", who or "nobody known", source, what)
