"""What a shell knows at one point of a command: its directory, variables and functions."""

from __future__ import annotations

import posixpath
import re

from msgspec import Struct, field
from tree_sitter import Node

START = "\x02"
"""Stands in a text for the directory in which the whole command starts."""
_LIKE_SPACE = re.compile(r"[A-Za-z][A-Za-z0-9_+.-]+:")


class Word(Struct, frozen=True):
    """One word of a command. `text` None: it is not known before the command runs."""

    text: str | None
    raw: str

    @classmethod
    def of(cls, text: str) -> Word:
        """A word that stands for itself."""
        return cls(text, text)


class Scope(Struct):
    """`cwd`: counted from where the command starts, or absolute; None: not known. A variable that
    is None, or not there, has a value that is not known."""

    cwd: str | None = "."
    variables: dict[str, str | None] = field(default_factory=dict)
    functions: dict[str, Node] = field(default_factory=dict)

    def copy(self) -> Scope:
        """What a subshell starts with."""
        return Scope(self.cwd, dict(self.variables), dict(self.functions))

    @property
    def here(self) -> str | None:
        """Its directory, as `pwd` says it."""
        return self.cwd if not self.cwd or self.cwd[0] in "/~" else f"{START}/{self.cwd}"

    def value(self, name: str) -> str | None:
        """A variable's value, if it is known."""
        if name == "PWD":
            return self.here
        return self.variables.get(name, "~" if name == "HOME" else None)

    def merge(self, ends: list[Scope]) -> None:
        """It went on in one of several ways: only what all of them agree on is known."""
        first, *others = ends
        self.cwd = first.cwd if all(end.cwd == first.cwd for end in others) else None
        names = {name for end in ends for name in end.variables}
        self.variables = {
            name: first.variables.get(name)
            if all(end.variables.get(name) == first.variables.get(name) for end in others)
            else None
            for name in names
        }
        for end in ends:
            self.functions.update(end.functions)


def joined(cwd: str | None, text: str) -> str | None:
    """A path seen from a directory; None: it cannot be told."""
    if text.startswith(("/", "~/")) or text == "~":
        return _plain(text)
    if text.startswith(START):
        return _plain(f".{text[1:]}")
    if cwd is None:
        return None
    return _plain(f"{cwd}/{text}")


def _plain(text: str) -> str:
    path = posixpath.normpath(text)
    path = path.removeprefix("/") if path.startswith("//") else path
    return f"./{path}" if _LIKE_SPACE.match(path) else path
