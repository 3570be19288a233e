"""What words of a shell command stand for, as far as the command itself shows it."""

from __future__ import annotations

import re

from tree_sitter import Node

from leaseway.inference.scope import Scope, Word

_ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
_IN_STRING = re.compile(r"\\([$`\"\\\n])")
_LITERAL = frozenset(("word", "number", "command_name", "variable_name", "test_operator"))


def raw(node: Node) -> str:
    """The text of a node as it is written."""
    return (node.text or b"").decode(errors="replace")


def word(node: Node, scope: Scope) -> Word:
    """One word. A backslash before a line's end, and before any letter, is taken away."""
    return Word(_text(node, scope), raw(node))


def _text(node: Node, scope: Scope) -> str | None:
    kind = node.type
    if kind in ("command_name", "concatenation") and node.named_child_count:
        return _several(node, scope)
    if kind in _LITERAL:
        return _unescaped(raw(node))
    if kind == "raw_string":
        return raw(node)[1:-1]
    if kind == "string":
        return _string(node, scope)
    if kind == "simple_expansion":
        name = raw(node)[1:]
        return scope.value(name)
    if kind == "expansion":
        return _expansion(node, scope)
    if kind == "command_substitution":
        inner = node.named_children
        return scope.here if len(inner) == 1 and raw(inner[0]) == "pwd" else None
    return None


def _several(node: Node, scope: Scope) -> str | None:
    """Parts without a gap. Braces and gaps are not worked out."""
    parts = [_text(child, scope) for child in node.children]
    if any(part is None for part in parts) or any(raw(child) == "{" for child in node.children):
        return None
    return "".join(part or "" for part in parts)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: "" if found[1] == "\n" else found[1], text)


def _string(node: Node, scope: Scope) -> str | None:
    """Text between double quotes; what stands between its parts is text as well."""
    source = node.text or b""
    found: list[str] = []
    at = node.start_byte + 1
    for child in node.children[1:-1]:
        found.append(_quoted(source[at - node.start_byte : child.start_byte - node.start_byte]))
        part = _quoted(child.text or b"") if child.type == "string_content" else None
        part = _text(child, scope) if part is None else part
        if part is None:
            return None
        found.append(part)
        at = child.end_byte
    found.append(_quoted(source[at - node.start_byte : -1]))
    return "".join(found)


def _quoted(text: bytes) -> str:
    return _IN_STRING.sub(
        lambda found: "" if found[1] == "\n" else found[1], text.decode(errors="replace")
    )


def _expansion(node: Node, scope: Scope) -> str | None:
    """`${X}` and `${X:-text}`; no other form is worked out."""
    parts = [raw(child) for child in node.children[1:-1]]
    if len(parts) == 1:
        return scope.value(parts[0])
    if len(parts) >= 2 and parts[1] in (":-", "-"):
        return scope.value(parts[0])
    return None
