"""Goal: what was scanned runs, and nothing runs once its lease, its promises or the plan are not
what was scanned. Method: the commands as a person types them, against a real coordinator."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from leaseway.core.model.lease import TermsChange
from leaseway.core.model.units import MINUTE
from tests.e2e.house import House

PLAN = """
[task.build]
run = "echo built >> trace"
limit = "10s"
reads = []
writes = ["trace"]

[task.test]
run = "cat trace && echo tested >> trace"
limit = "10s"
reads = []
writes = ["trace"]
"""


@pytest.fixture
def plan(house: House) -> Path:
    house.join("box", max_run_time='"8m"')
    path = house.folder / "plan.toml"
    path.write_text(PLAN)
    return path


def leaseway(house: House, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "leaseway", *words],
        env=house.pool.environment() | {"LEASEWAY_IN_PLACE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def scanned(house: House, plan: Path) -> str:
    said = json.loads(leaseway(house, "scan", str(plan), "--json").stdout)
    assert {"build": ["box"], "test": ["box"]} == {
        each["name"]: each["fits_on"] for each in said["report"]["tasks"]
    }
    return str(said["scan_id"])


def test_what_was_scanned_runs(house: House, plan: Path) -> None:
    done = leaseway(house, "run", "--check", scanned(house, plan), str(plan))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (house.folder / "trace").read_text() == "built\ntested\n"


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("plan", "the plan plan differs"),
        ("lease", "the lease of box differs"),
        ("promise", "what is promised differs, now 1 in all"),
    ],
)
def test_what_is_no_longer_so_does_not_run(house: House, plan: Path, part: str, words: str) -> None:
    pin = scanned(house, plan)
    match part:
        case "plan":
            plan.write_text(PLAN.replace("10s", "11s"))
        case "lease":
            house.client.change_lease("box", TermsChange(max_run_ms=5 * MINUTE))
        case _:
            house.submit(house.traced("long", "sleep 30", limit_ms=MINUTE))
            house.wait_started("long")
    before = len(house.client.plans().plans)
    done = leaseway(house, "run", "--check", pin, str(plan))
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 3, said
    assert "LW313" in said
    assert words in said
    assert "Nothing ran." in said
    assert len(house.client.plans().plans) == before
    assert not (house.folder / "trace").exists()
    again = leaseway(house, "run", "--check", scanned(house, plan), "--detach", str(plan))
    assert again.returncode == 0, "a new scan's id is taken"
