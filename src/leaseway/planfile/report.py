"""What was wrong with a file: problems are collected with the key path they are about, and become
findings with line and column at the end.

Every finding has the numbers `where` (`plan.toml:3:7`, or `plan, tasks[3].limit` for an object
without text), `file`, `line`, `column` (both from 1; absent without text) and `key`. By variant:

- LW901 `syntax`: `expected` (TOML, YAML, JSON, UTF-8), `got`
- LW901 `value`, `missing`, `key-twice`, `unreadable`: `expected`, `got`
- LW901 `unknown-key`: `name`, `place` (the table it stands in), `expected`, and `nearest` where
  there is one
- LW901 `not-offered`: `name` is what this version does not carry out, `expected` says so
- LW901 `duplicate`: `name` is given to two tasks of a list
- LW902 `tasks`, `edges`, `nodes`: `cap`, `have`; of `edges`, `own`: what the largest task has
- LW902 `text`, `command`, `env`: `cap_bytes`, `have_bytes`, and `cap`, `have` likewise
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from leaseway.core.model.findings import Finding
from leaseway.core.model.plan import Limits

KeyPath = tuple[str | int, ...]
Place = tuple[int, int]  # line, column, both from 1
Locate = Callable[[frozenset[KeyPath]], Mapping[KeyPath, Place]]
MOST_FINDINGS = 20
LONGEST_SHOWN = 60
_PLAIN_KEY = re.compile(r"[\w-]+")


class Bad(Enum):
    """Stands for a value that was refused; the report already says why."""

    BAD = "bad"


BAD = Bad.BAD


class PlanFileError(Exception):
    """A plan or lease file that cannot be read; `total` may exceed the findings carried."""

    def __init__(self, findings: tuple[Finding, ...], total: int) -> None:
        first = findings[0].numbers
        super().__init__(f"{first['where']}: {total} mistake(s)")
        self.findings = findings
        self.total = total


@dataclass(frozen=True)
class Problem:
    """One mistake, before its place is known. `place` is set where the parser knew it."""

    path: KeyPath
    variant: str
    numbers: dict[str, int | str | list[str]]
    code: str = "LW901"
    place: Place | None = None


@dataclass
class Report:
    """Collects problems; keeps the first 20 and counts the rest."""

    file: str
    wall_ms: int | None = None
    limits: Limits = field(default_factory=Limits)
    problems: list[Problem] = field(default_factory=list)
    total: int = 0

    def add(self, problem: Problem) -> Bad:
        """Keep or count a problem."""
        self.total += 1
        if len(self.problems) < MOST_FINDINGS:
            self.problems.append(problem)
        return BAD

    def too_big(self, path: KeyPath, what: str, cap: int, have: int, **more: int) -> Bad:
        """LW902: `what` weighs `have` where `cap` is allowed."""
        in_bytes = what in ("text", "command", "env")
        bytes_too = {"cap_bytes": cap, "have_bytes": have} if in_bytes else {}
        return self.add(
            Problem(path, what, {"cap": cap, "have": have, **bytes_too, **more}, "LW902")
        )

    def stop_if_wrong(self, locate: Locate | None = None, value: object = None) -> None:
        """Raise PlanFileError if there is any problem, placed by `locate`."""
        if not self.problems:
            return
        wanted = frozenset(
            problem.path[:length]
            for problem in self.problems
            if problem.place is None
            for length in range(len(problem.path) + 1)
        )
        places = {(): (1, 1), **locate(wanted)} if locate else {}
        found = [self._finding(problem, places, value) for problem in self.problems]
        found.sort(key=lambda pair: pair[0])
        raise PlanFileError(tuple(finding for _, finding in found), self.total)

    def _finding(
        self, problem: Problem, places: Mapping[KeyPath, Place], value: object
    ) -> tuple[Place, Finding]:
        place = problem.place or _nearest_place(problem.path, places)
        key = show_key(problem.path)
        numbers: dict[str, int | str | list[str]] = {"file": self.file}
        if place is None:
            numbers["where"] = f"{self.file}, {key}" if key else self.file
        else:
            numbers["where"] = f"{self.file}:{place[0]}:{place[1]}"
            numbers["line"], numbers["column"] = place
        if key:
            numbers["key"] = key
        numbers.update(problem.numbers)
        finding = Finding(
            code=problem.code,
            tasks=_tasks_of(problem.path, value),
            numbers=numbers,
            variant=problem.variant,
        )
        return place or (0, 0), finding


@dataclass(frozen=True)
class Spot:
    """Where a value stands: its key path, and the report that hears about it."""

    report: Report
    path: KeyPath = ()

    def at(self, step: str | int) -> Spot:
        """The spot of what stands at `step` in here."""
        return Spot(self.report, (*self.path, step))

    def not_offered(self, name: str, instead: str) -> Bad:
        """Report that this version does not carry out `name`."""
        expected = f"{instead or 'nothing here'}: this version does not offer {name}"
        numbers: dict[str, int | str | list[str]] = {"expected": expected, "name": name}
        return self.report.add(Problem(self.path, "not-offered", numbers))

    def missing(self, expected: str) -> Bad:
        """Report that nothing stands here and something must."""
        numbers: dict[str, int | str | list[str]] = {"expected": expected, "got": "nothing"}
        return self.report.add(Problem(self.path, "missing", numbers))

    def wrong(self, expected: str, value: object, variant: str = "value") -> Bad:
        """Report that `value` is not what was expected."""
        numbers: dict[str, int | str | list[str]] = {"expected": expected, "got": show_got(value)}
        return self.report.add(Problem(self.path, variant, numbers))


def _nearest_place(path: KeyPath, places: Mapping[KeyPath, Place]) -> Place | None:
    """The place of the path, or of the closest thing around it that has one."""
    around = (path[:length] for length in range(len(path), -1, -1))
    return next((places[part] for part in around if part in places), None)


def _tasks_of(path: KeyPath, value: object) -> tuple[str, ...]:
    """The task that a key path lies in, if it has a name."""
    match path:
        case ("task", str(name), *_):
            return (name,)
        case ("tasks", int(index), *_) if isinstance(value, dict):
            task = value["tasks"][index]
            found = task.get("id") if isinstance(task, dict) else None
            return (found,) if isinstance(found, str) else ()
    return ()


def show_key(path: KeyPath) -> str:
    """`task.train.uses`, `tasks[3].limit`; a key that is not plain stands in quotes."""
    shown = ""
    for step in path:
        if isinstance(step, int):
            shown += f"[{step}]"
            continue
        name = step if _PLAIN_KEY.fullmatch(step) else f'"{shorten(step)}"'
        shown += f".{name}" if shown else name
    return shown


def show_got(value: object) -> str:
    """A value as its writer would recognise it, short."""
    match value:
        case dict():
            return "a table" if value else "an empty table"
        case list() | tuple():
            return f"a list of {len(value)}" if value else "an empty list"
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case str():
            return f'"{shorten(value)}"'
        case int() if value.bit_length() > 200:
            return "a very large number"
    return shorten(str(value))


def shorten(text: str) -> str:
    """One line, at most 60 characters, everything printable."""
    cut = text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in cut
    )
