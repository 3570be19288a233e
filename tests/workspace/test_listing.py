"""Goal: exactly what belongs to a tree is listed, and what is odd is told. Method: real checkouts,
sockets, pipes and links in folders made for the test."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from leaseway.workspace.errors import NotATree
from leaseway.workspace.listing import Odd, tree_here, tree_of
from tests.workspace.trees import bind_socket


def git(folder: Path, *asked: str) -> None:
    told = {
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    settings = ["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"]
    subprocess.run(
        ["git", *settings, "-C", os.fspath(folder), *asked],
        check=True,
        capture_output=True,
        env={**os.environ, **told},
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    root.mkdir()
    git(root, "init")
    (root / "tracked.txt").write_text("1")
    (root / "gone.txt").write_text("2")
    (root / ".gitignore").write_text("*.log\nbuild/\n")
    (root / "sub").mkdir()
    (root / "sub" / "inner.txt").write_text("3")
    git(root, "add", ".")
    git(root, "commit", "-m", "first")
    (root / "gone.txt").unlink()
    (root / "new.txt").write_text("4")
    (root / "noise.log").write_text("5")
    (root / "build").mkdir()
    (root / "build" / "made").write_text("6")
    return root


def kinds(tree) -> set[tuple[Odd, str]]:
    return {(note.kind, note.path) for note in tree.notes}


def test_tracked_and_untracked_without_ignored_and_deleted(checkout):
    tree = tree_here(checkout / "sub")
    assert tree.files == (".gitignore", "new.txt", "sub/inner.txt", "tracked.txt")
    assert (tree.root, tree.notes) == (checkout, ())
    assert tree.identity == str(checkout / ".git")


def test_a_hook_that_points_elsewhere_does_not_matter(checkout, monkeypatch):
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    assert "new.txt" in tree_here(checkout).files


def test_worktrees_of_one_repository_have_one_identity(checkout, tmp_path):
    git(checkout, "worktree", "add", "../second")
    assert tree_here(tmp_path / "second").identity == tree_here(checkout).identity
    assert tree_here(tmp_path / "second").root == tmp_path / "second"


def test_files_of_submodules_and_repositories_inside_come_along(checkout, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init")
    (other / "lib.c").write_text("x")
    (other / ".gitignore").write_text("*.o\n")
    git(other, "add", ".")
    git(other, "commit", "-m", "x")
    git(checkout, "submodule", "add", str(other), "vendor/lib")
    git(checkout, "clone", str(other), "beside")
    (checkout / "vendor" / "lib" / "lib.o").write_text("ignored there")
    files = tree_here(checkout).files
    assert "vendor/lib/lib.c" in files
    assert "beside/lib.c" in files
    assert not [name for name in files if name.endswith(".o") or "/.git/" in name]


def test_a_submodule_that_is_not_checked_out_is_named(checkout, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init")
    git(other, "commit", "--allow-empty", "-m", "x")
    git(checkout, "submodule", "add", str(other), "lib")
    git(checkout, "commit", "-am", "lib")
    git(tmp_path, "clone", str(checkout), "cloned")
    tree = tree_here(tmp_path / "cloned")
    assert "lib" not in tree.files
    assert (Odd.SUBMODULE, "lib") in kinds(tree)


def test_no_checkout_says_what_to_do(tmp_path):
    with pytest.raises(NotATree, match="name the folder") as raised:
        tree_here(tmp_path)
    assert str(tmp_path) in str(raised.value)
    with pytest.raises(NotATree, match="is no folder"):
        tree_of(tmp_path / "absent")


def test_no_git_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotATree, match="git is not installed"):
        tree_here(tmp_path)


def test_sockets_and_pipes_are_left_out_and_named(checkout, monkeypatch):
    monkeypatch.chdir(checkout)  # a socket's name is short
    bind_socket(Path("s.sock"))
    os.mkfifo(checkout / "pipe")
    tree = tree_of(checkout)
    assert {(Odd.SPECIAL, "s.sock"), (Odd.SPECIAL, "pipe")} <= kinds(tree)
    assert not {"s.sock", "pipe"} & set(tree.files)
    details = {note.path: note.detail for note in tree.notes}
    assert details["pipe"] == "left out: it is a pipe"
    assert details["s.sock"] == "left out: it is a socket"
    assert not {"s.sock", "pipe"} & set(tree_here(checkout).files)


@pytest.mark.parametrize("listed", [tree_here, tree_of])
def test_links(checkout, listed):
    (checkout / "good").symlink_to("tracked.txt")
    (checkout / "broken").symlink_to("nothing")
    (checkout / "out").symlink_to("../elsewhere")
    (checkout / "absolute").symlink_to(checkout / "tracked.txt")
    (checkout / "here").symlink_to(".")
    (checkout / "sneaky").symlink_to("here/../x")
    (checkout / "loop").symlink_to("loop")
    tree = listed(checkout)
    assert {"good", "broken", "here", "loop"} <= set(tree.files)
    assert not {"out", "absolute", "sneaky"} & set(tree.files)
    assert kinds(tree) == {
        (Odd.BROKEN_LINK, "broken"),
        (Odd.BROKEN_LINK, "loop"),
        (Odd.LEADS_OUT, "out"),
        (Odd.LEADS_OUT, "absolute"),
        (Odd.LEADS_OUT, "sneaky"),
    }


@pytest.mark.parametrize("listed", [tree_here, tree_of])
def test_odd_names_are_kept_and_named(checkout, listed):
    raw = os.fsencode(checkout) + b"/caf\xe9"
    with open(raw, "wb"):
        pass
    (checkout / "New.txt").write_text("")
    (checkout / "new\nline").write_text("")
    tree = listed(checkout)
    assert {"caf\udce9", "New.txt", "new.txt", "new\nline"} <= set(tree.files)
    assert kinds(tree) == {(Odd.NOT_UTF8, "caf\udce9"), (Odd.CASE, "new.txt")}


def test_a_tracked_name_behind_a_link_is_not_read_through_it(checkout):
    (checkout / "sub" / "inner.txt").unlink()
    (checkout / "sub").rmdir()
    (checkout / "moved").mkdir()
    (checkout / "moved" / "inner.txt").write_text("3")
    (checkout / "sub").symlink_to("moved")
    files = tree_here(checkout).files
    assert "sub" in files
    assert "moved/inner.txt" in files
    assert "sub/inner.txt" not in files


def test_a_folder_with_its_ignore_file(tmp_path):
    for name in ("keep/a", "keep/b.tmp", "skip/c", "skip/inner/d", "e.tmp", "must.tmp"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text("x")
    (tmp_path / "empty").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("x")
    (tmp_path / ".leasewayignore").write_text("*.tmp\nskip/\n!must.tmp\n!skip/c\n")
    tree = tree_of(tmp_path)
    assert tree.files == (".leasewayignore", "empty", "keep/a", "must.tmp")
    assert tree.identity == str(tmp_path)


def test_names_of_our_own_are_left_out(tmp_path):
    (tmp_path / ".leaseway").mkdir()
    (tmp_path / ".leaseway" / "deleted").write_text("mine")
    (tmp_path / ".leaseway" / "plan.toml").write_text("theirs")
    (tmp_path / ".leaseway-staging-x").mkdir()
    assert tree_of(tmp_path).files == (".leaseway/plan.toml",)
