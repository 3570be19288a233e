"""What `worker join` offers, and to whom: options before a lease file before the machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click
from msgspec.structs import replace

from leaseway.cli.answer import Asked
from leaseway.cli.faults import Refusal
from leaseway.cli.plan_given import file_refusal
from leaseway.cli.pool import fault_of
from leaseway.cli.setting import Places, default_state, of_environment
from leaseway.cli.terms_given import TermsGiven
from leaseway.client.errors import NoAddress
from leaseway.client.options import ClientOptions, client_options
from leaseway.core.decisions.terms import bad_name, wrong_offer
from leaseway.core.model.lease import TermsOffer
from leaseway.planfile.leases import LeaseFile, read_leases
from leaseway.planfile.nearest import nearest
from leaseway.planfile.report import PlanFileError
from leaseway.runtime import Clock
from leaseway.wire.findings import finding_infos
from leaseway.worker.meter import capacity_here

CREDENTIAL = "worker.credential"


@dataclass(frozen=True)
class Offered:
    """Under which name, where the worker keeps its state, and the terms."""

    name: str
    state: Path
    offer: TermsOffer

    def with_terms(self, given: TermsGiven) -> Offered:
        """Options win over what stands here."""
        return Offered(self.name, self.state, given.offer(self.offer))


def way_in(asked: Asked, address: str | None) -> ClientOptions:
    """Address and secret. `--state` is the worker's own here; the coordinator's folder on this
    machine is LEASEWAY_STATE or the usual one."""
    environment = of_environment()
    folder = Path(environment.state).expanduser() if environment.state else default_state()
    credential = asked.said.credential or environment.credential
    if not credential and (folder / CREDENTIAL).exists():
        credential = str(folder / CREDENTIAL)
    url = address or asked.said.url or environment.url
    try:
        return client_options(url, credential, None)
    except NoAddress as error:
        raise fault_of(error, Places(url, credential, folder, folder), "") from error


def offered(asked: Asked, name: str, file: Path | None, *, named: bool) -> Offered:
    """The machine's own capacity, and over it what a lease file says. `named`: the name was
    typed; else a file with one lease gives it."""
    lease = None if file is None else lease_of(file, name, named=named)
    name = name if lease is None else lease.name
    check_name(name)
    state = Path(asked.said.state).expanduser() if asked.said.state else _own_state(name)
    here = capacity_here(next(path for path in (state, *state.absolute().parents) if path.exists()))
    if lease is None:
        return Offered(name, state, TermsOffer(capacity=here))
    said = set(lease.capacity_given)
    if "cpus_milli" in said:
        said.add("slots")  # slots follow the cpus where only those were given
    capacity = replace(here, **{field: getattr(lease.offer.capacity, field) for field in said})
    return Offered(name, state, replace(lease.offer, capacity=capacity))


def check_name(name: str) -> None:
    """Refused before the name is made part of a path."""
    bad = bad_name(name)
    if bad is not None:
        raise Refusal(finding_infos((bad,)), "")


def check(offered: Offered) -> None:
    """Refused where nothing could ever run, before anything is written here."""
    wrong = wrong_offer(offered.name, offered.offer)
    if wrong:
        raise Refusal(finding_infos(tuple(wrong)), "")


def lease_of(file: Path, name: str, *, named: bool) -> LeaseFile:
    """The lease of this name; of a file with only one, that one."""
    try:
        leases = read_leases(file, wall_ms=Clock.of_environment().wall_ms(), default_name=name)
    except PlanFileError as error:
        raise file_refusal(error) from error
    if name in leases:
        return leases[name]
    if not named and len(leases) == 1:
        return next(iter(leases.values()))
    meant = nearest(name, leases)
    more = f"; nearest: {meant}" if meant else ""
    known = ", ".join(leases)
    raise click.UsageError(f"{file} has no lease for {name}{more}. It has: {known}.")


def _own_state(name: str) -> Path:
    return default_state() / "workers" / name
