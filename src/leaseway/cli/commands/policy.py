"""`policy`: the pool's rules. Everybody may look; an owner sets them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.faults import Fault

if TYPE_CHECKING:
    from leaseway.core.model.policy import Policy
    from leaseway.wire.policy import PolicyInfo

_FILE = click.argument("file", type=click.Path(path_type=Path))


class _ShowsByDefault(click.Group):
    """Without a verb, and with options only, it shows."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the verb in that was left out."""
        bare = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        return super().parse_args(ctx, ["show", *args] if bare else args)


@click.group("policy", cls=_ShowsByDefault)
def policy() -> None:
    """The pool's rules: show (by default), check, set."""


@policy.command("show")
@click.option(
    "--version",
    type=click.IntRange(min=0),
    help="An older one; the versions are listed below the policy.",
)
@answers
def show(asked: Asked, version: int | None) -> None:
    """The policy in force: what refuses, what asks, what is only told; who set it, and when."""
    from leaseway.cli.policy_page import policy_lines
    from leaseway.client import policy as calls

    with asked.pool() as pool:
        found = pool.send(calls.policy(version))
    asked.tell(found, lambda: policy_lines(found, asked.paint))


@policy.command("check")
@_FILE
@answers
def check(asked: Asked, file: Path) -> None:
    """Check FILE strictly, without setting anything; with a coordinator also what would change.

    Sends nothing that changes anything, and needs no coordinator."""
    from leaseway.cli.policy_given import policy_of_file

    given = policy_of_file(file)
    against, why = _in_force(asked, given)
    _tell_checked(asked, given, file, against, why)


@policy.command("set")
@_FILE
@answers
def set_(asked: Asked, file: Path) -> None:
    """Make FILE the pool's policy, whole; the owner's role is needed. What was promised stays."""
    from leaseway.cli.language import told
    from leaseway.cli.policy_given import policy_of_file
    from leaseway.cli.policy_page import changes, difference_lines
    from leaseway.cli.table import paragraph
    from leaseway.client import policy as calls

    given = policy_of_file(file)
    with asked.pool() as pool:
        before = pool.send(calls.policy())
        found = pool.send(calls.set_policy(given))
    if found.version == before.version:
        said = told(
            "Policy {version} says that already; nothing was changed.", version=found.version
        )
        asked.tell(found, lambda: paragraph(said, asked.paint))
        return
    said = told("Policy {version} is in force now. What is different:", version=found.version)
    differs = changes(before.policy, found.policy)
    asked.tell(
        found,
        lambda: [
            *paragraph(said, asked.paint),
            *difference_lines(differs, asked.paint),
        ],
    )


def _in_force(asked: Asked, given: Policy) -> tuple[PolicyInfo | None, str]:
    """What is in force, and why that is not known. An owner's question is answered by the pool's
    own check too. Fault: the pool would refuse it."""
    from leaseway.cli.exits import Exit
    from leaseway.client import policy as calls
    from leaseway.client.errors import NotAllowed

    folder = asked.places.folder
    if folder is not None and not (folder / "url").exists():
        return None, "no coordinator is known"
    try:
        with asked.pool() as pool:
            found = pool.send(calls.policy())
            try:
                pool.send(calls.set_policy(given, dry=True))
            except NotAllowed:
                pass  # whoever asks is no owner, and only looks
            return found, ""
    except Fault as fault:
        if fault.exit_code != Exit.UNREACHABLE:
            raise
        return None, fault.message


def _tell_checked(
    asked: Asked, given: Policy, file: Path, against: PolicyInfo | None, why: str
) -> None:
    from leaseway.cli.language import told
    from leaseway.cli.policy_page import change_lines, changes, good_line
    from leaseway.cli.table import paragraph

    differs = [] if against is None else changes(against.policy, given)
    document = {
        "policy": given,
        "in_force": None if against is None else against.in_force,
        "changes": differs,
    }

    def lines() -> list[str]:
        head = good_line(str(file), asked.paint)
        if against is None:
            return head + paragraph(told("Not compared: {why}.", why=why.rstrip(".")), asked.paint)
        return [*head, *change_lines(differs, against, asked.paint)]

    asked.tell(document, lines)
