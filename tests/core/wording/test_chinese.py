"""Goal: the second language is whole, says the same numbers, and no English shows through. Method:
compare every template with the English one, and read known findings word for word."""

from __future__ import annotations

import re

import pytest

from leaseway.core.model.findings import Finding, Severity
from leaseway.core.wording.catalogue import Words
from leaseway.core.wording.chinese import CHINESE
from leaseway.core.wording.english import ENGLISH
from leaseway.core.wording.expects import EXPECTS
from leaseway.core.wording.languages import LANGUAGES, catalogue_of, language_of
from leaseway.core.wording.rules import RULES, may_refuse, severity
from leaseway.core.wording.say import mend, sentence
from tests.core.wording.test_english import example, findings

MINUTE = 60_000
FIELD = re.compile(r"\{([a-z0-9_|]+)([@><^]|:[a-z ]+)?\}")
NOUN = re.compile(r"\{[a-z0-9_|]+:([a-z ]+)\}")
HALF_WIDTH = re.compile(r"[\u4e00-\u9fff] ?[,;:.?!()](?!\d)")
"""Punctuation of Latin text right behind a Chinese character."""


def fields(text):
    """Each field with its form; a count may be told without its noun."""
    return sorted({(name, form) for name, form in FIELD.findall(text)})


def test_every_wording_is_there_and_no_other():
    assert CHINESE.entries.keys() == ENGLISH.entries.keys()


@pytest.mark.parametrize("key", ENGLISH.entries)
def test_the_same_placeholders(key):
    english, chinese = ENGLISH.entries[key], CHINESE.entries[key]
    for ours, theirs in zip(chinese, english, strict=True):
        assert fields(ours) == fields(theirs)
        assert bool(ours) == bool(theirs)
        optional = {
            name for clause in re.findall(r"\[([^\]]*)\]", theirs) for name in fields(clause)
        }
        assert {
            name for clause in re.findall(r"\[([^\]]*)\]", ours) for name in fields(clause)
        } == optional, "what may be missing must be left out with its words"


@pytest.mark.parametrize("key", ENGLISH.entries)
def test_whole_sentences_in_chinese(key):
    for numbers in ({name: example(name) for name in EXPECTS[key]}, {}):
        told = findings(key, numbers)
        for text in (sentence(told, catalogue=CHINESE), mend(told, catalogue=CHINESE)):
            assert text == "" or text.endswith("。")
            assert not re.search(r"[{}\[\]]|（）|，，|，。|：。|；。|  |^ ", text), text
            assert not HALF_WIDTH.search(text), text
            assert not re.search(r"\b(the|unknown|and|of|is)\b", text), text


def test_no_word_of_the_catalogue_is_left_in_english():
    usual = Words()
    for name in ("a_task", "a_worker", "unknown", "more", "comma", "nothing_ran"):
        assert getattr(CHINESE.words, name) != getattr(usual, name)
    nouns = {
        noun for entry in ENGLISH.entries.values() for text in entry for noun in NOUN.findall(text)
    }
    assert nouns == CHINESE.words.nouns.keys()
    assert set(Severity) == CHINESE.words.severities.keys()
    assert CHINESE.words.meanings.keys() == RULES.keys()


@pytest.mark.parametrize("code", RULES)
def test_refusals_say_that_nothing_ran(code):
    refuses = severity(code) is Severity.ERROR and may_refuse(code)
    told = sentence(findings(code, {}), catalogue=CHINESE)
    assert told.endswith("没有运行任何任务。") is refuses


def test_eight_against_five():
    numbers: dict[str, int | str | list[str]] = {
        "need_ms": 8 * MINUTE,
        "have_ms": 5 * MINUTE,
        "short_ms": 3 * MINUTE,
    }
    told = Finding("LW302", ("build",), ("box",), numbers)
    assert sentence(told, catalogue=CHINESE) == (
        "边界所限：build 需要 8m，box 只剩 5m；差 3m。没有运行任何任务。"
    )
    assert mend(told, catalogue=CHINESE) == (
        "把 build 的时长上限降到 5m 或更低，拆分它，或请 box 的所有者把租约延长 3m。"
    )


def test_counts_and_our_own_words():
    told = Finding("LW902", (), (), {"have": 3, "cap": 2}, "tasks")
    assert sentence(told, catalogue=CHINESE).startswith("计划超过大小限制：3 个任务，最多 2。")
    skipped = Finding(
        "LW707", ("test", "build"), (), {"outcome": "failed"}, severity=Severity.CAUSE
    )
    assert (
        sentence(skipped, catalogue=CHINESE)
        == "test 被跳过：它需要 build，而后者没有成功（失败）。"
    )


def test_a_task_whose_name_is_a_word_of_ours_keeps_it():
    told = Finding("LW102", ("waiting",), (), {"name": "memory", "nearest": []})
    assert sentence(told, catalogue=CHINESE).startswith("waiting 需要 memory，")


@pytest.mark.parametrize(
    ("named", "language"),
    [
        ("zh", "zh"),
        ("zh-CN", "zh"),
        ("zh_CN.UTF-8", "zh"),
        ("zh_Hans_SG", "zh"),
        ("ZH_cn.gb18030@x", "zh"),
        ("en_GB.UTF-8", "en"),
        ("C", "en"),
        ("C.UTF-8", "en"),
        ("POSIX", "en"),
        ("zh_TW.UTF-8", None),
        ("zh-Hant", None),
        ("de_DE.UTF-8", None),
        ("", None),
        ("zhx", None),
    ],
)
def test_which_language_a_name_means(named, language):
    assert language_of(named) == language


def test_catalogues_by_language():
    assert [catalogue_of(language) for language in LANGUAGES] == [ENGLISH, CHINESE]
