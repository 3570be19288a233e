"""Where a text without spaces may be broken: between Chinese characters, and never so that a line
begins with what closes or ends with what opens."""

from __future__ import annotations

import re

from leaseway.cli.paint import width_of

_PIECE = re.compile(
    r"\s*[（《「『“]*(?:[\u2e80-\u9fff\uf900-\ufaff]|[^\s\u2e80-\u9fff\uf900-\uffef]+)?"
    r"[，。；：、！？）》」』”…]*"
)


def has_wide(text: str) -> bool:
    """Whether anything in it takes two columns."""
    return not text.isascii() and width_of(text) > len(text)


def wide_wrapped(text: str, width: int) -> list[str]:
    """Lines at most `width` wide; a piece wider than that is broken anywhere."""
    lines: list[str] = []
    line = ""
    for piece in _pieces(" ".join(text.split())):
        if width_of(line) + width_of(piece) <= width:
            line += piece
            continue
        if line:
            lines.append(line.rstrip())
        line = piece.lstrip()
        while width_of(line) > width:
            end = _end(line, width)
            lines.append(line[:end])
            line = line[end:]
    return [*lines, line.rstrip()] if line or not lines else lines


def _pieces(text: str) -> list[str]:
    found: list[str] = []
    at = 0
    while at < len(text):
        match = _PIECE.match(text, at)
        end = match.end() if match is not None and match.end() > at else at + 1
        found.append(text[at:end])
        at = end
    return found


def _end(text: str, width: int) -> int:
    """How many characters fit, at least one."""
    taken = 0
    for at, char in enumerate(text):
        taken += width_of(char)
        if taken > width:
            return max(1, at)
    return len(text)
