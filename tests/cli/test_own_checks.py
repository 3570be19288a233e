"""Goal: the example plans stay whole: every test folder is run once, no two tasks write one place.
Method: read the files that are shipped."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

from leaseway.core.model.findings import Severity
from leaseway.core.scan.report import scan
from leaseway.planfile.leases import read_leases
from leaseway.planfile.plan import read_plan
from tests.checkout import ROOT

EXAMPLES = ROOT / "examples"
PLAN = read_plan(EXAMPLES / "own-checks" / "plan.toml")
LEASES = read_leases(EXAMPLES / "own-checks" / "leases.toml")


def commands():
    return {task.name: str(task.run) for task in PLAN.tasks}


def test_every_test_folder_is_run_once():
    folders = {path.name for path in (ROOT / "tests").iterdir() if any(path.glob("**/test_*.py"))}
    ignored = set(re.findall(r"--ignore=tests/(\w+)", commands()["tests-rest"]))
    named = {
        folder
        for name, run in commands().items()
        if name.startswith("tests-") and name != "tests-rest"
        for folder in re.findall(r" tests/(\w+)", run)
    }
    assert ignored == named | {"e2e"}
    assert named <= folders


def test_tools_are_all_there():
    runs = " ".join(commands().values())
    for tool in ("ruff", "mypy", "lint-imports", "hatchling", "pytest"):
        assert tool in runs


def test_no_two_tasks_write_one_place():
    for one, other in combinations(PLAN.tasks, 2):
        assert one.writes is not None
        assert other.writes is not None
        assert not set(one.writes) & set(other.writes)
    assert all(
        str(path).startswith(".reports/") for task in PLAN.tasks for path in task.writes or ()
    )


def test_three_workers_take_it():
    assert len(LEASES) == 3
    report = scan(PLAN, {name: lease.offer.at(0) for name, lease in LEASES.items()}, 0)
    assert report.exit_code == 0
    assert all(task.fits_on for task in report.tasks)
    assert report.fit == report.count == len(PLAN.tasks)


def test_read_then_edit_is_ordered_by_what_is_read_and_written():
    folder = EXAMPLES / "read-then-edit"
    report = scan(read_plan(folder / "plan.toml"), {}, 0)
    order = {task.name: {edge.before for edge in task.waits_for} for task in report.tasks}
    assert order["read-config"] == {"copy-config"}
    assert "read-config" in order["edit-config"]
    assert "edit-config" in order["show-config"]
    derived = [each for each in report.findings if each.severity is Severity.WARNING]
    assert {each.code for each in derived} == {"LW103", "LW201"}


def test_run_is_one_command():
    script = Path(EXAMPLES / "own-checks" / "run")
    assert script.stat().st_mode & 0o111
