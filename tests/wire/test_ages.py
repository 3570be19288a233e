"""Goal: machines of two ages understand each other. Method: messages as an older release wrote them
read as what they meant then; messages with fields of a newer release, on every level, read as if
those were not there."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from leaseway.core.model.capacity import Capacity, Uses
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.lease import Guard, Scope, Terms, TermsOffer, Window, WindowOffer
from leaseway.core.model.outcomes import Ending, EndKind, StopReason
from leaseway.core.model.sync import (
    AttemptRef,
    EndingReport,
    Grant,
    Held,
    Phase,
    RegisterReply,
    RegisterRequest,
    Stop,
    StopTime,
    SyncReply,
    SyncRequest,
)
from tests.checkout import ROOT

V1 = ROOT / "tests" / "wire" / "golden" / "v1"

# Written by hand: what version 1 of the protocol means, defaults included. A default is not sent,
# so changing one changes what an older worker says; this list may grow and never change.
BARE_GUARD = Guard(stop_grace_ms=5000, kill_ms=1000, delivery_ms=2000, clock_error_ms=500)
BARE_SCOPE = Scope(commands=(), read=(), write=(), network="all", enforce="where possible")
BARE_CAPACITY = Capacity(
    cpus_milli=1000, memory_bytes=None, gpus=0, disk_bytes=None, processes=None, slots=1
)


def bare_terms(*windows: Window) -> Terms:
    return Terms(windows, None, BARE_CAPACITY, (), (), (), BARE_SCOPE, BARE_GUARD, {})


MEANT: dict[str, Any] = {
    "register_request_bare": RegisterRequest(
        name="w",
        machine_id="m",
        spool_id="s",
        boot_id="b",
        offer=TermsOffer(
            windows=(WindowOffer(opens_in_ms=0, closes_in_ms=None),),
            max_run_ms=None,
            capacity=BARE_CAPACITY,
            scope=BARE_SCOPE,
            guard=BARE_GUARD,
        ),
        speaks=1,
        version="",
        ledger_id="",
        offered_ago_ms=0,
    ),
    "register_request": RegisterRequest(
        name="anna",
        machine_id="m-1",
        spool_id="spool-1",
        boot_id="boot-1",
        offer=TermsOffer(
            windows=(WindowOffer(1000, 61000), WindowOffer(0, None)),
            max_run_ms=30000,
            capacity=Capacity(4000, 1 << 30, 1, 5, 64, 4),
            tokens=("desk",),
            labels=("gpu",),
            tools=("ffmpeg",),
            scope=Scope(("make",), ("/src",), ("/out",), "none", "always"),
            guard=Guard(1, 2, 3, 4),
            share={"agent": 50},
        ),
        speaks=1,
        version="0.1.0",
        ledger_id="ledger-1",
        offered_ago_ms=7,
    ),
    "register_reply": RegisterReply(
        incarnation=3,
        ledger_id="ledger-1",
        head=9,
        lease_version=2,
        terms=bare_terms(Window(5, 10), Window(20, None)),
        patience_ms=15000,
        remaining_ms=5,
        findings=(),
    ),
    "sync_request_bare": SyncRequest(
        worker="w",
        incarnation=1,
        seq=1,
        spool_id="s",
        boot_id="b",
        speaks=1,
        ledger_id="",
        ledger_seen=0,
        terms_version=0,
        boot_ms=0,
        slept_ms=0,
        offset_ms=0,
        hold_ms=0,
    ),
    "sync_request": SyncRequest(
        worker="anna",
        incarnation=3,
        seq=17,
        spool_id="spool-1",
        boot_id="boot-1",
        speaks=1,
        ledger_id="ledger-1",
        ledger_seen=8,
        terms_version=2,
        held=(Held(AttemptRef("p-1/a", 2), Phase.RUNNING, 40, 30, 50),),
        endings=(
            EndingReport(
                AttemptRef("p-1/b", 1),
                Ending(EndKind.EXITED, exit_code=3, ran_ms=12),
                20,
                8,
                b"hi",
                b"",
            ),
        ),
        back=(AttemptRef("p-1/c", 4),),
        boot_ms=100,
        slept_ms=6,
        offset_ms=-5,
        hold_ms=7500,
        meter={"load_milli": 250},
    ),
    "sync_reply": SyncReply(
        for_seq=17,
        ledger_id="ledger-1",
        head=12,
        start=(
            Grant(
                AttemptRef("p-1/d", 1),
                ("true",),
                reserved_ms=10,
                not_before_in_ms=0,
                start_by_in_ms=2000,
                stop_latest_in_ms=60000,
                uses=Uses(500, 0, 0, 0, 0, 2),
                guard=Guard(5000, 9, 2000, 500),
                workdir="/w",
                env={"A": "b"},
                outputs=("o",),
                cut_off_ms=70,
                order=5,
            ),
        ),
        stop=(Stop(AttemptRef("p-1/a", 2), StopReason.REVOKE),),
        stop_times=(StopTime(AttemptRef("p-1/e", 1), 30, StopReason.WINDOW, True),),
        settled=(AttemptRef("p-1/b", 1),),
        state="draining",
        terms=bare_terms(),
        terms_version=3,
        ledger_accepted=True,
        call_by_ms=500,
        findings=(Finding("LW804", (), ("anna",), {"slept_ms": 6}, "", Severity.NOTE),),
        superseded=True,
    ),
}


def recorded(name: str) -> bytes:
    return (V1 / f"{name}.json").read_bytes()


def with_more(node: Any) -> Any:
    """The same document with a field more in every record. What is keyed by names is left alone."""
    if isinstance(node, list):
        return [with_more(each) for each in node]
    if not isinstance(node, dict):
        return node
    plain = {"env", "meter", "numbers", "share"}
    more = {key: each if key in plain else with_more(each) for key, each in node.items()}
    return {**more, "mood": {"of": ["a", "newer", "release"]}}


def test_every_recorded_message_is_read():
    assert {path.stem for path in V1.iterdir()} == set(MEANT)


@pytest.mark.parametrize("name", MEANT)
def test_what_an_older_release_wrote_means_what_it_meant(name):
    assert msgspec.json.decode(recorded(name), type=type(MEANT[name])) == MEANT[name]


@pytest.mark.parametrize("name", MEANT)
def test_fields_of_a_newer_release_are_passed_over_on_every_level(name):
    newer = json.dumps(with_more(json.loads(recorded(name)))).encode()
    assert newer.count(b'"mood"') >= recorded(name).count(b"{") // 2
    assert msgspec.json.decode(newer, type=type(MEANT[name])) == MEANT[name]
