"""Goal: `mcp` asks as an agent unless somebody says otherwise, and says what is missing. Method: a
state folder with the four credentials, and a machine without the kit."""

from __future__ import annotations

from importlib import util
from pathlib import Path

import pytest

from leaseway.cli.commands.mcp import as_agent
from leaseway.cli.setting import Setting, of_environment
from leaseway.client.options import client_options

URL = "http://127.0.0.1:7171"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    (tmp_path / "url").write_text(f"{URL}\n")
    for role in ("owner", "agent"):
        text = f'{{"name": "{role}", "role": "{role}", "secret": "of {role}", "url": "{URL}"}}'
        (tmp_path / f"{role}.credential").write_text(text)
    return tmp_path


def secret(said: Setting) -> tuple[str, str]:
    places = as_agent(said, of_environment())
    options = client_options(places.url, places.credential, places.folder)
    return options.url, options.secret


def test_of_a_local_coordinator_the_agents(state):
    assert secret(Setting(state=str(state))) == (URL, "of agent")


def test_also_where_its_address_is_named(state, monkeypatch):
    monkeypatch.setenv("LEASEWAY_STATE", str(state))
    monkeypatch.setenv("LEASEWAY_URL", URL)
    assert secret(Setting()) == (URL, "of agent")


def test_what_was_named_is_taken(state, monkeypatch):
    owner = str(state / "owner.credential")
    assert secret(Setting(url=URL, credential=owner))[1] == "of owner"
    monkeypatch.setenv("LEASEWAY_STATE", str(state))
    assert secret(Setting(url=URL, credential=owner))[1] == "of owner"
    monkeypatch.setenv("LEASEWAY_CREDENTIAL", owner)
    assert secret(Setting())[1] == "of owner"


def test_without_one_for_agents_the_owners(state):
    (state / "agent.credential").unlink()
    assert secret(Setting(state=str(state))) == (URL, "of owner")


def test_without_the_kit(run, monkeypatch):
    found = util.find_spec
    monkeypatch.setattr(
        "leaseway.cli.commands.mcp.find_spec", lambda name: None if name == "mcp" else found(name)
    )
    done = run("mcp")
    assert done.exit_code == 2
    assert "pip install 'leaseway[mcp]'" in done.stderr
