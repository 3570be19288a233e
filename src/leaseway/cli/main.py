"""`leaseway`: the group of all commands, imported one by one when they run."""

from __future__ import annotations

import click

from leaseway import __version__
from leaseway.cli.lazy import Known, LazyGroup
from leaseway.cli.setting import (
    CREDENTIAL_VARIABLE,
    STATE_VARIABLE,
    URL_VARIABLE,
    Setting,
)

_PLANS, _LOOK, _OUTCOMES, _WORKERS, _PLACE = (
    "Plans",
    "What is going on",
    "Outcomes",
    "Workers and leases",
    "This machine",
)
_INSIDE = "Inside a task"
COMMANDS = {
    "scan": Known("scan:scan", "Check a plan; start nothing.", _PLANS),
    "rule": Known("rule:rule", "What a finding means, with an example.", _PLANS),
    "run": Known("run:run", "Run a plan, or one command after --, and wait.", _PLANS),
    "plans": Known("plans:plans", "Plans that were handed in.", _PLANS),
    "approve": Known("approve:approve", "Say yes to what needs a person.", _PLANS),
    "cancel": Known("cancel:cancel", "Cancel tasks or whole plans.", _PLANS),
    "tasks": Known("tasks:tasks", "Tasks and where they are.", _LOOK),
    "task": Known("task:task", "One task: promise, attempts, outcome.", _LOOK),
    "logs": Known("logs:logs", "What a task wrote; -f follows it.", _LOOK),
    "explain": Known("explain:explain", "Why a task waits, was refused or ended so.", _LOOK),
    "history": Known("history:history", "How long commands took before.", _LOOK),
    "record": Known("record:record", "What became of promises: kept, withdrawn, broken.", _LOOK),
    "events": Known("events:events", "What happened; -f follows it.", _LOOK),
    "inbox": Known("inbox:inbox", "Outcomes that you have not acknowledged.", _OUTCOMES),
    "bring": Known("bring:bring", "Bring back what tasks changed.", _OUTCOMES),
    "ack": Known("ack:ack", "Acknowledge outcomes: seen.", _OUTCOMES),
    "give-up": Known("give_up:give_up", "End a task that cannot be waited for.", _OUTCOMES),
    "checkpoint": Known("checkpoint:checkpoint", "How far it is, and may it go on.", _INSIDE),
    "left": Known("checkpoint:left", "Seconds until it is told to stop.", _INSIDE),
    "workers": Known("workers:workers", "Workers: time left, load, when last heard.", _WORKERS),
    "worker": Known("join:worker", "Offer this machine (worker join).", _WORKERS),
    "lease": Known("lease:lease", "Show, change or close a lease.", _WORKERS),
    "drain": Known("drain:drain", "No new work for a worker; what runs may end.", _WORKERS),
    "undrain": Known("drain:undrain", "New work for it again.", _WORKERS),
    "revoke": Known("revoke:revoke", "Take a worker's grants back: stops what runs.", _WORKERS),
    "up": Known("up:up", "Start the coordinator here.", _PLACE),
    "connect": Known("connect:connect", "Use a coordinator on another machine.", _PLACE),
    "find": Known("find:find", "Coordinators that announce themselves here.", _PLACE),
    "access": Known("access:access", "Who may come in: list, invite, revoke.", _PLACE),
    "policy": Known("policy:policy", "The pool's rules: show, check, set.", _PLACE),
    "service": Known("service:service", "Services that --service installed.", _PLACE),
    "mcp": Known("mcp:mcp", "Tools for an AI agent, on stdin and stdout (MCP).", _PLACE),
    "doctor": Known("doctor:doctor", "Check this machine and the way to the pool.", _PLACE),
    "demo": Known("demo:demo", "A whole story in half a minute, with real processes.", _PLACE),
}


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--url", metavar="URL", help=f"Address of the coordinator; also {URL_VARIABLE}.")
@click.option(
    "--credential",
    metavar="FILE",
    help=f"Credential file, or the credential itself; also {CREDENTIAL_VARIABLE}.",
)
@click.option(
    "--state",
    metavar="DIR",
    help=f"Where `up` keeps its ledger and credentials; also {STATE_VARIABLE}.",
)
@click.option(
    "--lang", metavar="LANG", help="Findings in this language: en, zh.  [default: the locale's]"
)
@click.version_option(__version__, message="leaseway %(version)s")
@click.pass_context
def leaseway(
    context: click.Context,
    url: str | None,
    credential: str | None,
    state: str | None,
    lang: str | None,
) -> None:
    """Run tasks on leased machines: checked before they start, never lost in silence.

    Begin with `leaseway demo`, or with `leaseway up` and `leaseway worker join --for 1h`.
    """
    context.obj = Setting(url, credential, state, lang)


assert isinstance(leaseway, LazyGroup)
leaseway.known = {
    name: Known(f"leaseway.cli.commands.{known.place}", known.line, known.chapter)
    for name, known in COMMANDS.items()
}


def main() -> None:
    """The console script."""
    leaseway(prog_name="leaseway")
