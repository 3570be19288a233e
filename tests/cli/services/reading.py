"""A unit read back the way systemd documents it, written apart from the code that writes units."""

from __future__ import annotations

from pathlib import Path

_ESCAPES = {"n": 10, "t": 9, "r": 13, "\\": 92, '"': 34, "'": 39, "s": 32}


def words_of(line: str, *, is_command: bool) -> list[str]:
    """Words of a line: quotes and backslashes as in C, `%%` for a percent sign, and in arguments of
    a command `$$` for a dollar sign."""
    words = [each.replace("%%", "%") for each in _split(line)]
    return [words[0], *(each.replace("$$", "$") for each in words[1:])] if is_command else words


def _split(line: str) -> list[str]:
    words: list[bytearray] = []
    quote, at, is_open = "", 0, False
    while at < len(line):
        char = line[at]
        at += 1
        if not quote and char == " ":
            is_open = False
            continue
        if not is_open:
            words.append(bytearray())
            is_open = True
        if char == "\\":
            code = line[at]
            width = 3 if code == "x" else 1
            words[-1].append(int(line[at + 1 : at + 3], 16) if code == "x" else _ESCAPES[code])
            at += width
        elif char == quote:
            quote = ""
        elif not quote and char in "'\"":
            quote = char
        else:
            words[-1] += char.encode()
    return [bytes(each).decode("utf-8", "surrogateescape") for each in words]


def command_of(text: str) -> list[str]:
    """What ExecStart executes."""
    (line,) = (each for each in text.splitlines() if each.startswith("ExecStart="))
    return words_of(line.removeprefix("ExecStart="), is_command=True)


def environment_of(text: str) -> dict[str, str]:
    """What Environment= sets."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("Environment="):
            for word in words_of(line.removeprefix("Environment="), is_command=False):
                name, _, value = word.partition("=")
                found[name] = value
    return found


def only_unit(folder: Path) -> str:
    """The text of the one unit in this folder."""
    (path,) = folder.glob("*.service")
    return path.read_text(encoding="utf-8")
