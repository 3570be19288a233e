"""Goal: where to ask is settled the same way for every command. Method: the table of precedence."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaseway.cli.setting import (
    Places,
    Setting,
    connected_file,
    default_state,
    of_environment,
    places_of,
)

HERE = Path("/s")
NOBODY = Setting()


@pytest.mark.parametrize(
    ("options", "environment", "expected"),
    [
        (Setting(url="u"), Setting(url="v", state="/s"), Places("u", None, None, HERE)),
        (NOBODY, Setting(url="v", credential="c"), Places("v", "c", None, default_state())),
        (Setting(state="/s"), Setting(url="v", credential="c"), Places(None, None, HERE, HERE)),
        (Setting(state="/s", credential="k"), NOBODY, Places(None, "k", HERE, HERE)),
        (Setting(url="u", state="/s"), NOBODY, Places("u", None, None, HERE)),
        (NOBODY, Setting(state="/s"), Places(None, None, HERE, HERE)),
        (NOBODY, NOBODY, Places(None, None, default_state(), default_state())),
        (NOBODY, Setting(credential="c"), Places(None, "c", None, default_state())),
    ],
    ids=[
        "an option wins over the environment",
        "the environment",
        "a typed state wins over an address in the environment",
        "a credential beside a state",
        "an address beside a state",
        "a state in the environment",
        "nothing said",
        "a credential file may name the address",
    ],
)
def test_precedence(options, environment, expected):
    assert places_of(options, environment) == expected


def test_after_the_command_wins_over_before():
    assert Setting(url="after").over(Setting(url="before", state="/s")) == Setting(
        url="after", state="/s"
    )


def test_environment(monkeypatch):
    monkeypatch.setenv("LEASEWAY_URL", "u")
    monkeypatch.setenv("LEASEWAY_CREDENTIAL", "")
    assert of_environment() == Setting(url="u")


def test_default_state_follows_the_desktop(monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/x")
    assert default_state() == Path("/x/leaseway")


@pytest.fixture
def connected(monkeypatch, tmp_path):
    """What `connect` stored."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = connected_file()
    path.parent.mkdir()
    path.write_text('{"name":"a","role":"agent","secret":"s","url":"https://far:1"}')
    return path


def test_what_was_connected_comes_before_the_usual_state_and_after_all_else(connected):
    stored = Places(None, str(connected), None, default_state())
    assert places_of(NOBODY, NOBODY) == stored
    assert places_of(Setting(state="/s"), NOBODY).folder == HERE
    assert places_of(NOBODY, Setting(state="/s")).folder == HERE
    assert places_of(NOBODY, Setting(credential="/k")).credential == "/k"
    assert places_of(Setting(credential="/k"), NOBODY).credential == "/k"


@pytest.mark.parametrize(
    ("url", "is_ours"),
    [("https://far:1", True), ("https://far:1/", True), ("https://far:12", False)],
)
def test_its_credential_is_shown_to_its_coordinator_only(connected, url, is_ours):
    expected = str(connected) if is_ours else None
    assert places_of(Setting(url=url), NOBODY).credential == expected
