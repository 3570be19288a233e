"""Kinds that hold others: tables with known keys, maps with free keys, lists."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from leaseway.planfile.kinds import Kind, Schema, Text, unwritable
from leaseway.planfile.nearest import nearest
from leaseway.planfile.report import BAD, Bad, Problem, Spot, shorten, show_key

MOST_SHOWN_KEYS = 40
MOST_NAMED = 8


@dataclass(frozen=True)
class NotOffered:
    """A key of the format that this version does not carry out: refused, never ignored."""

    def read(self, value: object, spot: Spot) -> Bad:
        del value
        return spot.not_offered(str(spot.path[-1]), "")

    def schema(self) -> Schema:
        return {"not": {}}


@dataclass(frozen=True)
class Table:
    """A table whose keys are known. Reads to the keys that were given; a value that was refused
    stays in as BAD, so that who looks for a missing key does not report it twice."""

    keys: Mapping[str, Kind]
    required: tuple[str, ...] = ()
    elsewhere: str = ""  # the key of a table in here whose keys are often written beside it

    def read(self, value: object, spot: Spot) -> dict[str, object] | Bad:
        if not isinstance(value, dict):
            return spot.wrong(self.expected(), value)
        given: dict[str, object] = {}
        for key, inner in value.items():
            kind = self.keys.get(key) if isinstance(key, str) else None
            if kind is None:
                self._unknown(str(key), spot)
            else:
                given[key] = kind.read(inner, spot.at(key))
        for key in self.required:
            if key not in given:
                spot.at(key).missing(f"the key {key}")
        return given

    def expected(self) -> str:
        """A table, and of what where that is short."""
        known = self.offered()
        return f"a table of {', '.join(known)}" if len(known) <= MOST_NAMED else "a table"

    def offered(self) -> list[str]:
        """The keys that this version carries out."""
        return sorted(key for key, kind in self.keys.items() if not isinstance(kind, NotOffered))

    def _unknown(self, key: str, spot: Spot) -> None:
        known = self.offered()
        numbers: dict[str, int | str | list[str]] = {
            "expected": "one of " + ", ".join(known),
            "name": shorten(key),
            "place": show_key(spot.path),
        }
        if meant := nearest(key, known) or self._inside(key):
            numbers["nearest"] = meant
        else:
            numbers["known"] = list(known)
        spot.report.add(Problem((*spot.path, key), "unknown-key", numbers))

    def _inside(self, key: str) -> str | None:
        inner = self.keys.get(self.elsewhere)
        meant = nearest(key, inner.offered()) if isinstance(inner, Table) else None
        return f"{self.elsewhere}.{meant}" if meant else None

    def schema(self) -> Schema:
        schema: Schema = {
            "type": "object",
            "additionalProperties": False,
            "properties": {key: self.keys[key].schema() for key in self.offered()},
        }
        return {**schema, "required": list(self.required)} if self.required else schema


@dataclass(frozen=True)
class MapOf:
    """A table whose keys are names; reads to {name: value read}."""

    item: Kind
    name: Text

    def read(self, value: object, spot: Spot) -> dict[str, object] | Bad:
        if not isinstance(value, dict):
            return spot.wrong("a table", value)
        read: dict[str, object] = {}
        for key, inner in value.items():
            if self.name.read(key, spot.at(str(key))) is not BAD:
                read[key] = self.item.read(inner, spot.at(key))
        return read

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self.item.schema()}


@dataclass(frozen=True)
class ListOf:
    """A list of one kind."""

    item: Kind

    def read(self, value: object, spot: Spot) -> list[object] | Bad:
        if not isinstance(value, list | tuple):
            return spot.wrong("a list of tables", value)
        return [self.item.read(inner, spot.at(at)) for at, inner in enumerate(value)]

    def schema(self) -> Schema:
        return {"type": "array", "items": self.item.schema()}


@dataclass(frozen=True)
class Environment:
    """Variables and their values, both texts."""

    def read(self, value: object, spot: Spot) -> dict[str, str] | Bad:
        if not isinstance(value, dict):
            return spot.wrong("a table of texts", value)
        read = {key: self._one(key, text, spot) for key, text in value.items()}
        good = {key: text for key, text in read.items() if not isinstance(text, Bad)}
        most = spot.report.limits.command_bytes
        weight = sum(len(f"{key}={text}\0".encode()) for key, text in good.items())
        if weight > most:
            return spot.report.too_big(spot.path, "env", most, weight)
        return good if len(good) == len(read) else BAD

    def _one(self, key: object, text: object, spot: Spot) -> str | Bad:
        here = spot.at(str(key))
        if not isinstance(key, str) or not re.fullmatch(r"[^=\0\s]+", key) or unwritable(key):
            return here.wrong("the name of a variable", key)
        if not isinstance(text, str) or unwritable(text):
            return here.wrong("a text, in quotes", text)
        return text

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": {"type": "string"}}
