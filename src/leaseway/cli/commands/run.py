"""`run PLAN` and `run -- COMMAND...`: hand in, wait, tell how it ended, acknowledge."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaseway.cli import kinds
from leaseway.cli.answer import Asked, answers
from leaseway.cli.exits import OF_COMMAND, Exit, of_plan
from leaseway.cli.faults import Fault
from leaseway.cli.paint import on_terminal
from leaseway.cli.tree_given import TreeGiven, tree_given, tree_options
from leaseway.core.model.capacity import Uses

if TYPE_CHECKING:
    from leaseway.cli.trip import Trip
    from leaseway.client.blocking import Client
    from leaseway.core.model.plan import PlanSpec
    from leaseway.workspace.listing import Tree

COMMAND = "leaseway.run.command"
BEFORE_A_COMMAND = "Put -- before a command, such as: leaseway run --limit 1m -- echo hello"


class RunCommand(click.Command):
    """Cuts off what stands after the first `--`: it belongs to the command, options and all."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the command aside, parse the rest."""
        if "--" in args:
            at = args.index("--")
            ctx.meta[COMMAND] = tuple(args[at + 1 :])
            args = args[:at]
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as wrong:
            if COMMAND not in ctx.meta and "extra argument" in wrong.format_message():
                raise click.UsageError(BEFORE_A_COMMAND, ctx) from wrong
            raise


@dataclass(frozen=True)
class Given:
    """The options of `run`, by name; lengths in ms."""

    plan: Path | None
    detach: bool
    partial: bool
    strict: bool
    check: str
    key: str
    limit: int | None
    estimate: int | None
    name: str | None
    on: tuple[str, ...]
    label: tuple[str, ...]
    cpus: int | None
    memory: int | None
    output: tuple[str, ...]
    tree: TreeGiven

    @property
    def uses(self) -> Uses:
        """What CMD takes; cpus in thousandths."""
        given = {"cpus_milli": self.cpus, "memory_bytes": self.memory}
        return Uses(**{name: amount for name, amount in given.items() if amount is not None})

    @property
    def of_command_only(self) -> list[str]:
        """Options given that say something of a single command."""
        options = {
            "--limit": self.limit is not None,
            "--estimate": self.estimate is not None,
            "--name": self.name is not None,
            "--on": bool(self.on),
            "--label": bool(self.label),
            "--cpus": self.cpus is not None,
            "--memory": self.memory is not None,
            "--output": bool(self.output),
        }
        return [option for option, given in options.items() if given]


@click.command("run", cls=RunCommand, options_metavar="[OPTIONS]")
@click.argument("plan", required=False, type=click.Path(path_type=Path), metavar="PLAN | -- CMD")
@click.option("--detach", is_flag=True, help="Do not wait: print the plan's id.")
@click.option("--partial", is_flag=True, help="Accept what fits, refuse the rest.")
@click.option("--strict", is_flag=True, help="Warnings refuse too.")
@click.option(
    "--check", default="", metavar="SCAN-ID", help="Only if all is as this scan of PLAN saw it."
)
@click.option("--key", default="", help="The same key and plan again: the same answer, not twice.")
@click.option("--limit", type=kinds.limit, help="CMD is stopped after this; without it no promise.")
@click.option("--estimate", type=kinds.duration, help="How long CMD is expected to take.")
@click.option("--name", help="Name of CMD's task.")
@click.option("--on", multiple=True, metavar="WORKER", help="CMD runs there (repeatable).")
@click.option("--label", multiple=True, help="CMD runs where this is carried (repeatable).")
@click.option("--cpus", type=kinds.cpus, help="Cpus that CMD takes.  [default: 1]")
@click.option("--memory", type=kinds.size, help="Memory that CMD takes.  [default: none reserved]")
@tree_options
@click.option(
    "--output",
    multiple=True,
    type=kinds.path,
    metavar="PATH",
    help="Brought back after CMD (repeatable).",
)
@answers
def run(asked: Asked, /, **given: Any) -> int:
    """Run a plan, or one command after --, on leased workers, and wait for it.

    \b
    leaseway run plan.toml
    leaseway run --limit 5m --output 'dist/*' -- make -j2

    The git checkout around it travels along: each task works in its own copy, and what it declares
    as outputs comes back. A plan whose workdir is absolute runs there, as with --in-place.

    Of a plan: 0 all succeeded, 1 a task did not, 3 refused, 4 undecided, 5 no coordinator.
    Of a command: its own code, but 124 to 127 read 1, for they are ours: 124 overran or stopped,
    125 refused, 126 undecided, 127 no coordinator. 128+n signal n, 130 cancelled; 1 also where it
    could not be started (stderr says so) or an output is missing.

    The first Ctrl-C cancels and waits on; the second stops waiting, and the cancel goes on.
    """
    options = Given(tree=tree_given(given), **given)
    command = click.get_current_context().meta.get(COMMAND)
    if command is None and options.plan is None:
        raise click.UsageError("Name a plan file, or a command after --.")
    if command is not None and (options.plan is not None or not command):
        raise click.UsageError("Either a plan file, or a command after --.")
    if command is not None and options.check:
        raise click.UsageError("--check: of a plan only; a scan of it prints the id.")
    if command is None and options.of_command_only:
        named = ", ".join(options.of_command_only)
        raise click.UsageError(f"{named}: of one command only; a plan says this in its file.")
    if options.plan is not None and not options.plan.suffix and not options.plan.exists():
        raise click.UsageError(f"There is no file {options.plan}. {BEFORE_A_COMMAND}")
    return run_plan(asked, options) if command is None else run_one(asked, options, command)


def run_plan(asked: Asked, options: Given) -> int:
    """Hand in a file, wait, show the table, acknowledge what it showed."""
    from leaseway.cli.follow import Followed
    from leaseway.cli.outcomes import outcome_lines, wasted_core_ms
    from leaseway.cli.plan_given import plan_of_file
    from leaseway.cli.submit import How, accepted_lines, submit
    from leaseway.cli.trip import home_lines
    from leaseway.cli.waiting import acknowledge, wait_for

    assert options.plan is not None
    plan, tree = plan_of_file(options.plan, options.tree)
    with asked.pool() as pool:
        trip = _checked_trip(asked, options, pool, plan, tree)
        plan = trip.send(plan)
        reply = submit(pool, plan, How(options.key, options.partial, options.strict))
        trip.accepted(reply.plan)
        if options.detach:
            asked.tell(reply, lambda: [reply.plan])
            return Exit.CLEAN
        if not asked.as_json:
            asked.say([*accepted_lines(reply, asked.paint, notes=False), ""])
        followed = Followed(pool, reply.plan, [task.id for task in reply.tasks])
        tasks = wait_for(followed, asked.paint, silent=asked.as_json)
        code = of_plan(task.outcome.kind if task.outcome else None for task in tasks)
        home = trip.home(tasks)
        code = Exit.FAILED if home.failed and code == Exit.CLEAN else code
        document = {
            "plan": reply.plan,
            "exit_code": int(code),
            "findings": reply.findings,
            "wasted_core_ms": sum(wasted_core_ms(task) for task in tasks),
            "home": home.document,
            "tasks": tasks,
        }
        gap = [] if on_terminal() else [""]  # the live table leaves one
        asked.tell(
            document,
            lambda: [*gap, *outcome_lines(tasks, asked.paint), *home_lines(home, asked.paint)],
        )
        if not home.failed:
            acknowledge(pool, tasks)
    return code


def _checked_trip(
    asked: Asked, options: Given, pool: Client, plan: PlanSpec, tree: Tree | None
) -> Trip:
    """What travels with the plan; nothing does if it is not as it was scanned."""
    from leaseway.cli.scan_checked import still_as_scanned
    from leaseway.cli.trip import Trip

    if options.check and options.plan is not None:
        still_as_scanned(pool, options.check, plan, tree, options.plan)
    return Trip(pool, tree, options.tree.tree_limit, silent=asked.as_json)


def run_one(asked: Asked, options: Given, command: tuple[str, ...]) -> int:
    """One command; our own codes lie above those that it may use."""
    from leaseway.cli.one_command import plan_of_command, run_command
    from leaseway.cli.submit import How, submit
    from leaseway.cli.trip import Trip

    bounds = (options.limit, options.estimate)
    if options.limit is not None and (options.estimate or 0) > options.limit:
        raise click.UsageError("--estimate is over --limit: it would be stopped before it ends.")
    how = How(options.key, options.partial, options.strict)
    try:
        plan, tree = plan_of_command(command, options, bounds)
        with asked.pool() as pool:
            trip = Trip(pool, tree, options.tree.tree_limit, silent=asked.as_json)
            plan = trip.send(plan)
            reply = submit(pool, plan, how)
            trip.accepted(reply.plan)
            if options.detach:
                asked.tell(reply, lambda: [reply.plan])
                return 0
            return run_command(asked, pool, reply, trip)
    except Fault as fault:
        fault.exit_code = OF_COMMAND.get(fault.exit_code, fault.exit_code)  # type: ignore[misc]
        raise
