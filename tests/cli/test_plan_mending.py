"""Goal: `scan --fix` mends what it says and loses nothing. Method: random plans, and files that
cannot be written."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from leaseway.cli.faults import Fault
from leaseway.cli.main import leaseway
from leaseway.cli.plan_mending import Mending, last_of, mend_file, write_mended
from leaseway.core.model.fixes import Fix, FixKind
from leaseway.core.scan.report import scan as core_scan
from leaseway.planfile.leases import leases_from_text
from leaseway.planfile.plan import plan_from_text
from leaseway.wire.findings import finding_infos
from tests.core.scan.programs import FEW, backwards, left_by, programs
from tests.core.scan.test_order_laws import serial_order

LEASES = '[worker.box]\nfor = "10m"\nmax_run_time = "6m"\ntokens = ["gpu-room"]\n'
TWO = (
    '[task.write]\nrun = "w"\nlimit = "2m"\nreads = []\nwrites = ["out"]  # here\n\n'
    '# then\n[task.show]\nrun = "s"\nlimit = "2m"\nreads = ["out"]\nwrites = []\n'
)

NAMES = ("fetch", "build", "test", "pack")
NEEDS = st.lists(st.sampled_from([*NAMES, "biuld", "tets", "nothing"]), max_size=3, unique=True)
PATHS = st.lists(st.sampled_from(["out", "out/x", "conf", "*.txt"]), max_size=2, unique=True)
TASK = st.fixed_dictionaries(
    {"needs": NEEDS},
    optional={
        "reads": PATHS,
        "writes": PATHS,
        "limit": st.sampled_from(["1m", "7m", "30m"]),
        "estimate": st.sampled_from(["1m", "9m"]),  # never above the limit, see `allowed`
        "holds": st.just(["gpuroom"]),
        "promise": st.just("none"),
    },
)


def allowed(task):
    """An estimate above the limit is a mistake of the file."""
    return {**task, "limit": "30m"} if {"limit", "estimate"} <= task.keys() else task


def text_of(tasks):
    blocks = []
    for name, keys in tasks.items():
        lines = [f"# about {name}", f"[task.{name}]", f'run = "{name}"  # so']
        lines += [f"{key} = {json.dumps(value)}  # {key}" for key, value in keys.items()]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n# the end\n"


def findings_of(text):
    plan = plan_from_text(text, "toml", "plan.toml")
    leases = leases_from_text(LEASES, "toml", "leases.toml")
    terms = {name: lease.offer.at(0) for name, lease in leases.items()}
    return finding_infos(core_scan(plan, terms, 0).findings)


def errors(found):
    return {each.code for each in found if each.severity == "error"}


@given(st.dictionaries(st.sampled_from(NAMES), TASK.map(allowed), min_size=1))
def test_random_plans(tmp_path_factory, tasks):
    path = tmp_path_factory.mktemp("plans") / "plan.toml"
    path.write_text(text := text_of(tasks))
    mending = mend_file(path, findings_of)
    after = tomllib.loads(mending.after)["task"]
    assert list(after) == list(tasks)
    assert [task["run"] for task in after.values()] == list(tasks)
    for line in text.splitlines():
        if "limit" not in line and "needs" not in line and "holds" not in line:
            assert line in mending.after.splitlines()
    assert mending.after.count("#") == text.count("#")
    found = findings_of(mending.after)
    assert errors(found) <= errors(findings_of(text))
    left = {(each.code, each.tasks) for each in found}
    assert not left & {(each.code, each.tasks) for each in mending.findings}
    path.write_text(mending.after)
    again = mend_file(path, findings_of)
    assert (again.after, again.fixes) == (mending.after, ())


@given(
    st.dictionaries(st.sampled_from(NAMES), TASK.map(lambda task: allowed({**task, "needs": []})))
)
def test_without_misspelt_needs_nothing_mendable_is_left(tmp_path_factory, tasks):
    path = tmp_path_factory.mktemp("plans") / "plan.toml"
    path.write_text(text_of(tasks or {"one": {}}))
    for each in findings_of(mend_file(path, findings_of).after):
        bound_by_estimate = each.code in ("LW301", "LW302") and any(
            "estimate" in tasks[name] for name in each.tasks
        )
        assert not each.fix or bound_by_estimate


def as_text(whole, format):
    """A plan of programs as somebody may write it: a list in TOML, a map without order in JSON."""
    keys = {
        each.name: {
            "run": each.run,
            "needs": list(each.needs),
            "reads": list(each.reads),
            "writes": list(each.writes),
            "limit": "1m",
        }
        for each in whole.tasks
    }
    if format == "json":
        return json.dumps({"task": keys})
    blocks = (
        "\n".join([f"[task.{name}]", *(f"{key} = {json.dumps(v)}" for key, v in each.items())])
        for name, each in keys.items()
    )
    return "\n\n".join(blocks) + "\n"


@pytest.mark.parametrize("format", ["toml", "json"])
@FEW
@given(whole=programs())
def test_the_needs_alone_then_leave_the_same_files(tmp_path_factory, format, whole):
    """The mended plan has the same tasks, scans clean, and whoever respects what it declares ends
    where serial work by the plan as it was written ends."""

    def found_of(text):
        read = plan_from_text(text, format, f"plan.{format}")
        return finding_infos(core_scan(read, {}, 0).findings)

    folder = tmp_path_factory.mktemp("mended")
    path = folder / f"plan.{format}"
    path.write_text(as_text(whole, format))
    after = mend_file(path, found_of).after
    mended = plan_from_text(after, format, path.name)
    assert [(each.name, each.run) for each in mended.tasks] == [
        (each.name, each.run) for each in whole.tasks
    ]
    told = {each.code for each in found_of(after) if each.severity != "note"}
    assert told <= {"LW402"}, "no lease is known; nothing else is wrong"
    needs = {each.name: set(each.needs) for each in mended.tasks}
    wanted = left_by(folder / "serial", [[each] for each in serial_order(whole.tasks)])
    assert left_by(folder / "back", backwards(mended, needs)) == wanted


def test_a_mend_that_would_bring_an_error_is_left_out(tmp_path):
    path = tmp_path / "plan.toml"
    keys = 'reads = []\nwrites = []\nlimit = "1m"\n'
    text = (
        f'[task.build]\nrun = "b"\nneeds = ["test"]\n{keys}'
        f'[task.test]\nrun = "t"\nneeds = ["biuld"]\n{keys}'
        f'[task.more]\nrun = "m"\nneeds = ["tets"]\n{keys}'
    )
    path.write_text(text)
    mending = mend_file(path, findings_of)
    assert mending.after == text.replace("tets", "test")  # biuld → build would be a cycle


def test_a_limit_that_was_lowered_again_and_again_is_told_once():
    first, last = (Fix(FixKind.LOWER, "limit", "a", value) for value in (300_000, 200_000))
    add = Fix(FixKind.ADD, "needs", "b", "a")
    other = Fix(FixKind.LOWER, "limit", "b", 60_000)
    made = [first, add, last, other, Fix(FixKind.ADD, "needs", "b", "c")]
    mending = Mending(Path("plan.toml"), "", "x", last_of(made))
    assert mending.lines() == [
        "Mended in plan.toml: 4 changes.",
        "  a: limit lowered to 3m 20s",
        "  b: needs gets a",
        "  b: limit lowered to 1m",
        "  b: needs gets c",
    ]


@pytest.fixture
def scan(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "leases.toml").write_text(LEASES)

    def call(*words):
        done = CliRunner().invoke(leaseway, ["scan", *words, "--leases", "leases.toml"])
        assert not done.exception or isinstance(done.exception, SystemExit), done.exception
        return done

    return call


def test_fix_writes_and_tells(scan, tmp_path):
    (tmp_path / "plan.toml").write_text(TWO)
    done = scan("plan.toml", "--fix")
    assert done.exit_code == 0
    assert done.stdout.startswith(
        "Mended in plan.toml: 1 change.\n  show: needs gets write\n\nplan: "
    )
    assert (tmp_path / "plan.toml").read_text() == TWO + 'needs = ["write"]\n'
    assert scan("plan.toml", "--fix").stdout.startswith("Nothing to mend without asking.\n")


def test_diff_shows_and_does_not_write(scan, tmp_path):
    (tmp_path / "plan.toml").write_text(TWO)
    for words in (("--diff",), ("--fix", "--diff")):
        done = scan("plan.toml", *words)
        assert done.exit_code == 1  # of the plan as it is
        assert done.stdout.splitlines()[:2] == ["--- plan.toml", "+++ plan.toml"]
        changed = [line for line in done.stdout.splitlines()[2:] if line[0] in "+-"]
        assert changed == ['+needs = ["write"]']
        assert (tmp_path / "plan.toml").read_text() == TWO
    told = json.loads(scan("plan.toml", "--diff", "--json").stdout)
    assert told["mending"]["written"] is False
    assert told["mending"]["changes"] == [
        {"kind": "add", "key": "needs", "task": "show", "value": "write"}
    ]


def test_a_plan_that_cannot_be_read_is_not_written(scan, tmp_path):
    text = TWO + "[task.show]\n"
    (tmp_path / "plan.toml").write_text(text)
    done = scan("plan.toml", "--fix")
    assert (done.exit_code, done.stdout) == (3, "")
    assert "LW901" in done.stderr
    assert (tmp_path / "plan.toml").read_text() == text
    assert "No such file" in scan("gone.toml", "--fix").stderr


def test_a_file_that_is_read_only_stays(scan, tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(TWO)
    path.chmod(0o444)
    done = scan("plan.toml", "--fix")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "plan.toml could not be written: it is read-only. Nothing was changed." in done.stderr
    assert path.read_text() == TWO
    assert sorted(each.name for each in tmp_path.iterdir()) == ["leases.toml", "plan.toml"]


def test_yaml_is_not_written(scan, tmp_path):
    text = (
        "task:\n  a: {run: x, limit: 1m, reads: [], writes: [o]}\n"
        "  b: {run: y, limit: 1m, reads: [o], writes: []}\n"
    )
    (tmp_path / "plan.yaml").write_text(text)
    done = scan("plan.yaml", "--fix")
    assert done.exit_code == 2
    assert "yaml files cannot be written without losing their layout" in done.stderr
    assert (tmp_path / "plan.yaml").read_text() == text


def test_what_was_changed_meanwhile_is_not_overwritten(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text("theirs")
    with pytest.raises(Fault, match="was changed meanwhile"):
        write_mended(Mending(path, "ours", "mended"))
    assert path.read_text() == "theirs"


def test_rights_links_and_marks_of_the_file_stay(scan, tmp_path):
    real, link = tmp_path / "real.toml", tmp_path / "plan.toml"
    real.write_bytes(b"\xef\xbb\xbf" + TWO.encode())
    real.chmod(0o640)
    link.symlink_to(real)
    assert scan("plan.toml", "--fix").exit_code == 0
    assert link.is_symlink()
    assert real.read_bytes() == b"\xef\xbb\xbf" + TWO.encode() + b'needs = ["write"]\n'
    assert os.stat(real).st_mode & 0o777 == 0o640
