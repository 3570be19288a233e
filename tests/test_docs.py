"""Goal: the documentation does not drift. Method: compare it with the files it speaks of."""

from __future__ import annotations

import configparser
import re
from collections import Counter

from tests.checkout import ROOT, committed_files, name_of

# The words the design rests on; the glossary may have more.
WORDS = {
    "acknowledge",
    "admission",
    "attempt",
    "best effort",
    "checkpoint",
    "confirmation",
    "credential",
    "drain",
    "ending",
    "estimate",
    "finding",
    "grant",
    "guard",
    "inbox",
    "invitation",
    "lapse",
    "lease",
    "limit",
    "outcome",
    "patience",
    "plan",
    "policy",
    "presence",
    "principal",
    "promise",
    "quarantine",
    "reserved",
    "revoke",
    "save",
    "scan",
    "scope",
    "settle",
    "stop time",
    "task",
    "token",
    "window",
    "worker",
}


def rooms_of_contract() -> list[str]:
    parser = configparser.ConfigParser()
    parser.read(ROOT / ".importlinter")
    layers = parser["importlinter:contract:rooms"]["layers"]
    return re.findall(r"\w+", layers)


def rooms_of_page() -> list[str]:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = page.split("## The rooms")[1].split("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \| \S", section, flags=re.MULTILINE)


def test_architecture_lists_the_rooms_of_the_contract():
    assert rooms_of_page() == rooms_of_contract()


def test_every_room_that_exists_is_listed():
    source = ROOT / "src" / "leaseway"
    found = {path.stem for path in source.iterdir() if path.suffix == ".py"}
    found |= {path.parent.name for path in source.glob("*/__init__.py")}
    assert found - {"__init__", "__main__"} <= set(rooms_of_contract())


def test_glossary_has_every_word_once_and_in_order():
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = re.findall(r"^\*\*([^*]+)\*\*:", page, flags=re.MULTILINE)
    assert WORDS <= set(words)
    assert [word for word, count in Counter(words).items() if count > 1] == []
    assert words == sorted(words)


def test_links_between_pages_lead_somewhere():
    broken = []
    for page in committed_files():
        if page.suffix != ".md":
            continue
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{name_of(page)}: {target}")
    assert broken == []
