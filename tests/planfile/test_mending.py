"""Goal: a change of a plan's text changes what was meant and nothing else. Method: texts by hand,
each with what must come out, letter by letter."""

from __future__ import annotations

import json

import pytest

from leaseway.core.model.fixes import Fix, FixKind
from leaseway.planfile import mending
from leaseway.planfile.mending import NotMendable, mended

NEEDS_A = Fix(FixKind.ADD, "needs", "b", "a")
BEST_EFFORT = Fix(FixKind.SET, "promise", "b", "none")


def toml(text, *fixes):
    return mended(text, "toml", fixes)


def test_comments_and_layout_stay():
    text = """\
# nightly
name = "x"   # the name

[task.a]  # first
  run = "x"     # why
  limit="5m"

# about b
[task.b]
run = "y"

# the end
"""
    after, made = toml(text, NEEDS_A, Fix(FixKind.SET, "promise", "a", "none"))
    assert made == (NEEDS_A, Fix(FixKind.SET, "promise", "a", "none"))
    assert after == (
        text.replace('limit="5m"\n', 'limit="5m"\n  promise = "none"\n').replace(
            'run = "y"\n', 'run = "y"\nneeds = ["a"]\n'
        )
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '[task]\na.run = "x"\nb.run = "y"\n',
            '[task]\na.run = "x"\nb.run = "y"\nb.needs = ["a"]\n',
        ),
        (
            '[[tasks]]\nid = "a"\nrun = "x"\n\n# then\n[[tasks]]\nid = "b"\nrun = "y"\n',
            '[[tasks]]\nid = "a"\nrun = "x"\n\n# then\n[[tasks]]\nid = "b"\nrun = "y"\n'
            'needs = ["a"]\n',
        ),
        (
            '[task.b]\nrun = "y"\nneeds = [\n  "c",  # for c\n]\n',
            '[task.b]\nrun = "y"\nneeds = [\n  "c",  # for c\n  "a",\n]\n',
        ),
        (
            '[task.b]\nrun = "y"\n# its env\n[task.b.env]\nX = "1"\n',
            '[task.b]\nrun = "y"\nneeds = ["a"]\n# its env\n[task.b.env]\nX = "1"\n',
        ),
        (
            '[defaults]\nneeds = ["c"]\n\n[task.b]\nrun = "y"\n',
            '[defaults]\nneeds = ["c"]\n\n[task.b]\nrun = "y"\nneeds = ["c", "a"]\n',
        ),
    ],
    ids=["dotted", "list of tables", "list over lines", "table below", "defaults"],
)
def test_wherever_a_task_is_written(text, expected):
    assert toml(text, NEEDS_A) == (expected, (NEEDS_A,))


def test_an_inline_table_keeps_its_line():
    text = 'tasks = [\n  { id = "a", run = "x" },  # one\n  { id = "b", run = "y" },\n]\n'
    after, _ = toml(text, NEEDS_A)
    assert after.splitlines()[:2] == text.splitlines()[:2]
    assert after.splitlines()[2].startswith('  { id = "b", run = "y", needs = ["a"]')


def test_line_ends_of_another_system_stay():
    text = '[task.a]\r\nrun = "x"\r\n[task.b]\r\nrun = "y"\r\n'
    assert toml(text, NEEDS_A)[0] == text + 'needs = ["a"]\r\n'


def test_elements_are_removed_and_replaced_beside_their_comments():
    text = '[task.b]\nrun = "y"\nneeds = ["x", "a", "c"]  # why\n'
    assert toml(text, Fix(FixKind.REMOVE, "needs", "b", "a"))[0] == text.replace(' "a",', "")
    swap = Fix(FixKind.REPLACE, "needs", "b", "d", "a")
    assert toml(text, swap)[0] == text.replace('"a"', '"d"')
    there = Fix(FixKind.REPLACE, "needs", "b", "c", "a")
    assert toml(text, there)[0] == text.replace(' "a",', "")


@pytest.mark.parametrize(
    ("written", "after"),
    [
        ('limit = "8m"  # long', 'limit = "4m49s"  # long'),
        ("limit = 480", 'limit = "4m49s"'),
        ('limit = "4m"', None),
        ('limit = "unlimited"', None),
        ('limit = "8m"\nestimate = "6m"', None),
        ("", None),
    ],
)
def test_a_limit_is_lowered_and_an_estimate_never(written, after):
    text = f'[task.b]\nrun = "y"\n{written}\n'
    lower = Fix(FixKind.LOWER, "limit", "b", 289_000)
    expected = text if after is None else f'[task.b]\nrun = "y"\n{after}\n'
    assert toml(text, lower) == (expected, () if after is None else (lower,))


def test_a_limit_of_all_is_lowered_for_the_one_only():
    text = '[defaults]\nlimit = "2h"\n\n[task.b]\nrun = "y"\n'
    assert toml(text, Fix(FixKind.LOWER, "limit", "b", 3_661_000))[0] == text + 'limit = "1h1m1s"\n'


def test_names_of_the_plan_and_inside_tables():
    text = 'workers = ["bxo"]\n[task.b]\nrun = "y"\non = { labels = ["gup"] }\n'
    worker = Fix(FixKind.REPLACE, "workers", "", "box", "bxo")
    label = Fix(FixKind.REPLACE, "on.labels", "b", "gpu", "gup")
    not_there = Fix(FixKind.REPLACE, "not_on", "", "box", "bxo")
    after, made = toml(text, worker, not_there, label)
    assert after == text.replace("bxo", "box").replace("gup", "gpu")
    assert made == (worker, label)


def test_what_is_so_already_is_passed_over():
    text = '[task.b]\nrun = "y"\nneeds = ["a"]\npromise = "none"\n'
    assert toml(text, NEEDS_A, BEST_EFFORT, Fix(FixKind.ADD, "needs", "gone", "a")) == (text, ())


def test_a_map_of_json_becomes_a_list_in_its_order():
    text = '{\n    "name": "n",\n'
    text += '    "task": {"z": {"run": "é"}, "a": {"run": "x"}},\n    "by": 60\n}\n'
    after, _ = mended(text, "json", [Fix(FixKind.IN_ORDER, "tasks")])
    assert after.startswith(
        '{\n    "name": "n",\n    "tasks": [\n        {\n            "id": "z",'
    )
    assert "é" in after
    assert after.endswith('\n    "by": 60\n}\n')
    assert list(json.loads(after)) == ["name", "tasks", "by"]


def test_other_formats_are_not_written():
    with pytest.raises(NotMendable, match="yaml files cannot be written"):
        mended("task: {}", "yaml", [NEEDS_A])


def test_a_text_that_would_say_something_else_is_thrown_away(monkeypatch):
    monkeypatch.setattr(mending, "_put_toml", lambda table, key, value: table.update({key: ["no"]}))
    with pytest.raises(NotMendable, match="layout cannot be kept"):
        toml('[task.b]\nrun = "y"\n', NEEDS_A)
