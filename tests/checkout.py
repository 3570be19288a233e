"""What the tests about the checkout itself read: its files, parsed once."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src" / "leaseway"


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def committed_files() -> list[Path]:
    """What git tracks; in a checkout without git, everything that is not generated."""
    try:
        done = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return [p for p in ROOT.rglob("*") if p.is_file() and not generated(p)]
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def generated(path: Path) -> bool:
    hidden = {".ci", ".github", ".importlinter", ".gitignore"}
    parts = path.relative_to(ROOT).parts
    return any(
        part == "__pycache__" or (part.startswith(".") and part not in hidden) for part in parts
    )


def module_aliases(tree: ast.Module, module: str) -> set[str]:
    return {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == module
    }


def uses(tree: ast.Module, module: str, wanted: set[str]) -> Iterator[int]:
    """Lines that take one of the wanted names from the module, by attribute or by import."""
    aliases = module_aliases(tree, module)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == module:
            if wanted & {alias.name for alias in node.names}:
                yield node.lineno
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in aliases
            and node.attr in wanted
        ):
            yield node.lineno
