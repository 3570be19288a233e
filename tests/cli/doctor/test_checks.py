"""Goal: every check says well and unwell rightly, and what mends it. Method: made-up facts."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

import pytest

from leaseway.cli.doctor import bounds, clocks, host, pool, secrets, services, sleeping
from leaseway.cli.doctor.check import Check, lines_of
from leaseway.cli.paint import Paint
from leaseway.cli.services.installing import Standing
from leaseway.runtime import Clock

GIB = 1 << 30


def facts(**changed):
    folder = host.Folder("state", Path("/s"), Path("/s"), True, 10 * GIB)
    plain = {"python": (3, 12, 1), "system": "Linux", "files_most": 1 << 20, "folders": (folder,)}
    return host.Host(**{**plain, **changed})


def verdicts(checks):
    return [(each.name, each.verdict) for each in checks]


def test_a_machine_that_is_well():
    found = list(host.host_checks(facts()))
    assert verdicts(found) == [
        ("python", "ok"),
        ("open files", "ok"),
        ("state", "ok"),
        ("disk", "ok"),
    ]
    assert all(not each.mend for each in found)


@pytest.mark.parametrize(
    ("changed", "name", "verdict", "mend"),
    [
        ({"python": (3, 10, 9)}, "python", "bad", "Python 3.11"),
        ({"files_most": 1024}, "open files", "note", "ulimit -Hn 4096"),
        (
            {"folders": (host.Folder("state", Path("/s/x"), Path("/s"), False, 10 * GIB),)},
            "state",
            "bad",
            "chown -R $USER /s",
        ),
        (
            {"folders": (host.Folder("spool", Path("/s"), Path("/s"), True, GIB // 4),)},
            "disk",
            "bad",
            "du -xh /s",
        ),
        (
            {"folders": (host.Folder("spool", Path("/s"), Path("/s"), True, GIB),)},
            "disk",
            "note",
            "du -xh /s",
        ),
    ],
)
def test_a_machine_that_is_not(changed, name, verdict, mend):
    (found,) = [each for each in host.host_checks(facts(**changed)) if each.verdict != "ok"]
    assert (found.name, found.verdict) == (name, verdict)
    assert mend in found.mend


def test_files_without_a_limit():
    assert host.host_checks(facts(files_most=sys.maxsize)) is not None
    found = dict(verdicts(host.host_checks(facts(files_most=sys.maxsize))))
    assert found["open files"] == "ok"


@pytest.mark.parametrize(
    ("system", "shifted", "verdict"),
    [("linux", None, "ok"), ("linux", "/c.json", "note"), ("darwin", None, "note")],
)
def test_own_clocks(system, shifted, verdict):
    assert clocks.own_check(system, shifted).verdict == verdict


@pytest.mark.parametrize(
    ("wall", "verdict"), [(100_000, "ok"), (105_000, "ok"), (105_001, "note"), (90_000, "note")]
)
def test_an_offset_is_only_to_be_known(wall, verdict):
    assert clocks.offset_check(clocks.Look(100_000, wall, 0, 0)).verdict == verdict


@pytest.mark.parametrize(
    ("boot", "trip", "verdict"),
    [
        (60_000, 0, "ok"),
        (60_062, 0, "ok"),  # 1 000 ppm of a minute are 60 ms, and 2 ms of rounding
        (60_063, 0, "bad"),
        (59_937, 0, "bad"),
        (60_072, 10, "ok"),  # an answer that takes 10 ms leaves 10 ms more in doubt
        (60_073, 10, "bad"),
    ],
)
def test_a_rate_is_judged_within_what_can_be_seen(boot, trip, verdict):
    first, second = clocks.Look(0, 0, 0, trip), clocks.Look(60_000, 0, boot, trip)
    assert clocks.rate_check(first, second).verdict == verdict


class Ticking(Clock):
    """Each reading is 10 ms later."""

    at = 0

    def boot_ms(self):
        self.at += 10
        return self.at

    def wall_ms(self):
        return self.at + 1_000


def test_a_look_stands_halfway_between_asking_and_answer():
    assert clocks.look(lambda: 77, Ticking()) == clocks.Look(77, 1_005, 15, 10)


def test_secrets_that_others_may_read(tmp_path):
    private, open_one = tmp_path / "owner.credential", tmp_path / "agent.credential"
    private.write_text("{}")
    private.chmod(0o600)
    (found,) = secrets.mode_checks(secrets.modes_in([tmp_path]))
    assert (found.verdict, found.said) == (
        "ok",
        "1 file with a secret, readable by their owner alone",
    )
    open_one.write_text("{}")
    open_one.chmod(0o640)
    (found,) = secrets.mode_checks(secrets.modes_in([tmp_path]))
    assert (found.verdict, found.mend) == ("bad", f"chmod 600 '{open_one}'")
    assert list(secrets.mode_checks([])) == []


DAY = 86_400_000


@pytest.mark.parametrize(
    ("until", "verdict", "said"),
    [
        (100 * DAY, "ok", "server.pem 3f9a, valid for 100 days"),
        (26668 * DAY, "ok", "server.pem 3f9a, valid for 73 years"),
        (29 * DAY, "note", "server.pem 3f9a, valid for 29 more days"),
        (-2 * DAY, "bad", "server.pem 3f9a, expired 2 days ago"),
        (None, "bad", "/s/tls/server.pem cannot be read"),
    ],
)
def test_certificates(until, verdict, said):
    now = 1_000 * DAY
    end = None if until is None else now + until
    made = secrets.Certificate(Path("/s/tls/server.pem"), end, "3f9a")
    (found,) = secrets.certificate_checks([made], now)
    assert (found.verdict, found.said, bool(found.mend)) == (verdict, said, verdict != "ok")


def test_a_certificate_is_read(tmp_path):
    """Made for two years from a known moment: 730 days later is its end."""
    pytest.importorskip("cryptography")
    from leaseway.coordinator.tls import certificates

    now = 1_800_000_000_000
    made = certificates(tmp_path, ["127.0.0.1"], now)
    ca, server = secrets.certificates_in(tmp_path)
    assert server.until_ms == now + 730 * DAY
    assert ca.until_ms is not None
    assert ca.until_ms > now + 70 * 365 * DAY
    assert ca.fingerprint.replace("-", "") == made.fingerprint.hex()[:32]
    broken = tmp_path / "tls" / "server.pem"
    broken.write_text("no certificate")
    assert secrets.read_certificate(broken) == secrets.Certificate(broken, None)


@pytest.mark.parametrize(
    ("found", "verdict", "mend"),
    [
        (bounds.Groups(0), "note", ""),
        (bounds.Groups(1), "note", "unified_cgroup_hierarchy"),
        (bounds.Groups(2, "/user", ("cpu",), False), "note", "--service"),
        (bounds.Groups(2, "/own", ("cpu",), True), "note", "--service"),
        (bounds.Groups(2, "/own", ("cpu", "io", "memory", "pids"), True), "ok", ""),
    ],
)
def test_control_groups(found, verdict, mend):
    check = bounds.groups_check(found)
    assert check.verdict == verdict
    assert mend in check.mend


def test_control_groups_are_read(tmp_path):
    own = tmp_path / "cgroup"
    own.write_text("0::/a/b\n")
    assert bounds.groups_here(tmp_path / "fs", own) == bounds.Groups(1)
    mine = tmp_path / "fs" / "a" / "b"
    mine.mkdir(parents=True)
    for path in (tmp_path / "fs", mine):
        (path / "cgroup.controllers").write_text("cpu memory pids\n")
    (mine / "cgroup.procs").write_text("")
    want = bounds.Groups(2, "/a/b", ("cpu", "memory", "pids"), True)
    assert bounds.groups_here(tmp_path / "fs", own) == want
    assert bounds.groups_here(tmp_path / "fs", tmp_path / "none") == bounds.Groups(0)


@pytest.mark.parametrize(
    ("abi", "verdict", "said"),
    [
        (4, "ok", "ABI 4"),
        (-errno.EOPNOTSUPP, "note", "built in and switched off"),
        (-errno.ENOSYS, "note", "not in this kernel"),
        (0, "note", "not in this kernel"),
    ],
)
def test_landlock(abi, verdict, said):
    check = bounds.landlock_check(abi)
    assert check.verdict == verdict
    assert check.said.startswith(said)


def test_the_port_of_a_coordinator_that_belongs_here(tmp_path):
    assert pool.port_of(tmp_path) is None
    (tmp_path / "url").write_text("http://127.0.0.1:7070\n")
    assert pool.port_of(tmp_path) == ("127.0.0.1", 7070)
    place = ("127.0.0.1", 7070)
    assert pool.port_check(*place, taken=True, answers=True).verdict == "ok"
    assert pool.port_check(*place, taken=False, answers=False).verdict == "ok"
    taken = pool.port_check(*place, taken=True, answers=False)
    assert (taken.verdict, "ss -ltnp" in taken.mend) == ("bad", True)


def test_tools_that_a_lease_names():
    (well,) = pool.tool_checks({"anna": ()})
    (unwell,) = pool.tool_checks({"anna": ("ffmpeg", "sox")})
    assert (well.verdict, unwell.verdict) == ("ok", "bad")
    assert unwell.said == "anna promises ffmpeg, sox, which PATH does not have"
    assert "without --tool ffmpeg --tool sox" in unwell.mend


@pytest.mark.parametrize(
    ("sleep", "verdict"),
    [
        (sleeping.Sleep("linux"), "ok"),
        (sleeping.Sleep("linux", "suspend"), "note"),
        (sleeping.Sleep("linux", "suspend", inhibited=True), "ok"),
        (sleeping.Sleep("linux", "ignore"), "ok"),
        (sleeping.Sleep("darwin", idle_m=0), "ok"),
        (sleeping.Sleep("darwin", idle_m=10), "note"),
        (sleeping.Sleep("darwin"), "note"),
    ],
)
def test_sleep(sleep, verdict):
    assert sleeping.sleep_check(sleep).verdict == verdict


def test_what_closing_the_lid_does():
    assert sleeping.lid_of([]) == "suspend"
    assert sleeping.lid_of(["[Login]\n#HandleLidSwitch=ignore\n"]) == "suspend"
    assert sleeping.lid_of(["HandleLidSwitch=ignore\n", "HandleLidSwitch = lock\n"]) == "lock"
    assert sleeping.lid_of(["HandleLidSwitchExternalPower=ignore\n"]) == "suspend"


def test_what_pmset_says():
    assert sleeping.pmset_minutes(" hibernatemode 3\n sleep                10 (by x)\n") == 10
    assert sleeping.pmset_minutes("disksleep 5") is None


@pytest.mark.parametrize(
    ("enabled", "active", "verdict", "mend"),
    [
        ("enabled", "active", "ok", ""),
        ("disabled", "active", "note", "systemctl --user enable leaseway-x.service"),
        ("enabled", "failed", "bad", "systemctl --user status leaseway-x.service"),
        ("", "", "note", ""),
    ],
)
def test_services(enabled, active, verdict, mend):
    there = Standing("leaseway-x", "/u", "user", enabled, active)
    (found,) = services.service_checks([there], serves=True)
    assert (found.verdict, found.mend) == (verdict, mend)


def test_no_service():
    assert list(services.service_checks([], serves=False)) == []
    (found,) = services.service_checks([], serves=True)
    assert (found.verdict, "--service" in found.mend) == ("note", True)


def test_lines_are_aligned_and_end_within_the_page():
    check = Check("certificate", "bad", "word " * 60, "mend " * 60)
    lines = lines_of(check, Paint())
    assert max(map(len, lines)) <= 100
    assert lines[0].startswith("bad   certificate   word")
    assert all(line.startswith(" " * 20) for line in lines[1:])
    assert "\x1b" not in "".join(lines)
    assert "\x1b[31mbad   \x1b[0m" in lines_of(check, Paint(colour=True))[0]
