"""JSON text → value, and where each key of it stands."""

from __future__ import annotations

import json
import re

from leaseway.planfile.report import KeyPath, Place, Problem, Report
from leaseway.planfile.text_places import line_starts, place_of, places_of

_TOKEN = re.compile(r'[ \t\r\n]*("(?:[^"\\]++|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]+)')


def parse_json(text: str, report: Report) -> object:
    """The value of a JSON text; mistakes of syntax and keys written twice are reported."""
    twice: list[str] = []

    def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
        table = dict(items)
        if len(table) < len(items):
            twice.append("")
        return table

    def no_constant(word: str) -> object:
        raise ValueError(f"{word} is not a number in JSON")

    try:
        value: object = json.loads(text, object_pairs_hook=pairs, parse_constant=no_constant)
    except json.JSONDecodeError as error:
        numbers: dict[str, int | str | list[str]] = {"expected": "JSON", "got": error.msg}
        return report.add(Problem((), "syntax", numbers, place=(error.lineno, error.colno)))
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
        return report.add(
            Problem((), "syntax", {"expected": "JSON", "got": str(error)}, place=(1, 1))
        )
    if twice:
        _report_twice(text, report)
    return value


def locate_json(text: str, wanted: frozenset[KeyPath]) -> dict[KeyPath, Place]:
    """Line and column of the wanted keys and list elements."""
    scan = JsonScan(text, wanted - {()})
    scan.run()
    return places_of(scan.offsets, text)


def _report_twice(text: str, report: Report) -> None:
    scan = JsonScan(text, frozenset(), note_twice=True)
    scan.run()
    starts = line_starts(text)
    for path, offset in scan.twice:
        numbers: dict[str, int | str | list[str]] = {
            "expected": "every key once",
            "got": f'"{path[-1]}" a second time',
        }
        report.add(Problem(path, "key-twice", numbers, place=place_of(offset, starts)))


class JsonScan:
    """Walks over valid JSON and notes the offset of each wanted key path (all where None)."""

    def __init__(
        self, text: str, wanted: frozenset[KeyPath] | None = None, *, note_twice: bool = False
    ) -> None:
        self.text = text
        self.wanted = wanted
        self.offsets: dict[KeyPath, int] = {}
        self.twice: list[tuple[KeyPath, int]] = []
        self._keys: list[set[str]] | None = [] if note_twice else None

    def run(self) -> None:
        """Walk over the whole text."""
        around: list[KeyPath] = []
        inside: list[int] = []  # next index of a list; -1 in a table that awaits a key, else -2
        path: KeyPath = ()
        for match in _TOKEN.finditer(self.text):
            if self.wanted and len(self.offsets) == len(self.wanted):
                break
            token, offset = match[1], match.start(1)
            if token in ("]", "}"):
                self._leave(token)
                around.pop()
                inside.pop()
            elif token == ",":
                inside[-1] = -1 if inside[-1] == -2 else inside[-1] + 1
            elif token == ":":
                inside[-1] = -2
            elif inside and inside[-1] == -1:
                path = (*around[-1], str(json.loads(token)))
                self._note_key(path, offset)
            else:
                if inside and inside[-1] >= 0:
                    path = (*around[-1], inside[-1])
                    self._note(path, offset)
                if token in ("[", "{"):
                    self._enter(token)
                    around.append(path)
                    inside.append(0 if token == "[" else -1)

    def _note(self, path: KeyPath, offset: int) -> None:
        if self.wanted is None or path in self.wanted:
            self.offsets.setdefault(path, offset)

    def _note_key(self, path: KeyPath, offset: int) -> None:
        self._note(path, offset)
        if self._keys is None:
            return
        key = str(path[-1])
        if key in self._keys[-1]:
            self.twice.append((path, offset))
        self._keys[-1].add(key)

    def _enter(self, token: str) -> None:
        if self._keys is not None and token == "{":
            self._keys.append(set())

    def _leave(self, token: str) -> None:
        if self._keys is not None and token == "}":
            self._keys.pop()
