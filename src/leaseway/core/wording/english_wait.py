"""English: why a task waits or is where it is (LW72x, LW73x). None of these refuses anything."""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry


def _behind(whom: str) -> Entry:
    """LW721 of one kind of edge."""
    return (f"{{task}} waits for {whom}[; it will have ended by {{ends_at}}].", "")


WAIT: dict[str, Entry] = {
    "LW721": _behind("{other} ({state})"),
    "LW721/read-after-write": _behind("{other} ({state}), which writes what it reads"),
    "LW721/write-after-read": _behind("{other} ({state}), which reads what it writes"),
    "LW721/write-after-write": _behind("{other} ({state}), which writes the same"),
    "LW721/token": _behind("{other} ({state}), which holds the same token"),
    "LW721/inferred": _behind("{other} ({state}): both probably touch the same (inferred)"),
    "LW721/unknown-access": _behind("{other} ({state}): what one of them touches is not known"),
    "LW721/conflict": (
        "{task} waits on {worker} for {other} ({state}), which touches the same[: {over}].",
        "",
    ),
    "LW722/promised": (
        "{task} waits for the token {name}: it is free now, and promised from {start_at} on.",
        "",
    ),
    "LW721/unconfirmed": (
        "{task} waits for {other}, which has its outcome and may still run on {worker}, out of"
        " hearing, until {until_at}.",
        "",
    ),
    "LW722/unconfirmed": (
        "{task} waits for the token {name}: {other} has its outcome and may still run on {worker},"
        " out of hearing, until {until_at}.",
        "",
    ),
    "LW723/unconfirmed": (
        "{worker} keeps room for {other}, which has its outcome and may still run there until"
        " {until_at}.",
        "",
    ),
    "LW722": ("{task} waits for the token {name}, which {other} holds.", ""),
    "LW723": (
        "{worker} has no room for {task} now[: {need_milli:cpu} asked, {free_milli} free of"
        " {cap_milli}][: {need_bytes} of {resource} asked, {free_bytes} free of {cap_bytes}]"
        "[: {need} {resource} asked, {free} free of {cap}].",
        "",
    ),
    "LW723/promised": (
        "{worker} has room for {task} now, but not for as long as it takes: from {start_at} on"
        " others were promised it before[ ({before})][: {need_milli:cpu} asked, {free_milli} free"
        " of {cap_milli}][: {need_bytes} of {resource} asked, {free_bytes} free of {cap_bytes}]"
        "[: {need} {resource} asked, {free} free of {cap}].",
        "",
    ),
    "LW723/ahead": (
        "{worker} is given what it starts from {start_at} on; nothing new is placed before that.",
        "",
    ),
    "LW724": (
        "{worker} is not heard of[ since {heard_at}]; nothing is granted to it until it calls.",
        "Look whether its daemon runs and reaches the coordinator.",
    ),
    "LW725": ("The boundary: the lease of {worker} is not open now[; it opens at {opens_at}].", ""),
    "LW725/short": (
        "The boundary: the window of {worker} that is open now has {left_ms} left, for"
        "[ {need_ms} and][ {receive_ms} to receive its files and] {guard_ms} to stop and deliver;"
        " short by {short_ms}"
        "[; the next opens at {opens_at}].",
        "",
    ),
    "LW726/promised": (
        "The plan of {task} lets {cap:task} run at a time, and so many are promised from"
        " {start_at} on.",
        "",
    ),
    "LW726": ("The plan of {task} lets {cap:task} run at a time, and so many do.", ""),
    "LW727": (
        "{task} has its place on {worker} from {start_at}[, promised by {promise_at}]"
        "; it starts earlier if there is room.",
        "",
    ),
    "LW727/passed": (
        "The place of {task} on {worker} from {start_at} has passed; it is placed anew at once.",
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
    "LW728/unconfirmed": (
        "{task} may still run on {worker} until {until_at}: what it holds is kept for it until"
        " then, or until {worker} tells of its end.",
        "Look whether the daemon of {worker} runs and reaches the coordinator.",
    ),
    "LW728/unheard": (
        "{task} is to be stopped[ (by {by})], and {worker} is not heard of[ since {heard_at}]: it"
        " will be told when it is back[, and by itself it stops {task} at {stop_at}].",
        "Look whether its daemon runs; with nobody to tell: leaseway give-up {task}.",
    ),
    "LW728/silent": (
        "{task} started on {worker}[ at {start_at}], and {worker} is not heard of[ since"
        " {heard_at}]: it keeps its bounds by itself[ and stops {task} at {stop_at}], and what it"
        " has done is told when it is back.",
        "Look whether its daemon runs and reaches the coordinator; to wait no longer: leaseway"
        " give-up {task}.",
    ),
    "LW729": (
        "{task} is granted to {worker} since {granted_at} and has not started"
        "[; taken back after {start_by_at}].",
        "",
    ),
    "LW729/handed-back": (
        "{worker} handed {task} back unstarted[, {count} in a row]; it is given it again from"
        " {again_at} on, and another may take it at once.",
        "Look at the worker's log.",
    ),
    "LW729/hands-back": (
        "{worker} handed back {count} grants in a row, the last of them {task}, and started none:"
        " it is not trusted until its owner has looked.",
        "Look at the worker's log; undrain {worker} when it is mended.",
    ),
    "LW729/never-started": (
        "{worker} was granted {task} at {granted_at} and has not started it for {waited_ms}, though"
        " it calls: it is not trusted until its owner has looked, and {task} goes elsewhere.",
        "Look at the worker's log; undrain {worker} when it is mended.",
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
    "LW731": (
        "{worker} takes no new work: its lease is {state}[ ({reason})].",
        "Undrain it, or use another.",
    ),
    "LW734": ("The plan of {task} runs on {allowed} only, not on {worker}.", ""),
    "LW734/not-on": ("The plan of {task} is not to run on {worker}.", ""),
    "LW733": (
        "The {stream} of {task} is kept in part: {left_out_bytes} between its head and its tail are"
        " left out.",
        "Let the command write long output to a file.",
    ),
    "LW732": ("The result of {task} arrived {late_ms} after its stop time and guard.", ""),
}
