"""Goal: findings are told in the language that was asked for, aligned, and machines get English.
Method: the same scans in both, with and without a locale."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from leaseway.cli.main import leaseway
from leaseway.cli.paint import width_of
from leaseway.cli.table import wrapped

PLAN = '[task.build]\nrun = "make"\nlimit = "8m"\nreads = []\nwrites = []\n'
LEASES = '[worker.box]\nfor = "5m"\n'


@pytest.fixture
def scan(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    plan, leases = tmp_path / "plan.toml", tmp_path / "leases.toml"
    plan.write_text(PLAN)
    leases.write_text(LEASES)

    def call(*words, before=(), env=None):
        argv = [*before, "scan", str(plan), "--leases", str(leases), *words]
        return CliRunner(env=env).invoke(leaseway, argv)

    return call


def test_the_language_is_said_before_or_after_the_command(scan):
    for done in (scan("--lang", "zh"), scan(before=("--lang", "zh"))):
        assert done.exit_code == 3
        assert "边界所限：build 需要 8m，box 只剩" in done.stdout
        assert "The boundary" not in done.stdout
        assert "没有运行任何任务" not in done.stdout  # told once, below


@pytest.mark.parametrize(
    ("env", "chinese"),
    [
        ({"LANG": "zh_CN.UTF-8"}, True),
        ({"LANG": "de_DE.UTF-8"}, False),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, False),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, True),
        ({"LC_MESSAGES": "zh_CN.UTF-8", "LC_ALL": "C"}, False),
        ({"LC_ALL": "", "LANG": "zh_SG"}, True),
        ({}, False),
    ],
)
def test_the_locale_decides_where_nothing_was_said(scan, env, chinese):
    assert ("边界所限" in scan(env=env).stdout) is chinese
    assert "The boundary: " in scan("--lang", "en", env=env).stdout


def test_machines_read_english(scan):
    told = json.loads(scan("--json", "--lang", "zh").stdout)
    assert told["findings"][0]["sentence"].startswith("The boundary: build needs 8m")


def test_an_unknown_language_is_refused_and_the_known_are_named(scan):
    done = scan("--lang", "klingon")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert "There is no language klingon here." in done.stderr
    assert "Known: en (English), zh (简体中文)." in done.stderr


def test_mistakes_of_a_file_are_told_in_chinese(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[task.build]\nrun = "make"\nlimit = 3.5.5\n')
    done = CliRunner().invoke(leaseway, ["--lang", "zh", "scan", str(plan)])
    assert done.exit_code == 3
    assert "LW901" in done.stderr
    assert done.stderr.endswith("\n没有运行任何任务。\n")
    assert "是有效的 TOML：" in done.stderr


def test_nothing_is_wider_than_the_page(scan):
    lines = scan("--lang", "zh").stdout.splitlines()
    assert max(map(width_of, lines)) <= 100
    first = next(at for at, line in enumerate(lines) if "LW302" in line)
    column = width_of(lines[first].split("边界")[0])
    below = [line for line in lines[first + 1 :] if line.startswith("    ")]
    assert below
    assert all(width_of(line) - width_of(line.lstrip()) == column for line in below)


def test_chinese_is_broken_between_characters():
    text = "边界所限：build 需要 8m，box 只剩 5m；差 3m。"
    assert wrapped(text, 14) == ["边界所限：", "build 需要", "8m，box 只剩", "5m；差 3m。"]
    assert wrapped("一二三四五，六七", 10) == ["一二三四", "五，六七"]
    assert wrapped("甲（乙丙）丁", 6) == ["甲（乙", "丙）丁"]


def test_what_is_too_long_for_a_line_is_broken_anywhere():
    assert wrapped("名：" + "x" * 25, 10) == ["名：", "x" * 10, "x" * 10, "x" * 5]
