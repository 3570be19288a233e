"""Commands run in this process, in UTC, against a pool that is not there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from leaseway.cli import pool as cli_pool
from leaseway.cli.main import leaseway
from tests.cli.fake_pool import FakePool

STORIES = Path(__file__).parent / "stories"
LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")
SHOWN = ("NO_COLOR", "COLUMNS")
Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local time is UTC; nothing of the caller's pool is in the environment; plans run in place."""
    for name in ("LEASEWAY_URL", "LEASEWAY_CREDENTIAL", "LEASEWAY_STATE", *SHOWN, *LOCALE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nowhere")  # what they connected to is not ours
    with monkeypatch.context() as inner:
        inner.setenv("TZ", "UTC")
        inner.setenv("LEASEWAY_IN_PLACE", "1")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakePool:
    """The pool that every command of this test meets."""
    made = FakePool()
    monkeypatch.setattr(cli_pool, "client_of", lambda _places: made)
    return made


@pytest.fixture
def run(fake: FakePool) -> Run:
    """Run a command line; an exception that is no exit is raised here."""

    def call(*words: str) -> Result:
        done = CliRunner().invoke(leaseway, ["--url", "http://fake", *words])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    return call


@pytest.fixture
def story(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare with the transcript of this name; LEASEWAY_WRITE_STORIES=1 writes it anew."""
    import os

    def compare(name: str, text: str) -> None:
        path = STORIES / f"{name}.txt"
        if os.environ.get("LEASEWAY_WRITE_STORIES"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")
        assert max(map(len, text.splitlines()), default=0) <= 100

    return compare
