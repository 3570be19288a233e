"""The known word that somebody probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

# What other tools call the same thing; spelled with underscores.
FOREIGN = {
    "after": "needs",
    "args": "run",
    "argv": "run",
    "cmd": "run",
    "command": "run",
    "concurrency": "max_parallel",
    "cpu": "cpus",
    "cwd": "workdir",
    "deadline": "by",
    "dependencies": "needs",
    "depends": "needs",
    "depends_on": "needs",
    "dependson": "needs",
    "dir": "workdir",
    "duration": "estimate",
    "environment": "env",
    "gpu": "gpus",
    "hosts": "workers",
    "inputs": "reads",
    "jobs": "tasks",
    "lock": "holds",
    "locks": "holds",
    "max_runtime": "max_run_time",
    "max_time": "limit",
    "max_workers": "max_parallel",
    "mem": "memory",
    "name": "id",
    "ram": "memory",
    "requires": "needs",
    "resources": "uses",
    "retries": "repeat",
    "retry": "repeat",
    "script": "run",
    "time_limit": "limit",
    "timeout": "limit",
    "walltime": "limit",
}
LONGEST = 80


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The one of `known` that `word` probably stands for, or None."""
    names = sorted(known)
    plain = word[:LONGEST].strip().lower().replace("-", "_").replace(" ", "_")
    meant = FOREIGN.get(plain)
    if meant in names:
        return meant
    found = difflib.get_close_matches(plain, names, n=1, cutoff=0.6)
    return found[0] if found else None
