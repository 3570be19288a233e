"""Tasks, workers and findings as a coordinator shows them, around noon UTC."""

from __future__ import annotations

from typing import Any

from leaseway.core.model.capacity import Capacity
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.lease import Guard, Terms, Window
from leaseway.core.wording.rules import ENDED_BY
from leaseway.wire.findings import finding_info
from leaseway.wire.plans import PlacedTask, PlanInfo, SubmitReply
from leaseway.wire.tasks import (
    AttemptInfo,
    EdgeInfo,
    EndingInfo,
    OutcomeInfo,
    ReservationInfo,
    TaskInfo,
    WasteInfo,
)
from leaseway.wire.workers import WorkerInfo, terms_info

NOON = 1_767_268_800_000
SECOND = 1_000
MINUTE = 60_000


def task(name: str, seq: int = 1, **more: Any) -> TaskInfo:
    """A waiting task of plan `nightly-3`, promised by 12:10 on box."""
    shown: dict[str, Any] = {
        "id": f"nightly-3/{name}",
        "plan": "nightly-3",
        "name": name,
        "principal": "ana",
        "state": "waiting",
        "now": NOON,
        "submitted_at": NOON,
        "give_up_at": NOON + 70 * MINUTE,
        "seq": seq,
        "run": ("make", name),
        "reads": (),
        "writes": (),
        "uses": {"cpus_milli": 1000, "memory_bytes": 0, "slots": 1},
        "limit_ms": 8 * MINUTE,
        "promise": NOON + 10 * MINUTE,
        "reservation": ReservationInfo("box", NOON, NOON + 10 * MINUTE, 8 * MINUTE),
    }
    return TaskInfo(**{**shown, **more})


def running(name: str, seq: int = 1, **more: Any) -> TaskInfo:
    """Started at noon on box, stops by 12:08; seen two minutes later."""
    attempt = AttemptInfo(
        number=1,
        worker="box",
        phase="running",
        granted_at=NOON,
        start_by=NOON + MINUTE,
        started_at=NOON,
        stop_at=NOON + 8 * MINUTE,
        reserved_ms=8 * MINUTE,
    )
    return task(
        name, seq, **{"state": "running", "now": NOON + 2 * MINUTE, "attempt": attempt, **more}
    )


def ended(name: str, kind: str, cause: Finding, seq: int = 1, **more: Any) -> TaskInfo:
    """Ended at 12:03 on box after `ran_ms` (default 3 minutes)."""
    ran_ms, saw = more.pop("ran_ms", 3 * MINUTE), more.pop("saw", "exited")
    seen = {"exit_code": more.pop("exit_code", None), "signal": more.pop("signal", None)}
    attempt = AttemptInfo(
        number=1,
        worker="box",
        phase="ended",
        granted_at=NOON,
        start_by=NOON + MINUTE,
        started_at=NOON,
        stop_at=NOON + 8 * MINUTE,
        ended_at=NOON + 3 * MINUTE,
        reserved_ms=8 * MINUTE,
        ending=EndingInfo(saw, ran_ms=ran_ms, held_ms=ran_ms, cpu_ms=ran_ms // 2, **seen),
    )
    made = bool(ran_ms) or saw == "unknown"
    shown: dict[str, Any] = {
        "state": "ended",
        "now": NOON + 3 * MINUTE,
        "attempt": attempt if made else None,
        "outcome": OutcomeInfo(kind, finding_info(cause), NOON + 3 * MINUTE, 1 if made else 0),
    }
    if made and kind != "succeeded":
        milli = more.get("uses", {}).get("cpus_milli", 1000)
        shown["wasted"] = (
            WasteInfo(cause.code, ran_ms * milli // 1000, 1, ENDED_BY.get(cause.code, "")),
        )
    return task(name, seq, **{**shown, **more})


def cause(code: str, variant: str, name: str, **numbers: int | str | list[str]) -> Finding:
    """Why a task of `nightly-3` on box ended."""
    return Finding(code, (f"nightly-3/{name}",), ("box",), dict(numbers), variant, Severity.CAUSE)


def succeeded(name: str, seq: int = 1, **more: Any) -> TaskInfo:
    """Exit code 0 after three minutes."""
    why = cause("LW701", "success", name, ran_ms=3 * MINUTE)
    return ended(name, "succeeded", why, seq, exit_code=0, **more)


def failed(name: str, seq: int = 1, exit_code: int = 2, **more: Any) -> TaskInfo:
    """A command that ended badly by itself."""
    why = cause("LW701", "exit", name, exit_code=exit_code, ran_ms=3 * MINUTE)
    return ended(name, "failed", why, seq, exit_code=exit_code, **more)


def overran(name: str, seq: int = 1, **more: Any) -> TaskInfo:
    """Stopped at its own limit."""
    why = cause("LW702", "limit", name, limit_ms=8 * MINUTE, ran_ms=8 * MINUTE)
    return ended(name, "overran", why, seq, ran_ms=8 * MINUTE, signal=15, **more)


def skipped(name: str, other: str, seq: int = 1) -> TaskInfo:
    """Its predecessor did not succeed."""
    why = Finding(
        "LW707",
        (f"nightly-3/{name}", f"nightly-3/{other}"),
        (),
        {"outcome": "failed"},
        "",
        Severity.CAUSE,
    )
    return ended(
        name, "skipped", why, seq, ran_ms=0, edges=(EdgeInfo(f"nightly-3/{other}", "needs"),)
    )


def lost(name: str, seq: int = 1) -> TaskInfo:
    """Its worker was not heard of."""
    why = cause("LW704", "", name, heard_at=NOON + MINUTE, stop_at=NOON + 8 * MINUTE)
    return ended(name, "lost", why, seq, ran_ms=0, saw="unknown")


def cancelled(name: str, seq: int = 1) -> TaskInfo:
    """On request."""
    return ended(name, "cancelled", cause("LW712", "", name, by="ana", ran_ms=MINUTE), seq)


def accepted(*tasks: TaskInfo, findings: tuple[Finding, ...] = ()) -> SubmitReply:
    """The reply to a submit that was accepted whole."""
    placed = tuple(
        PlacedTask(each.id, each.name, each.promise, each.reservation, each.edges) for each in tasks
    )
    return SubmitReply("nightly-3", placed, NOON, tuple(map(finding_info, findings)))


def plan_info(*tasks: str, open_tasks: int = 0, wasted: tuple[WasteInfo, ...] = ()) -> PlanInfo:
    """The plan of these samples."""
    ids = tuple(f"nightly-3/{name}" for name in tasks)
    return PlanInfo(
        "nightly-3", "nightly", "ana", "person", NOON, ids, open_tasks, NOON, wasted=wasted
    )


def worker(name: str, left_ms: int | None = 10 * MINUTE, **more: Any) -> WorkerInfo:
    """A worker with one slot, heard two seconds ago."""
    capacity = more.pop("capacity", Capacity(cpus_milli=2000, slots=2))
    terms = Terms(
        windows=(Window(NOON - MINUTE, None if left_ms is None else NOON + left_ms),),
        max_run_ms=more.pop("max_run_ms", 8 * MINUTE),
        capacity=capacity,
        labels=more.pop("labels", ()),
        guard=Guard(),
    )
    shown: dict[str, Any] = {
        "name": name,
        "state": "active",
        "open": True,
        "present": True,
        "terms": terms_info(terms),
        "terms_version": 1,
        "incarnation": 1,
        "now": NOON,
        "registered_at": NOON - MINUTE,
        "remaining_ms": left_ms,
        "heard_ago_ms": 2 * SECOND,
    }
    return WorkerInfo(**{**shown, **more})
