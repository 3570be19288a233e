"""A file or text in one of three formats → the value it holds, with the way to find its lines."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from leaseway.planfile.json_source import locate_json, parse_json
from leaseway.planfile.nearest import nearest
from leaseway.planfile.report import BAD, KeyPath, Locate, Place, Problem, Report
from leaseway.planfile.toml_source import locate_toml, parse_toml
from leaseway.planfile.yaml_source import locate_yaml, parse_yaml

SUFFIXES = {".toml": "toml", ".yaml": "yaml", ".yml": "yaml", ".json": "json"}
_PARSERS: dict[str, Callable[[str, Report], object]] = {
    "toml": parse_toml,
    "yaml": parse_yaml,
    "json": parse_json,
}
_LOCATORS: dict[str, Callable[[str, frozenset[KeyPath]], dict[KeyPath, Place]]] = {
    "toml": locate_toml,
    "yaml": locate_yaml,
    "json": locate_json,
}


@dataclass(frozen=True)
class Source:
    """What a text holds. `locate` is None for an object that never was text."""

    value: object
    report: Report
    format: str = ""
    locate: Locate | None = None

    def stop_if_wrong(self) -> None:
        """Raise PlanFileError if anything was reported."""
        self.report.stop_if_wrong(self.locate, self.value)


def source_of_text(text: str, format: str, report: Report) -> Source:
    """Parse a text of the format `toml`, `yaml` or `json`; stops at mistakes of syntax only."""
    if format not in _PARSERS:
        raise ValueError(f"{format!r} is not toml, yaml or json")
    try:
        weight = len(text.encode())
    except UnicodeEncodeError as error:
        report.add(Problem((), "syntax", {"expected": "UTF-8", "got": error.reason}, place=(1, 1)))
        report.stop_if_wrong()
        raise
    if weight > report.limits.text_bytes:
        report.too_big((), "text", report.limits.text_bytes, weight)
        report.stop_if_wrong()
    value = _PARSERS[format](text, report)
    if value is BAD:
        report.stop_if_wrong()
    return Source(value, report, format, lambda wanted: _LOCATORS[format](text, wanted))


def source_of_file(path: Path, report: Report) -> Source:
    """Read and parse a file whose name ends in .toml, .yaml, .yml or .json."""
    format = SUFFIXES.get(path.suffix.lower())
    if format is None and not path.exists():
        report.add(_unreadable(path, FileNotFoundError(2, os.strerror(2))))
        report.stop_if_wrong()
    if format is None:
        expected = "a name that ends in .toml, .yaml, .yml or .json"
        report.add(Problem((), "unreadable", {"expected": expected, "got": path.name}))
        report.stop_if_wrong()
    return source_of_text(_text_of(path, report), str(format), report)


def _text_of(path: Path, report: Report) -> str:
    most = report.limits.text_bytes
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
            weight = max(len(content), file.seek(0, 2) if file.seekable() else 0)
    except OSError as error:
        report.add(_unreadable(path, error))
        report.stop_if_wrong()
        raise
    if weight > most:
        report.too_big((), "text", most, weight)
        report.stop_if_wrong()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig", errors="replace")
        place = (before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
        got = f"the byte 0x{content[error.start]:02x}"
        report.add(Problem((), "syntax", {"expected": "UTF-8", "got": got}, place=place))
        report.stop_if_wrong()
        raise


def _unreadable(path: Path, error: OSError) -> Problem:
    numbers: dict[str, int | str | list[str]] = {
        "expected": "a file that can be read",
        "got": error.strerror or "an error",
    }
    if isinstance(error, FileNotFoundError) and path.parent.is_dir():
        beside = [other.name for other in path.parent.iterdir() if other.suffix in SUFFIXES]
        if meant := nearest(path.name, beside):
            numbers["nearest"] = meant
    return Problem((), "unreadable", numbers)
