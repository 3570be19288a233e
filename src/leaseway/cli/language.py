"""In which language findings are told: `--lang`, else the locale; documents for machines stay
English."""

from __future__ import annotations

import os
from collections.abc import Mapping

import click

_SPOKEN = "leaseway.language"
_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")  # the first that says something counts


def choose(named: str | None, *, for_people: bool) -> str:
    """Remember the language of this call. Fault: there is no such language."""
    language = chosen(named, os.environ)
    click.get_current_context().meta[_SPOKEN] = language if for_people else "en"
    return language


def chosen(named: str | None, environment: Mapping[str, str]) -> str:
    """The one that was named, else that of the locale, else English."""
    from leaseway.core.wording.languages import LANGUAGES, USUAL, language_of

    if named is None:
        locale = next((environment[name] for name in _LOCALE if environment.get(name)), "")
        return language_of(locale) or USUAL
    language = language_of(named)
    if language is None:
        from leaseway.cli.faults import Fault

        known = ", ".join(f"{code} ({name})" for code, name in LANGUAGES.items())
        raise Fault(f"There is no language {named} here.", f"Known: {known}.")
    return language


def head(text: str) -> str:
    """The head of a column, or a name beside a value, in the language of this call."""
    if spoken() != "zh":
        return text
    from leaseway.core.wording.chinese_pages import HEADS

    return HEADS.get(text, text)


def told(text: str, **values: object) -> str:
    """A sentence of a page with its fields filled in, in the language of this call."""
    return told_in(spoken(), text, **values)


def told_in(language: str, text: str, /, **values: object) -> str:
    """The same where the call is over and its language was kept."""
    if language == "zh":
        from leaseway.core.wording.chinese_pages import SENTENCES

        text = SENTENCES.get(text, text)
    return text.format(**values)


def counted(count: int, noun: str) -> str:
    """`1 task`, `3 tasks`, in the language of this call."""
    return told(f"{{count}} {noun if count == 1 else noun + 's'}", count=count)


def spoken() -> str:
    """The language of the call that goes on."""
    context = click.get_current_context(silent=True)
    return "en" if context is None else str(context.meta.get(_SPOKEN, "en"))
