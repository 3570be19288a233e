"""Goal: pages are told in one language, heads and sentences too, and nothing is forgotten.
Method: every literal in the commands is looked for in the catalogue; pages as they are shown."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter

import pytest
from click.testing import CliRunner

from leaseway.cli.main import leaseway
from leaseway.core.wording.chinese_pages import HEADS, SENTENCES

CLI = Path(__file__).parents[2] / "src" / "leaseway" / "cli"
SOURCES = [path.read_text() for path in CLI.rglob("*.py")]
PAIR = re.compile(r'^\s+\("([a-z][a-z ,/-]*)", [^)]', re.MULTILINE)
PLAN = """[task.build]
run = "make"
limit = "8m"
reads = []
writes = []

[task.test]
run = "make check"
limit = "2m"
reads = []
writes = []
"""


def literals(call, text):
    """First arguments of this call that are written out, or constants of the module."""
    tree = ast.parse(text)
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == call and node.args:
            for each in ast.walk(node.args[-1] if call == "counted" else node.args[0]):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield each.value
                elif isinstance(each, ast.Name) and each.id in constants:
                    yield constants[each.id]


def all_literals(call):
    return {each for text in SOURCES for each in literals(call, text)}


def test_every_head_of_a_column_has_its_word():
    assert all_literals("Column") - HEADS.keys() == set()


def test_every_name_beside_a_value_has_its_word():
    named = {
        each
        for text in SOURCES
        if "details(" in text or "pairs_of" in text
        for each in PAIR.findall(text)
    }
    assert named - HEADS.keys() == set()


def test_every_sentence_of_a_page_is_there_with_the_same_fields():
    said = {each for each in all_literals("told") if each.strip() == each and " " in each}
    assert said - SENTENCES.keys() == set()
    nouns = {each for each in all_literals("counted") if each.strip()}
    wanted = {f"{{count}} {each}" for each in nouns} | {f"{{count}} {each}s" for each in nouns}
    assert wanted - SENTENCES.keys() == set()
    for english, chinese in SENTENCES.items():
        assert fields(chinese) == fields(english), english


def fields(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    plan, leases = tmp_path / "plan.toml", tmp_path / "leases.toml"
    plan.write_text(PLAN)
    leases.write_text('[worker.box]\nfor = "1h"\n')

    def call(*words):
        return CliRunner().invoke(leaseway, [*words, str(plan), "--leases", str(leases)])

    return call


def test_a_scan_is_chinese_from_its_head_to_its_verdict(page):
    text = page("--lang", "zh", "scan").stdout
    for said in ("2 个任务", "任务", "工作机", "剩余时间", "一种安排", "没有问题。"):
        assert said in text
    for english in ("TASK", "WORKER", "A placement", "Checked against", "Nothing against"):
        assert english not in text
    assert "TASK" in page("scan").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("scan", "--nonsense"), "没有选项 --nonsense。"),
        (("explain",), "缺少："),
        (("run", "--limit", "soon", "--", "true"), "的值不对"),
    ],
)
def test_mistakes_in_a_call(words, said):
    done = CliRunner().invoke(leaseway, ["--lang", "zh", *words])
    assert done.exit_code == 2
    assert said in done.output
    assert "--help" in done.output
    assert "Error" not in done.output
    assert "Error" in CliRunner().invoke(leaseway, [*words]).output
