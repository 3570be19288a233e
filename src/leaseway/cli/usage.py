"""What is wrong with how a command was called, in another language than click speaks."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from leaseway.cli.faults import Fault
from leaseway.cli.language import chosen


def in_language(wrong: click.UsageError, named: Sequence[str]) -> Fault | None:
    """The same in the language of this call; None: that is English, or there is no such language.
    `named`: what stands behind --lang, if anything does."""
    try:
        language = chosen(next(iter(named), None), os.environ)
    except Fault:
        return None
    if language != "zh":
        return None
    from leaseway.core.wording.chinese_pages import SENTENCES

    where = wrong.ctx.command_path.removeprefix("leaseway") if wrong.ctx else ""
    see = SENTENCES["See leaseway{command} --help."].format(command=where)
    return Fault(_said(wrong, SENTENCES), see)


def _said(wrong: click.UsageError, sentences: dict[str, str]) -> str:
    match wrong:
        case click.NoSuchOption():
            names = ", ".join(wrong.possibilities or ())
            meant = sentences[" Did you mean {names}?"].format(names=names) if names else ""
            form = sentences["There is no option {name}.{meant}"]
            return form.format(name=wrong.option_name, meant=meant)
        case click.MissingParameter():
            return sentences["Missing: {name}."].format(name=_name(wrong))
        case click.BadParameter():
            return sentences["{name}: {value}"].format(name=_name(wrong), value=wrong.message)
        case _:
            return wrong.format_message()


def _name(wrong: click.BadParameter) -> str:
    """The option or argument that it is about."""
    hint = wrong.param_hint
    if hint is None and wrong.param is not None and wrong.ctx is not None:
        hint = wrong.param.get_error_hint(wrong.ctx)
    return " / ".join(hint) if isinstance(hint, (list, tuple)) else str(hint or "")
