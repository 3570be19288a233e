"""Severity and meaning of every code, in every language the same. Codes never change meaning."""

from __future__ import annotations

from leaseway.core.model.findings import Severity

_E, _W, _N, _C = Severity.ERROR, Severity.WARNING, Severity.NOTE, Severity.CAUSE

RULES: dict[str, tuple[Severity, str]] = {
    "LW101": (_E, "needs form a cycle"),
    "LW102": (_E, "needs a task that the plan does not have"),
    "LW103": (_W, "order derived from reads and writes"),
    "LW104": (_N, "declared dependency already implied"),
    "LW105": (_W, "waits for a task that cannot succeed"),
    "LW106": (_E, "touch the same thing and the plan gives no order"),
    "LW201": (_W, "write the same path"),
    "LW202": (_W, "write one path in views of their own"),
    "LW203": (_N, "hold the same exclusive token"),
    "LW204": (_W, "work on one checkout, package manager, lock file or port (inferred)"),
    "LW205": (_W, "conflicts with a task of another plan"),
    "LW206": (_W, "what it touches is unknown"),
    "LW207": (_W, "two names of one path"),
    "LW209": (_E, "path outside the tree that travels"),
    "LW210": (_N, "pairs in all, that may overlap, that conflict; of two tasks only if they do"),
    "LW211": (_N, "parallel degree recommended; of two tasks only if they conflict"),
    "LW301": (_E, "exceeds every worker's max run time"),
    "LW302": (_E, "exceeds the time left on every lease"),
    "LW303": (_E, "does not fit behind what is promised"),
    "LW304": (_N, "no estimate, no limit, no history: best effort"),
    "LW305": (_W, "more tasks than fit in the time left"),
    "LW306": (_E, "would break an earlier promise"),
    "LW307": (_N, "re-planned"),
    "LW308": (_W, "unlike the time it took before"),
    "LW309": (_E, "no time left for stopping and delivering"),
    "LW310": (_E, "no order found that keeps every promise"),
    "LW311": (_E, "share of time reserved ahead used up"),
    "LW312": (_E, "too many outcomes not acknowledged"),
    "LW313": (_E, "what was scanned is no longer so"),
    "LW314": (_E, "needs a person's yes"),
    "LW401": (_E, "asks more than the capacity of any worker"),
    "LW402": (_E, "no worker carries the label or tool asked for"),
    "LW403": (_W, "fits a free machine only"),
    "LW404": (_E, "unknown name"),
    "LW501": (_E, "command outside the lease's scope"),
    "LW502": (_E, "path outside the lease's scope"),
    "LW503": (_E, "network wider than the scope"),
    "LW504": (_E, "worker cannot enforce the scope demanded"),
    "LW601": (_W, "will end after its promise"),
    "LW602": (_W, "lease shrank while the task ran"),
    "LW603": (_W, "checkpoint said stop"),
    "LW604": (_E, "unchanged resubmission of a task that overran"),
    "LW605": (_W, "promise withdrawn"),
    "LW606": (_N, "terms of a lease as its owner now says them"),
    "LW701": (_C, "exit code or signal"),
    "LW702": (_C, "own limit reached"),
    "LW703": (_C, "boundary ended it"),
    "LW704": (_C, "worker not heard of"),
    "LW705": (_C, "capacity reached"),
    "LW706": (_C, "declared output missing"),
    "LW707": (_C, "skipped: a predecessor did not succeed"),
    "LW708": (_C, "result kept, not counted"),
    "LW709": (_C, "worker restarted under it"),
    "LW710": (_C, "gave way to an elder promise"),
    "LW711": (_C, "keeper died"),
    "LW712": (_C, "cancelled"),
    "LW713": (_C, "given up before it started"),
    "LW714": (_E, "not ended yet, nothing to acknowledge"),
    "LW721": (_N, "waits for a task"),
    "LW722": (_N, "waits for a token"),
    "LW723": (_N, "no room on a worker now"),
    "LW724": (_N, "worker not heard of"),
    "LW725": (_N, "lease closed now"),
    "LW726": (_N, "the plan's own bound on how many run at once"),
    "LW727": (_N, "has its place and waits for it"),
    "LW728": (_N, "runs"),
    "LW729": (_N, "given to a worker, about to start"),
    "LW730": (_N, "waits without a place"),
    "LW731": (_N, "worker takes no new work"),
    "LW732": (_N, "its end was heard late"),
    "LW733": (_N, "output kept in part"),
    "LW734": (_N, "not a worker that the plan asks for"),
    "LW801": (_E, "grant not valid"),
    "LW802": (_E, "no credential, or one that may not do this"),
    "LW803": (_W, "clock offset or rate outside the guard"),
    "LW804": (_N, "worker slept"),
    "LW805": (_W, "the worker follows another history"),
    "LW901": (_E, "plan file"),
    "LW902": (_E, "plan over a size limit"),
    "LW903": (_E, "key already used for another plan"),
    "LW904": (_E, "no tree to travel with"),
    "LW905": (_E, "files change while they are read"),
    "LW906": (_W, "name of a tree that is odd"),
    "LW907": (_E, "tree or results could not be written"),
    "LW908": (_E, "policy that contradicts itself"),
}

ENDED_BY: dict[str, str] = {
    "LW603": "saved",
    "LW701": "failed",
    "LW702": "overran",
    "LW703": "boundary",
    "LW704": "lost",
    "LW705": "over capacity",
    "LW706": "incomplete",
    "LW708": "told too late",
    "LW709": "worker restarted",
    "LW710": "gave way",
    "LW711": "keeper died",
    "LW712": "cancelled",
}
"""One or two words for what ended an attempt that led to no success, for narrow columns."""

_WHILE_RUNNING = frozenset({"LW601", "LW602", "LW603", "LW605", "LW606", "LW803", "LW804", "LW805"})


def may_refuse(code: str) -> bool:
    """Whether this code, as an error, means that nothing was started."""
    return not code.startswith("LW7") and code not in _WHILE_RUNNING


def severity(code: str) -> Severity:
    """The severity that the rule has by itself; a code not known here is an error."""
    return RULES[code][0] if code in RULES else Severity.ERROR
