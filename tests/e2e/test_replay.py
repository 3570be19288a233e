"""Goal: what was decided can be made again by whoever asks, from the ledger alone.
Method: the commands as a person types them, against a real coordinator and worker."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.e2e.house import House


def leaseway(house: House, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "leaseway", *words],
        env=house.pool.environment() | {"LEASEWAY_IN_PLACE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_submit_and_a_refusal_are_made_again_the_same(house: House) -> None:
    house.join("box", max_run_time='"8m"')
    assert leaseway(house, "run", "--limit", "5s", "--", "true").returncode == 0
    assert leaseway(house, "run", "--limit", "9m", "--", "true").returncode == 125
    for named, command in (("true-1", "submit"), ("declined-1", "declined")):
        said = leaseway(house, "explain", "--replay", named, "--json")
        assert said.returncode == 0, said.stderr
        (decision,) = json.loads(said.stdout)
        assert (decision["command"], decision["same"]) == (command, True)
    words = leaseway(house, "explain", "--replay", "declined-1").stdout
    assert words.startswith("declined-1: 1 decision made again here, byte for byte the same.")


def test_what_is_not_kept_is_said(house: House) -> None:
    said = leaseway(house, "explain", "--replay", "declined-9")
    assert said.returncode == 2
    assert "No decision about 'declined-9' is kept." in said.stderr
    assert "Traceback" not in said.stderr
