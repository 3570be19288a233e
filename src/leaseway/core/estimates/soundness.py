"""Whether a history can be believed at all: a row that makes no sense promises nothing."""

from __future__ import annotations

from leaseway.core.model.estimate import LEVEL_MOST_PPM, Run, Runs

_LONGEST_MS = 100 * 366 * 86_400_000  # a century: nothing has run for longer
_SHIFT_MOST = 1_000_000


def is_sound(past: Runs) -> bool:
    """Whether no number of this history is impossible. One that is not is passed over, as if it
    were not there, and begun anew with the next run."""
    if not (0 <= past.covered <= past.judged and abs(past.shift_ppm) <= _SHIFT_MOST):
        return False
    if not 0 < past.level_ppm <= LEVEL_MOST_PPM:
        return False
    if past.bound_ms is not None and not 0 <= past.bound_ms:
        return False
    return all(_is_run(run) for run in past.runs)


def _is_run(run: Run) -> bool:
    return 0 <= run.ran_ms <= _LONGEST_MS and run.pair_ms >= 0 and run.bound_ms >= 0
