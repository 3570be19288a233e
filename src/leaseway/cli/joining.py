"""What `worker join` offers, and to whom: options before a lease file before the machine."""

from __future__ import annotations

import dataclasses
import platform
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
from msgspec.structs import replace

from leaseway.cli.answer import Asked
from leaseway.cli.faults import Fault, Refusal
from leaseway.cli.plan_given import file_refusal
from leaseway.cli.pool import fault_of
from leaseway.cli.setting import Places, default_state, of_environment
from leaseway.cli.terms_given import TermsGiven
from leaseway.client.errors import NoAddress
from leaseway.client.options import ClientOptions, CredentialFile, client_options, read_credential
from leaseway.core.decisions.terms import bad_name, wrong_offer
from leaseway.core.model.lease import TermsOffer
from leaseway.planfile.leases import LeaseFile, read_leases
from leaseway.planfile.nearest import nearest
from leaseway.planfile.recurring import Recurring
from leaseway.planfile.report import PlanFileError
from leaseway.runtime import Clock
from leaseway.wire.findings import finding_infos
from leaseway.worker.meter import capacity_here
from leaseway.worker.options import Reread

CREDENTIAL, JOINED = "worker.credential", "joined.credential"

_PAINTED = re.compile("\x1b\\[[0-9;]*m")


@dataclass(frozen=True)
class Offered:
    """Under which name, where the worker keeps its state, and the terms. `is_named`: somebody chose
    the name; else it is the machine's. `words`: of a lease file; `recurring`: what the windows of
    the offer were made from."""

    name: str
    state: Path
    offer: TermsOffer
    is_named: bool = False
    recurring: Recurring | None = None
    words: str = ""

    def with_terms(self, given: TermsGiven) -> Offered:
        """Options win over what stands here."""
        offer = given.offer(self.offer, Clock.of_environment().wall_ms())
        recurring = given.recurring or self.recurring
        return dataclasses.replace(
            self,
            offer=replace(offer, digest=given.digest(self.words)),
            recurring=recurring if offer.recurring else None,
        )

    def named(self, asked: Asked, name: str) -> Offered:
        """The same under the name that a credential says; empty: as it is."""
        if name in ("", self.name):
            return self
        state = self.state if asked.said.state else _own_state(name)
        return dataclasses.replace(self, name=name, state=state, is_named=True)


@dataclass(frozen=True)
class Way:
    """How to ask the coordinator. `name`: of an invited worker, else empty."""

    options: ClientOptions
    name: str


def way_in(asked: Asked, address: str | None, offered: Offered, *, anew: bool) -> Way:
    """How to ask, and under which name if a credential says. `--state` is the worker's own here;
    the coordinator's folder on this machine is LEASEWAY_STATE or the usual one."""
    environment = of_environment()
    folder = Path(environment.state).expanduser() if environment.state else default_state()
    credential = asked.said.credential or environment.credential
    url = address or asked.said.url or environment.url
    if not credential and not anew:
        credential = _stored(offered, folder, url)
    if not credential and url and ("://" not in url or url.startswith("https://")):
        return _invited(asked, url, offered)
    try:
        file = _read(credential)
        given = _with_scheme(url, file) if url and "://" not in url else url
        options = client_options(given, credential, None)
    except NoAddress as error:
        raise fault_of(error, Places(url, credential, folder, folder), "") from error
    is_own = credential is not None and Path(credential).name == JOINED
    return Way(options, file.name if is_own else "")


def _stored(offered: Offered, folder: Path, url: str | None) -> str | None:
    """The credential file that belongs to this address: of the coordinator on this machine, else
    what an invitation was redeemed for."""
    local = folder / CREDENTIAL
    if local.exists() and (not url or url.startswith("http://") or _is_at(local, url)):
        return str(local)
    own = offered.state / JOINED
    if own.exists() or offered.is_named:
        return str(own) if own.exists() else None
    others = sorted(default_state().glob(f"workers/*/{JOINED}"))
    matching = [each for each in others if not url or _is_at(each, url)]
    return str(matching[0]) if len(matching) == 1 else None


def _invited(asked: Asked, url: str, offered: Offered) -> Way:
    """Join with an invitation, and keep the credential in the worker's state."""
    from leaseway.cli.invited import keep, redeem
    from leaseway.client.joining import WORKER, Joiner

    name = offered.name if offered.is_named else ""
    file = redeem(url, Joiner(WORKER, name, host=offered.name))
    path = offered.named(asked, file.name).state / JOINED
    keep(path, file)
    return Way(ClientOptions(file.url, file.secret, ca=file.ca), file.name)


def _read(credential: str | None) -> CredentialFile:
    path = Path(credential or "").expanduser()
    return read_credential(path) if credential and path.is_file() else CredentialFile("", "", "")


def _with_scheme(url: str, file: CredentialFile) -> str:
    return f"{'https' if file.ca else 'http'}://{url}"


def _is_at(credential: Path, url: str) -> bool:
    try:
        kept = read_credential(credential).url
    except NoAddress:
        return False
    return kept.rpartition("://")[2] == url.rpartition("://")[2].rstrip("/")


def offered(asked: Asked, name: str, file: Path | None, *, named: bool) -> Offered:
    """The machine's own capacity, and over it what a lease file says. `named`: the name was
    typed; else a file with one lease gives it."""
    lease = None if file is None else lease_of(file, name, named=named)
    name = name if lease is None else lease.name
    check_name(name)
    state = Path(asked.said.state).expanduser() if asked.said.state else _own_state(name)
    here = capacity_here(next(path for path in (state, *state.absolute().parents) if path.exists()))
    if lease is None:
        return Offered(name, state, TermsOffer(capacity=here), named)
    said = set(lease.capacity_given)
    if "cpus_milli" in said:
        said.add("slots")  # slots follow the cpus where only those were given
    capacity = replace(here, **{field: getattr(lease.offer.capacity, field) for field in said})
    offer = replace(lease.offer, capacity=capacity)
    return Offered(name, state, offer, True, lease.recurring, lease.words)


def whole_offer(asked: Asked, name: str | None, file: Path | None, terms: TermsGiven) -> Offered:
    """Options over a lease file over the machine, checked. `name` None: that of the host."""
    own = (platform.node() or "worker").lower()
    found = offered(asked, own if name is None else name, file, named=name is not None)
    found = found.with_terms(terms)
    check(found)
    return found


def read_again(whole: Callable[[], Offered]) -> Reread:
    """The same once more, for a daemon that goes on: what is wrong is lines."""
    try:
        found = whole()
    except Fault as wrong:
        return [
            _PAINTED.sub("", line) for line in wrong.lines() if line not in ("", "Nothing ran.")
        ]
    except click.UsageError as wrong:
        return [wrong.message]
    return found.offer, found.recurring


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
