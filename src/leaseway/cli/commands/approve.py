"""`approve`: a person's yes, or no, to what the pool's policy lets only people allow."""

from __future__ import annotations

import click

from leaseway.cli.answer import Asked, answers


@click.command("approve")
@click.argument("request", required=False)
@click.option("--deny", is_flag=True, help="Say no.")
@click.option("--reason", default="", help="Told to whoever asked.")
@click.option("--show", is_flag=True, help="What is asked for, whole; answers nothing.")
@click.option("--all", "every", is_flag=True, help="List answered requests too.")
@answers
def approve(
    asked: Asked, request: str | None, deny: bool, reason: str, show: bool, every: bool
) -> None:
    """Say yes to REQUEST, such as A-3; without one, list what waits for a yes.

    An owner answers, never whoever asked. The same plan, handed in again by who asked, then passes
    once."""
    if request is None:
        if deny or reason or show:
            raise click.UsageError(
                "Say which request, for example A-3; leaseway approve lists them."
            )
        _list(asked, every=every)
    elif every or (show and (deny or reason)):
        raise click.UsageError("--show and --all answer nothing: leave out what does not belong.")
    elif show:
        _show(asked, request)
    else:
        _answer(asked, request, yes=not deny, reason=reason)


def _list(asked: Asked, *, every: bool) -> None:
    from leaseway.cli.approval_page import approval_lines
    from leaseway.client import policy as calls

    with asked.pool() as pool:
        found = pool.send(calls.approvals(every=every))
    asked.tell(found, lambda: approval_lines(found, asked.paint))


def _show(asked: Asked, request: str) -> None:
    from leaseway.cli.approval_page import one_approval
    from leaseway.cli.faults import Fault
    from leaseway.client import policy as calls

    with asked.pool() as pool:
        found = pool.send(calls.approvals(every=True)).approvals
    one = next((each for each in found if each.id == request), None)
    if one is None:
        raise Fault(
            f"There is no request {request}.",
            "See what there is: leaseway approve --all. What nobody answers is forgotten after a"
            " day.",
        )
    asked.tell(one, lambda: one_approval(one, asked.paint))


def _answer(asked: Asked, request: str, *, yes: bool, reason: str) -> None:
    from leaseway.cli.approval_page import answered_lines
    from leaseway.client import policy as calls

    with asked.pool() as pool:
        found = pool.send(calls.answer(request, yes=yes, reason=reason))
    asked.tell(found, lambda: answered_lines(found, found.answered_at, asked.paint))
