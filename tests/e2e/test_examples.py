"""The examples do what their pages say. Method: run them as a person would, in copies where they
write; the checks of this repository run as a plan over three workers on this checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.e2e.house import House

EXAMPLES = ROOT / "examples"


def test_read_then_edit(house: House, tmp_path: Path) -> None:
    house.join("box")
    shutil.copytree(EXAMPLES / "read-then-edit", tmp_path / "example")
    done = subprocess.run(
        house.pool.command("run", str(tmp_path / "example" / "plan.toml"), "--json"),
        env=house.pool.environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    tasks = json.loads(done.stdout)["tasks"]
    assert {task["outcome"]["kind"] for task in tasks} == {"succeeded"}


@pytest.mark.timeout(600)
def test_own_checks_run_as_a_plan() -> None:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("LEASEWAY_")
    }
    # The same tests run before and after this one: here its tasks find and import them all.
    environment["PYTEST_ADDOPTS"] = "--collect-only"
    done = subprocess.run(
        [str(EXAMPLES / "own-checks" / "run"), "--json"],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=550,
    )
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-3_000:]
    tasks = json.loads(done.stdout)["tasks"]
    ended = {task["name"]: task["outcome"]["kind"] for task in tasks}
    assert set(ended.values()) == {"succeeded"}
    assert {"lint", "types", "layers", "wheel", "tests-core"} <= set(ended)
    workers = {task["past"][-1]["worker"] for task in tasks}
    assert len(workers) > 1, "one worker did it all"
    assert len(list((ROOT / ".reports/own-checks/wheel").glob("*.whl"))) == 1
