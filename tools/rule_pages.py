"""Write docs/rules: a page for every code, from the rules and the English catalogue.

    python tools/rule_pages.py

A test compares the pages with what this would write.
"""

from __future__ import annotations

import re
from pathlib import Path

from leaseway.core.model.findings import Severity
from leaseway.core.wording.english import ENGLISH
from leaseway.core.wording.rules import RULES, may_refuse

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "rules"
CHAPTERS = {
    "LW1": "Order",
    "LW2": "Conflicts",
    "LW3": "Time and promises",
    "LW4": "Capacity and names",
    "LW5": "Scope",
    "LW6": "While it runs",
    "LW70": "How it ended",
    "LW71": "How it ended",
    "LW7": "Why it waits, and what is so now",
    "LW8": "Who may, and clocks",
    "LW9": "Files and sizes",
}
SEVERITIES = {
    Severity.ERROR: "error: refuses",
    Severity.WARNING: "warning: tells; refuses with `--strict`",
    Severity.NOTE: "note: tells",
    Severity.CAUSE: "cause: why something ended so",
}
UNITS = re.compile(r"_(ms|bytes|milli|at)$")
FIELD = re.compile(r"\{([a-z0-9_|]+)(?:[@>]|:([a-z ]+))?\}")


def in_words(template: str) -> str:
    """A template as people read it: numbers by name, what may be missing in brackets."""

    def named(found: re.Match[str]) -> str:
        name = UNITS.sub("", found[1].partition("|")[0]).replace("_", " ")
        return f"*{name}*" if found[2] is None else f"*{name}* {found[2]}s"

    return FIELD.sub(named, template).replace("[", "\\[").replace("]", "\\]")


def page(code: str) -> str:
    """The page of one code."""
    severity, meaning = RULES[code]
    told = SEVERITIES[severity]
    if severity is Severity.ERROR and not may_refuse(code):
        told = "error: what was asked is not done"
    lines = [f"# {code}: {meaning}", "", f"Severity: {told}.", ""]
    keys = [key for key in ENGLISH.entries if key.partition("/")[0] == code]
    for key in keys:
        sentence, mend = ENGLISH.entries[key]
        variant = key.partition("/")[2]
        if variant:
            lines += [f"## {heading(variant)}", ""]
        lines += [f"> {in_words(sentence)}", ""]
        lines += [f"What mends it: {in_words(mend)}", ""] if mend else []
    return "\n".join(lines).rstrip() + "\n"


def heading(variant: str) -> str:
    """The name of a wording of its own."""
    words = variant.replace("-", " ").removesuffix("many").strip()
    return f"{words} of several workers".strip() if variant.endswith("many") else words


def index() -> str:
    """All codes, chapter by chapter."""
    lines = [
        "# Findings",
        "",
        "One code each, used by scan, admission, explain, the command line and the API. A code",
        "never changes its meaning. On each page: the sentence, its numbers by name in italics,",
        "what may be missing in brackets; and what mends it.",
    ]
    chapter = ""
    for code, (_, meaning) in sorted(RULES.items()):
        found = next(name for stem, name in CHAPTERS.items() if code.startswith(stem))
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
