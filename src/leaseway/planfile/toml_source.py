"""TOML text → value, and where each key of it stands.

tomllib says no positions for what it read. `KeyScan` finds them again in text that tomllib has
accepted: it knows headers, keys and where values end, nothing about what values mean.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass

from leaseway.planfile.report import KeyPath, Place, Problem, Report, show_key
from leaseway.planfile.text_places import line_starts, place_of, places_of

_SPACE = re.compile(r"[ \t]*")
_GAP = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_KEY_PART = re.compile(r"""("(?:[^"\\\n]++|\\.)*+"|'[^'\n]*'|[^\s.=\[\]{}"'#,]+)[ \t]*""")
_SCALAR = re.compile(
    r'''"""(?:[^"\\]++|\\.|"{1,2}(?!"))*+"{3,5}|\'\'\'(?:[^']++|'{1,2}(?!'))*+'{3,5}'''
    r"""|"(?:[^"\\\n]++|\\.)*+"|'[^'\n]*'|[^,\[\]{}"'#\n]+""",
    re.DOTALL,
)
_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_TWICE = (
    "Cannot declare",
    "Cannot mutate",
    "Cannot overwrite",
    "Cannot redefine",
    "Duplicate inline table key",
)


def parse_toml(text: str, report: Report) -> object:
    """The value of a TOML text; a mistake of syntax is reported and gives BAD."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        return report.add(
            Problem(
                (),
                "value",
                {"expected": "less nesting", "got": "lists in lists in lists"},
                place=(1, 1),
            )
        )
    except ValueError as error:
        return report.add(_syntax_problem(text, str(error)))


def locate_toml(text: str, wanted: frozenset[KeyPath]) -> dict[KeyPath, Place]:
    """Line and column of the wanted keys and list elements."""
    scan = KeyScan(text, wanted - {()})
    scan.run()
    return places_of(scan.offsets, text)


def _syntax_problem(text: str, message: str) -> Problem:
    starts = line_starts(text)
    named = _AT.search(message)
    said = message[: named.start()] if named else message
    place = (len(starts), len(text) - starts[-1] + 1)
    if named and named[1]:
        place = (int(named[1]), int(named[2]))
    if not said.startswith(_TWICE):
        return Problem((), "syntax", {"expected": "TOML", "got": said}, place=place)
    plain = text.replace("\r\n", "\n")
    end = line_starts(plain)[place[0] - 1] + place[1] - 1
    return _twice(plain[:end], inline=said.startswith("Duplicate"))


def _twice(text: str, *, inline: bool) -> Problem:
    """The last key of a text that ends with what was written before."""
    scan = KeyScan(text, frozenset())
    scan.run()
    path, offset = scan.last_key if inline else scan.statement
    place = place_of(offset, line_starts(text))
    first = locate_toml(text, frozenset({path})).get(path, place)
    again = f"{show_key(path)} again, first on line {first[0]}"
    numbers: dict[str, int | str | list[str]] = {
        "expected": "every key and table once",
        "got": again if first < place else f"{show_key(path)} inside what is complete already",
    }
    return Problem(path, "key-twice", numbers, place=place)


@dataclass
class _Around:
    """A list or inline table that has begun and not ended."""

    path: KeyPath
    key_at: int
    index: int  # of the next element; -1 in an inline table


class KeyScan:
    """Walks over TOML text and notes the offset of each wanted key path (all where `wanted` is
    None). Text that breaks off is walked as far as it goes."""

    def __init__(self, text: str, wanted: frozenset[KeyPath] | None = None) -> None:
        self.text = text
        self.wanted = wanted
        self.offsets: dict[KeyPath, int] = {}
        self.statement: tuple[KeyPath, int] = ((), 0)
        self.last_key: tuple[KeyPath, int] = ((), 0)
        self._elements: dict[KeyPath, int] = {}  # how many of each array of tables so far

    def run(self) -> None:
        """Walk over the whole text."""
        table: KeyPath = ()
        at = self._skip(_GAP, 0)
        while at < len(self.text) and not self._found_all():
            if self.text[at] == "[":
                table, at = self._header(at)
            else:
                path, at = self._key(at, table)
                self.statement = (path, self.last_key[1])
                at = self._value(at, path)
            at = self._skip(_GAP, at)

    def _found_all(self) -> bool:
        return bool(self.wanted) and len(self.offsets) == len(self.wanted or ())

    def _note(self, path: KeyPath, offset: int) -> None:
        if self.wanted is None or path in self.wanted:
            self.offsets.setdefault(path, offset)

    def _skip(self, pattern: re.Pattern[str], at: int) -> int:
        match = pattern.match(self.text, at)
        return match.end() if match else at

    def _header(self, at: int) -> tuple[KeyPath, int]:
        """`[a.b]` or `[[a.b]]`: the path of the table that it opens, and where it ends."""
        many = self.text.startswith("[[", at)
        opening = at
        at = self._skip(_SPACE, at + 1 + many)
        path: KeyPath = ()
        while match := _KEY_PART.match(self.text, at):
            if path in self._elements:
                path = (*path, self._elements[path] - 1)
            path = (*path, key_text(match[1]))
            self._note(path, at)
            self.statement = (path, at)
            at = match.end()
            if not self.text.startswith(".", at):
                break
            at = self._skip(_SPACE, at + 1)
        if many:
            self._elements[path] = self._elements.get(path, 0) + 1
            path = (*path, self._elements[path] - 1)
            self._note(path, opening)
        return path, at + 1 + many

    def _key(self, at: int, table: KeyPath) -> tuple[KeyPath, int]:
        """`a.b =`: the path that it names inside `table`, and where its value begins."""
        path = table
        while match := _KEY_PART.match(self.text, at):
            path = (*path, key_text(match[1]))
            self._note(path, at)
            self.last_key = (path, at)
            at = match.end()
            if not self.text.startswith(".", at):
                break
            at = self._skip(_SPACE, at + 1)
        return path, self._skip(_SPACE, at + 1)

    def _value(self, at: int, path: KeyPath) -> int:
        """Where the value that begins at `at` ends. Lists and inline tables nest without calls."""
        around: list[_Around] = []
        while at < len(self.text) and not self._found_all():
            opening = self.text[at]
            if opening in "[{":
                around.append(_Around(path, self.last_key[1], 0 if opening == "[" else -1))
                at = self._skip(_GAP, at + 1)
            elif (end := self._skip(_SCALAR, at)) > at:
                at = end
            else:
                return len(self.text)
            at = self._close(at, around)
            if not around:
                return at
            outer = around[-1]
            if outer.index < 0:
                path, at = self._key(at, outer.path)
                continue
            path = (*outer.path, outer.index)
            outer.index += 1
            self._note(path, at)
        return at

    def _close(self, at: int, around: list[_Around]) -> int:
        """Past commas and closing brackets, to the next element or the end of the value."""
        while around:
            at = self._skip(_GAP, at)
            if self.text.startswith(",", at):
                at += 1
            elif self.text.startswith(("]", "}"), at):
                closed = around.pop()
                self.last_key = (closed.path, closed.key_at)
                at += 1
            else:
                break
        return at


def key_text(token: str) -> str:
    """What a key token of TOML says: quotes and escapes resolved."""
    if "\\" in token and token[0] == '"':
        try:
            return str(tomllib.loads(f"key = {token}")["key"])
        except tomllib.TOMLDecodeError:  # in text that tomllib has not accepted
            return token[1:-1]
    return token[1:-1] if token[0] in "\"'" else token
