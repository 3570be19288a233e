"""`worker join`: offer this machine, in the foreground."""

from __future__ import annotations

import contextlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.services.words import Remembering, service_options
from leaseway.cli.terms_given import taken, terms_options, window_options

if TYPE_CHECKING:
    from leaseway.cli.joining import Offered


@click.group("worker")
def worker() -> None:
    """Offer this machine."""


@worker.command("join", cls=Remembering)
@click.argument("address", required=False, metavar="[HOST:PORT]")
@click.option("--name", help="What the pool calls this machine.  [default: its host name]")
@click.option(
    "--lease",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Terms from a file; options given here win.",
)
@terms_options
@window_options
@click.option("--stop-running", is_flag=True, help="On leaving, stop what runs too.")
@click.option("--anew", is_flag=True, help="Ask for an invitation though a credential is stored.")
@service_options
@answers
def join(asked: Asked, /, **given: Any) -> int:
    """Offer this machine's time to the pool at HOST:PORT, until Ctrl-C or SIGTERM.

    The first time it asks for an invitation (or reads it from standard input).

    What is not said is read from the machine: all its cpus and memory, a slot for each cpu. What
    runs goes on when this ends, and is taken over by the next join with the same --state DIR.

    0 left, 1 broken, 3 refused, or another daemon uses this state, 4 a newer one took its name.
    """
    from leaseway.cli.joining import read_again, way_in, whole_offer
    from leaseway.cli.services.asking import keep_worker
    from leaseway.worker.daemon import run_worker
    from leaseway.worker.options import WorkerOptions

    whole = partial(whole_offer, asked, given["name"], given["lease"], taken(given))
    offer = whole()
    way = way_in(asked, given["address"], offer, anew=given["anew"])
    offer = offer.named(asked, way.name)
    if given["service"]:
        return keep_worker(asked, offer, given["scope"], stop_running=given["stop_running"])
    said: list[str] = []

    def tell(line: str) -> None:
        said.append(line)
        if not asked.as_json:
            with contextlib.suppress(OSError):  # a full disk, a closed pipe: what runs matters more
                asked.tell_line(line)

    for line in greeting(offer, way.options.url):
        tell(line)
    code = run_worker(
        WorkerOptions(
            name=offer.name,
            url=way.options.url,
            credential=way.options.secret,
            ca=way.options.ca,
            state_dir=offer.state,
            offer=offer.offer,
            stop_running=given["stop_running"],
            version=version(),
            tell=tell,
            recurring=offer.recurring,
            lease_file=given["lease"],
            read_again=partial(read_again, whole),
        )
    )
    if asked.as_json:
        asked.tell({"name": offer.name, "exit_code": code, "said": said}, list)
    return code


def greeting(offered: Offered, url: str) -> list[str]:
    """What is offered, where, and how to end it."""
    from msgspec.structs import asdict

    from leaseway.cli.workers_table import amounts_text
    from leaseway.core.model.units import show_ms

    offer = offered.offer
    closes = offer.windows[0].closes_in_ms
    until = "no end set" if closes is None else f"open for {show_ms(closes)}"
    until = f"open {offer.recurring}" if offer.recurring else until
    longest = "no cap" if offer.max_run_ms is None else show_ms(offer.max_run_ms)
    return [
        f"Offering {offered.name} to {url}: {until}, longest task {longest}",
        f"Capacity: {amounts_text(asdict(offer.capacity))}",
        f"State in {offered.state}; confinement: absent (time and slots are kept, paths and"
        " network are not enforced)",
        "Leave with Ctrl-C or SIGTERM; what runs goes on"
        + (f", within its guard of {show_ms(offer.guard.total_ms)}" if closes is not None else ""),
    ]


def version() -> str:
    """Of this software."""
    from leaseway import __version__

    return __version__
