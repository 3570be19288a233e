"""Goal: a lease file gives exactly what its owner wrote. Method: values known beforehand."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import Guard, Scope, TermsOffer, WindowOffer
from leaseway.core.model.units import DAY, HOUR, MINUTE, SECOND
from leaseway.planfile.leases import LeaseFile, leases_from_text, read_leases
from leaseway.planfile.report import PlanFileError

TWO = """
[worker.box]
for = "10m"
max_run_time = "8m"
guard = "auto"
capacity = { cpus = 4, memory = "16GiB", gpus = 1, disk = "50GiB", processes = 512, slots = 6 }
mode = "reserved"
tokens = ["gpu-room"]
labels = ["gpu"]
tools = ["make"]

[worker.box.scope]
commands = ["python*", "make"]
read = ["/data"]
write = ["~/data"]
network = "lan"
enforce = "always"

[worker.mini]
"""
GIB = 1 << 30


def lease(lines, **options):
    (found,) = leases_from_text(f"[worker.box]\n{lines}", "toml", "w.toml", **options).values()
    return found


def findings_of(text, **options):
    with pytest.raises(PlanFileError) as raised:
        leases_from_text(text, "toml", "w.toml", **options)
    return [
        f"{finding.variant} {finding.numbers['where']} {finding.numbers.get('key', '')}".rstrip()
        for finding in raised.value.findings
    ]


def test_several_leases(tmp_path):
    path = tmp_path / "leases.toml"
    path.write_text(TWO)
    leases = read_leases(path)
    assert list(leases) == ["box", "mini"]
    box, mini = leases.values()
    assert replace(box, words="") == LeaseFile(
        name="box",
        offer=TermsOffer(
            windows=(WindowOffer(closes_in_ms=10 * MINUTE),),
            max_run_ms=8 * MINUTE,
            capacity=Capacity(4000, 16 * GIB, 1, 50 * GIB, 512, 6),
            tokens=("gpu-room",),
            labels=("gpu",),
            tools=("make",),
            scope=Scope(("python*", "make"), ("/data",), ("~/data",), "lan", "always"),
            guard=Guard(),
        ),
        capacity_given=frozenset(
            {"cpus_milli", "memory_bytes", "gpus", "disk_bytes", "processes", "slots"}
        ),
    )
    assert mini == LeaseFile("mini", TermsOffer(), frozenset(), words="{}")


def test_one_lease_is_named_by_its_key_or_by_who_asks():
    one = '[worker]\nfor = "1m"'
    assert list(leases_from_text(one, "toml", "w.toml")) == ["worker"]
    assert list(leases_from_text(one, "toml", "w.toml", default_name="lamp")) == ["lamp"]
    assert list(leases_from_text(one + '\nname = "box"', "toml", "w.toml")) == ["box"]
    assert leases_from_text("[worker]", "toml", "w.toml")["worker"].offer == TermsOffer()


def test_one_lease_with_tables_is_one_lease():
    text = "[worker.capacity]\ncpus = 2\n[worker.scope]\nnetwork = 'none'"
    (found,) = leases_from_text(text, "toml", "w.toml").values()
    assert found.offer.capacity.cpus_milli == 2000
    assert found.offer.scope.network == "none"


@pytest.mark.parametrize(
    ("written", "capacity", "given"),
    [
        ("", Capacity(), set()),
        ('cpus = "unlimited"', Capacity(cpus_milli=None, slots=None), {"cpus_milli"}),
        ("memory = 0, gpus = 0", Capacity(memory_bytes=0, gpus=0), {"memory_bytes", "gpus"}),
        ("cpus = 2.5", Capacity(cpus_milli=2500, slots=2), {"cpus_milli"}),
        ("cpus = 4, slots = 1", Capacity(cpus_milli=4000, slots=1), {"cpus_milli", "slots"}),
        ("memory = 0", Capacity(memory_bytes=0), {"memory_bytes"}),
        ('memory = "unlimited"', Capacity(memory_bytes=None), {"memory_bytes"}),
        ("gpus = 2", Capacity(gpus=2), {"gpus"}),
    ],
)
def test_zero_absent_and_unlimited_capacity(written, capacity, given):
    found = lease(f"capacity = {{ {written} }}")
    assert found.offer.capacity == capacity
    assert found.capacity_given == given


@pytest.mark.parametrize(
    ("written", "guard"),
    [
        ('"auto"', Guard(5000, 1000, 2000, 500)),
        ('"10s"', Guard(6000, 1500, 2000, 500)),
        ("1", Guard(600, 150, 200, 50)),
        ('"7ms"', Guard(4, 1, 1, 1)),
        ("0", Guard(0, 0, 0, 0)),
        ('{ stop_grace = "200ms", kill = 0 }', Guard(200, 0, 2000, 500)),
        (
            '{ stop_grace = 1, kill = 2, delivery = 3, clock_error = "4s" }',
            Guard(SECOND, 2 * SECOND, 3 * SECOND, 4 * SECOND),
        ),
    ],
)
def test_guards(written, guard):
    assert lease(f"guard = {written}").offer.guard == guard


def test_a_divided_guard_loses_nothing():
    for whole_ms in range(200):
        assert lease(f'guard = "{whole_ms}ms"').offer.guard.total_ms == whole_ms


def test_windows_and_run_time_without_end():
    assert lease('for = "unlimited"\nmax_run_time = "unlimited"').offer == TermsOffer()


def test_until_is_the_next_time_the_clock_shows_it():
    (window,) = lease('until = "18:00"', wall_ms=1_700_000_000_000).offer.windows
    assert window.closes_in_ms is not None
    assert 0 < window.closes_in_ms <= DAY
    as_time = lease("until = 18:00:00", wall_ms=1_700_000_000_000)
    assert as_time.offer.windows == (window,)


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("", ["missing w.toml:1:1 worker"]),
        ("worker = 3", ["value w.toml:1:1 worker"]),
        ("worker.box = 3", ["unknown-key w.toml:1:8 worker.box"]),
        ("[worker.box]\n[worker]\nmini = 2", ["value w.toml:3:1 worker.mini"]),
        ("[wroker.box]", ["missing w.toml:1:1 worker", "unknown-key w.toml:1:2 wroker"]),
        ('[worker.box]\nfor = 0\nmax_run_time = "0s"', None),
        ('[worker.box]\nfor = "1m"\nuntil = "2m"', ["value w.toml:3:1 worker.box.until"] * 2),
        ("[worker.box]\nuntil = 18:00:00", ["value w.toml:2:1 worker.box.until"]),
        ("[worker.box]\nscope = { write = [] }", ["value w.toml:2:11 worker.box.scope.write"]),
        ('[worker.box]\nmode = "weighted"', ["not-offered w.toml:2:1 worker.box.mode"]),
        ('[worker.box]\nmode = "sharde"', ["value w.toml:2:1 worker.box.mode"]),
        ('[worker.box]\nguard = "soon"', ["value w.toml:2:1 worker.box.guard"]),
        ("[worker.box]\nguard = { kil = 1 }", ["unknown-key w.toml:2:11 worker.box.guard.kil"]),
        ("[worker.box]\nguard = { kill = -1 }", ["value w.toml:2:11 worker.box.guard.kill"]),
        ('[worker]\nfor = "1m"\n[worker.box]', ["unknown-key w.toml:3:9 worker.box"]),
    ],
)
def test_wrong_leases(text, findings):
    zeros = ["value w.toml:2:1 worker.box.for", "value w.toml:3:1 worker.box.max_run_time"]
    assert findings_of(text) == (zeros if findings is None else findings)


@pytest.mark.parametrize("beside", ["", 'for = "100h"'])
def test_an_extension_needs_an_end_before_it(beside):
    text = f'[worker.box]\nextendable_until = "23:00"\n{beside}'
    assert findings_of(text) == ["value w.toml:2:1 worker.box.extendable_until"]


NOON = 1_773_054_000_000  # 2026-03-09 11:00Z, Monday noon in Berlin


def test_recurring_windows_become_windows_and_keep_their_words():
    written = 'windows = ["daily 22:00-07:00"]\ntimezone = "Europe/Berlin"'
    found = lease(written, wall_ms=NOON)
    nights = found.offer.windows
    assert nights[:2] == (
        WindowOffer(10 * HOUR, 19 * HOUR),
        WindowOffer(34 * HOUR, 43 * HOUR),
    )
    assert len(nights) == 14
    assert found.offer.recurring == "daily 22:00-07:00 Europe/Berlin"
    assert found.recurring is not None
    assert found.recurring.offers(NOON + DAY) == nights


def test_the_zone_is_the_machines_own_where_none_is_said(monkeypatch):
    monkeypatch.setenv("TZ", "Australia/Lord_Howe")
    found = lease('windows = ["daily 22:00-07:00"]', wall_ms=NOON)
    assert found.offer.recurring == "daily 22:00-07:00 Australia/Lord_Howe"
    assert found.offer.windows[0].closes_in_ms == 9 * HOUR  # 22:00 there, just now
    assert found.offer.windows[0].opens_in_ms == 0


@pytest.mark.parametrize(
    ("written", "findings"),
    [
        ("windows = []", ["windows"]),
        ('windows = "daily 22:00-07:00"', ["windows"]),
        ('windows = ["daily 25:00-07:00", "mon-fry 18:00-08:00"]', ["windows[0]", "windows[1]"]),
        ('windows = ["daily 00:00-00:00"]', ["windows[0]"]),
        ("windows = [3]", ["windows[0]"]),
        ('windows = ["daily 22:00-07:00"]\ntimezone = "Europe/Berln"', ["3:timezone"]),
        ('timezone = "Europe/Berlin"', ["timezone"]),
        ('for = "1h"\nwindows = ["daily 22:00-07:00"]', ["3:windows"]),
        ('until = "18:00"\nwindows = ["daily 22:00-07:00"]', ["3:windows"]),
    ],
)
def test_wrong_windows(written, findings):
    with pytest.raises(PlanFileError) as raised:
        lease(written, wall_ms=NOON)
    found = [finding.numbers for finding in raised.value.findings]
    wanted = [key.rpartition(":") for key in findings]
    assert [(str(numbers["line"]), numbers["key"]) for numbers in found] == [
        (line or "2", f"worker.box.{key}") for line, _, key in wanted
    ]


def test_windows_need_the_time_of_day():
    assert findings_of('[worker.box]\nwindows = ["daily 22:00-07:00"]') == [
        "value w.toml:2:1 worker.box.windows"
    ]


def test_the_same_words_are_the_same_however_they_are_laid_out():
    one = leases_from_text('[worker.box]\nfor="1h"\ncapacity={cpus=2}', "toml", "w.toml")["box"]
    two = "# a remark\n[worker.box.capacity]\ncpus = 2\n[worker.box]\nfor = '1h'"
    assert leases_from_text(two, "toml", "w.toml")["box"].words == one.words
    other = leases_from_text('[worker.box]\nfor="60m"', "toml", "w.toml")["box"]
    assert other.words != one.words


def test_a_share_is_a_percentage_by_kind_of_principal():
    text = '[worker.box]\nshare = { agents = "50%", owners = "100%" }'
    lease = leases_from_text(text, "toml", "w.toml")["box"]
    assert lease.offer.share == {"agent": 50, "owner": 100}


@pytest.mark.parametrize("share", ['"0%"', '"101%"', "50", '"half"'])
def test_a_share_of_nothing_or_of_too_much_is_refused(share):
    text = f"[worker.box]\nshare = {{ agents = {share} }}"
    with pytest.raises(PlanFileError) as wrong:
        leases_from_text(text, "toml", "w.toml")
    (finding,) = wrong.value.findings
    assert finding.numbers["expected"] == 'a share from "1%" to "100%"'


@pytest.mark.parametrize("key", ["cpus", "slots"])
def test_zero_of_what_every_task_needs_is_refused(key):
    with pytest.raises(PlanFileError) as raised:
        lease(f"capacity = {{ {key} = 0 }}")
    assert "above 0" in str(raised.value.findings[0].numbers["expected"])
