"""What a declared read or write names, and whether two of them can meet.

Text only: nothing is looked up. Names that differ only in case, or in how a letter is composed, are
one file on some disks; in doubt they count as one. A symbolic link is seen where a client told what
it found (`TaskSpec.same_as`).

A directory covers what is below it, and since text does not tell a directory from a file, every
path counts as one. Globs meet unless they plainly cannot. A named space (`nas:/x`, `db:x`,
`port:80`) is a world of its own.
"""

from __future__ import annotations

import re
from unicodedata import normalize

from msgspec import Struct

_SPACE = re.compile(r"([A-Za-z][A-Za-z0-9_+.-]+):")
_WILD = re.compile(r"[*?\[]")
_ANY_DEPTH = "**"


class Place(Struct, frozen=True, gc=False):
    """A path in parts, the first of them its root: `/`, `~`, `.` or a named space. The first
    `literal` parts hold no wildcard."""

    parts: tuple[str, ...]
    literal: int
    exact: bool  # no wildcard in it at all


def place(text: str, base: str | None = None) -> Place:
    """A declared path, folded; a relative one counts from `base`."""
    wild = _WILD.search(text) is not None
    parts = tuple(map(folded, spelled(text, base)))
    if not wild:
        return Place(parts, len(parts), True)
    literal = next((at for at, part in enumerate(parts) if _WILD.search(part)), len(parts))
    return Place(parts, literal, literal == len(parts))


def spelled(text: str, base: str | None = None) -> tuple[str, ...]:
    """The parts of a declared path as they were written, without `.`, `..` and double slashes."""
    space = _SPACE.match(text)
    if space is not None:
        return _steps((f"{space[1]}:",), text[space.end() :])
    if text.startswith("/"):
        return _steps(("/",), text)
    if text == "~" or text.startswith("~/"):
        return _steps(("~",), text[1:])
    return _steps(_base(base), text)


def folded(part: str) -> str:
    """One part of a path, alike for all names that some disk takes for the same."""
    return part.lower() if part.isascii() else normalize("NFC", normalize("NFD", part).casefold())


def head_of(text: str) -> tuple[str, str]:
    """A declared path before its first part with a wildcard, and the rest."""
    steps = text.split("/")
    at = next((at for at, step in enumerate(steps) if _WILD.search(step)), len(steps))
    return "/".join(steps[:at]), "/".join(steps[at:])


def in_space(text: str) -> bool:
    """Whether it names a thing of a named space, which is no file of a machine."""
    return _SPACE.match(text) is not None


def _base(base: str | None) -> tuple[str, ...]:
    """Where relative paths start."""
    if not base:
        return (".",)
    root, rest = (base[0], base[1:]) if base[0] in "/~" else (".", base)
    return _steps((root,), rest)


def _steps(start: tuple[str, ...], text: str) -> tuple[str, ...]:
    """`text` walked from `start`. A `..` that leaves a relative start stays, as a part; a path of
    nothing but those counts as the start, which it covers."""
    parts = list(start)
    for step in text.split("/"):
        if step in ("", "."):
            continue
        if step != "..":
            parts.append(step)
        elif len(parts) > 1 and parts[-1] != "..":
            parts.pop()
        elif parts[0] == ".":
            parts.append(step)
    if parts[0] == "." and parts[-1] == "..":
        return (".",)
    return tuple(parts)


def meet(one: Place, two: Place) -> bool:
    """Whether the two can name the same file: none differs plainly, part by part, as far as the
    shorter goes."""
    for left, right in zip(one.parts, two.parts, strict=False):
        if _ANY_DEPTH in (left, right):
            return True
        if left != right and _apart(left, right):
            return False
    return True


def covers(one: Place, two: Place) -> bool:
    """Whether everything that `two` names lies in `one`, for certain."""
    if not one.exact:
        return one.parts == two.parts
    size = len(one.parts)
    return size <= two.literal and two.parts[:size] == one.parts


def _apart(left: str, right: str) -> bool:
    """Whether two parts of a path plainly cannot be the same name."""
    left_head, left_tail, left_wild = _ends(left)
    right_head, right_tail, right_wild = _ends(right)
    if not left_wild and not right_wild:
        return left != right
    heads = left_head.startswith(right_head) or right_head.startswith(left_head)
    tails = left_tail.endswith(right_tail) or right_tail.endswith(left_tail)
    return not (heads and tails)


def _ends(part: str) -> tuple[str, str, bool]:
    """What is literal before the first wildcard and after the last; whether there is one."""
    first = _WILD.search(part)
    if first is None:
        return part, part, False
    last = max(part.rfind(mark) for mark in "*?[]")
    return part[: first.start()], part[last + 1 :], True
