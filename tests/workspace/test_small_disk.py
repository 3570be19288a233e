"""Goal: a full disk leaves nothing half done, and its number is told. Method: a process with a file
system of 256 KiB in its own mount namespace where that may be made, and one with a limit on the
size of its files everywhere."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from functools import cache

import pytest

from tests.checkout import ROOT

NAMESPACE = ["unshare", "--mount", "--map-root-user"]


@cache
def may_mount() -> bool:
    asked = [*NAMESPACE, "mount", "-t", "tmpfs", "none", "/mnt"]
    try:
        return subprocess.run(asked, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.mark.parametrize("story", ["pack", "unpack", "bring", "put"])
@pytest.mark.parametrize("how", ["mount", "limit"])
def test_nothing_half_written_is_left(tmp_path, how, story):
    if how == "mount" and not may_mount():
        how = "limit"  # the next best thing: every story runs somewhere
    full = errno.ENOSPC if how == "mount" else errno.EFBIG
    told = subprocess.run(
        [
            *(NAMESPACE if how == "mount" else []),
            sys.executable,
            "-m",
            "tests.workspace.small_disk",
            how,
            story,
            os.fspath(tmp_path),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout) == {"errno": full, "left": {"a-small": True}}
