"""Goal: the right tree travels, what was brought home is what was declared, and nothing local is
lost. Method: real checkouts and folders, archives packed from folders written by hand, a store in
place of the coordinator's."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from msgspec.structs import replace

from leaseway.cli import tree_home, tree_sent
from leaseway.cli.faults import Refusal
from leaseway.cli.plan_given import plan_of_file
from leaseway.cli.tree_given import TreeGiven
from leaseway.cli.tree_home import bring_home, remember, remembered
from leaseway.cli.tree_sent import Sent, expected, send_tree
from leaseway.client import archives
from leaseway.core.model.plan import Archive
from leaseway.workspace.listing import tree_of
from leaseway.workspace.packing import pack, pack_names
from tests.cli import samples


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


@dataclass
class Store:
    """What a coordinator would keep."""

    folder: Path
    sent: list[str] = field(default_factory=list)
    options: object = None

    def has(self, _pool, digest):
        return (self.folder / digest).exists()

    def send(self, _pool, path, digest, moved):
        self.sent.append(digest)
        shutil.copy(path, self.folder / digest)
        moved(path.stat().st_size)

    def fetch(self, _pool, digest, into, moved=None):
        shutil.copy(self.folder / digest, into)


@pytest.fixture
def store(tmp_path, monkeypatch):
    folder = tmp_path / "store"
    folder.mkdir()
    made = Store(folder)
    for verb in ("has", "send", "fetch"):
        monkeypatch.setattr(archives, verb, getattr(made, verb))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return made


def codes(refusal: Refusal) -> list[tuple[str, str]]:
    return [(each.code, each.variant) for each in refusal.findings]


def test_the_checkout_around_a_plan_travels(checkout):
    plan, tree = plan_of_file(write_plan(checkout), TreeGiven())
    assert tree is not None
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
    plan, tree = plan_of_file(write_plan(tmp_path), TreeGiven(tree=tmp_path))
    assert tree is not None
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
    plan, tree = plan_of_file(write_plan(checkout), TreeGiven())
    first, sent = send_tree(store, plan, tree, None, silent=True)
    again, _ = send_tree(store, plan, tree, None, silent=True)
    assert first.workspace == again.workspace
    assert store.sent == [first.workspace.archive.digest]
    assert sent.root == checkout
    assert set(sent.manifest.entries) == set(tree.files)


def test_a_tree_that_is_too_large_names_the_largest_and_nothing_is_sent(checkout, store):
    (checkout / "big").write_bytes(bytes(5_000))
    plan, tree = plan_of_file(write_plan(checkout), TreeGiven())
    with pytest.raises(Refusal) as raised:
        send_tree(store, plan, tree, 4_000, silent=True)
    assert codes(raised.value) == [("LW902", "tree")]
    assert "big" in raised.value.findings[0].sentence
    assert store.sent == []


def test_what_does_not_travel_is_told(checkout, store, capsys):
    (checkout / "out").symlink_to("/etc/hostname")
    plan, tree = plan_of_file(write_plan(checkout), TreeGiven())
    send_tree(store, plan, tree, None)
    told = " ".join(capsys.readouterr().err.split())
    assert "out does not travel: it leads out of the tree, to /etc/hostname" in told


def test_a_scan_reckons_with_the_tree_and_sends_nothing(checkout, store):
    plan, tree = plan_of_file(write_plan(checkout), TreeGiven())
    reckoned = expected(plan, tree).workspace.archive
    content = sum((checkout / name).stat().st_size for name in tree.files)
    assert (reckoned.bytes, reckoned.files) == (content, 5)
    assert expected(plan, None) is plan
    assert store.sent == []


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
    assert "changed 9 files that it does not declare: cache/a, cache/b, c …" in finding.sentence


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


def test_an_origin_names_host_and_checkout(checkout, store):
    _, tree = plan_of_file(write_plan(checkout), TreeGiven())
    host, _, identity = tree_sent.origin_of(tree).partition(":")
    assert host
    assert identity == str(checkout / ".git")


def test_bring_asks_for_a_folder_where_nothing_is_remembered(run, fake, store):
    fake.plans_there = (samples.plan_info("nightly-3/a"),)
    done = run("bring", "--json", "nightly-3")
    assert done.exit_code == 2
    assert "--into DIR" in json.loads(done.stdout)["error"]["mend"]
