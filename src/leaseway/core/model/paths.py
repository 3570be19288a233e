"""What a declared read or write names, and whether two of them can meet.

Text only: nothing is looked up. Names that differ only in case, or in how a letter is composed, are
one file on some disks; in doubt they count as one. A symbolic link is seen where a client told what
it found (`TaskSpec.same_as`).

A directory covers what is below it, and since text does not tell a directory from a file, every
path counts as one. Globs are compared exactly, within bounds (`globs`). A named space (`nas:/x`,
`db:x`, `port:80`) is a world of its own.
"""

from __future__ import annotations

import re
from unicodedata import normalize

from msgspec import Struct

from leaseway.core.model.globs import LONGEST, WILD, matches, same_name

_SPACE = re.compile(r"([A-Za-z][A-Za-z0-9_+.-]+):")
_ANY_DEPTH = "**"


class Place(Struct, frozen=True, gc=False):
    """A path in parts, the first of them its root: `/`, `~`, `.` or a named space. The first
    `literal` parts hold no wildcard."""

    parts: tuple[str, ...]
    literal: int
    exact: bool  # no wildcard in it at all


def place(text: str, base: str | None = None) -> Place:
    """A declared path, folded; a relative one counts from `base`."""
    wild = WILD.search(text) is not None
    parts = tuple(map(folded, spelled(text, base)))
    if not wild:
        return Place(parts, len(parts), True)
    literal = next((at for at, part in enumerate(parts) if WILD.search(part)), len(parts))
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
    at = next((at for at, step in enumerate(steps) if WILD.search(step)), len(steps))
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
    """Whether the two can name the same file, part by part as far as the shorter goes: a path
    covers what is below it. From a `**` on they always can, for it takes whatever the other still
    says. Exact, but for what `globs` counts as meeting."""
    if one.exact and two.exact:
        size = min(len(one.parts), len(two.parts))
        return one.parts[:size] == two.parts[:size]
    for left, right in zip(one.parts, two.parts, strict=False):
        if left == right:
            if left == _ANY_DEPTH:
                return True
        elif _ANY_DEPTH in (left, right):
            return True
        elif not same_name(left, right):
            return False
    return True


def covers(one: Place, two: Place) -> bool:
    """Whether everything that `two` names lies in `one`, for certain: two globs that are spelled
    differently are compared part by part only."""
    if one.exact:
        size = len(one.parts)
        return size <= two.literal and two.parts[:size] == one.parts
    if one.parts == two.parts:
        return True
    if one.literal > two.literal or two.parts[: one.literal] != one.parts[: one.literal]:
        return False
    return _ANY_DEPTH not in two.parts and _lies_in(one.parts, two.parts)


def _lies_in(whole: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Whether the glob matches a beginning of `parts`, for certain."""
    size = len(whole)
    reached = _skipped(whole, {0})
    for part in parts:
        if size in reached:
            return True
        reached = _skipped(
            whole,
            {
                at if whole[at] == _ANY_DEPTH else at + 1
                for at in reached
                if whole[at] == _ANY_DEPTH or _takes(whole[at], part)
            },
        )
    return size in reached


def _skipped(whole: tuple[str, ...], reached: set[int]) -> set[int]:
    """Where a `**` stands one may also stand behind it."""
    found = set(reached)
    for at in reached:
        while at < len(whole) and whole[at] == _ANY_DEPTH:
            at += 1
            found.add(at)
    return found


def _takes(pattern: str, part: str) -> bool:
    if pattern in ("*", part):
        return True
    long = max(len(pattern), len(part)) > LONGEST
    return not long and not WILD.search(part) and matches(pattern, part)
