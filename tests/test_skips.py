"""Goal: CI cannot pass by skipping. Method: run pytest on a small suite with our conftest."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py")
SUITE = """
import pytest

def test_plain(): pass

@pytest.mark.skip(reason="{reason}")
def test_marked(): pass

def test_inside(): pytest.skip("{reason}")

@pytest.mark.xfail(reason="known")
def test_known(): assert False
"""


def run_suite(
    folder: Path, source: str, *, no_skip: bool, options: tuple[str, ...] = ()
) -> tuple[int, str]:
    tests = folder / "checkout" / "tests"
    tests.mkdir(parents=True)
    shutil.copy(CONFTEST, tests / "conftest.py")
    (tests / "test_suite.py").write_text(source)
    env = {**os.environ, "LEASEWAY_NO_SKIP": "1" if no_skip else ""}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--rootdir=.", *options, "tests"],
        cwd=tests.parent,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()[-1]


def test_a_skip_passes_where_it_is_allowed(tmp_path):
    code, summary = run_suite(tmp_path, SUITE.format(reason="no bwrap"), no_skip=False)
    assert code == 0
    assert "1 passed, 2 skipped, 1 xfailed" in summary


@pytest.mark.parametrize("options", [(), ("-n", "1")])
def test_a_skip_fails_where_it_is_not(tmp_path, options):
    code, summary = run_suite(
        tmp_path, SUITE.format(reason="no bwrap"), no_skip=True, options=options
    )
    assert code == 1
    assert "skipped" not in summary
    assert "1 passed" in summary
    assert "1 xfailed" in summary


@pytest.mark.parametrize("options", [(), ("-n", "1")])
def test_skipping_a_whole_module_fails_too(tmp_path, options):
    source = "import pytest\npytest.importorskip('not_installed_anywhere')\ndef test_one(): pass\n"
    code, _ = run_suite(tmp_path, source, no_skip=True, options=options)
    assert code != 0


def test_shared_data_may_be_missing(tmp_path):
    source = SUITE.format(reason="shared data: no trace here")
    code, summary = run_suite(tmp_path, source, no_skip=True)
    assert code == 0
    assert "2 skipped" in summary


def test_shared_data_that_is_there_is_used(tmp_path):
    (tmp_path / "shared").mkdir()
    source = SUITE.format(reason="shared data: no trace here")
    code, _ = run_suite(tmp_path, source, no_skip=True)
    assert code == 1


@pytest.mark.parametrize(("told", "code"), [("absent", 0), ("", 1)])
def test_networks_may_be_missing_where_ci_could_not_make_one(tmp_path, monkeypatch, told, code):
    monkeypatch.setenv("LEASEWAY_NETWORKS", told)
    source = SUITE.format(reason="no network namespaces: they need root")
    assert run_suite(tmp_path, source, no_skip=True)[0] == code
