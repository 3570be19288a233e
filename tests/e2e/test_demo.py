"""The demonstration runs whole, and nothing in it is canned: a changed lease changes the verdicts.
Method: the command as a person types it, and its printed words."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from leaseway.demo.story import HERE


def demo(*words: str) -> str:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("LEASEWAY_")
    }
    done = subprocess.run(
        [sys.executable, "-m", "leaseway", "demo", *words],
        env={**environment, "COLUMNS": "100", "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    return done.stdout


def outcomes(story: str) -> dict[str, str]:
    """Outcome of every task, from the table at the end of the run."""
    table = story.partition("TASK         OUTCOME")[2].partition("\n\n")[0]
    rows = [line.split() for line in table.splitlines()[1:] if line[:1].strip()]
    return {row[0]: row[1] for row in rows}


@pytest.mark.timeout(120)
def test_the_whole_story() -> None:
    story = demo()
    assert "28 pairs" in story
    assert "train needs 8m" in story
    assert "Nothing ran." in story
    assert outcomes(story) == {
        "read-config": "succeeded",
        "edit-config": "succeeded",
        "lint": "succeeded",
        "test-core": "succeeded",
        "test-worker": "failed",
        "report": "overran",
        "archive": "lost",
        "publish": "skipped",
    }
    assert "page 1\npage 2\npage 3\n" in story
    several = story.partition("Latecomers")[2]
    assert "LW303  Not the boundary alone: two fits tiny alone" in several
    assert "before it:" in several
    assert "LW205  publish conflicts over nas:/srv/site.html with writer-4/publish" in several
    assert "is withdrawn: the lease of tiny shrank" in " ".join(several.split())
    assert all(len(line) <= 100 for line in story.splitlines())


@pytest.mark.timeout(120)
def test_a_changed_lease_changes_the_verdicts(tmp_path: Path) -> None:
    """With a window of 20 minutes and no cap on `box` the 8 minutes are no longer refused; and
    without its label nobody takes `archive`."""
    leases = (HERE / "leases.toml").read_text()
    changed = tmp_path / "leases.toml"
    changed.write_text(
        leases.replace('for = "5m"\nmax_run_time = "2m"', 'for = "20m"').replace(
            'labels = ["disks"]\n', ""
        )
    )
    story = demo("--leases", str(changed))
    assert "train needs 8m" not in story
    assert "1 succeeded" in story.partition("The plan runs")[0]
    table = outcomes(story.split("The plan runs")[1])
    assert table["archive"] == "refused"
    assert table["publish"] == "skipped"
    assert table["report"] == "overran"
