"""Write docs/rules: a page for every code, from the rules, the English catalogue and the examples.

    python tools/rule_pages.py

A test compares the pages with what this would write; another scans the examples.
"""

from __future__ import annotations

from pathlib import Path

from leaseway.cli.rule_page import PAGE, Example, chapter_of, rule_page
from leaseway.core.wording.english import ENGLISH
from leaseway.core.wording.rules import RULES

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "rules"


def page(code: str) -> str:
    """The page of one code."""
    made = rule_page(code, ENGLISH)
    lines = [f"# {code}: {made.meaning}", "", f"{PAGE['severity']}: {made.severity}.", ""]
    for wording in made.wordings:
        if wording.heading:
            lines += [f"## {wording.heading}", ""]
        lines += [f"> {escaped(wording.sentence)}", ""]
        lines += [f"{PAGE['mends']}: {escaped(wording.mend)}", ""] if wording.mend else []
    if made.example is not None:
        lines += example(code, made.example)
    return "\n".join(lines).rstrip() + "\n"


def escaped(text: str) -> str:
    """Brackets that are no link."""
    return text.replace("[", "\\[").replace("]", "\\]")


def example(code: str, made: Example) -> list[str]:
    """A plan that gives the finding, what is said of it, and the plan mended."""
    lines = [f"## {PAGE['example']}", "", f"`{made.plan_name}`", *block(made.format, made.plan)]
    if made.leases:
        lines += ["`leases.toml`", *block("toml", made.leases)]
    lines += [f"`{made.command}` {PAGE['says']}:", "", f"> {code} {said(made.said)}", ""]
    lines += [f"{PAGE['mended']}:", *block(made.format, made.mended)]
    return [*lines, PAGE["by itself"], ""] if made.by_itself else lines


def said(text: str) -> str:
    """What was said as it is: nothing in it is emphasis or a tag."""
    for char in "\\`*_<[]":
        text = text.replace(char, f"\\{char}")
    return text


def block(format: str, text: str) -> list[str]:
    """A file."""
    return ["", f"```{format}", text.rstrip("\n"), "```", ""]


def index() -> str:
    """All codes, chapter by chapter."""
    lines = [
        "# Findings",
        "",
        "One code each, used by scan, admission, explain, the command line and the API. A code",
        "never changes its meaning. On each page: the sentence, its numbers by name in italics,",
        "what may be missing in brackets; what mends it; and where a plan alone can give it, such",
        "a plan with the one that does not. `leaseway rule CODE` shows the same.",
    ]
    chapter = ""
    for code, (_, meaning) in sorted(RULES.items()):
        found = chapter_of(code, ENGLISH)
        if found != chapter:
            chapter = found
            lines += ["", f"## {chapter}", ""]
        lines.append(f"- [{code}]({code}.md) {meaning}")
    return "\n".join(lines) + "\n"


def pages() -> dict[str, str]:
    """Every file of the folder, by name."""
    return {"README.md": index(), **{f"{code}.md": page(code) for code in RULES}}


def main() -> None:
    """Write what differs, remove what is not there any more."""
    wanted = pages()
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.md"):
        if old.name not in wanted:
            old.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
