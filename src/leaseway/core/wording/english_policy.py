"""English: the pool's policy, and a person's yes (LW314, LW908)."""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

_LESS = "Ask for less, or let an owner say yes."

POLICY: dict[str, Entry] = {
    "LW314": (
        "By the pool's policy {policy} this plan needs a person's yes: request {approval}.",
        "An owner looks at it and answers: leaseway approve {approval}. Then hand the same plan in"
        " again within {valid_ms}.",
    ),
    "LW314/dry": (
        "By the pool's policy {policy} this plan would need a person's yes.",
        "Hand it in: that makes the request, which an owner answers with leaseway approve.",
    ),
    "LW314/denied": (
        "{by} said no to this plan ({approval}, {answered_at})[: {reason}].",
        "Talk to {by}, or hand in another plan.",
    ),
    "LW314/full": (
        "{by} has {count:request} open that nobody has answered; no more are taken.",
        "Wait until an owner has answered some: leaseway approve.",
    ),
    "LW314/longer": (
        "{tasks} may run for up to {need_ms}, and what may run for more than {cap_ms} needs a"
        " person's yes.",
        "Lower the limit, or let an owner say yes.",
    ),
    "LW314/unbounded": (
        "Nobody knows how long {tasks} may run, and what may run for more than {cap_ms} needs a"
        " person's yes.",
        "Set a limit, or let an owner say yes.",
    ),
    "LW314/cpus": (
        "{tasks} asks for up to {need_milli:cpu}, and more than {cap_milli:cpu} need a person's"
        " yes.",
        _LESS,
    ),
    "LW314/command": (
        "{tasks} runs what needs a person's yes: {allowed}.",
        "Use another command, or let an owner say yes. A list of commands is a guard against"
        " accidents, not against intent.",
    ),
    "LW314/approved": ("{by} said yes to this plan ({approval}).", ""),
    "LW314/answered": (
        "{approval} has its answer already: {by} answered it at {answered_at}, and it is {state}.",
        "Nothing to do: the next time this plan is handed in makes a new request.",
    ),
    "LW802/own-approval": (
        "{by} asked for {approval}, and nobody says yes to themselves.",
        "Let another owner answer it.",
    ),
    "LW802/approval": (
        "{by} is no owner, and {approval} needs a person's yes.",
        "Let an owner answer it: leaseway approve {approval}.",
    ),
    "LW404/approval": (
        "There is no open request {name}[; near: {nearest}][; open: {offered}].",
        "See what is open: leaseway approve. A request that nobody answers is forgotten after a"
        " day.",
    ),
    "LW404/version": (
        "There is no policy {name} here[; there are {offered}].",
        "See them all: leaseway policy show.",
    ),
    "LW908": ("{where}: this policy contradicts itself.", "Mend it; nothing was changed."),
    "LW908/unknown-code": (
        "{where}: there is no finding {name}[; near: {nearest}][; such as {offered}].",
        "See docs/rules, or leaseway rule CODE.",
    ),
    "LW908/fixed": (
        "{where}: {name} ({meaning}) is no matter of opinion, and no policy can make it {got}.",
        "Leave it out: it refuses by itself. To write refuse is allowed, and changes nothing.",
    ),
    "LW908/not-judged": (
        "{where}: {name} ({meaning}) is not said of a plan that is handed in, so no policy weighs"
        " it.",
        "Leave it out.",
    ),
    "LW908/twice": (
        "{where}: {name} asks here, and findings.{name} says {got}.",
        "Say one of them.",
    ),
    "LW908/role": (
        "{where}: {name} is no role that hands plans in[; near: {nearest}][; there are {offered}].",
        "Write agent or owner.",
    ),
    "LW908/no-share": (
        "{where}: a share of 0% would lock every {name} out without a word.",
        "Write 1% to 100%; whom nobody wants to let in has no credential: leaseway access revoke"
        " NAME.",
    ),
    "LW908/nobody-asks": (
        "{where}: something needs a person's yes, and nobody has to ask for it.",
        "Name the roles that have to ask, as agent, or leave the conditions out.",
    ),
    "LW908/nobody-answers": (
        "{where}: owners have to ask another owner, and there is {count:owner}: nobody could say"
        " yes.",
        "Invite another owner first: leaseway access invite --role owner --name NAME; or leave"
        " owner out.",
    ),
    "LW908/value": ("{where}: expected {expected}, got {got}.", "Write what is expected."),
}
