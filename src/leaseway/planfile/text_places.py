"""From offsets in a text to lines and columns, both counted from 1 in characters."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

from leaseway.planfile.report import KeyPath, Place


def line_starts(text: str) -> list[int]:
    """The offset at which each line begins."""
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


def place_of(offset: int, starts: list[int]) -> Place:
    """Line and column of an offset."""
    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


def places_of(offsets: Mapping[KeyPath, int], text: str) -> dict[KeyPath, Place]:
    """Line and column of every offset."""
    starts = line_starts(text)
    return {path: place_of(offset, starts) for path, offset in offsets.items()}
