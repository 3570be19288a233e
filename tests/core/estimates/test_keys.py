"""Goal: what counts as the same command. Method: pairs that are alike or not, said beforehand."""

from __future__ import annotations

import pytest

from leaseway.core.estimates.keys import keys_of, shape_of, template_of, worker_class
from leaseway.core.model.estimate import Likeness
from leaseway.core.model.plan import Archive, TaskSpec, Workspace


@pytest.mark.parametrize(
    ("run", "template"),
    [
        (("train", "--epochs", "12"), ("train", "--epochs", "#")),
        (("train", "--rate=0.01"), ("train", "--rate=#")),
        (("fetch", "build-2026.11.30"), ("fetch", "build-#")),
        (("show", "9b0d93e"), ("show", "#")),
        (("show", "facade", "deadbeef"), ("show", "facade", "deadbeef")),  # words, not digests
        (("get", "123e4567-e89b-12d3-a456-426614174000"), ("get", "#")),
        (("python3", "a1b.py"), ("python3", "a#b.py")),
        ("make -j 8 all", ("make -j # all",)),
        (("true",), ("true",)),
    ],
)
def test_what_changes_from_run_to_run_is_left_open(run, template):
    assert template_of(run) == template


@pytest.mark.parametrize(
    ("run", "shape"),
    [
        (("train", "--epochs", "12"), ("train", "--epochs", "##")),
        (("train", "--epochs", "99"), ("train", "--epochs", "##")),
        (("train", "--epochs", "007"), ("train", "--epochs", "#")),
        (("train", "--epochs", "0"), ("train", "--epochs", "#")),
        (("train", "--rate=0.01"), ("train", "--rate=#")),
        (("show", "9b0d93e"), ("show", "#")),
        (("count", "10000000"), ("count", "########")),
        ("make -j 16 all", ("make -j ## all",)),
    ],
)
def test_the_shape_keeps_how_large_whole_numbers_are(run, shape):
    assert shape_of(run) == shape


def keys(run, workdir="/srv", workspace=None, labels=""):
    return keys_of(TaskSpec("t", run), workdir, workspace, labels)


def test_nearest_first():
    found = keys(("train", "12"), labels="gpu")
    assert [key.likeness for key in found] == list(Likeness)
    assert [key.command for key in found] == ["train 12", "train '##'", "train '#'", "train '#'"]
    assert [key.labels for key in found] == ["gpu", "gpu", "gpu", ""]


def test_a_command_without_numbers_is_its_own_template():
    assert [key.likeness for key in keys(("true",))] == [Likeness.COMMAND, Likeness.ANYWHERE]


def test_what_makes_a_history_another():
    ids = [
        [key.id for key in found]
        for found in (
            keys(("train", "12")),
            keys(("train", "13")),
            keys(("train", "12"), labels="gpu"),
            keys(("train", "12"), workdir="/tmp"),
        )
    ]
    same = [[one == other for one, other in zip(ids[0], each, strict=True)] for each in ids[1:]]
    assert same == [
        [False, True, True, True],
        [False, False, False, True],
        [False, False, False, False],
    ]


def test_another_state_of_the_same_tree_is_the_same_place():
    trees = [Workspace(Archive(f"sha256:{at}", 1), origin="box:/home") for at in (1, 2)]
    assert keys(("true",), "sub", trees[0]) == keys(("true",), "sub", trees[1])
    assert keys(("true",), "sub", trees[0]) != keys(("true",), "sub")


def test_words_are_not_run_together():
    assert keys(("a", "b c"))[0].id != keys(("a", "b", "c"))[0].id


def test_a_class_is_what_its_owner_calls_it():
    assert worker_class(("gpu", "big")) == worker_class(("big", "gpu")) == "big gpu"
