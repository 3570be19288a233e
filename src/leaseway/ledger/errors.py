"""What a ledger may raise.

LedgerError
├── LedgerUnavailable    the disk did not take it; nothing was written, later calls may work
├── TermLost             another coordinator leads; this handle writes nothing any more
├── LedgerInUse          another process holds the folder
└── LedgerUnreadable     damaged, not a ledger, or written by a newer Leaseway
    └── UnknownEvent     an event of a kind or a schema that this version does not know
"""

from __future__ import annotations


class LedgerError(Exception):
    """A ledger could not do what it was asked."""


class LedgerUnavailable(LedgerError):
    """The store did not take it (full, I/O error, busy, closed) and nothing of it was written."""


class TermLost(LedgerError):
    """Another coordinator has taken a newer term, or this one never took any."""

    def __init__(self, mine: int, current: int, holder: str) -> None:
        if mine:
            said = f"term {mine} is over: {holder!r} holds term {current} of this ledger"
        else:
            said = "no term of this ledger was taken, so nothing may be written to it"
        super().__init__(said)
        self.mine = mine
        self.current = current
        self.holder = holder


class LedgerInUse(LedgerError):
    """Another process holds the folder; a ledger has one writer."""


class LedgerUnreadable(LedgerError):
    """The file is damaged, is not a ledger, or was written by a newer version."""


class UnknownEvent(LedgerUnreadable):
    """A stored event is of a kind or a schema that this version does not know."""
