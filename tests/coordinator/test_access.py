"""Goal: an invitation opens the door once, to whom it was meant for, and a crash changes nothing.
Method: a keyring on disk, every refusal by its variant, and files that cannot be written."""

from __future__ import annotations

import stat

import pytest

from leaseway.client.invitation import read_invitation
from leaseway.client.options import read_credential
from leaseway.coordinator import access as access_module
from leaseway.coordinator.access import KEPT_MS, Access
from leaseway.coordinator.credentials import HASHES, Keyring, credential_path, issue
from leaseway.coordinator.declined import Declined
from leaseway.coordinator.errors import NotAccepted
from leaseway.core.model.commands import Principal, Role
from leaseway.wire.access import InviteRequest, JoinRequest

URL = "https://127.0.0.1:7171"
HOUR = 3_600_000
NOW = 1_000_000
SECRET, OTHER = "s" * 43, "o" * 43
OWNER = Principal("owner", Role.OWNER)


@pytest.fixture
def access(tmp_path):
    return Access(issue(tmp_path, URL), tmp_path, fingerprint=b"f" * 32)


def invited(access, role="worker", name="", for_ms=HOUR) -> str:
    """The secret in a fresh invitation, as a joiner sends it."""
    text = access.invite(InviteRequest(role, name, for_ms), NOW)
    return read_invitation(text).secret.hex()


def joining(invitation: str, secret: str = SECRET, kind: str = "worker", name: str = ""):
    return JoinRequest(invitation, secret, kind, name=name, host="box")


def refused(access, request, now=NOW) -> str:
    """The variant of the refusal."""
    before = access.keyring
    with pytest.raises(Declined) as caught:
        access.join(request, now)
    assert access.keyring == before
    assert caught.value.problem.nothing_ran
    (finding,) = caught.value.problem.findings
    assert finding.code == "LW802"
    assert finding.mend
    return finding.variant


def again(tmp_path) -> Access:
    """As after a restart."""
    return Access(issue(tmp_path, URL), tmp_path)


def test_an_invitation_carries_the_fingerprint(access):
    text = access.invite(InviteRequest("worker"), NOW)
    assert read_invitation(text).fingerprint == b"f" * 16


def test_redeemed_once_and_repeated_for_the_same_secret(access):
    invitation = invited(access)
    said = access.join(joining(invitation), NOW + 1)
    assert (said.name, said.role) == ("box", "worker")
    assert access.join(joining(invitation), NOW + 2) == said
    assert access.keyring.principal_of(SECRET) == Principal("box", Role.WORKER)
    assert refused(access, joining(invitation, OTHER)) == "invitation-used"
    assert access.keyring.principal_of(OTHER) is None
    assert [each.name for each in access.keyring.known].count("box") == 1


def test_somebody_who_is_in_cannot_use_an_invitation_of_another(access):
    mine, theirs = invited(access), invited(access, name="mini")
    access.join(joining(mine), NOW)
    access.join(joining(theirs, OTHER), NOW)
    assert refused(access, joining(theirs)) == "invitation-used"


def test_a_lost_reply_is_given_again_after_the_end_of_the_invitation_and_a_restart(
    access, tmp_path
):
    invitation = invited(access)
    said = access.join(joining(invitation), NOW)
    assert again(tmp_path).join(joining(invitation), NOW + 2 * HOUR) == said


@pytest.mark.parametrize(("later_ms", "is_late"), [(HOUR - 1, False), (HOUR, True)])
def test_expiry(access, later_ms, is_late):
    invitation = invited(access)
    if is_late:
        assert refused(access, joining(invitation), NOW + later_ms) == "invitation-expired"
    else:
        assert access.join(joining(invitation), NOW + later_ms).name == "box"


def test_an_invitation_of_somebody_else(access, tmp_path):
    (tmp_path / "b").mkdir()
    foreign = Access(issue(tmp_path / "b", URL), tmp_path / "b")
    assert refused(access, joining(invited(foreign))) == "invitation-unknown"
    assert refused(access, joining("")) == "invitation-unknown"


def test_an_invitation_for_another_role(access):
    assert refused(access, joining(invited(access), kind="client")) == "invitation-kind"
    assert refused(access, joining(invited(access, "agent", "claude"))) == "invitation-kind"


def test_an_invitation_under_a_name(access):
    invitation = invited(access, name="mini")
    assert refused(access, joining(invitation, name="box")) == "invitation-name"
    assert access.join(joining(invitation), NOW).name == "mini"


@pytest.mark.parametrize("name", ["owner", "agent", "viewer", "worker", "box"])
def test_a_name_that_is_taken(access, name):
    access.join(joining(invited(access)), NOW)
    assert refused(access, joining(invited(access), OTHER, name=name)) == "name-taken"
    with pytest.raises(Declined, match=f"{name} is a credential of this pool already"):
        invited(access, name=name)


def test_anothers_secret_is_not_taken_over(access):
    access.join(joining(invited(access)), NOW)
    request = joining(invited(access), name="mini")
    assert refused(access, request) == "secret-known"


def test_revoked(access, tmp_path):
    invitation = invited(access)
    access.join(joining(invitation), NOW)
    info = access.revoke("box", OWNER, NOW + 5)
    assert (info.name, info.state) == ("box", "revoked")
    assert access.keyring.principal_of(SECRET) is None
    assert access.revoke("box", OWNER, NOW + 9) == info
    assert refused(access, joining(invitation)) == "revoked"
    later = again(tmp_path)
    assert later.keyring.principal_of(SECRET) is None
    known = later.who(SECRET, NOW)
    assert known is not None
    assert known.revoked_at == NOW + 5
    access.join(joining(invited(access), OTHER), NOW)
    assert access.keyring.principal_of(OTHER) == Principal("box", Role.WORKER)


def test_taking_an_open_invitation_back(access):
    invitation = invited(access, "viewer", "guest")
    access.revoke("guest", OWNER, NOW)
    assert refused(access, joining(invitation, kind="client")) == "invitation-unknown"


def test_nobody_revokes_themselves_or_a_name_that_there_is_not(access):
    with pytest.raises(Declined, match="nobody locks themselves out"):
        access.revoke("owner", OWNER, NOW)
    with pytest.raises(Declined, match="no credential nobody"):
        access.revoke("nobody", OWNER, NOW)


def test_a_local_credential_is_made_anew_at_the_next_start(access, tmp_path):
    old = read_credential(credential_path(tmp_path, Role.AGENT)).secret
    access.revoke("agent", OWNER, NOW)
    assert access.keyring.principal_of(old) is None
    later = again(tmp_path)
    fresh = read_credential(credential_path(tmp_path, Role.AGENT)).secret
    assert later.keyring.principal_of(old) is None
    assert later.keyring.principal_of(fresh) == Principal("agent", Role.AGENT)


def test_the_list(access):
    invited(access, "agent", "claude")
    invited(access, "viewer", "late", for_ms=1)
    access.join(joining(invited(access)), NOW + 1)
    access.who(SECRET, NOW + 10)
    rows = {each.name: each for each in access.listed(NOW + 30)}
    assert list(rows) == ["agent", "owner", "viewer", "worker", "box", "claude", "late"]
    assert [rows[name].state for name in ("owner", "box", "claude", "late")] == [
        "active",
        "active",
        "invited",
        "expired",
    ]
    assert (rows["box"].since, rows["box"].heard_ago_ms) == (NOW + 1, 20)
    assert rows["owner"].heard_ago_ms is None


def test_old_invitations_are_forgotten(access):
    first = invited(access)
    access.invite(InviteRequest("worker"), NOW + HOUR + KEPT_MS)
    assert len(access.keyring.invitations) == 1
    assert refused(access, joining(first)) == "invitation-unknown"


def test_the_file_holds_hashes_only_and_its_owner_alone_reads_it(access, tmp_path):
    invitation = invited(access)
    access.join(joining(invitation), NOW)
    kept = (tmp_path / HASHES).read_text()
    assert stat.S_IMODE((tmp_path / HASHES).stat().st_mode) == 0o600
    assert invitation not in kept
    assert SECRET not in kept


def test_what_could_not_be_written_did_not_happen(access, tmp_path, monkeypatch):
    """A full disk while an invitation is redeemed: it is still good, and nobody is known by it."""
    invitation = invited(access)
    before = access.keyring

    def full(folder, keyring):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(access_module, "store", full)
        with pytest.raises(NotAccepted, match="No space left"):
            access.join(joining(invitation), NOW)
    assert access.keyring == before
    assert access.join(joining(invitation, OTHER), NOW).name == "box"


@pytest.mark.parametrize("is_renamed", [False, True], ids=["before", "after"])
def test_a_crash_around_the_rename_leaves_one_state_or_the_other(access, tmp_path, is_renamed):
    """The file beside it is what a crash leaves; the invitation is good, or used, never both."""
    invitation = invited(access)
    old = (tmp_path / HASHES).read_bytes()
    access.join(joining(invitation), NOW)
    new = (tmp_path / HASHES).read_bytes()
    if not is_renamed:
        (tmp_path / HASHES).write_bytes(old)
        (tmp_path / f"{HASHES}.new").write_bytes(new[: len(new) // 2])
    after = again(tmp_path)
    if is_renamed:
        assert refused(after, joining(invitation, OTHER)) == "invitation-used"
        assert after.keyring.principal_of(SECRET) == Principal("box", Role.WORKER)
    else:
        assert after.keyring.principal_of(SECRET) is None
        assert after.join(joining(invitation), NOW).name == "box"


def test_a_file_of_the_first_version_is_read(tmp_path):
    issue(tmp_path, URL)
    (tmp_path / HASHES).write_text('{"known":[{"name":"owner","role":"owner","sha256":"x"}]}')
    assert len(issue(tmp_path, URL).known) == 4
    assert Keyring().invitations == ()
