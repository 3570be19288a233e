"""Goal: whatever a command leaves behind can be removed, and nothing outside of it is touched.
Method: folders deeper than stack and paths reach, locked ones, links; then look what is left.
"""

from __future__ import annotations

import os
from pathlib import Path

from leaseway.workspace.removing import remove_tree


def deep(root: Path, levels: int, name: str = "d") -> None:
    """So many folders in each other, with a file in each; no path reaches the last."""
    root.mkdir()
    at = os.open(root, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=at)
        os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=at))
        inner = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(at)


def test_depth_is_no_obstacle(tmp_path):
    deep(tmp_path / "tree", 3_000)
    remove_tree(tmp_path / "tree")
    assert list(tmp_path.iterdir()) == []


def test_folders_called_like_numbers_are_moved_up_to_free_ones(tmp_path):
    tree = tmp_path / "tree"
    for name in ("1/1/1/1", "2/3", "3/2/1", "a/b/c/d", "a/b/2/1"):
        (tree / name).mkdir(parents=True)
        (tree / name / "4").write_text("x")
    remove_tree(tree)
    assert list(tmp_path.iterdir()) == []


def test_links_are_removed_and_not_followed(tmp_path):
    outside = tmp_path / "outside"
    (outside / "sub").mkdir(parents=True, mode=0o500)
    (outside / "file").write_text("stays")
    outside.chmod(0o500)
    tree = tmp_path / "tree"
    (tree / "x").mkdir(parents=True)
    (tree / "x/link").symlink_to(outside)
    remove_tree(tree)
    (tmp_path / "link").symlink_to(outside)
    remove_tree(tmp_path / "link")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["outside"]
    assert (outside / "file").read_text() == "stays"
    assert outside.stat().st_mode & 0o777 == 0o500
    outside.chmod(0o700)


def test_locked_folders_are_opened(tmp_path):
    tree = tmp_path / "tree"
    (tree / "a/b").mkdir(parents=True)
    (tree / "a/b/file").write_text("x")
    for folder in (tree / "a/b", tree / "a", tree):
        folder.chmod(0)
    remove_tree(tree)
    assert list(tmp_path.iterdir()) == []


def test_nothing_there_is_no_error_and_a_file_goes(tmp_path):
    remove_tree(tmp_path / "gone")
    (tmp_path / "file").write_text("x")
    remove_tree("file", os.open(tmp_path, os.O_RDONLY))
    assert list(tmp_path.iterdir()) == []
