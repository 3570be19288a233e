"""Goal: only runtime.py reads clock and chance. Method: look for such reads everywhere else."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.checkout import SRC, name_of, parsed, python_files, uses

CHANCE = {"random", "secrets", "uuid"}
READERS = {
    "time": {
        "time",
        "time_ns",
        "monotonic",
        "monotonic_ns",
        "perf_counter",
        "perf_counter_ns",
        "clock_gettime",
        "clock_gettime_ns",
        "localtime",
        "gmtime",
        "ctime",
    },
    "os": {"urandom", "getrandom"},
}
NOW = {"now", "utcnow", "today"}


def chance_imports(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and CHANCE & {a.name for a in node.names}:
            yield node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module in CHANCE:
            yield node.lineno


def dates_of_now(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = ast.unparse(node.func.value).split(".")[-1]
            if node.func.attr in NOW and owner in ("datetime", "date"):
                yield node.lineno


def clock_reads(tree: ast.Module) -> list[int]:
    lines = [line for module, wanted in READERS.items() for line in uses(tree, module, wanted)]
    return sorted([*lines, *chance_imports(tree), *dates_of_now(tree)])


def test_one_reader_of_clock_and_chance():
    found = [
        f"{name_of(path)}:{line}"
        for path in python_files("src")
        if path != SRC / "runtime.py"
        for line in clock_reads(parsed(path))
    ]
    assert found == [], "time and chance are arguments; only runtime.py reads them"


@pytest.mark.parametrize(
    "source",
    [
        "import time\nstart = time.monotonic()",
        "import time as t\nread = t.time_ns",
        "from time import clock_gettime",
        "import uuid",
        "from random import Random",
        "import os\nos.urandom(8)",
        "import datetime\ndatetime.datetime.now()",
    ],
)
def test_clock_reads_are_seen(source):
    assert clock_reads(ast.parse(source))
