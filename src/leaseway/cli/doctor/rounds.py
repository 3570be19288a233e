"""All checks in order: what needs no coordinator first."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from leaseway.cli.answer import Asked
from leaseway.cli.doctor import bounds, clocks, host, pool, secrets, sleeping
from leaseway.cli.doctor.check import Check
from leaseway.cli.doctor.services import service_checks
from leaseway.cli.faults import Fault
from leaseway.cli.joining import JOINED
from leaseway.cli.pool import NOTHING
from leaseway.cli.services.installing import standing
from leaseway.cli.services.machine import run_here, supervisor
from leaseway.cli.setting import Places, default_state
from leaseway.runtime import Clock


def all_checks(asked: Asked) -> Iterator[Check]:
    """Look at everything."""
    state = asked.places.state
    workers = sorted(path for path in (default_state() / "workers").glob("*") if path.is_dir())
    spools = {f"spool {path.name}"[:13]: path for path in workers}
    yield from host.host_checks(host.host_here({"state": state, **spools}))
    yield clocks.own_clocks()
    yield from secrets.mode_checks(secrets.modes_in([state, *workers]))
    yield from secrets.certificate_checks(
        secrets.certificates_in(state), Clock.of_environment().wall_ms()
    )
    yield bounds.groups_check(bounds.groups_here())
    yield bounds.landlock_check(bounds.landlock_abi())
    yield bounds.confinement()
    yield sleeping.sleep_check(sleeping.sleep_here(run_here))
    installed = []
    for scope in ("system", "user"):
        installed += standing(supervisor(scope, os.environ, run_here), run_here)
    serves = (state / "url").exists() or bool(workers)
    yield from service_checks(installed, serves=serves)
    yield from of_pool(dataclasses.replace(asked, places=way(asked.places, workers)), state)


def way(places: Places, workers: Sequence[Path]) -> Places:
    """Whom to ask: as every command does; on a machine that only works, as its worker does.
    `workers`: the folders of those that are known here."""
    if places.folder is None or (places.folder / "url").exists():
        return places
    joined = [each / JOINED for each in workers if (each / JOINED).exists()]
    return Places(None, str(joined[0]), None, places.state) if joined else places


def of_pool(asked: Asked, state: Path) -> Iterator[Check]:
    """The way to the coordinator, and what it says of this machine."""
    place = pool.port_of(state)
    try:
        with asked.pool() as client:
            about, found = client.about(), client.workers().workers
            seen = clocks.looks(lambda: client.about().now, Clock.of_environment())
            url = client.options.url
    except Fault as fault:
        if place is not None:
            yield pool.port_check(*place, taken=pool.is_taken(*place), answers=False)
        yield Check("coordinator", "bad", fault.message.removesuffix(NOTHING), fault.mend)
        return
    if place is not None and url.endswith(f":{place[1]}"):
        yield pool.port_check(*place, taken=True, answers=True)
    yield from pool.pool_checks(url, about, found)
    yield clocks.offset_check(seen[0])
    yield clocks.rate_check(*seen)
    yield from pool.tool_checks(pool.tools_here(found, pool.machine_id()))
