"""English: while it runs and how it ended (LW6xx, LW7xx), and who may do so (LW8xx)."""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

_AGAIN = "Hand it in again; what it wrote so far is kept with the attempt."
_LONGER = "Hand it in where the lease is open long enough."


def _withdrawn(cause: str) -> Entry:
    """LW605 of one cause."""
    return (
        f"The promise of {{task}} ({{old_at}}) is withdrawn: {cause}.[ New time: {{new_at}}.]",
        "Nothing to do if the new time will do; else cancel it, or hand it in elsewhere.",
    )


RUN: dict[str, Entry] = {
    "LW601": (
        "At this rate {task} will end at {new_at}, after its promise of {promise_at}"
        "[; late by {late_ms}][; since checkpoint {since}].",
        "Save and end earlier, or ask for more time.",
    ),
    "LW602": (
        "The boundary: the lease of {worker} shrank while {task} ran: {old_at} became {new_at}.",
        "Save before {new_at}.",
    ),
    "LW602/slept": (
        "The boundary: {worker} slept for {slept_ms} while {task} ran[; it must end by {new_at}].",
        "Save before {new_at}.",
    ),
    "LW602/contention": (
        "{task} now gets less of {worker} than it was promised[; it would end at {new_at}].",
        "",
    ),
    "LW603": (
        "The checkpoint said stop: the next step of {task} needs {need_ms}, {left_ms} are left.",
        "Save and end now.",
    ),
    "LW604": (
        "{task} was handed in unchanged after it overran[: reserved {reserved_ms}, ran {ran_ms}].",
        "Raise its estimate or limit[ above {ran_ms}], or change what it does.",
    ),
    "LW605": _withdrawn("it can no longer be kept"),
    "LW605/gone": _withdrawn("{worker} was not heard of[ since {heard_at}]"),
    "LW605/closed": _withdrawn("the lease of {worker} closed early[ ({reason})]"),
    "LW605/shrunk": _withdrawn("the lease of {worker} shrank"),
    "LW605/revoked": _withdrawn("the owner of {worker} took its grants back[ ({reason})]"),
    "LW605/drained": _withdrawn("{worker} takes no new work[ ({reason})]"),
    "LW605/quarantined": _withdrawn(
        "{worker} is not trusted until its owner has looked[ ({reason})]"
    ),
    "LW605/late": _withdrawn("what runs before it on {worker} is late"),
    "LW605/lost": _withdrawn("its attempt on {worker} came to nothing"),
    "LW605/clock": _withdrawn("{worker} slept, or its clock does not keep time"),
    "LW606": (
        "{worker}, {key}: {old} → {new}.",
        "",
    ),
    "LW606/stays": (
        "Set by command at {set_at}, and wins over what {worker} was joined with: {names}. It will"
        " until the lease file or the options change.",
        "To have the file's again, change the file, or close the lease and join anew.",
    ),
    "LW701": ("{task} ended[ after {ran_ms}].", "Read its output."),
    "LW701/success": (
        "{task} succeeded[ after {ran_ms}].[ Processes outlived it: {left_pids}.]",
        "",
    ),
    "LW701/exit": (
        "The boundary is not the cause: {task} ended by itself with exit code {exit_code}"
        "[ after {ran_ms}].[ Processes outlived it: {left_pids}.]",
        "Read its output; the command itself failed.",
    ),
    "LW701/signal": (
        "The boundary is not the cause: {task} was ended by signal {signal}[ after {ran_ms}],"
        " which Leaseway did not send.",
        "Read its output; it crashed, or somebody or the system ended it.",
    ),
    "LW701/spawn": (
        "The boundary is not the cause: {task} could not be started on {worker}[: {detail}].",
        "Check the command, its path and its working directory on {worker}.",
    ),
    "LW702": (
        "Its own limit is the cause: reserved {reserved_ms}, ran {ran_ms}[, ended by {by}].",
        "Raise the estimate of {task} above {ran_ms}, or split it.",
    ),
    "LW702/limit": (
        "Its own limit is the cause: limit {limit_ms}, ran {ran_ms}[, ended by {by}].",
        "Raise the limit of {task} above {ran_ms}, or split it.",
    ),
    "LW702/window": (
        "Its own limit is the cause: reserved {reserved_ms}, ran {ran_ms}, until the lease of"
        " {worker} closed.",
        "Raise the estimate of {task} above {ran_ms}, or split it.",
    ),
    "LW703": (
        "The boundary is the cause: the lease of {worker} closed[ at {closed_at}] under {task}"
        "[ after {ran_ms}][ of {reserved_ms} reserved].",
        _LONGER,
    ),
    "LW703/not-started": (
        "The boundary is the cause: {worker} could not start {task} in time and handed it back.",
        "Hand it in again.",
    ),
    "LW703/slept": (
        "The boundary is the cause: {worker} slept[ for {slept_ms}] past the stop time of {task}"
        "[, which ran {ran_ms}].",
        _AGAIN,
    ),
    "LW703/revoke": (
        "The boundary is the cause: the owner of {worker} took its grants back[ ({by})] while"
        " {task} ran[ ({ran_ms})].",
        "Hand it in to another worker, or ask the owner.",
    ),
    "LW703/cut-off": (
        "The boundary is the cause: {worker} was without the coordinator for longer than {task}"
        " allows[; it ran {ran_ms}].",
        "Mend the network, or let {task} run on when cut off.",
    ),
    "LW703/shutdown": (
        "The boundary is the cause: {worker} was told to leave while {task} ran[ ({ran_ms})].",
        "Hand it in to another worker.",
    ),
    "LW704": (
        "Not confirmed either way: {worker} was not heard of[ since {heard_at}], and the stop time"
        " of {task}[ ({stop_at})] has passed.",
        "Look at {worker} and at what {task} wrote before it is run again.",
    ),
    "LW704/given-up": (
        "Not confirmed either way: {by} gave {task} up[ at {given_up_at}], and {worker} was not"
        " heard of[ since {heard_at}].",
        "Look at {worker} and at what {task} wrote before it is run again.",
    ),
    "LW704/new-spool": (
        "Not confirmed either way: {worker} came back with another disk, and what it knew of"
        " {task} is gone.",
        "Look at what {task} wrote before it is run again.",
    ),
    "LW705": ("The boundary is the cause: {task} reached a capacity of {worker}.", _AGAIN),
    "LW705/memory": (
        "The boundary is the cause: {task} reached its memory[: {have_bytes} of {cap_bytes}].",
        "Ask for more memory in uses.",
    ),
    "LW705/disk": (
        "The boundary is the cause: {task} reached its disk[: {have_bytes} of {cap_bytes}].",
        "Ask for more disk in uses.",
    ),
    "LW705/processes": (
        "The boundary is the cause: {task} reached its number of processes[: {cap}].",
        "Ask for more processes in uses.",
    ),
    "LW706": (
        "{task} ended with exit code 0, and declared outputs are missing: {missing}.",
        "Correct outputs, or the command that should write them.",
    ),
    "LW707": (
        "{task} was skipped: it needs {other}, which did not succeed[ ({outcome})].",
        "Mend {other} and hand both in again.",
    ),
    "LW708": (
        "A result of {task}[ (attempt {number})] came from {worker} after it no longer held the"
        " grant[; attempt {current} counts]: kept, not counted.[ It ended with exit code"
        " {exit_code} after {ran_ms}.][ It was ended by signal {signal} after {ran_ms}.]",
        "",
    ),
    "LW709": (
        "The boundary is the cause: {worker} restarted under {task}, which had run at least"
        " {ran_ms}.",
        _AGAIN,
    ),
    "LW710": (
        "{task} had no promise and gave way to the elder promise of {other}[ after {ran_ms}].",
        "Give it an estimate or a limit, so that it gets a promise of its own.",
    ),
    "LW710/no-room": (
        "{task} had no promise, and when its time was up[ after {ran_ms}] the room was promised to"
        " others.",
        "Give it an estimate or a limit, so that it gets a promise of its own.",
    ),
    "LW711": (
        "The keeper of {task} on {worker} died, and its processes were killed[ after {ran_ms}];"
        " its exit was not seen.",
        "Look at what {task} wrote before it is run again.",
    ),
    "LW711/no-status": (
        "{task} ended on {worker}[ after {ran_ms}], and neither exit code nor signal was recorded.",
        "Look at what {task} wrote before it is run again.",
    ),
    "LW712": ("{task} was cancelled by {by}[ after {ran_ms}].", ""),
    "LW712/waiting": ("{task} was cancelled by {by} before it started.", ""),
    "LW713": (
        "{task} was given up: no worker could start it by {give_up_at}[; promised {promise_at}].",
        "Hand it in again when a lease is open.",
    ),
    "LW713/by": ("{task} was given up by {by} before it started.", ""),
    "LW713/heard": (
        "{task} is not given up: {worker} is heard, so how it ends will be known.",
        "Cancel {task} instead.",
    ),
    "LW714": (
        "{task} has not ended yet; there is nothing to acknowledge.",
        "Wait until it has ended, or cancel it.",
    ),
    "LW801": ("The grant of {task} is not valid.", "Ask again for a grant."),
    "LW801/attempt": (
        "The grant of {task} is not valid: attempt {number} was asked, {current} counts.",
        "Ask again for a grant.",
    ),
    "LW801/worker": (
        "{worker} does not hold a grant[ of {task}]: it was given to another worker, or {worker}"
        " never joined.",
        "Join first, or run it where it was granted.",
    ),
    "LW801/incarnation": (
        "{worker} is not valid any more: a newer daemon took its name[ (incarnation {current},"
        " this one {number})].",
        "Stop the older daemon, or join under another name.",
    ),
    "LW801/window": (
        "The grant of {task} is not valid: the lease of {worker} is closed[ since {closed_at}].",
        "Ask again when the lease is open.",
    ),
    "LW801/spool": (
        "{worker} came back with another disk than it had; it takes no new work until its owner"
        " has looked.",
        "Let the owner of {worker} look, then undrain it.",
    ),
    "LW801/old": (
        "{worker} is too old for this coordinator (it speaks version {speaks} of the protocol, the"
        " coordinator {spoken}): it gets no new work, and what runs there goes on.",
        "On {worker}: pip install -U leaseway[=={software}], then leaseway worker join again.",
    ),
    "LW801/new": (
        "{worker} is newer than this coordinator (it speaks version {speaks} of the protocol, the"
        " coordinator {spoken}): it gets no new work, and what runs there goes on.",
        "Where the coordinator runs: pip install -U leaseway[=={software}], then leaseway up"
        " again.",
    ),
    "LW801/ended": (
        "The lease of {worker} is closed for good; no terms open it again.",
        "Offer it anew with: leaseway worker join --name {worker}.",
    ),
    "LW801/state": (
        "The lease of {worker} is {old} and cannot become {new}.",
        "Look at it with: leaseway lease show {worker}.",
    ),
    "LW802": (
        "No valid credential was shown.",
        "Set LEASEWAY_CREDENTIAL to a credential file of this pool.",
    ),
    "LW802/role": ("{by} is {role} and may not {action}.", "Ask {needed}."),
    "LW802/other": (
        "{task} belongs to {by}; only {by} or an owner may {action} it.",
        "Ask {by}.",
    ),
    "LW803": (
        "The clock of {worker} is off by {offset_ms}, more than {limit_ms}.",
        "Set the clock of {worker}.",
    ),
    "LW803/rate": (
        "The clock of {worker} runs at another rate: {offset_ms} in {span_ms}, allowed {limit_ms}.",
        "Check whether {worker} was paused as a virtual machine; its owner undrains it.",
    ),
    "LW804": ("{worker} slept for {slept_ms}.", ""),
    "LW805": (
        "{worker} has followed another history[ ({old})] than this coordinator's[ ({new})]; it"
        " takes no new work until its owner has looked.",
        "Restore the newer ledger, or let the owner of {worker} accept this one:"
        " leaseway undrain {worker}.",
    ),
}
