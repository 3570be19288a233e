"""Goal: the budgets and habits of the code hold. Method: read every Python file of the checkout."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from tests.checkout import ROOT, SRC, committed_files, name_of, parsed, python_files, uses

RATCHET = "tests/tidy_ratchet.toml"

FUNCTION_SOFT, FUNCTION_HARD = 40, 70
FILE_SOFT, FILE_HARD = 300, 500
PARAMETERS = 6
VAGUE = {"utils", "util", "helpers", "helper", "common", "base", "manager", "managers", "misc"}
# Written so that the pattern does not match its own text.
FOREIGN = re.compile(
    r"(?<![\w.~-])/(?:work|root)/|\b(?:pypi|pythonhosted|npmjs|debian)\.(?:org|com|net|io)\b"
)
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


ALL_CODE = python_files("src", "tests", "tools", "bench")
SOURCE = python_files("src")


@cache
def ratchet() -> dict[str, Any]:
    return tomllib.loads((ROOT / RATCHET).read_text(encoding="utf-8"))


def functions(tree: ast.Module) -> Iterator[FunctionNode]:
    return (node for node in ast.walk(tree) if isinstance(node, FunctionNode))


def body_lines(function: FunctionNode) -> int:
    """Lines from the first statement after the docstring to the last."""
    body = function.body
    if ast.get_docstring(function, clean=False) is not None:
        body = body[1:]
    return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0


def long_functions(over: int) -> list[str]:
    return [
        f"{name_of(path)}:{function.lineno} {function.name} ({lines} lines)"
        for path in ALL_CODE
        for function in functions(parsed(path))
        if (lines := body_lines(function)) > over
    ]


def long_files(over: int) -> list[str]:
    return [
        f"{name_of(path)} ({lines} lines)"
        for path in ALL_CODE
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > over
    ]


def test_no_function_over_the_wall():
    assert long_functions(FUNCTION_HARD) == []


def test_no_file_over_the_wall():
    assert long_files(FILE_HARD) == []


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("functions_over_40_lines", long_functions(FUNCTION_SOFT)),
        ("files_over_300_lines", long_files(FILE_SOFT)),
    ],
    ids=["functions", "files"],
)
def test_ratchet(key, found):
    allowed = ratchet()[key]
    listing = "\n  ".join(found)
    assert len(found) <= allowed, (
        f"{key}: {len(found)}, and {RATCHET} allows {allowed}. Two ideas in one?\n  {listing}"
    )
    assert len(found) == allowed, f"{key} fell to {len(found)}: lower it in {RATCHET}"


def test_few_parameters():
    found = []
    for path in SOURCE:
        for function in functions(parsed(path)):
            arguments = function.args
            names = [a.arg for a in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]
            names = names[1:] if names[:1] in (["self"], ["cls"]) else names
            if len(names) > PARAMETERS:
                found.append(f"{name_of(path)}:{function.lineno} {function.name} ({len(names)})")
    assert found == [], "more than six parameters: make a frozen record of options"


def test_no_vague_names():
    found = [
        name_of(path)
        for path in ALL_CODE
        if VAGUE & {part.removesuffix(".py").strip("_") for part in path.relative_to(ROOT).parts}
    ]
    assert found == [], "say what the module is about"


def test_no_broad_except():
    """Only a handler that raises again may catch everything."""
    found = [
        f"{name_of(path)}:{node.lineno}"
        for path in SOURCE
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or catches_all(node.type))
        and not any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
    ]
    assert found == []


def catches_all(caught: ast.expr) -> bool:
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(isinstance(n, ast.Name) and n.id in ("Exception", "BaseException") for n in names)


def test_tests_do_not_sleep():
    allowed = ratchet()["may_sleep"]
    found = [
        f"{name_of(path)}:{line}"
        for path in python_files("tests")
        if name_of(path) not in allowed
        for line in uses(parsed(path), "time", {"sleep"})
    ]
    assert found == [], f"wait for the thing, not for the clock; or list the file in {RATCHET}"


def test_every_package_states_its_rule():
    folders = {path.parent for path in SOURCE if SRC in path.parents}
    found = [
        name_of(folder)
        for folder in sorted(folders)
        if not (folder / "__init__.py").exists()
        or not ast.get_docstring(parsed(folder / "__init__.py"))
    ]
    assert found == [], "these packages have no __init__.py with a docstring that states one rule"


def test_no_foreign_host_or_machine_path():
    found = []
    for path in committed_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [
            f"{name_of(path)}:{number}"
            for number, line in enumerate(text.splitlines(), start=1)
            if FOREIGN.search(line)
        ]
    assert found == [], "a registry host or a path of one machine stands in a committed file"
