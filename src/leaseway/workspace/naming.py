"""Names in a tree: relative, with `/` between parts; bytes that are not UTF-8 are kept as
surrogates, as Python's file functions do."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator

# Names of our own: never part of a tree that is listed.
DELETED = ".leaseway/deleted"  # in an archive: a JSON list of what it deletes
STAGING = ".leaseway-staging-"  # at the top of a tree: where results are unpacked first
GIT = ".git"


def shown(name: str) -> str:
    """A name that any terminal can print: what is not UTF-8 or not printable as `\\x..`."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def is_utf8(name: str) -> bool:
    """Whether it is text, and not bytes that merely stand in a file name."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_reserved(name: str) -> bool:
    """Whether a tree may not hold it: Leaseway's own, or a repository's insides, which run
    commands (hooks) and so never travel."""
    parts = name.split("/")
    return (
        name == DELETED or parts[0].startswith(STAGING) or any(p.casefold() == GIT for p in parts)
    )


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Each once, sorted by bytes, which no locale changes."""
    return tuple(sorted(set(names), key=os.fsencode))


def parents(name: str) -> Iterator[str]:
    """The folders it lies in, from the top, without the tree itself."""
    at = name.find("/")
    while at >= 0:
        yield name[:at]
        at = name.find("/", at + 1)


def collisions(names: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of different names that a file system without case (or with normalised names) would
    take for one, folders included."""
    spelled: dict[str, str] = {}
    found: dict[tuple[str, str], None] = {}
    for name in names:
        for path in (*parents(name), name):
            folded = unicodedata.normalize("NFC", path).casefold()
            first = spelled.setdefault(folded, path)
            if first != path:
                found[path, first] = None
    return list(found)
