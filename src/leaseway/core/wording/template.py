"""Templates filled from a finding. Total: whatever is missing, something readable comes out."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct

from leaseway.core.model.findings import Finding
from leaseway.core.model.units import Instant, Millis, show_bytes, show_cpus, show_ms
from leaseway.core.wording.catalogue import Words

At = Callable[[Instant], str]
Number = int | str | list[str]
ABOUT = frozenset({"task", "other", "tasks", "worker", "workers"})
"""Fields that are not numbers but whom the finding is about."""

TERMS = frozenset(
    {"action", "expected", "got", "needed", "new", "old", "outcome", "resource", "role", "state"}
    | {"stream", "what"}
)
"""Numbers whose value may be a word of ours, which another language says otherwise."""

SHOWN = 12
"""So many names of a list are written out; of a chain all are."""

WORKERS_SHOWN = 8
"""So many workers are told with numbers of their own."""

LONGEST = 400
"""A text is told up to so many characters; the finding's numbers have it whole."""

_ONE = {"gpus": "gpu", "slots": "slot", "processes": "process"}
_CLAUSE = re.compile(r"\[([^\[\]]*)\]")
_FIELD = re.compile(r"\{([a-z0-9_|]+)([@><^]|:[a-z ]+)?\}")


class Filling(Struct, frozen=True):
    """What a template is filled with."""

    finding: Finding
    words: Words
    at: At

    def listed(self, names: tuple[str, ...] | list[str]) -> str:
        """Names with commas; the tail of a long list as a count."""
        if len(names) <= SHOWN:
            return self.words.comma.join(names)
        rest = self.words.more.format(len(names) - SHOWN)
        return f"{self.words.comma.join(names[:SHOWN])} {rest}"

    def shown(self, name: str, value: Number) -> str:
        """A number in the unit of its name."""
        if isinstance(value, list):
            return self.listed([cut(each) for each in value]) or self.words.unknown
        if isinstance(value, str):
            return cut(value) or self.words.unknown
        if name.endswith("_ms"):
            return show_ms(value)
        if name.endswith("_bytes"):
            return show_bytes(value)
        if name.endswith("_milli"):
            return show_cpus(value)
        return self.at(value) if name.endswith("_at") else str(value)

    def about(self, name: str) -> str | None:
        """Whom the finding is about, or None for a field that is a number."""
        tasks, workers = self.finding.tasks, self.finding.workers
        match name:
            case "task":
                return tasks[0] if tasks else self.words.a_task
            case "other":
                return tasks[1] if len(tasks) > 1 else self.words.a_task
            case "tasks":
                return self.listed(tasks) or self.words.a_task
            case "worker":
                return workers[0] if workers else self.words.a_worker
            case "workers":
                return self.listed(workers) or self.words.a_worker
            case _:
                return None

    def field(self, name: str, form: str) -> str:
        """One field of a template."""
        name = next((one for one in name.split("|") if self.has(one)), name.partition("|")[0])
        about = self.about(name)
        if about is not None:
            return about
        if form == "@":
            return self.each_worker(name)
        value = self.finding.numbers.get(name)
        if value is None:
            return self.words.unknown
        if form == ">" and isinstance(value, list):
            return " → ".join(value) or self.words.unknown
        if form.startswith(":"):
            return self.counted(self.shown(name, value), form[1:])
        if name in TERMS and isinstance(value, str) and value in self.words.terms:
            return self.words.terms[value]
        if name == "resource" and self.finding.numbers.get("need") == 1:
            return _ONE.get(str(value), str(value))
        if form in ("<", "^") and isinstance(value, int) and name.endswith("_ms"):
            return show_ms(whole(value, up=form == "^"))
        return self.shown(name, value)

    def counted(self, told: str, noun: str) -> str:
        """`1 task`, `3 tasks`, or as a language without plurals has it."""
        plural = noun if told == "1" else f"{noun}s"
        return self.words.counted.format(told, self.words.nouns.get(noun, plural))

    def each_worker(self, name: str) -> str:
        """`box 5m, mini 2m` from `name@box`; a worker without one of its own has the bare `name`.
        Numbers of their own are kept for `WORKERS_SHOWN` workers only."""
        numbers, workers = self.finding.numbers, self.finding.workers
        if not workers:
            return self.shown(name, numbers[name]) if name in numbers else self.words.unknown
        parts = []
        for worker in workers[:WORKERS_SHOWN]:
            value = numbers.get(per_worker(name, worker), numbers.get(name))
            told = "" if value is None else self.shown(name, value)
            told = f"({told})" if isinstance(value, list) else told
            parts.append(f"{worker} {told}".rstrip())
        rest = len(workers) - len(parts)
        more = f" {self.words.more.format(rest)}" if rest else ""
        return self.words.comma.join(parts) + more

    def has(self, name: str) -> bool:
        """Whether a clause with this field has something to say."""
        if "|" in name:
            return any(self.has(one) for one in name.split("|"))
        if self.about(name) is not None:
            return bool(self.finding.workers if name.startswith("worker") else self.finding.tasks)
        value = self.finding.numbers.get(name)
        if value is None:
            return any(key.startswith(f"{name}@") for key in self.finding.numbers)
        return value not in ("", []) and not (value == 0 and name.endswith("_ms"))


def cut(text: str, most: int = LONGEST) -> str:
    """A text that a plan gave, its middle left out where it is long."""
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


def whole(length: Millis, *, up: bool) -> Millis:
    """A length that is shown as it is, no longer or no shorter than the one given."""
    unit = 1_000 if length >= 60_000 else 100
    return -(-length // unit) * unit if up else length // unit * unit


def per_worker(name: str, worker: str) -> str:
    """The name of a number that differs from worker to worker."""
    return f"{name}@{worker}"


def fill(template: str, filling: Filling) -> str:
    """The template as text."""
    out = []
    for text, optional in _clauses(template):
        if not optional or all(filling.has(name) for name, _ in _FIELD.findall(text)):
            out.append(_FIELD.sub(lambda found: filling.field(found[1], found[2] or ""), text))
    return "".join(out)


def fields(template: str) -> set[str]:
    """The numbers that a template names."""
    names = (name for names, _ in _FIELD.findall(template) for name in names.split("|"))
    return set(names) - ABOUT


@lru_cache(maxsize=1024)
def _clauses(template: str) -> tuple[tuple[str, bool], ...]:
    """The template cut at its brackets: text, and whether it may be left out."""
    pieces = _CLAUSE.split(template)
    return tuple((piece, bool(at % 2)) for at, piece in enumerate(pieces) if piece)
