"""`access`: who may come in. An owner lists, invites and revokes."""

from __future__ import annotations

from collections.abc import Iterable

import click

from leaseway.cli import kinds
from leaseway.cli.answer import Asked, answers
from leaseway.cli.paint import Paint
from leaseway.cli.table import Column, Row, table_lines
from leaseway.client import access as calls
from leaseway.core.model.units import Instant, show_ms
from leaseway.runtime import since_epoch_iso
from leaseway.wire.access import AccessList, CredentialInfo, InviteReply, InviteRequest

ROLES = ("agent", "viewer", "owner", "worker")
COLUMNS = (
    Column("name", most=24),
    Column("role"),
    Column("state"),
    Column("since"),
    Column("last heard"),
)


class _ListsByDefault(click.Group):
    """Without a verb, and with options only, it lists."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the verb in that was left out."""
        bare = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        return super().parse_args(ctx, ["list", *args] if bare else args)


@click.group("access", cls=_ListsByDefault)
def access() -> None:
    """Who may come in: list (by default), invite, revoke."""


@access.command("list")
@answers
def listing(asked: Asked) -> None:
    """Every credential and open invitation: name, role, state, since when, last heard."""
    with asked.pool() as pool:
        found = pool.send(calls.credentials())
    asked.tell(found, lambda: access_lines(found, asked.paint))


@access.command("invite")
@click.option("--role", type=click.Choice(ROLES), required=True, help="What they may do.")
@click.option("--name", default="", help="Under which name; a worker may name itself.")
@click.option(
    "--for", "length", type=kinds.duration, default="1h", show_default=True, help="Until it ends."
)
@answers
def invite(asked: Asked, role: str, name: str, length: int) -> None:
    """Make an invitation: good once, told this once. Hand it over where nobody reads along."""
    if not name and role != "worker":
        raise click.UsageError(f"Expected --name: who is the {role}?")
    with asked.pool() as pool:
        made = pool.send(calls.invite(InviteRequest(role, name, length)))
    asked.tell(made, lambda: invited_lines(made))


@access.command("revoke")
@click.argument("name")
@answers
def revoke(asked: Asked, name: str) -> None:
    """Take the credential of NAME back, or what it was invited with: it opens nothing any more."""
    with asked.pool() as pool:
        found = pool.send(calls.revoke(name))
    asked.tell(found, lambda: revoked_lines(found))


def access_lines(found: AccessList, paint: Paint) -> list[str]:
    """The table of credentials."""
    return table_lines(COLUMNS, [_row(each, found.now) for each in found.credentials], paint)


def invited_lines(made: InviteReply) -> Iterable[str]:
    """The invitation, and what to type with it."""
    who = made.name or "a worker"
    length = show_ms(made.expires_at - made.now)
    yield f"Invitation for {who}, role {made.role}: good once, for {length}"
    yield made.invitation
    where = made.elsewhere[0] if made.elsewhere else made.url
    verb = "worker join" if made.role == "worker" else "connect"
    yield f"There, and it is asked for: leaseway {verb} {where}"


def revoked_lines(found: CredentialInfo) -> Iterable[str]:
    """What is over, and what is not."""
    yield f"The credential of {found.name} is revoked: it opens nothing any more."
    if found.role == "worker":
        yield (
            "What runs there ends by its stop time at the latest; leaseway revoke"
            f" {found.name} takes its grants back now."
        )


def _row(each: CredentialInfo, now: Instant) -> Row:
    state = each.state
    if each.state == "invited" and each.expires_at is not None:
        state = f"invited, {show_ms(each.expires_at - now)} left"
    since = since_epoch_iso(each.since) if each.since else "file of this state"
    heard = "" if each.heard_ago_ms is None else f"{show_ms(each.heard_ago_ms)} ago"
    return (each.name or "(names itself)", each.role, state, since, heard)
