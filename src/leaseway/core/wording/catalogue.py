"""What a language is: a sentence and a mend for every code, and a few words of its own.

Keys are `LW302`, or `LW302/many` where a variant has a wording of its own. A template holds

    {task} {other} {tasks}       first, second, all tasks      {worker} {workers}   likewise
    {need_ms}                    a number, shown by the unit in its name
    {where|file}                 the first of these numbers that is there
    {have_ms@}                   the number of every worker: `box 5m, mini 2m`, from `have_ms@box`
    {have_ms<} {short_ms^}       a length as the most or the least that will do: rounded down, up
    {path>}                      a list as a chain: `a → b → a`
    {count:task}                 a count with its noun: `1 task`, `3 tasks`
    [ … {guard_ms} … ]           a clause, left out when a number in it is missing or no time

A second language is a second `Catalogue`.
"""

from __future__ import annotations

from msgspec import Struct, field

Entry = tuple[str, str]
"""Sentence and mend; an empty mend: nothing to mend."""


class Words(Struct, frozen=True):
    """Words that belong to no single finding."""

    a_task: str = "the task"
    a_worker: str = "the worker"
    unknown: str = "unknown"
    more: str = "and {} more"
    comma: str = ", "
    nothing_ran: str = " Nothing ran."
    by_policy: str = " That is by the pool's policy {}."  # after what it made refuse
    severities: dict[str, str] = field(default_factory=dict)  # where not as they are spelled
    terms: dict[str, str] = field(default_factory=dict)  # values that are words of ours
    counted: str = "{} {}"  # a number and its noun
    nouns: dict[str, str] = field(default_factory=dict)  # where a noun has no plural
    page: dict[str, str] = field(default_factory=dict)  # headings of the page of a rule
    meanings: dict[str, str] = field(default_factory=dict)  # of codes; English: those of `RULES`


class Catalogue(Struct, frozen=True):
    """One language."""

    entries: dict[str, Entry]
    words: Words = Words()

    def entry(self, code: str, variant: str, *, many: bool) -> Entry | None:
        """The wording of a variant, for several workers where there is one; else the default's."""
        for name in dict.fromkeys((variant, "")):
            stem = f"{code}/{name}" if name else code
            plural = f"{stem}-many" if name else f"{code}/many"
            found = (self.entries.get(plural) if many else None) or self.entries.get(stem)
            if found is not None:
                return found
        return None
