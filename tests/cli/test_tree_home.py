"""Goal: what is brought home is what was declared, and nothing local is lost. Method: archives
packed from folders written by hand, a store in place of the coordinator's."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from leaseway.cli import tree_home
from leaseway.cli.tree_home import bring_home, remember, remembered
from leaseway.client.trees import Sent
from leaseway.core.model.plan import Archive
from leaseway.workspace.listing import tree_of
from leaseway.workspace.packing import pack, pack_names
from tests.cli import samples
from tests.cli.tree_store import stored


@pytest.fixture
def store(tmp_path, monkeypatch):
    return stored(tmp_path, monkeypatch)


def results(store, folder: Path, files: dict[str, str], deleted=()) -> Archive:
    """An archive with these files, in the store."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    path = folder.with_suffix(".tar.gz")
    packed = pack_names(folder, tuple(files), deleted, path)
    shutil.copy(path, store.folder / packed.digest)
    return Archive(packed.digest, packed.archive_bytes, packed.files)


def ended(name, seq=1, *, kind="succeeded", outputs=(), **changed):
    task = getattr(samples, kind)(name, seq=seq, outputs=outputs)
    ending = replace(task.attempt.ending, **changed)
    return replace(task, attempt=replace(task.attempt, ending=ending))


@pytest.fixture
def sent(tmp_path, store):
    """A tree as it was sent."""
    root = tmp_path / "home"
    root.mkdir()
    (root / "a").write_text("sent")
    packed = pack(tree_of(root), tmp_path / "sent.tar.gz")
    return Sent(root, packed.manifest)


def test_outputs_come_back_and_nothing_else(store, sent, tmp_path):
    archive = results(store, tmp_path / "r", {"out/x": "1", "between": "2"})
    home = bring_home(store, [ended("t", outputs=("out",), results=archive)], sent, None)
    assert (sent.root / "out/x").read_text() == "1"
    assert not (sent.root / "between").exists()
    assert home.brought == ["out/x"]
    assert not home.failed


def test_outputs_count_from_the_working_directory(store, sent, tmp_path):
    archive = results(store, tmp_path / "r", {"sub/x": "1", "x": "2"})
    home = bring_home(store, [ended("t", outputs=("x",), results=archive)], sent, "sub")
    assert home.brought == ["sub/x"]


def test_what_failed_brings_nothing_unless_everything_is_wanted(store, sent, tmp_path):
    archive = results(store, tmp_path / "r", {"x": "1"})
    extra = results(store, tmp_path / "e", {"y": "2"})
    task = ended("t", kind="failed", outputs=("x",), results=archive, extra=extra)
    assert bring_home(store, [task], sent, None).brought == []
    assert bring_home(store, [task], sent, None, whole=True).brought == ["x", "y"]


def test_a_later_task_changes_what_an_earlier_one_brought(store, sent, tmp_path):
    first = results(store, tmp_path / "r1", {"a": "first"})
    second = results(store, tmp_path / "r2", {"a": "second"})
    tasks = [
        ended("late", 2, outputs=("a",), results=second),
        ended("early", 1, outputs=("a",), results=first),
    ]
    home = bring_home(store, tasks, sent, None)
    assert (sent.root / "a").read_text() == "second"
    assert home.findings == []


def test_what_was_changed_here_meanwhile_is_kept(store, sent, tmp_path):
    archive = results(store, tmp_path / "r", {"a": "came"})
    (sent.root / "a").write_text("mine")
    home = bring_home(store, [ended("t", outputs=("a",), results=archive)], sent, None)
    assert (sent.root / "a").read_text() == "mine"
    (finding,) = home.findings
    assert (finding.code, finding.variant) == ("LW202", "at-home")
    assert (sent.root / finding.numbers["file"]).read_text() == "came"
    assert home.brought == []


def test_what_was_changed_beside_outputs_is_named(store, sent, tmp_path):
    task = ended("t", undeclared=("cache/a", "cache/b", "c", "d"), undeclared_count=9)
    (finding,) = bring_home(store, [task], sent, None).findings
    assert (finding.code, finding.variant) == ("LW202", "beside")
    said = "changed 9 files that it does not declare: cache/a, cache/b, c and 6 more"
    assert said in finding.sentence


def test_what_git_ignores_here_is_not_named(store, sent, tmp_path):
    """Two of five are ignored; one that is tracked all the same is not."""
    subprocess.run(["git", "init", "-q"], cwd=sent.root, check=True)
    (sent.root / ".gitignore").write_text("*.pyc\ncache/\n")
    (sent.root / "kept.pyc").write_text("")
    subprocess.run(["git", "add", "-f", "kept.pyc"], cwd=sent.root, check=True)
    names = ("a.pyc", "b", "cache/x", "kept.pyc", "z")
    task = ended("t", undeclared=names, undeclared_count=5)
    (finding,) = bring_home(store, [task], sent, None).findings
    assert finding.numbers["paths"] == ["b", "kept.pyc", "z"]
    assert finding.numbers["count"] == 3
    cache = ended("t", undeclared=("a.pyc", "cache/x"), undeclared_count=2)
    assert bring_home(store, [cache], sent, None).findings == []
    many = ended("t", undeclared=("a.pyc", "cache/x"), undeclared_count=30)
    (finding,) = bring_home(store, [many], sent, None).findings
    assert finding.numbers["count"] == 30, "28 of them nobody here has seen"


def test_a_folder_that_takes_nothing_fails_and_says_so(store, sent, tmp_path, monkeypatch):
    archive = results(store, tmp_path / "r", {"x": "1"})

    def full(*_args, **_more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tree_home, "bring", full)
    home = bring_home(store, [ended("t", outputs=("x",), results=archive)], sent, None)
    assert home.failed
    assert [each.code for each in home.findings] == ["LW907"]
    assert "No space left" in home.findings[0].sentence


def test_what_was_sent_is_remembered(store, sent):
    remember("p-1", sent)
    assert remembered("p-1") == sent
    assert remembered("p-2") is None


def test_so_many_plans_are_remembered_and_no_more(store, sent, monkeypatch):
    monkeypatch.setattr(tree_home, "_REMEMBERED", 2)
    for number in range(4):
        remember(f"p-{number}", sent)
    assert sum(remembered(f"p-{number}") is not None for number in range(4)) == 2


def test_bring_asks_for_a_folder_where_nothing_is_remembered(run, fake, store):
    fake.plans_there = (samples.plan_info("nightly-3/a"),)
    done = run("bring", "--json", "nightly-3")
    assert done.exit_code == 2
    assert "--into DIR" in json.loads(done.stdout)["error"]["mend"]


def test_a_tree_whose_path_is_not_utf8_is_remembered(store, tmp_path):
    root = tmp_path / "co\udcff"
    root.mkdir()
    (root / "f\udcfe").write_text("x")
    sent = Sent(root, pack(tree_of(root), tmp_path / "sent.tar.gz").manifest)
    remember("p-1", sent)
    assert remembered("p-1") == sent


def bring(run, fake, sent, *tasks, args=()):
    """`bring` of a plan of these tasks, which was sent from there."""
    remember("nightly-3", sent)
    fake.plans_there = (samples.plan_info(*(each.name for each in tasks)),)
    fake.steps = {each.id: [each] for each in tasks}
    return run("bring", "nightly-3", *args)


def test_bring_says_what_has_not_ended(run, fake, store, sent):
    done = bring(run, fake, sent, samples.running("a"), ended("b"))
    assert "Not ended yet: nightly-3/a. Do it again when they are." in done.stdout
    assert done.exit_code == 1


def test_bring_says_what_is_kept_of_tasks_that_did_not_succeed(run, fake, store, sent, tmp_path):
    archive = results(store, tmp_path / "r", {"x": "1"})
    done = bring(run, fake, sent, ended("a", kind="failed", results=archive))
    assert "Not succeeded, and kept: nightly-3/a. To have that: --whole." in done.stdout
    assert done.exit_code == 0


@pytest.mark.parametrize("into", [None, "home/a", "home/a/below"])
def test_bring_asks_for_a_folder_where_there_is_none(run, fake, store, sent, into):
    args = ("--into", str(sent.root.parent / into)) if into else ()
    if into is None:
        shutil.rmtree(sent.root)
    done = bring(run, fake, sent, ended("a"), args=args)
    assert done.exit_code == 2
    assert done.stderr.count("--into DIR") == 1


def test_what_was_declared_and_cannot_travel_is_told(store, sent):
    detail = "ff: left out: it is neither file, link nor folder"
    home = bring_home(store, [ended("t", outputs=("ff",), detail=detail)], sent, None)
    assert home.left == [f"Of nightly-3/t, as its worker says: {detail}."]
    failed = ended("t", kind="failed", outputs=("ff",), detail=detail)
    assert bring_home(store, [failed], sent, None).left == []


def test_no_room_for_what_comes_is_told(store, sent, tmp_path, monkeypatch):
    archive = results(store, tmp_path / "r", {"x": "1"})
    full = OSError(28, "No space left on device")
    monkeypatch.setattr("tempfile.mkdtemp", lambda *_, **__: (_ for _ in ()).throw(full))
    home = bring_home(store, [ended("t", outputs=("x",), results=archive)], sent, None)
    assert ([each.code for each in home.findings], home.failed) == (["LW907"], True)
