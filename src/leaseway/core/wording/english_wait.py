"""English: why a task waits or is where it is (LW72x, LW73x). None of these refuses anything."""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

WAIT: dict[str, Entry] = {
    "LW721": ("{task} waits for {other} ({state}), which will have ended by {ends_at}.", ""),
    "LW722": ("{task} waits for the token {name}, which {other} holds.", ""),
    "LW723": (
        "{worker} has no room for {task} now: {resource} asked {need}{need_milli}{need_bytes},"
        " free {free}{free_milli}{free_bytes} of {cap}{cap_milli}{cap_bytes}.",
        "",
    ),
    "LW724": (
        "{worker} is not heard of[ since {heard_at}]; nothing is granted to it until it calls.",
        "Look whether its daemon runs and reaches the coordinator.",
    ),
    "LW725": ("The boundary: the lease of {worker} is not open now[; it opens at {opens_at}].", ""),
    "LW726": ("The plan of {task} lets {cap:task} run at a time, and so many do.", ""),
    "LW727": (
        "{task} has its place on {worker} from {start_at}[, promised by {promise_at}]"
        "; it starts earlier if there is room.",
        "",
    ),
    "LW728": (
        "{task} runs on {worker}[ since {start_at}][; its stop time is {stop_at}].",
        "",
    ),
    "LW728/stopping": (
        "{task} is being stopped on {worker}; its outcome comes when its processes are gone.",
        "",
    ),
    "LW729": (
        "{task} is granted to {worker} since {granted_at} and has not started"
        "[; taken back after {start_by_at}].",
        "",
    ),
    "LW730": (
        "{task} has no promise now and waits for room; given up at {give_up_at}.",
        "Open a lease that takes it, or cancel it.",
    ),
    "LW730/best-effort": (
        "{task} is best effort: no estimate and no limit, so no promise; it starts where there is"
        " room[, until {give_up_at}].",
        "Give it an estimate or a limit.",
    ),
    "LW731": ("{worker} takes no new work: its lease is {state}.", "Undrain it, or use another."),
    "LW732": ("The result of {task} arrived {late_ms} after its stop time and guard.", ""),
}
