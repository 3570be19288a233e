"""What a code means, as data: the pages of docs/rules and `leaseway rule` are made of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from leaseway.core.model.findings import Severity
from leaseway.core.wording.catalogue import Catalogue, Words
from leaseway.core.wording.rules import RULES, may_refuse

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
PAGE = {
    "severity": "Severity",
    "error": "error: refuses",
    "failed": "error: what was asked is not done",
    "warning": "warning: tells; refuses with `--strict`",
    "note": "note: tells",
    "cause": "cause: why something ended so",
    "mends": "What mends it",
    "example": "Example",
    "says": "says",
    "mended": "Mended",
    "by itself": "`leaseway scan --fix` writes this by itself.",
}
"""English; other languages have theirs in their catalogue."""

SEVERAL = "of several workers"
_UNITS = re.compile(r"_(ms|bytes|milli|at)$")
_FIELD = re.compile(r"\{([a-z0-9_|]+)(?:[@><^]|:([a-z ]+))?\}")
_PLANS = ("plan.toml", "plan.json", "plan.yaml")


@dataclass(frozen=True)
class Wording:
    """One wording of a code: `heading` is empty for its first; sentence and mend with numbers by
    name between `*`, what may be missing in brackets."""

    heading: str
    sentence: str
    mend: str


@dataclass(frozen=True)
class Example:
    """A plan that gives the finding. `leases`: the file it is scanned against, empty for none;
    `said`: the sentence; `mended`: the plan that does not give it; `in_tree`: it travels with the
    folder it lies in; `by_itself`: `scan --fix` makes the one of the other."""

    plan_name: str
    plan: str
    said: str
    mended: str
    leases: str = ""
    in_tree: bool = False
    by_itself: bool = False

    @property
    def format(self) -> str:
        """`toml`, `json`."""
        return self.plan_name.rpartition(".")[2]

    @property
    def command(self) -> str:
        """How it is scanned."""
        where = " --tree ." if self.in_tree else ""
        return (
            f"leaseway scan {self.plan_name}{' --leases leases.toml' if self.leases else ''}{where}"
        )


@dataclass(frozen=True)
class RulePage:
    """All that is known of a code. `severity`: in words."""

    code: str
    meaning: str
    severity: str
    chapter: str
    docs: str
    wordings: tuple[Wording, ...]
    example: Example | None


def rule_page(code: str, catalogue: Catalogue) -> RulePage:
    """The page of one of `RULES`, in the language of the catalogue."""
    severity, meaning = RULES[code]
    told = severity.value
    if severity is Severity.ERROR and not may_refuse(code):
        told = "failed"
    words = {**PAGE, **catalogue.words.page}
    keys = [key for key in catalogue.entries if key.partition("/")[0] == code]
    return RulePage(
        code=code,
        meaning=catalogue.words.meanings.get(code, meaning),
        severity=words[told],
        chapter=chapter_of(code, catalogue),
        docs=f"docs/rules/{code}.md",
        wordings=tuple(_wording(key, catalogue) for key in keys),
        example=example_of(code),
    )


def chapter_of(code: str, catalogue: Catalogue) -> str:
    """The chapter that a code stands in."""
    found = next(name for stem, name in CHAPTERS.items() if code.startswith(stem))
    return catalogue.words.page.get(found, found)


def _wording(key: str, catalogue: Catalogue) -> Wording:
    sentence, mend = catalogue.entries[key]
    variant = key.partition("/")[2]
    words = catalogue.words
    heading = _heading(variant, words)
    return Wording(heading, in_words(sentence, words), in_words(mend, words))


def in_words(template: str, words: Words) -> str:
    """A template as people read it: numbers by name."""

    def named(found: re.Match[str]) -> str:
        name = _UNITS.sub("", found[1].partition("|")[0]).replace("_", " ")
        if found[2] is None:
            return f"*{name}*"
        return words.counted.format(f"*{name}*", words.nouns.get(found[2], f"{found[2]}s"))

    return _FIELD.sub(named, template)


def _heading(variant: str, words: Words) -> str:
    """The name of a wording of its own."""
    name = variant.replace("-", " ").removesuffix("many").strip()
    many = words.page.get(SEVERAL, SEVERAL)
    return f"{name} {many}".strip() if variant.endswith("many") else name


def examples() -> list[str]:
    """The codes that have an example."""
    return sorted(each.name for each in _folder().iterdir() if each.is_dir())


def example_of(code: str) -> Example | None:
    """The example of a code, if it has one."""
    folder = _folder() / code
    if not folder.is_dir():
        return None
    text = {each.name: each.read_text(encoding="utf-8") for each in folder.iterdir()}
    plan = next(name for name in _PLANS if name in text)
    marks = text.get("marks.txt", "").split()
    return Example(
        plan_name=plan,
        plan=text[plan],
        said=" ".join(text["said.txt"].split()),
        mended=text[plan.replace("plan", "mended")],
        leases=text.get("leases.toml", ""),
        in_tree="in-tree" in marks,
        by_itself="by-itself" in marks,
    )


def _folder() -> Traversable:
    return files("leaseway.cli") / "rule_examples"
