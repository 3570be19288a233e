"""Which services there are: a coordinator for each state folder, a worker for each name."""

from __future__ import annotations

import hashlib
from pathlib import Path

from leaseway.cli.services.unit import Service
from leaseway.cli.setting import default_state
from leaseway.core.model.units import Millis

COORDINATOR, WORKER = "leaseway-coordinator", "leaseway-worker-"
STOP_S = 20
"""Answering what is under way, or telling the coordinator that this worker leaves, and some air."""

_UNKNOWN_USAGE, _REFUSED, _SUPERSEDED = 2, 3, 4


def coordinator(state: Path, words: list[str], environment: dict[str, str]) -> Service:
    """Every failure is tried again: a port may become free, a disk may come back."""
    here = state.expanduser().absolute()
    usual = here == default_state().absolute()
    own = "" if usual else "-" + hashlib.sha256(str(here).encode()).hexdigest()[:8]
    about = f"Leaseway coordinator, state in {here}"
    return Service(COORDINATOR + own, about, tuple(words), environment, STOP_S)


def worker(
    name: str, words: list[str], environment: dict[str, str], stops_within_ms: Millis
) -> Service:
    """`stops_within_ms`: how long the tasks have to end if leaving stops them, else 0. A worker
    that was refused, or whose name a newer one took, is not started again."""
    return Service(
        name=WORKER + name,
        about=f"Leaseway worker {name}",
        words=tuple(words),
        environment=environment,
        stop_s=STOP_S + -(-stops_within_ms // 1000),
        no_return=(_UNKNOWN_USAGE, _REFUSED, _SUPERSEDED),
        holds_tasks=True,
    )
