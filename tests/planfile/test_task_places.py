"""Goal: each task is found where it is written. Method: files by hand in all three formats."""

from __future__ import annotations

import pytest

from leaseway.planfile.task_places import task_places


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        (
            "p.toml",
            'name = "é"\n\n[task.a]\nrun = "x"\n  [task."b c"]\nrun = "y"\n',
            {"a": (3, 7), "b c": (5, 9)},
        ),
        ("p.toml", '[[tasks]]\nid = "a"\n[[tasks]]\nid = "b"\n', {"a": (1, 1), "b": (3, 1)}),
        ("p.toml", '[[tasks]]\nid = "a"\n[[tasks]]\nid = "a"\n[[tasks]]\n', {"a": (1, 1)}),
        ("p.json", '{"task": {\n  "a": {}, "b": {}}}', {"a": (2, 3), "b": (2, 12)}),
        ("p.yaml", "tasks:\n  - id: a\n  - id: b\n", {"a": (2, 5), "b": (3, 5)}),
        ("p.toml", "tasks = 3\n", {}),
        ("p.toml", "tasks = \n", {}),
        ("p.txt", "", {}),
    ],
)
def test_places(tmp_path, name, text, places):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert task_places(path) == places


def test_no_file_no_places(tmp_path):
    assert task_places(tmp_path / "gone.toml") == {}
