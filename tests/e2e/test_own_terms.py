"""Goal: what a command set wins over the lease file until that changes; then the file does, also
for a daemon that goes on, and the difference is said; recurring windows follow the worker's clock.
Method: real processes, one file rewritten, a wall clock that is set."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from leaseway.core.model.lease import TermsChange
from leaseway.core.model.units import DAY, HOUR, MINUTE
from leaseway.runtime import CLOCK_FILE
from tests.e2e.house import GUARD, House

pytestmark = pytest.mark.e2e


def longest(house: House) -> int | None:
    return house.client.worker("box").terms.max_run_ms


def says(house: House, words: str) -> None:
    house.wait(words, lambda: words in " ".join(house.pool.printed().split()))


def test_the_command_wins_until_the_file_changes(house: House) -> None:
    house.join("box", max_run_time='"8m"')
    house.client.change_lease("box", TermsChange(max_run_ms=5 * MINUTE))
    house.kill(house.pool.members["box"].pid)
    house.join("box", max_run_time='"8m"')  # the same words, written anew
    says(house, "wins over what box was joined with: longest task.")
    assert longest(house) == 5 * MINUTE

    task = house.submit(house.traced("long", "sleep 3; echo done")).tasks[0].id
    house.wait_started("long")
    file = house.folder / "box.toml"
    file.write_text(f"[worker.box]\nguard = {GUARD}\nmax_run_time = 'soon'\n")
    says(house, "cannot be taken over; the terms stay as they are:")
    says(house, ":3:1: expected a duration")
    assert longest(house) == 5 * MINUTE

    lines = [f"guard = {GUARD}", "capacity = { cpus = 1, slots = 2 }", "max_run_time = '3m'"]
    file.write_text("[worker.box]\n" + "\n".join([*lines, "share = { agents = '50%' }"]))
    says(house, "box, longest task: 5m → 3m.")
    says(house, "box, cpus: 2 → 1.")
    says(house, "box, share: none → agents 50%.")
    found = house.client.worker("box")
    assert (found.terms.max_run_ms, found.terms.share) == (3 * MINUTE, {"agent": 50})
    assert found.set_terms == ()
    ended = house.wait_ended(task)
    assert ended.outcome is not None
    assert ended.outcome.kind == "succeeded", "what ran went on under the new terms"
    assert len(house.starts("long")) == 1


def set_clock(file: Path, of_day_ms: int) -> None:
    """The worker's wall clock shows this time of today, UTC."""
    now = time.time_ns() // 1_000_000
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps({"wall_offset_ms": of_day_ms - now % DAY}))
    fresh.replace(file)


def test_recurring_windows_follow_the_workers_clock(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = tmp_path / "clock.json"
    set_clock(clock, 11 * HOUR)
    monkeypatch.setitem(house.pool._environment, CLOCK_FILE, str(clock))
    house.join("box", windows='["daily 08:00-12:00"]', timezone='"UTC"')
    found = house.client.worker("box")
    assert (found.open, found.terms.recurring) == (True, "daily 08:00-12:00 UTC")
    assert found.remaining_ms is not None
    assert HOUR - MINUTE < found.remaining_ms <= HOUR
    set_clock(clock, 13 * HOUR)
    house.wait("the window to close", lambda: not house.client.worker("box").open, 30)
    opens = house.client.worker("box").opens_in_ms
    assert opens is not None
    assert 19 * HOUR - MINUTE < opens <= 19 * HOUR
