"""English: the boundaries (LW3xx time and promises, LW4xx capacity and names, LW5xx scope)."""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

_PARTS = (
    "stop grace {stop_grace_ms}, kill {kill_ms}, delivery {delivery_ms},"
    " clock error {clock_error_ms}"
)
_DRIFT = (
    "[ {drift_ms} of it are kept for clocks that drift further by the end.]"
    "[ {early_close_ms} of it are kept because its owner has closed so much earlier before.]"
    "[ {pool_guard_ms} of it are kept by the pool's policy.]"
)
_RECEIVE = "[ Receiving its files takes {receive_ms}.]"
_OF = (
    "[: {{need_milli:cpu}} {1} {{have_milli{0}}}]"
    "[: {{need_bytes}} {{resource}} {1} {{have_bytes{0}}}]"
    "[: {{need}} {{resource}} {1} {{have{0}}}]"
)
_FEWER = "Ask for less, or ask the owner of {worker} for more."


def _free_only(asked: str, free: str, total: str, unit: str) -> Entry:
    """LW403 of one resource."""
    return (
        f"{{task}} fits {{worker}} only while it is free: it asks {{{asked}}}{unit},"
        f" {{{free}}} are free of {{{total}}}.",
        "Nothing to do: it waits until there is room.",
    )


BOUNDS: dict[str, Entry] = {
    "LW301": (
        "The boundary: {task} needs {need_ms}, {worker} lets one task run for {cap_ms} at most;"
        " short by {short_ms}.",
        "Lower the bound of {task} to {cap_ms<} or less, split it, or ask the owner of {worker}"
        " for a max run time of {need_ms^}.",
    ),
    "LW301/many": (
        "The boundary: {task} needs {need_ms}, longer than the max run time of each: {cap_ms@}"
        "[; short by {short_ms}].",
        "Lower the bound of {task}, split it, or ask an owner for a max run time of {need_ms^}.",
    ),
    "LW302": (
        "The boundary: {task} needs {need_ms}, {worker} has {have_ms} left; short by {short_ms}."
        "[ Of the {left_ms} to the end of the lease {guard_ms} are kept free"
        f" ({_PARTS}).]{_DRIFT}{_RECEIVE}",
        "Lower the bound of {task} to {have_ms<} or less, split it, or ask the owner of {worker}"
        " to extend the lease by {short_ms^}.",
    ),
    "LW302/many": (
        "The boundary: {task} needs {need_ms}, and none of these has that left: {have_ms@}"
        "[; short by {short_ms}].",
        "Lower the bound of {task}, split it, or ask an owner to extend a lease[ by {short_ms^}].",
    ),
    "LW303": (
        "Not the boundary alone: {task} fits {worker} alone but not behind what is promised:"
        " it needs {need_ms} by {close_at}, {worker} is free from {free_at}[; short by {short_ms}]"
        "[; before it: {before}].",
        "Hand it in later, lower its bound, take another worker, or ask the owner of {worker} to"
        " extend the lease[ by {short_ms}].",
    ),
    "LW303/many": (
        "Not the boundary alone: {task} fits alone but not behind what is promised:"
        " it needs {need_ms} by {close_at}, {worker} is free from {free_at}[; short by {short_ms}]"
        "; left on each: {have_ms@}[; before it: {before}].",
        "Hand it in later, lower its bound, or ask an owner to extend a lease[ by {short_ms}].",
    ),
    "LW303/by": (
        "The plan's own bound is the cause: {task} is to end by {by_at}, and the earliest promise"
        " is {promise_at}; late by {short_ms}.",
        "Allow it to end later, lower its bound, or take more workers.",
    ),
    "LW303/demand": (
        "Not the boundary alone: {task} fits {worker} alone but not behind what is promised:"
        " until {by_at} {demand_ms} of work are asked, and {worker} supplies {supply_ms}"
        "[; short by {short_ms}].",
        "Hand it in later, lower its bound, or take another worker.",
    ),
    "LW303/shared": (
        "Not the boundary alone: {task} fits {worker} alone but not beside those who share its"
        " cpus: it would end at {new_at}, later than {promise_at}, the latest that can be promised"
        "[; late by {short_ms}][; tried: {tried}].",
        "Hand it in later, lower its bound, take another worker, or ask the owner of {worker} to"
        " extend the lease[ by {short_ms}].",
    ),
    "LW304": (
        "{tasks}: no estimate, no limit and no history; best effort, without a promise.",
        "Give an estimate or a limit.",
    ),
    "LW304/runs": (
        "{task}: no estimate yet: {count} of {most} runs; no limit either: best effort, without a"
        " promise.",
        "Give an estimate or a limit, or let it run a few times more.",
    ),
    "LW304/unsure": (
        "{task}: no estimate: of {count:run} nothing follows that holds, for some were stopped"
        " before they ended; no limit either: best effort, without a promise.",
        "Give an estimate or a limit.",
    ),
    "LW305": (
        "{fit} of {count:task} can finish in the time left (expected)"
        "[, {sure} with {confidence} % confidence][: {worker} has {left_ms}].",
        "Hand in fewer, lower the estimates, or ask for more slots or more time.",
    ),
    "LW305/many": (
        "{fit} of {count:task} can finish in the time left (expected)"
        "[, {sure} with {confidence} % confidence]: {fit@}.",
        "Hand in fewer, lower the estimates, or ask for more slots or more time.",
    ),
    "LW306": (
        "The boundary is not the cause: {task} would break the promise of {other}[ ({by})], which"
        " would end at {new_at}, promised {promise_at}[; late by {short_ms}]"
        "[; until {by_at} {demand_ms} of work would be asked of the {supply_ms} that there are]"
        "[; tried: {tried}].",
        "Hand it in later, or take another worker.",
    ),
    "LW307": (
        "{task} was re-planned: it is to start at {new_at}[ on {worker}][, before: {old_at}]"
        "[; promised {promise_at}].",
        "",
    ),
    "LW307/behind": (
        "{task} was re-planned behind {other}: it is to start at {new_at}[ on {worker}]"
        "[, before: {old_at}][; promised {promise_at}].",
        "",
    ),
    "LW307/moved": (
        "{task} moved[ from {old_worker}] to {worker}: it is to start at {new_at}"
        "[, before: {old_at}][; promised {promise_at}].",
        "",
    ),
    "LW307/delayed": (
        "{task} was delayed[ until {new_at}][ on {worker}][, before: {old_at}]"
        "[; promised {promise_at}].",
        "",
    ),
    "LW308": (
        "{task} is unlike the time it took before: estimate {estimate_ms}, last runs {low_ms} to"
        " {high_ms}.",
        "Raise the estimate to {high_ms}.",
    ),
    "LW309": (
        "The boundary: {worker} has {left_ms} left, and stopping and delivering take {guard_ms}"
        f"[ ({_PARTS})].{_DRIFT}{_RECEIVE}",
        "Ask the owner of {worker} to extend the lease.",
    ),
    "LW309/many": (
        "The boundary: none of these has time left for stopping and delivering: {left_ms@}.",
        "Ask an owner to extend a lease.",
    ),
    "LW309/terms": (
        "The boundary: {worker} would be open for {left_ms}, and stopping and delivering take"
        f" {{guard_ms}}[ ({_PARTS})]: nothing could ever run there.",
        "Let it be open for longer, or keep a shorter guard free: --for, --guard.",
    ),
    "LW309/closed": (
        "The boundary: the lease of {worker} is closed[ since {closed_at}], and no window follows.",
        "Ask the owner of {worker} to open it.",
    ),
    "LW310": (
        "Not found: none of the {tried} orders tried keeps every promise with {task} in it, though"
        " demand does not rule it out[; tried: {candidates}].",
        "Hand it in later, lower its bound, or take another worker.",
    ),
    "LW311": (
        "The boundary: {by} has {held_ms} reserved ahead of a share of {cap_ms}, and {task} needs"
        " {need_ms} more; short by {short_ms}.",
        "Wait until some of it has run, or ask the owner for a larger share.",
    ),
    "LW312": (
        "{by} has not acknowledged {count:outcome}[ ({have_bytes} of {cap_bytes})]:"
        " its disk share is used up.",
        "Read the inbox and acknowledge.",
    ),
    "LW401": (
        f"The boundary: {{task}} asks more than {{worker}} has{_OF.format('', 'of')}.",
        _FEWER,
    ),
    "LW401/many": (
        "The boundary: {task} asks more than any of these has"
        + _OF.format("@", "asked, offered:")
        + ".",
        _FEWER,
    ),
    "LW402": (
        "{worker} does not carry {missing}, which {task} asks for[; it has {offered}].",
        "Ask for what a worker carries, or ask the owner of {worker} to add it.",
    ),
    "LW402/many": (
        "{task} asks for labels or tools that none of these carries all of; what each lacks:"
        " {missing@}.",
        "Ask for what a worker carries, or ask an owner to add it.",
    ),
    "LW402/no-worker": (
        "No worker can be asked to run {task}[: {states}].",
        "Join a worker, undrain one, or allow others: workers of a plan, --on of one command.",
    ),
    "LW402/excluded": (
        "{worker} is not among the workers that the plan allows[ ({allowed})].",
        "Add {worker} to the plan's workers, or take it out of not_on.",
    ),
    "LW403": ("{task} fits {worker} only while it is free.", "Nothing to do: it waits."),
    "LW403/cpus": _free_only("need_milli:cpu", "free_milli", "cap_milli", ""),
    "LW403/memory": _free_only("need_bytes", "free_bytes", "cap_bytes", " of memory"),
    "LW404/bad-name": (
        "{name} cannot be the name of a worker.",
        "Use 1 to 63 of a-z, 0-9, dot, dash and underscore, a letter or digit first.",
    ),
    "LW404": ("{name} is not known here[; nearest: {nearest}].", "Name one that is known."),
    **{
        f"LW404/{kind}": (
            f"There is no {kind} {{name}}{where}[; nearest: {{nearest}}][; known: {{offered}}].",
            f"Name a {kind} that is there[, perhaps {{nearest}}][: one of {{offered}}].",
        )
        for kind, where in (
            ("worker", " in the pool"),
            ("token", " in the pool"),
            ("label", " on any worker"),
            ("tool", " on any worker"),
            ("task", ""),
            ("plan", ""),
            ("history", ""),
            ("credential", " in this pool"),
        )
    },
    "LW501": (
        "{task} runs {command}, which is outside the commands that {worker} allows[ ({allowed})]."
        " The list is an accident guard, not a sandbox, unless scope is enforced.",
        "Use an allowed command, or ask the owner of {worker} to allow {command}.",
    ),
    "LW502": (
        "{task} touches {paths}, outside the paths that {worker} allows[ ({allowed})].",
        "Use an allowed path, or ask the owner of {worker} to allow {paths}.",
    ),
    "LW503": (
        "{task} asks for the network {name}, and {worker} allows {allowed}.",
        "Ask for less, or ask the owner of {worker} for more.",
    ),
    "LW504": (
        "{worker} cannot enforce the scope that its lease demands[: {missing}].",
        "Ask the owner of {worker} to demand what it can enforce, or take another worker.",
    ),
}
