"""What may go wrong between a request and its decision.

CoordinatorError
├── NotAccepted          503: nothing of this request was accepted; another try may be
├── Defect               500: deciding this command broke an invariant; the view was made anew
└── BrokenHistory        the ledger itself no longer folds into a view: the process must stop

NotStarted               a coordinator cannot be started so, and why
"""

from __future__ import annotations


class CoordinatorError(Exception):
    """A request could not be decided."""


class NotAccepted(CoordinatorError):
    """Nothing of this request was accepted."""


class Defect(CoordinatorError):
    """Deciding command number `at` of a batch broke an invariant."""

    def __init__(self, at: int, command: object, wrong: Exception) -> None:
        kind = type(command).__name__
        super().__init__(f"{kind} broke an invariant: {type(wrong).__name__}: {wrong}")
        self.at = at
        self.command = command


class NotStarted(Exception):
    """A coordinator cannot be started so, and why."""


class BrokenHistory(CoordinatorError):
    """The ledger no longer folds into a view."""
