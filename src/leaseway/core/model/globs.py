"""Whether two parts of a path with wildcards can be the same name, and whether one matches a name.

`*` any letters, `?` one, `[abc]` and `[a-z]` one of these, `[!a]` one of the others; a `[` that is
never closed is a letter. The text is folded already (`paths.folded`), so a set of others leaves out
no letter that has a case: `[!A]` may have been written, and `a` be meant. A range that folding has
turned round is any letter. One letter that folding makes two (`ß`) counts as two.

Exact by walking both patterns at once: the places in one that a name can have reached while it has
reached a place in the other, as the bits of a number. Two patterns of which one is over `LONGEST`
letters, or which hold more than `SETS` pairs of sets, are not walked: unless their literal ends
differ they count as meeting. So time and memory stay small, whatever is written.
"""

from __future__ import annotations

import re

from msgspec import Struct

LONGEST = 1024
"""Names are no longer than 255 bytes on the disks that we know."""
SETS = 1_000

WILD = re.compile(r"[*?\[]")
_LAST_LETTER = 0x10FFFF
Ranges = tuple[tuple[int, int], ...]
_ANY: Ranges = ((1, _LAST_LETTER),)


class Star(Struct, frozen=True):
    """Any letters, or none."""


_STAR = Star()
Token = str | Ranges | Star
"""One letter, one letter out of ranges of code points, or a star."""


def same_name(left: str, right: str) -> bool:
    """Whether a name exists that both match."""
    if not WILD.search(left):
        return left == right if not WILD.search(right) else matches(right, left)
    if not WILD.search(right):
        return matches(left, right)
    return _ends_agree(left, right) and (_plain(left, right) or _walk(left, right))


def matches(pattern: str, name: str) -> bool:
    """Whether a name without wildcards is matched; beyond `LONGEST`: whether it may be."""
    if pattern == "*":
        return True
    head, star, tail = pattern.partition("*")
    if star and not WILD.search(head) and not WILD.search(tail):
        fits = name.startswith(head) and name.endswith(tail)
        return fits and len(name) >= len(head) + len(tail)
    if not _ends_agree(pattern, name):
        return False
    if max(len(pattern), len(name)) > LONGEST:
        return True
    return _meet(_tokens(pattern), list(name))


def _plain(left: str, right: str) -> bool:
    """Whether each has one star and nothing else: then their ends say it all."""
    return all(len(WILD.findall(part)) == 1 and "*" in part for part in (left, right))


def _ends_agree(left: str, right: str) -> bool:
    """Whether what stands before the first wildcards agrees, and what stands after the last."""
    left_head, left_tail = _ends(left)
    right_head, right_tail = _ends(right)
    heads = left_head.startswith(right_head) or right_head.startswith(left_head)
    return heads and (left_tail.endswith(right_tail) or right_tail.endswith(left_tail))


def _ends(part: str) -> tuple[str, str]:
    first = WILD.search(part)
    if first is None:
        return part, part
    last = max(part.rfind(mark) for mark in "*?[]")
    return part[: first.start()], part[last + 1 :]


def _walk(left: str, right: str) -> bool:
    if max(len(left), len(right)) > LONGEST:
        return True
    ones, twos = _tokens(left), _tokens(right)
    sets = sum(isinstance(token, tuple) for token in ones)
    if sets * sum(isinstance(token, tuple) for token in twos) > SETS:
        return True
    return _meet(ones, twos)


def _meet(ones: list[Token], twos: list[Token] | list[str]) -> bool:
    """Bit `at` of `reached`: some name leads here in `ones`, and before `twos[at]`."""
    stars = sum(1 << at for at, token in enumerate(twos) if token is _STAR)
    end = 1 << len(twos)
    agreeing: dict[Token, int] = {}
    reached = 1 | (stars & 1) << 1
    for one in ones:
        if one is _STAR:
            reached = -(reached & -reached) & (2 * end - 1)
            continue
        if one not in agreeing:
            agreeing[one] = sum(1 << at for at, two in enumerate(twos) if _agree(one, two))
        reached = (reached & agreeing[one]) << 1 | reached & stars
        reached |= (reached & stars) << 1
        if not reached:
            return False
    return bool(reached & end)


def _agree(one: Token, two: Token) -> bool:
    """Whether a letter exists that both are; a star is walked otherwise."""
    if isinstance(one, Star) or isinstance(two, Star):
        return False
    if isinstance(one, str) and isinstance(two, str):
        return one == two
    return any(
        low <= other_high and other_low <= high
        for low, high in _ranges(one)
        for other_low, other_high in _ranges(two)
    )


def _ranges(token: str | Ranges) -> Ranges:
    return ((ord(token), ord(token)),) if isinstance(token, str) else token


def _tokens(part: str) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(part):
        letter = part[at]
        at += 1
        if letter == "*":
            if not found or found[-1] is not _STAR:
                found.append(_STAR)
        elif letter == "?":
            found.append(_ANY)
        elif letter == "[" and (close := _close(part, at)) > 0:
            found.append(_set(part[at:close]))
            at = close + 1
        else:
            found.append(letter)
    return found


def _close(part: str, at: int) -> int:
    """Where the set that begins before `at` ends; a `]` that comes first is one of its letters."""
    at += part[at : at + 1] in ("!", "^")
    return part.find("]", at + 1)


def _set(text: str) -> Ranges:
    """The ranges of what stands between the brackets."""
    others = text[0] in "!^"
    letters = text[1:] if others else text
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(letters):
        low = high = ord(letters[at])
        if letters[at + 1 : at + 2] == "-" and at + 2 < len(letters):
            high = ord(letters[at + 2])
            at += 2
        at += 1
        if high < low:
            return _ANY
        found.append((low, high))
    return _others(found) if others else tuple(found)


def _others(found: list[tuple[int, int]]) -> Ranges:
    """All letters but these; those with a case stay."""
    kept = []
    free = 1
    for low, high in sorted(found):
        if high - low > 0x7F or any(
            chr(code).upper() != chr(code).lower() for code in range(low, high + 1)
        ):
            continue
        if low > free:
            kept.append((free, low - 1))
        free = max(free, high + 1)
    return (*kept, (free, _LAST_LETTER))
