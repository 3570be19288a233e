"""The whole suite: hypothesis profiles, and skipping that counts as failure when asked."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent
SHARED_DATA = ROOT.parent / "shared"
NO_SKIP = os.environ.get("LEASEWAY_NO_SKIP", "") not in ("", "0")

settings.register_profile("default", deadline=None)
settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", deadline=None, max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if NO_SKIP else "default"))


def _may_skip(reason: str) -> bool:
    """Data that is not part of this repository may be missing, where it is missing; systemd, where
    .ci/run could not install it; and network namespaces, where it could not make one."""
    if reason.startswith("no network namespaces"):
        return os.environ.get("LEASEWAY_NETWORKS") == "absent"
    if reason.startswith("systemd-analyze"):
        return os.environ.get("LEASEWAY_SYSTEMD") == "absent"
    return reason.startswith("shared data:") and not SHARED_DATA.exists()


def _skip_is_failure(report: pytest.TestReport | pytest.CollectReport) -> None:
    if not NO_SKIP or report.outcome != "skipped" or hasattr(report, "wasxfail"):
        return
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = text.removeprefix("Skipped: ")
    if not _may_skip(reason):
        report.outcome = "failed"
        report.longrepr = f"skipped, and LEASEWAY_NO_SKIP is set: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _skip_is_failure(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _skip_is_failure(report)
    return report
