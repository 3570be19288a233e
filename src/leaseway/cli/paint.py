"""Colour that adds to words and never replaces them: without it every line says the same."""

from __future__ import annotations

import os
import sys
import unicodedata
from dataclasses import dataclass
from enum import Enum
from typing import TextIO

PAGE = 100
"""No line is longer than this."""


class Tone(Enum):
    """What a piece of text means, and the terminal code that shows it."""

    PLAIN = ""
    GOOD = "32"
    BAD = "31"
    UNSURE = "33"
    BUSY = "36"
    QUIET = "2"
    STRONG = "1"


@dataclass(frozen=True)
class Paint:
    """Whether to colour, and how wide the page is."""

    colour: bool = False
    width: int = PAGE

    def __call__(self, text: str, tone: Tone) -> str:
        """The text in this tone."""
        if not self.colour or tone is Tone.PLAIN or not text:
            return text
        return f"\x1b[{tone.value}m{text}\x1b[0m"


def paint_for(stream: TextIO) -> Paint:
    """Colour on a terminal that wants it; the page at most as wide as the terminal, or as COLUMNS
    says where there is none."""
    if not stream.isatty():
        columns = os.environ.get("COLUMNS", "")
        asked = int(columns) if columns.isascii() and columns.isdigit() else 0
        return Paint(width=min(PAGE, max(40, asked))) if asked else Paint()
    wanted = "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return Paint(colour=wanted, width=min(PAGE, terminal_width(stream)))


def terminal_width(stream: TextIO) -> int:
    """Columns of the terminal behind a stream, `PAGE` where that is not known."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return max(40, columns) if columns else PAGE


def on_terminal() -> bool:
    """Whether a person watches our output."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def shown(text: str) -> str:
    """One printable line: what others wrote must not move the cursor."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else " " if char in "\t\r\n" else f"\\x{ord(char):02x}"
        for char in text
    )


def width_of(text: str) -> int:
    """Columns that a text takes on the screen."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
