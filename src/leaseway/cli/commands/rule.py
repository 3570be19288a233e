"""`rule [CODE]`: what a finding means, with a plan that gives it and one that does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.faults import Fault
from leaseway.cli.paint import Tone

if TYPE_CHECKING:
    from leaseway.cli.paint import Paint
    from leaseway.cli.rule_page import Example, RulePage


@click.command("rule")
@click.argument("code", required=False)
@answers
def rule(asked: Asked, /, code: str | None) -> None:
    """What the finding CODE means: its wordings, what mends it, and a plan that gives it with the
    one that does not any more. Without CODE: all of them, by chapter.

    It asks no coordinator.
    """
    from leaseway.cli.language import spoken
    from leaseway.cli.rule_page import rule_page
    from leaseway.core.wording.languages import catalogue_of
    from leaseway.core.wording.rules import RULES

    catalogue = catalogue_of(spoken())
    if code is None:
        pages = [rule_page(each, catalogue) for each in sorted(RULES)]
        asked.tell(
            {"rules": [_row(page) for page in pages]}, lambda: list_lines(pages, asked.paint)
        )
        return
    page = rule_page(known(code), catalogue)
    asked.tell(page, lambda: page_lines(page, asked.paint, catalogue.words.page))


def known(code: str) -> str:
    """The code that was named, however its letters are written. Fault: there is none."""
    from leaseway.core.wording.rules import RULES

    wanted = code.upper().partition("/")[0].removesuffix(".MD")
    wanted = f"LW{wanted}" if wanted.isdecimal() else wanted
    if wanted in RULES:
        return wanted
    from leaseway.core.scan.names import nearest

    near = nearest(wanted, sorted(RULES)) or sorted(RULES, key=lambda each: _far(each, wanted))[:3]
    raise Fault(
        f"There is no finding {code}; nearest: {', '.join(near[:3])}.",
        "See them all with: leaseway rule.",
    )


def _far(one: str, other: str) -> int:
    """How far apart the numbers of two codes are."""
    digits = "".join(char for char in other if char.isdecimal() and char.isascii())[:6]
    return abs(int(one[2:]) - int(digits or 0))


def _row(page: RulePage) -> dict[str, str]:
    return {
        "code": page.code,
        "meaning": page.meaning,
        "chapter": page.chapter,
        "docs": page.docs,
    }


def list_lines(pages: list[RulePage], paint: Paint) -> list[str]:
    """All codes, chapter by chapter."""
    from leaseway.cli.table import wrapped

    lines: list[str] = []
    chapter = ""
    for page in pages:
        if page.chapter != chapter:
            chapter = page.chapter
            lines += [*([""] if lines else []), paint(chapter, Tone.STRONG)]
        first, *rest = wrapped(page.meaning, paint.width - 9)
        lines += [f"  {page.code}  {first}", *(f"         {line}" for line in rest)]
    return lines


def page_lines(page: RulePage, paint: Paint, other: dict[str, str]) -> list[str]:
    """A page for a terminal. `other`: headings where they are not English."""
    from leaseway.cli.rule_page import PAGE
    from leaseway.cli.table import paragraph

    words = {**PAGE, **other}
    head = paragraph(f"{page.code}: {page.meaning}", paint, tone=Tone.STRONG)
    lines = [*head, _plain(f"{words['severity']}: {page.severity}"), ""]
    for wording in page.wordings:
        lines += [paint(wording.heading, Tone.STRONG)] if wording.heading else []
        lines += paragraph(wording.sentence, paint, "  ")
        if wording.mend:
            lines += paragraph(f"→ {wording.mend}", paint, "  ", Tone.QUIET)
        lines.append("")
    if page.example is not None:
        lines += _example_lines(page.code, page.example, paint, words)
    lines.append(paint(page.docs, Tone.QUIET))
    return lines


def _example_lines(code: str, example: Example, paint: Paint, words: dict[str, str]) -> list[str]:
    from leaseway.cli.table import paragraph

    lines = [paint(f"{words['example']}: {example.plan_name}", Tone.STRONG), *_block(example.plan)]
    if example.leases:
        lines += ["", paint("leases.toml", Tone.STRONG), *_block(example.leases)]
    lines += ["", f"{example.command}  {words['says']}:", ""]
    lines += paragraph(f"{code}  {example.said}", paint, "  ")
    lines += ["", paint(words["mended"], Tone.STRONG), *_block(example.mended), ""]
    return [*lines, _plain(words["by itself"]), ""] if example.by_itself else lines


def _plain(text: str) -> str:
    return text.replace("`", "")


def _block(text: str) -> list[str]:
    return [f"    {line}".rstrip() for line in text.rstrip("\n").split("\n")]
