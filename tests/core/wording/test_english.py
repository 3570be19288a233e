"""Goal: the catalogue is whole and says which numbers it wants. Method: walk every template."""

from __future__ import annotations

import re

import pytest

from leaseway.core.model.findings import Finding, Severity
from leaseway.core.wording.english import ENGLISH
from leaseway.core.wording.expects import EXPECTS
from leaseway.core.wording.rules import RULES, may_refuse, severity
from leaseway.core.wording.say import mend, sentence
from leaseway.core.wording.template import fields
from tests.checkout import SRC

LEFT_OVER = re.compile(r"[{}\[\]]| ,|,,| \.|: \.|\(\)|  ")


def example(name):
    """A number that fits its name."""
    if name in (
        "path",
        "nearest",
        "before",
        "candidates",
        "missing",
        "allowed",
        "paths",
        "implied",
    ):
        return ["x", "y"]
    whole = name.endswith(("_ms", "_bytes", "_milli", "_at"))
    return 90_000 if whole or name in ("count", "pairs", "fit", "have") else "x"


def findings(key, numbers):
    """The finding of one entry, as it would reach that entry."""
    code, _, variant = key.partition("/")
    many = variant == "many" or variant.endswith("-many")
    return Finding(
        code,
        ("build", "test"),
        ("box", "mini") if many else ("box",),
        numbers,
        variant.removesuffix("many").removesuffix("-"),
        severity(code),
    )


def test_every_rule_has_a_wording_and_no_other():
    assert {key.partition("/")[0] for key in ENGLISH.entries} == set(RULES)
    assert all(code in ENGLISH.entries for code in RULES)


def test_the_table_of_numbers_is_exact():
    assert {
        key: tuple(sorted(fields(said) | fields(mended)))
        for key, (said, mended) in ENGLISH.entries.items()
    } == EXPECTS


@pytest.mark.parametrize("key", ENGLISH.entries)
def test_whole_and_bare(key):
    numbers = {name: example(name) for name in EXPECTS[key]}
    for told in (findings(key, numbers), findings(key, {})):
        for text in (sentence(told), mend(told)):
            assert not LEFT_OVER.search(text), text
            assert text == "" or text.endswith(".")
    assert "unknown" not in sentence(findings(key, numbers)).replace("is unknown", "").replace(
        "so unknown", ""
    ) or key.startswith(("LW206", "LW901/unknown-key"))


@pytest.mark.parametrize("key", ENGLISH.entries)
def test_each_entry_is_the_one_that_is_found(key):
    told = findings(key, {})
    many = len(told.workers) > 1
    assert ENGLISH.entry(told.code, told.variant, many=many) is ENGLISH.entries[key]


@pytest.mark.parametrize("code", RULES)
def test_refusals_say_that_nothing_ran(code):
    refuses = severity(code) is Severity.ERROR and may_refuse(code)
    assert sentence(findings(code, {})).endswith("Nothing ran.") is refuses
    assert may_refuse(code) is not code.startswith(
        ("LW601", "LW602", "LW603", "LW605", "LW606", "LW7")
    ) or (code in ("LW803", "LW804", "LW805"))


@pytest.mark.parametrize("code", ["LW301", "LW302", "LW309", "LW401"])
def test_the_boundary_comes_first(code):
    assert sentence(findings(code, {})).startswith("The boundary: ")


def test_every_code_in_the_source_is_a_rule():
    written = {
        code
        for path in SRC.rglob("*.py")
        for code in re.findall(r'"(LW\d{3})[/"]', path.read_text(encoding="utf-8"))
    }
    assert written - set(RULES) == set(), "append it to core/wording/rules.py, with a wording"


def test_brackets_are_balanced():
    for said, mended in ENGLISH.entries.values():
        for text in (said, mended):
            depth = 0
            for letter in text:
                depth += {"[": 1, "]": -1}.get(letter, 0)
                assert depth in (0, 1), text
            assert depth == 0, text
