"""Goal: four private files, secrets that outlive a restart, hashes only in the coordinator. Method:
a temporary folder."""

from __future__ import annotations

import stat

from leaseway.client.options import read_credential
from leaseway.coordinator.credentials import HASHES, credential_path, issue
from leaseway.core.model.commands import Principal, Role

URL = "http://127.0.0.1:7171"


def secrets(folder):
    return {role: read_credential(credential_path(folder, role)).secret for role in Role}


def test_a_file_for_each_role_that_its_owner_alone_may_read(tmp_path):
    issue(tmp_path, URL)
    for role in Role:
        path = credential_path(tmp_path, role)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        file = read_credential(path)
        assert (file.name, file.role, file.url) == (role.value, role.value, URL)
    assert len(set(secrets(tmp_path).values())) == 4


def test_the_coordinator_keeps_no_secret(tmp_path):
    issue(tmp_path, URL)
    kept = (tmp_path / HASHES).read_text()
    assert stat.S_IMODE((tmp_path / HASHES).stat().st_mode) == 0o600
    assert not any(secret in kept for secret in secrets(tmp_path).values())


def test_secrets_say_who_asks(tmp_path):
    keyring = issue(tmp_path, URL)
    for role, secret in secrets(tmp_path).items():
        assert keyring.principal_of(secret) == Principal(role.value, role)
    assert keyring.principal_of("") is None
    assert keyring.principal_of("guessed") is None
    assert keyring.principal_of("\udcff") is None


def test_a_restart_keeps_secrets_and_tells_the_new_address(tmp_path):
    issue(tmp_path, URL)
    before = secrets(tmp_path)
    keyring = issue(tmp_path, "http://127.0.0.1:9")
    assert secrets(tmp_path) == before
    assert read_credential(credential_path(tmp_path, Role.AGENT)).url == "http://127.0.0.1:9"
    assert keyring.principal_of(before[Role.OWNER]) is not None


def test_a_deleted_file_is_a_revoked_credential(tmp_path):
    issue(tmp_path, URL)
    old = secrets(tmp_path)
    credential_path(tmp_path, Role.AGENT).unlink()
    keyring = issue(tmp_path, URL)
    assert keyring.principal_of(old[Role.AGENT]) is None
    assert keyring.principal_of(old[Role.OWNER]) is not None
    assert secrets(tmp_path)[Role.AGENT] != old[Role.AGENT]


def test_one_roles_secret_in_anothers_file_counts_for_nothing(tmp_path):
    issue(tmp_path, URL)
    agent, owner = (credential_path(tmp_path, role) for role in (Role.AGENT, Role.OWNER))
    owner.write_bytes(agent.read_bytes())
    before = secrets(tmp_path)[Role.AGENT]
    keyring = issue(tmp_path, URL)
    assert keyring.principal_of(before) == Principal("agent", Role.AGENT)
    assert secrets(tmp_path)[Role.OWNER] != before
