"""Goal: two names of one file never run side by side unnoticed. Method: real directories with
links, the operating system as the oracle."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaseway.client.real_names import with_real_names
from leaseway.core.model.accesses import accesses_of
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.core.model.touching import meeting
from leaseway.core.scan.order import order
from tests.cli.samples import accepted, task

PLAN = """name = "names"
workdir = "{folder}"
[defaults]
run = "make"
limit = "1m"
reads = []
[task.raw]
writes = ["data/raw.csv"]
[task.clean]
writes = ["./data//clean.csv"]
[task.link]
writes = ["latest/raw.csv"]
[task.dots]
writes = ["data/x/../clean.csv"]
[task.case]
writes = ["Data/raw.csv"]
"""


@pytest.fixture
def folder(tmp_path):
    """`data/x`, and `latest`, a link to `data`."""
    (tmp_path / "data" / "x").mkdir(parents=True)
    (tmp_path / "latest").symlink_to("data")
    return tmp_path


def both(folder, one, two):
    """A plan of two tasks that write one name each, as a client hands it in."""
    tasks = (
        TaskSpec("a", "x", reads=(), writes=(one,)),
        TaskSpec("b", "x", reads=(), writes=(two,)),
    )
    return with_real_names(PlanSpec("p", tasks, workdir=str(folder)))


def waits(plan):
    return [edge.before for edge in order(plan).edges["b"]] == ["a"]


def variants(plan):
    return [each.variant for each in order(plan).findings if each.code == "LW207"]


def test_what_is_no_link_stays_as_it_is_written(folder):
    folder = folder.resolve()
    plan = both(folder, "data/x", "not/here/yet")
    assert [each.same_as for each in plan.tasks] == [{}, {}]
    assert not waits(plan)


@pytest.mark.parametrize(
    ("one", "two", "variant"),
    [
        ("data/f", "latest/f", ""),
        ("data", "latest/f", "inside"),
        ("latest", "data/f", "inside"),
        ("data/*.o", "latest/a.o", ""),
        ("latest/x/../f", "data/f", ""),
        ("latest/not/yet", "data/not/yet", ""),
    ],
)
def test_a_link_and_what_it_names_conflict(folder, one, two, variant):
    for first, second in ((one, two), (two, one)):
        plan = both(folder, first, second)
        assert waits(plan)
        assert variants(plan) == [variant]


def test_dots_after_a_link_are_walked_as_the_system_walks_them(folder):
    """`deep/..` is where the link leads to, above it: `data`, and not this folder."""
    (folder / "deep").symlink_to("data/x")
    (folder / "data" / "f").write_text("")
    assert os.path.samefile(folder / "deep/../f", folder / "data/f")
    assert waits(both(folder, "deep/../f", "data/f"))


def test_two_hard_links_are_one_file(folder):
    (folder / "one").write_text("")
    os.link(folder / "one", folder / "two")
    plan = both(folder, "one", "two")
    assert waits(plan)
    assert variants(plan) == [""]


def test_a_link_in_a_circle_and_names_that_no_disk_has_are_left_alone(folder):
    (folder / "round").symlink_to("round")
    assert not waits(both(folder, "round", "data"))
    assert both(folder, "a\0b", "c\ud800").tasks[0].same_as == {}


def test_named_spaces_and_other_machines_are_not_looked_up(folder):
    plan = both(folder, "nas:latest/f", "data/f")
    assert plan.tasks[0].same_as.keys() <= {"."}
    assert not waits(plan)
    away = both(folder / "not-on-this-machine", "../latest/f", "../data/f")
    assert [each.same_as for each in away.tasks] == [{}, {}]


def test_two_folders_that_are_one_conflict_where_nothing_is_declared(folder):
    unknown = with_real_names(
        PlanSpec("p", (TaskSpec("a", "x"),), workdir=str(folder / "latest"))
    ).tasks[0]
    other = both(folder.resolve(), "data/f", "x").tasks[0]
    mine = accesses_of(unknown, str(folder / "latest"))
    assert meeting(mine, accesses_of(other, str(folder.resolve())), one_machine=True)


def test_scan_tells_links_dots_and_case(run, story, folder):
    (folder / "plan.toml").write_text(PLAN.format(folder=folder.resolve()))
    (folder / "leases.toml").write_text('[worker.box]\nfor = "1h"\n')
    done = run("scan", "--json", str(folder / "plan.toml"), "--leases", str(folder / "leases.toml"))
    assert done.exit_code == 1
    found = [each for each in json.loads(done.stdout)["findings"] if each["code"] == "LW207"]
    told = [f"{each['severity']}: {each['sentence']}" for each in found]
    told = [fill(each.replace(str(folder.resolve()), "/srv/p"), 100) for each in told]
    story("two-names", "\n".join(told) + "\n")


def test_run_hands_in_what_it_found(run, fake, folder):
    (folder / "plan.toml").write_text(PLAN.format(folder=folder.resolve()))
    fake.reply = accepted(task("link"))
    run("run", "--detach", str(folder / "plan.toml"))
    ((request,),) = fake.named("submit")
    by_name = {each.name: each for each in request.plan.tasks}
    real = str(folder.resolve() / "data/raw.csv")
    assert by_name["link"].same_as["latest/raw.csv"] == real
    assert by_name["link"].writes == ("latest/raw.csv",)


def test_a_scan_as_json_has_the_finding_with_both_names(run, folder):
    (folder / "plan.toml").write_text(PLAN.format(folder=folder.resolve()))
    (folder / "leases.toml").write_text("[worker.box]\n")
    done = run("scan", "--json", str(folder / "plan.toml"), "--leases", str(folder / "leases.toml"))
    found = [each for each in json.loads(done.stdout)["findings"] if each["code"] == "LW207"]
    link = next(each for each in found if each["variant"] == "")
    assert {link["numbers"]["name"], link["numbers"]["same"]} == {"data/raw.csv", "latest/raw.csv"}


NAMES = st.sampled_from(["a", "b", "c", "A"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
SPELLED = st.lists(
    st.sampled_from(["a", "b", "c", "A", "..", ".", ""]), min_size=1, max_size=5
).map(lambda parts: "/".join(parts).lstrip("/") or ".")
MADE = st.lists(
    st.tuples(st.sampled_from(["file", "dir", "link", "link", "hard"]), PATHS, SPELLED), max_size=7
)


def build(root: Path, made):
    """A small tree; what does not go is left out."""
    for kind, name, target in made:
        where = root / name
        try:
            where.parent.mkdir(parents=True, exist_ok=True)
            if kind == "file":
                where.write_text("")
            elif kind == "dir":
                where.mkdir()
            elif kind == "link":
                where.symlink_to(target)
            else:
                os.link(root / target, where)
        except OSError:
            continue


def same_or_inside(root, one, two):
    """What the system says: one file, or one directory above the other name. A name that leads in
    circles is no file's."""
    left, right = root / one, root / two
    if in_circles(left) or in_circles(right):
        return False
    if left.exists() and right.exists() and os.path.samefile(left, right):
        return True
    real, other = os.path.realpath(left), os.path.realpath(right)
    return os.path.commonpath([real, other]) in (real, other)


def in_circles(path):
    try:
        os.stat(path)
    except OSError as wrong:
        return wrong.errno == errno.ELOOP
    return False


@settings(max_examples=150, deadline=None)
@given(MADE, SPELLED, SPELLED)
def test_two_names_of_one_file_never_run_side_by_side_unnoticed(made, one, two):
    with TemporaryDirectory() as name:
        root = Path(name) / "p"
        root.mkdir()
        build(root, made)
        if not same_or_inside(root, one, two):
            return
        plan = both(root, one, two)
        assert waits(plan)
        alike = one.strip("/") == two.strip("/")
        nested = {each.code for each in order(plan).findings} & {"LW201", "LW207"}
        assert alike or nested
        touched = [accesses_of(each, plan.workdir) for each in plan.tasks]
        assert meeting(*touched, one_machine=True)
