"""YAML text → value, and where each key of it stands.

Composed from PyYAML's events, so that nothing recurses, no tag can make an object, and what
aliases multiply is counted before it is walked. Plain scalars follow YAML 1.2 (core schema): `on`,
`yes` and `07:00` are texts, only `true` and `false` are flags. Keys are always texts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from leaseway.planfile.report import BAD, Bad, KeyPath, Place, Problem, Report

MOST_NODES = 2_000_000
DEEPEST = 100
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = {"", "~", "null", "Null", "NULL"}
_FLAGS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]{1,400}|0o[0-7]{1,400}|0x[0-9a-fA-F]{1,400}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_STR_TAG = "tag:yaml.org,2002:str"
_PLAIN_TAGS = {None, "!", _STR_TAG, "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}


def parse_yaml(text: str, report: Report) -> object:
    """The value of a YAML text; mistakes of syntax and keys written twice are reported."""
    composer = Composer(report)
    return composer.run(text)


def locate_yaml(text: str, wanted: frozenset[KeyPath]) -> dict[KeyPath, Place]:
    """Line and column of the wanted keys and list elements; nothing below an alias."""
    composer = Composer(Report(""), wanted - {()})
    composer.run(text)
    return composer.places


def plain_value(text: str) -> object:
    """What a plain scalar says in YAML 1.2's core schema."""
    if text in _NULLS:
        return None
    if text in _FLAGS:
        return _FLAGS[text]
    if _INTEGER.fullmatch(text):
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _NOT_FINITE.fullmatch(text):
        return float(text.replace(".", ""))
    return text


@dataclass
class _Open:
    """A list or table that has begun and not ended."""

    path: KeyPath
    anchor: str | None
    nodes_before: int
    items: list[object] | None = None
    table: dict[str, object] = field(default_factory=dict)
    merged: list[object] = field(default_factory=list)
    key: str | None = None
    key_merges: bool = False


class Composer:
    """Events in, one value out. `wanted`: the key paths whose places are noted."""

    def __init__(self, report: Report, wanted: frozenset[KeyPath] = frozenset()) -> None:
        self.report = report
        self.wanted = wanted
        self.places: dict[KeyPath, Place] = {}
        self._around: list[_Open] = []
        self._anchors: dict[str, tuple[object, int]] = {}
        self._nodes = 0
        self._documents = 0
        self._value: object = None

    def run(self, text: str) -> object:
        """The value, or BAD where the text is no YAML that we read."""
        try:
            for event in yaml.parse(text, Loader=_LOADER):
                if self._take(event) is BAD:
                    return BAD
                if self.wanted and len(self.places) == len(self.wanted):
                    break
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            said = error.problem or "something else"
            return self._syntax(said, _place(mark))
        except yaml.reader.ReaderError as error:
            # The position counts bytes or characters, by parser; the character is the first such.
            before = text[: max(0, text.find(chr(error.character)))]
            line = before.count("\n")
            column = len(before) - (before.rfind("\n") + 1)
            return self._syntax(
                f"a character that YAML forbids: {error.reason}", (line + 1, column + 1)
            )
        return self._value

    def _syntax(self, got: str, place: Place, expected: str = "YAML") -> Bad:
        variant = "syntax" if expected == "YAML" else "value"
        return self.report.add(
            Problem((), variant, {"expected": expected, "got": got}, place=place)
        )

    def _take(self, event: yaml.Event) -> object:
        """One event; BAD stops the reading."""
        place = _place(event.start_mark)
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                return self._syntax("a second document", place, "one document")
        elif isinstance(event, yaml.AliasEvent):
            return self._alias(str(event.anchor), place)
        elif isinstance(event, yaml.NodeEvent):
            return self._node(event, place)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._end()
        return None

    def _node(self, event: yaml.NodeEvent, place: Place) -> object:
        tag = getattr(event, "tag", None)
        if tag not in _PLAIN_TAGS:
            return self._syntax(f"the tag {tag}", place, "no tags")
        if self._count(1) is BAD:
            return BAD
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, place)
        if len(self._around) >= DEEPEST:
            return self._syntax("lists in lists in lists", place, "less nesting")
        if self._awaits_key():
            return self._syntax("a list or table as a key", place, "a text as key")
        opened = _Open(self._path(place), event.anchor, self._nodes - 1)
        if isinstance(event, yaml.SequenceStartEvent):
            opened.items = []
        self._around.append(opened)
        return None

    def _scalar(self, event: yaml.ScalarEvent, place: Place) -> object:
        plain = event.implicit[0] and event.tag is None
        if self._awaits_key():
            if event.anchor is not None:
                self._anchors[event.anchor] = (event.value, 1)
            self._key(event.value, place, merges=plain and event.value == "<<")
            return None
        value = plain_value(event.value) if plain else event.value
        self._path(place)
        self._put(value, event.anchor, 1)
        return None

    def _alias(self, anchor: str, place: Place) -> object:
        if anchor not in self._anchors:
            return self._syntax(f"*{anchor}", place, "an anchor that has ended before")
        value, weight = self._anchors[anchor]
        if self._count(weight) is BAD:
            return BAD
        if self._awaits_key():
            if not isinstance(value, str):
                return self._syntax(f"*{anchor}", place, "a text as key")
            self._key(value, place, merges=False)
            return None
        self._path(place)
        self._put(value, None, weight)
        return None

    def _count(self, weight: int) -> object:
        self._nodes += weight
        if self._nodes > MOST_NODES:
            return self.report.too_big((), "nodes", MOST_NODES, self._nodes)
        return None

    def _awaits_key(self) -> bool:
        return (
            bool(self._around) and self._around[-1].items is None and self._around[-1].key is None
        )

    def _key(self, key: str, place: Place, *, merges: bool) -> None:
        table = self._around[-1]
        table.key, table.key_merges = key, merges
        path = (*table.path, key)
        self._note(path, place)
        if key in table.table and not merges:
            numbers: dict[str, int | str | list[str]] = {
                "expected": "every key once",
                "got": f'"{key}" a second time',
            }
            self.report.add(Problem(path, "key-twice", numbers, place=place))

    def _path(self, place: Place) -> KeyPath:
        """The path of the value that comes now; an element's place is noted."""
        if not self._around:
            return ()
        outer = self._around[-1]
        if outer.items is None:
            return (*outer.path, str(outer.key))
        path = (*outer.path, len(outer.items))
        self._note(path, place)
        return path

    def _note(self, path: KeyPath, place: Place) -> None:
        if path in self.wanted:
            self.places.setdefault(path, place)

    def _put(self, value: object, anchor: str | None, weight: int) -> None:
        if anchor is not None:
            self._anchors[anchor] = (value, weight)
        if not self._around:
            self._value = value
            return
        outer = self._around[-1]
        if outer.items is not None:
            outer.items.append(value)
        elif outer.key_merges:
            outer.merged.extend(value if isinstance(value, list) else [value])
        else:
            outer.table[str(outer.key)] = value
        outer.key, outer.key_merges = None, False

    def _end(self) -> None:
        ended = self._around.pop()
        value: object = ended.items if ended.items is not None else self._merge(ended)
        self._put(value, ended.anchor, self._nodes - ended.nodes_before)

    def _merge(self, ended: _Open) -> dict[str, object]:
        """The table with what `<<` brings in; what is written in it wins."""
        for brought in ended.merged:
            if isinstance(brought, dict):
                for key, value in brought.items():
                    ended.table.setdefault(key, value)
            else:
                numbers: dict[str, int | str | list[str]] = {
                    "expected": "a table, or a list of tables, to merge",
                    "got": str(brought)[:60],
                }
                self.report.add(Problem((*ended.path, "<<"), "value", numbers))
        return ended.table


def _place(mark: Any) -> Place:
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)
