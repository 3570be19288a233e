"""Goal: the right tree travels, and where it cannot the finding says what to do. Method: real
checkouts and folders, a store in place of the coordinator's."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from leaseway.cli.faults import Refusal
from leaseway.cli.plan_given import plan_of_file
from leaseway.cli.tree_given import TreeGiven
from leaseway.cli.tree_sent import send_tree
from leaseway.client.trees import expected, origin_of
from leaseway.core.model.plan import PlanSpec
from leaseway.workspace.listing import Tree
from tests.cli.tree_store import stored


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with one tracked file, one that is not, one that is ignored, and a folder."""
    root = tmp_path / "work"
    (root / "sub").mkdir(parents=True)
    git(root, "init", "-q")
    for name, text in (
        ("tracked", "1"),
        ("new", "2"),
        ("ignored.log", "3"),
        (".gitignore", "*.log"),
        ("sub/file", "4"),
    ):
        (root / name).write_text(text)
    git(root, "add", "tracked", ".gitignore", "sub/file")
    monkeypatch.delenv("LEASEWAY_IN_PLACE", raising=False)
    return root


PLAN = """
[task.a]
run = "true"
writes = ["x"]

[task.b]
run = "true"
workdir = "{workdir}"
"""


def write_plan(folder: Path, workdir: str = "sub", head: str = "") -> Path:
    path = folder / "plan.toml"
    path.write_text(head + PLAN.format(workdir=workdir))
    return path


@pytest.fixture
def store(tmp_path, monkeypatch):
    return stored(tmp_path, monkeypatch)


def codes(refusal: Refusal) -> list[tuple[str, str]]:
    return [(each.code, each.variant) for each in refusal.findings]


def travelling(path: Path, given: TreeGiven | None = None) -> tuple[PlanSpec, Tree]:
    plan, tree = plan_of_file(path, given or TreeGiven())
    assert tree is not None
    return plan, tree


def test_the_checkout_around_a_plan_travels(checkout):
    plan, tree = travelling(write_plan(checkout))
    assert tree.root == checkout
    assert set(tree.files) == {".gitignore", "new", "plan.toml", "sub/file", "tracked"}
    assert plan.workdir == "."
    assert [task.workdir for task in plan.tasks] == [None, "sub"]


def test_working_directories_count_from_the_root_of_the_checkout(checkout):
    plan, _ = plan_of_file(write_plan(checkout / "sub", ".."), TreeGiven())
    assert plan.workdir == "sub"
    assert [task.workdir for task in plan.tasks] == [None, "."]


def test_a_working_directory_outside_is_left_for_the_check_to_refuse(checkout):
    plan, _ = plan_of_file(write_plan(checkout, "../elsewhere"), TreeGiven())
    assert plan.tasks[1].workdir == "../elsewhere"


def test_a_plan_with_an_absolute_working_directory_runs_there(checkout):
    path = write_plan(checkout, head='workdir = "/srv/work"\n')
    plan, tree = plan_of_file(path, TreeGiven())
    assert tree is None
    assert plan.workdir == "/srv/work"


def test_in_place_is_as_it_was(checkout):
    plan, tree = plan_of_file(write_plan(checkout), TreeGiven(in_place=True))
    assert tree is None
    assert plan.workdir == str(checkout)


def test_outside_of_a_checkout_nothing_is_guessed(tmp_path):
    with pytest.raises(Refusal) as raised:
        plan_of_file(write_plan(tmp_path), TreeGiven())
    assert codes(raised.value) == [("LW904", "")]
    mend = raised.value.findings[0].mend
    assert "--tree DIR" in mend
    assert "--in-place" in mend


def test_outside_of_a_checkout_a_folder_may_be_named(tmp_path):
    plan, tree = travelling(write_plan(tmp_path), TreeGiven(tree=tmp_path))
    assert "plan.toml" in tree.files
    assert plan.workdir == "."


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(Refusal) as raised:
        plan_of_file(write_plan(tmp_path), TreeGiven(tree=tmp_path / "nope"))
    assert codes(raised.value) == [("LW904", "folder")]


@pytest.mark.parametrize(("words", "code"), [(["run", "--", "true"], 125), (["run", "plan"], 3)])
def test_a_refusal_for_want_of_a_tree_has_the_code_of_one(
    run, fake, tmp_path, monkeypatch, words, code
):
    monkeypatch.delenv("LEASEWAY_IN_PLACE")
    monkeypatch.chdir(tmp_path)
    words = [str(write_plan(tmp_path)) if word == "plan" else word for word in words]
    done = run(*words)
    assert done.exit_code == code
    assert "no git checkout" in " ".join(done.stderr.split())
    assert fake.named("submit") == []


def test_a_tree_is_sent_once(checkout, store):
    plan, tree = travelling(write_plan(checkout))
    first, sent = send_tree(store, plan, tree, None, silent=True)
    again, _ = send_tree(store, plan, tree, None, silent=True)
    assert first.workspace == again.workspace
    assert first.workspace is not None
    assert store.sent == [first.workspace.archive.digest]
    assert sent.root == checkout
    assert set(sent.manifest.entries) == set(tree.files)


def test_a_tree_that_is_too_large_names_the_largest_and_nothing_is_sent(checkout, store):
    (checkout / "big").write_bytes(bytes(5_000))
    plan, tree = travelling(write_plan(checkout))
    with pytest.raises(Refusal) as raised:
        send_tree(store, plan, tree, 4_000, silent=True)
    assert codes(raised.value) == [("LW902", "tree")]
    assert "big" in raised.value.findings[0].sentence
    assert store.sent == []


def test_what_does_not_travel_is_told(checkout, store, capsys):
    (checkout / "out").symlink_to("/etc/hostname")
    plan, tree = travelling(write_plan(checkout))
    send_tree(store, plan, tree, None)
    told = " ".join(capsys.readouterr().err.split())
    assert "out does not travel: it leads out of the tree, to /etc/hostname" in told


def test_a_scan_reckons_with_the_tree_and_sends_nothing(checkout, store):
    plan, tree = travelling(write_plan(checkout))
    workspace = expected(plan, tree).workspace
    assert workspace is not None
    reckoned = workspace.archive
    content = sum((checkout / name).stat().st_size for name in tree.files)
    assert (reckoned.bytes, reckoned.files) == (content, 5)
    assert expected(plan, None) is plan
    assert store.sent == []


def test_an_origin_names_host_and_checkout(checkout, store):
    _, tree = travelling(write_plan(checkout))
    host, _, identity = origin_of(tree).partition(":")
    assert host
    assert identity == str(checkout / ".git")
