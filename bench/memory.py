"""Proportional memory and CPU of processes, from /proc."""

from __future__ import annotations

import os
from pathlib import Path

_TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")


def pss_mb(pids: list[int]) -> float:
    """Proportional set size of these processes together, in MB; ended ones count nothing."""
    total = 0
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        except OSError:
            continue
        total += next(int(line.split()[1]) for line in text.splitlines() if line[:4] == "Pss:")
    return total / 1024


def cpu_ms(pids: list[int]) -> float:
    """CPU time so far of these processes and of the children they have waited for."""
    total = 0.0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(int(fields[at]) for at in (11, 12, 13, 14)) * _TICK_MS
    return total


def named(pids: list[int], words: str) -> list[int]:
    """Those whose command line holds these words."""
    found = []
    for pid in pids:
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if words in line:
            found.append(pid)
    return found
