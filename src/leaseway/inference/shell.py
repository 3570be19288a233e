"""A shell command, walked as the shell would: directories, variables, pipes, branches, functions.

The grammar is that of bash. What it cannot read whole is not read at all: a quote too many may make
a command of a text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from leaseway.inference.call import NOWHERE, Call
from leaseway.inference.reading import Sink
from leaseway.inference.scope import Scope, Word, joined
from leaseway.inference.table import rule_of
from leaseway.inference.words import raw, word

LONGEST_BYTES = 128 * 1024
"""A longer text is not read; a plan does not take it either."""
DEEPEST = 100
"""So deep a command may be nested, and so deep one may run another."""
CALLS = 2_000
"""So many programs of one command are looked at."""
SIGNS = 1_000
"""So many brackets, pipes and the like a text may have: where they do not close, reading it costs
the square of them (128 KiB of backticks: minutes, and more memory than there is)."""
_SIGNS = "()`|<>{}[]=!&"

_ALTERNATIVES = frozenset(("elif_clause", "else_clause", "case_item"))
_LOOPS = frozenset(("for_statement", "while_statement", "c_style_for_statement"))
_BRANCHES = _LOOPS | {"if_statement", "case_statement"}
_SUBSHELLS = frozenset(("subshell", "command_substitution", "process_substitution"))


class Shell:
    """Walks one command. `depth` counts nesting, `left` programs that may still be looked at."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self.left = CALLS
        self.own: dict[str, str | None] = {}  # `A=b` before the program that is looked at
        self.parser = Parser(Language(tree_sitter_bash.language()))
        self.walks: dict[str, Callable[[Node, Scope, int], None]] = {
            "command": self._command,
            "redirected_statement": self._redirected,
            "file_redirect": self._redirect,
            "pipeline": self._pipeline,
            "list": self._list,
            "function_definition": self._function,
            "variable_assignment": self._assigned,
            "unset_command": self._unset,
        }

    def text(self, text: str, scope: Scope, depth: int = 0) -> None:
        """The text of a command."""
        source = text.encode(errors="replace")
        if len(source) > LONGEST_BYTES:
            self.sink.miss(text[:200], f"longer than {LONGEST_BYTES // 1024} KiB")
            return
        if sum(map(text.count, _SIGNS)) > SIGNS or sum(map(text.count, ";\n")) > CALLS:
            self.sink.miss(text[:200], "too long, or nested too deep")
            return
        if "\0" in text:
            self.sink.miss(text, "no text for a shell")
            return
        root = self.parser.parse(source).root_node
        if root.has_error:
            self.sink.miss(
                text, "it cannot be read: a quote or a bracket is not closed, or the like"
            )
            return
        self.visit(root, scope, depth)

    def argv(self, words: Sequence[Word], scope: Scope, text: str, depth: int = 0) -> None:
        """A program with its arguments."""
        self.left -= 1
        if not words or self.left < 0 or depth > DEEPEST:
            if words:
                self.sink.miss(text, "too long, or nested too deep")
            return
        path = words[0].text
        if path is None:
            self.sink.miss(text, "which program it is")
            return
        name = path.rpartition("/")[2]
        if name in scope.functions and "/" not in path:
            self.visit(scope.functions[name], scope, depth + 1)
            return
        if self._builtin(name, list(words[1:]), scope, text):
            return
        self._program(path, list(words[1:]), scope, text, depth)

    def _program(self, path: str, args: list[Word], scope: Scope, text: str, depth: int) -> None:
        def again(inner: Sequence[Word] | str) -> None:
            if isinstance(inner, str):
                inside = scope if name in ("eval", "trap") else scope.copy()
                self.text(inner, inside, depth + 1)
            else:
                self.argv(inner, scope, text, depth + 1)

        known = rule_of(path.rpartition("/")[2])
        name = known[0] if known else path.rpartition("/")[2]
        call = Call(name, args, text, scope, self.sink, again, path, self.own)
        if "/" in path and not path.startswith(("/", "~")):
            call.reads(Word.of(path))
        if known is None:
            call.miss("what this program touches")
        else:
            known[1](call)

    def _builtin(self, name: str, args: list[Word], scope: Scope, text: str) -> bool:
        """Commands that change what the shell knows."""
        if name in ("cd", "pushd"):
            places = [arg for arg in args if arg.text not in ("-P", "-L", "--", "-e")]
            target = places[0].text if places else "~"
            scope.cwd = None if target in (None, "-") else joined(scope.cwd, target or ".")
            if scope.cwd is None:
                self.sink.miss(text, "which directory it goes to")
        elif name == "popd":
            scope.cwd = None
        elif name in ("read", "mapfile"):
            scope.variables.update({arg.text or "": None for arg in args})
        else:
            return False
        return True

    def visit(self, node: Node, scope: Scope, depth: int) -> None:
        """One node of the tree and all below it."""
        if depth > DEEPEST or self.left < 0:
            self.sink.miss(raw(node)[:200], "too long, or nested too deep")
            return
        kind = node.type
        if kind in _SUBSHELLS:
            self._children(node, scope.copy(), depth)
        elif kind in _BRANCHES:
            self._branches(node, scope, depth)
        else:
            self.walks.get(kind, self._children)(node, scope, depth)

    def _children(self, node: Node, scope: Scope, depth: int) -> None:
        for child in node.named_children:
            self.visit(child, scope, depth + 1)

    def _pipeline(self, node: Node, scope: Scope, depth: int) -> None:
        for child in node.named_children:
            self.visit(child, scope.copy(), depth + 1)

    def _command(self, node: Node, scope: Scope, depth: int) -> None:
        words: list[Word] = []
        own: dict[str, str | None] = {}
        for child in node.named_children:
            if child.type == "variable_assignment":
                inner = scope.copy()
                self._assigned(child, inner, depth)
                own |= {name: inner.variables.get(name) for name in _names(child)}
            elif child.type in ("file_redirect", "heredoc_redirect", "herestring_redirect"):
                self.visit(child, scope, depth + 1)
            else:
                words.append(word(child, scope))
                self._inside(child, scope, depth)
        self.own = own
        self.argv(words, scope, raw(node), depth)
        self.own = {}

    def _inside(self, node: Node, scope: Scope, depth: int) -> None:
        """Commands inside words."""
        stack = [node]
        while stack:
            at = stack.pop()
            if at.type in _SUBSHELLS:
                self.visit(at, scope, depth + 1)
            else:
                stack += reversed(at.named_children)

    def _redirected(self, node: Node, scope: Scope, depth: int) -> None:
        """Of `a && b > c` the grammar says that all of it is redirected; it is `b` alone."""
        redirects = node.children_by_field_name("redirect")
        body = node.child_by_field_name("body")
        if body is not None and body.type == "list":
            redirects = [body, *redirects]
        elif body is not None:
            redirects = [*redirects, body]
        for child in redirects:
            self.visit(child, scope, depth + 1)

    def _redirect(self, node: Node, scope: Scope, depth: int) -> None:
        signs = {child.type for child in node.children if not child.is_named}
        target = node.child_by_field_name("destination")
        if target is None:
            return
        self._inside(target, scope, depth)
        said = word(target, scope)
        if target.type == "process_substitution" or said.text in NOWHERE:
            return
        if signs & {">&", "<&", "<&-", ">&-"} and (said.text or "").isdigit():
            return
        path = None if not said.text else joined(scope.cwd, said.text)
        text = raw(node)
        if path is None:
            self.sink.miss(text, "which path it is")
            return
        if signs & {">", ">>", "&>", "&>>", ">|", "<>", ">&"}:
            self.sink.touch(path, "redirection", text, writes=True)
        if signs & {"<", "<>"}:
            self.sink.touch(path, "redirection", text, writes=False)

    def _list(self, node: Node, scope: Scope, depth: int) -> None:
        """`a && b` goes on where `a` left off; `a || b` may have done `b`."""
        for is_or, child in _chained(node):
            inner = scope.copy() if is_or else scope
            self.visit(child, inner, depth + 1)
            if is_or:
                scope.functions.update(inner.functions)

    def _branches(self, node: Node, scope: Scope, depth: int) -> None:
        if node.type in _LOOPS:
            scope.variables |= dict.fromkeys(_assigned_in(node))
        before = scope.copy()
        branch = before.copy()
        ends = [] if any(child.type == "else_clause" for child in node.children) else [before]
        for child in node.named_children:
            if child.type in _ALTERNATIVES:
                other = before.copy()
                self.visit(child, other, depth + 1)
                ends.append(other)
            else:
                self.visit(child, branch, depth + 1)
        if node.type in _LOOPS and branch.cwd != before.cwd:
            self.sink.miss(raw(node), "it goes to another directory each time")
        if node.type != "case_statement":
            ends.append(branch)
        scope.merge(ends)

    def _function(self, node: Node, scope: Scope, _depth: int) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            scope.functions[raw(name)] = body

    def _unset(self, node: Node, scope: Scope, _depth: int) -> None:
        scope.variables |= {raw(child): None for child in node.named_children}

    def _assigned(self, node: Node, scope: Scope, depth: int) -> None:
        value = node.child_by_field_name("value")
        said: str | None = ""
        if value is not None:
            self._inside(value, scope, depth)
            said = word(value, scope).text
        for name in _names(node):
            is_longer = any(child.type == "+=" for child in node.children)
            scope.variables[name] = None if is_longer else said


def _chained(node: Node) -> list[tuple[bool, Node]]:
    """The parts of `a && b || c`, which the tree nests to the left; True: behind a `||`."""
    found: list[tuple[bool, Node]] = []
    while node.type == "list" and node.named_child_count >= 2:
        is_or = any(child.type == "||" for child in node.children)
        first, *others = node.named_children
        found += [(is_or, child) for child in reversed(others)]
        node = first
    return [(False, node), *reversed(found)]


def _names(node: Node) -> list[str]:
    """The variable that an assignment sets."""
    name = node.child_by_field_name("name")
    return [raw(name)] if name is not None and name.type == "variable_name" else []


def _assigned_in(node: Node) -> set[str]:
    """Every variable that is set somewhere in a loop, its own among them."""
    found: set[str] = set()
    stack = [node]
    while stack:
        at = stack.pop()
        if at.type == "variable_assignment":
            found.update(_names(at))
        elif at.type in _LOOPS:
            found.update(raw(child) for child in at.named_children if child.type == "variable_name")
        stack += at.named_children
    return found
