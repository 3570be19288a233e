"""Goal: a client finds its coordinator, or says what is missing. Method: files and environment."""

from __future__ import annotations

import pytest

from leaseway.client.errors import NoAddress
from leaseway.client.options import CREDENTIAL, URL, client_options

FILE = '{"name": "owner", "role": "owner", "secret": "from-file", "url": "http://file:1"}'


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    monkeypatch.delenv(URL, raising=False)
    monkeypatch.delenv(CREDENTIAL, raising=False)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "owner.credential"
    path.write_text(FILE)
    return path


def test_arguments_before_the_environment(monkeypatch, file):
    monkeypatch.setenv(URL, "http://environment:1")
    monkeypatch.setenv(CREDENTIAL, "from-environment")
    assert client_options().url == "http://environment:1"
    assert client_options().secret == "from-environment"
    given = client_options("http://argument:1/", str(file))
    assert (given.url, given.secret) == ("http://argument:1", "from-file")


def test_a_credential_file_knows_the_address(monkeypatch, file):
    monkeypatch.setenv(CREDENTIAL, str(file))
    assert client_options().url == "http://file:1"
    assert client_options("http://argument:1").url == "http://argument:1"


def test_a_state_folder_is_enough(monkeypatch, tmp_path, file):
    monkeypatch.setenv(URL, "http://environment:1")
    monkeypatch.setenv(CREDENTIAL, "from-environment")
    (tmp_path / "url").write_text("http://state:1\n")
    found = client_options(state=tmp_path)
    assert (found.url, found.secret) == ("http://state:1", "from-file")
    assert client_options("http://argument:1", state=tmp_path).url == "http://argument:1"


def test_what_is_missing_is_said(monkeypatch, tmp_path):
    with pytest.raises(NoAddress, match=f"set {URL}, or {CREDENTIAL}"):
        client_options()
    with pytest.raises(NoAddress, match="no coordinator has written its address into"):
        client_options(state=tmp_path)
    with pytest.raises(NoAddress, match="cannot be read: No such file"):
        client_options("http://x:1", str(tmp_path / "agent.credential"))
    broken = tmp_path / "broken.credential"
    broken.write_text("{")
    with pytest.raises(NoAddress, match="is no credential file"):
        client_options("http://x:1", str(broken))


def test_a_secret_may_be_given_itself():
    found = client_options("http://x:1", "s3cr3t_-")
    assert found.secret == "s3cr3t_-"


def test_a_pinned_credential_is_shown_over_tls_only(tmp_path):
    path = tmp_path / "far.credential"
    path.write_text('{"name":"a","role":"agent","secret":"s","url":"https://far:1","ca":"PEM"}')
    assert client_options(credential=str(path)).ca == "PEM"
    assert client_options("https://elsewhere:2", str(path)).url == "https://elsewhere:2"
    with pytest.raises(NoAddress, match="over TLS only"):
        client_options("http://far:1", str(path))
