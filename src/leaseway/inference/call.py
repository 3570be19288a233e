"""One program with its arguments, as the rules see it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct, field

from leaseway.inference.reading import Sink
from leaseway.inference.scope import Scope, Word, joined

NOWHERE = ("-", "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero")


class Options(Struct, frozen=True):
    """Arguments told apart. `given`: option with its dashes → its values, None where it has none;
    `rest`: what is no option."""

    given: dict[str, list[Word | None]]
    rest: list[Word]

    def has(self, *names: str) -> bool:
        """Whether one of these was given."""
        return any(name in self.given for name in names)

    def values(self, *names: str) -> list[Word]:
        """All values of these options."""
        return [value for name in names for value in self.given.get(name, ()) if value is not None]


class Call(Struct):
    """`program`: its name without a path; `again` runs a command inside this one: a list of words,
    or the text of a shell command."""

    program: str
    args: list[Word]
    text: str
    scope: Scope
    sink: Sink
    again: Callable[[Sequence[Word] | str], None]
    path: str = ""
    own: dict[str, str | None] = field(default_factory=dict)

    def variable(self, name: str) -> str | None:
        """A variable as this program sees it, if it is known."""
        return self.own[name] if name in self.own else self.scope.value(name)

    def options(self, valued: str = "", args: Sequence[Word] | None = None) -> Options:
        """`valued`: the options that take a value, such as `-o --output`."""
        return split(self.args if args is None else args, valued)

    def reads(self, *words: Word | str, base: str | None = None) -> None:
        """These paths are read."""
        self._files(words, base, writes=False)

    def writes(self, *words: Word | str, base: str | None = None) -> None:
        """These paths are written."""
        self._files(words, base, writes=True)

    def thing(self, what: str, *, writes: bool) -> None:
        """A thing of a named space."""
        self.sink.touch(what, self.program, self.text, writes=writes)

    def place(self, space: str, where: Word | str = ".", *, writes: bool) -> None:
        """A thing of a named space that belongs to a directory."""
        path = self.at(where)
        if path is None:
            self.miss(f"which {space} it is")
        else:
            path = path.removeprefix("./") or "."
            self.sink.touch(f"{space}:{path}", self.program, self.text, writes=writes)

    def at(self, where: Word | str, base: str | None = None) -> str | None:
        """A path as it is seen from where the whole command starts."""
        text = where if isinstance(where, str) else where.text
        if text is None:
            return None
        cwd = self.scope.cwd if base is None else joined(self.scope.cwd, base)
        return joined(cwd, text or ".")

    def miss(self, why: str) -> None:
        """Something about it is not understood."""
        self.sink.miss(self.text, why)

    def port(self, value: Word | str | None, *, writes: bool = True) -> None:
        """A port, alone or behind a host."""
        text = value.text if isinstance(value, Word) else value
        number = (text or "").rpartition(":")[2].partition("/")[0]
        if number.isascii() and number.isdigit() and 0 < int(number[:9]) < 65_536:
            self.thing(f"port:{int(number)}", writes=writes)
        else:
            self.miss("which port it is")

    def _files(self, words: Iterable[Word | str], base: str | None, *, writes: bool) -> None:
        for word in words:
            text = word if isinstance(word, str) else word.text
            if text in NOWHERE:
                continue
            path = None if text is None or text == "" else self.at(word, base)
            if path is None:
                raw = word if isinstance(word, str) else word.raw
                self.miss(f"which path {raw[:40] or 'an empty word'} is")
            else:
                self.sink.touch(path, self.program, self.text, writes=writes)


def either(words: list[Word], usual: str) -> list[Word]:
    """What was said, or what is usual."""
    return words or [Word.of(usual)]


def names_of(text: str) -> frozenset[str]:
    """Names with gaps between them."""
    return frozenset(text.split())


def split(args: Sequence[Word], valued: str) -> Options:
    """Options and the rest; `--` ends the options. A value stands in the same word or the next."""
    takes = frozenset(valued.split())
    given: dict[str, list[Word | None]] = {}
    rest: list[Word] = []
    queue = list(reversed(args))
    while queue:
        word = queue.pop()
        text = word.text
        if text == "--":
            rest += reversed(queue)
            break
        if text is None or not text.startswith("-") or text == "-":
            rest.append(word)
        elif text.startswith("--") or text in takes:
            _long(word, text, takes, given, queue)
        else:
            _short(word, text, takes, given, queue)
    return Options(given, rest)


def _long(
    word: Word,
    text: str,
    takes: frozenset[str],
    given: dict[str, list[Word | None]],
    queue: list[Word],
) -> None:
    name, equals, value = text.partition("=")
    if equals:
        given.setdefault(name, []).append(Word(value, value))
    elif name in takes:
        given.setdefault(name, []).append(queue.pop() if queue else None)
    else:
        given.setdefault(name, []).append(None)


def _short(
    word: Word,
    text: str,
    takes: frozenset[str],
    given: dict[str, list[Word | None]],
    queue: list[Word],
) -> None:
    """Letters behind one dash, the last of which may take the rest of the word, or the next."""
    for at in range(1, len(text)):
        name = f"-{text[at]}"
        if name not in takes:
            given.setdefault(name, []).append(None)
            continue
        inside = text[at + 1 :]
        value = Word(inside, inside) if inside else queue.pop() if queue else None
        given.setdefault(name, []).append(value)
        break
