"""From a command with --service to an installed service."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leaseway.cli.answer import Asked
from leaseway.cli.exits import Exit
from leaseway.cli.faults import Fault
from leaseway.cli.services import naming
from leaseway.cli.services.installing import install
from leaseway.cli.services.machine import run_here, supervisor
from leaseway.cli.services.unit import Service
from leaseway.cli.services.words import (
    KEPT_SECRET,
    environment_of,
    is_secret,
    place_words,
    program,
    words_again,
)
from leaseway.cli.setting import CREDENTIAL_VARIABLE, of_environment

if TYPE_CHECKING:
    from leaseway.cli.joining import Offered


def keep_coordinator(asked: Asked, scope: str | None) -> int:
    """Install `up` as it was called."""
    context = click.get_current_context()
    state = asked.places.state
    words = [*program(), "up", *place_words(None, None, state), *words_again(context)]
    environment = environment_of(os.environ, with_path=False)
    environment.pop(CREDENTIAL_VARIABLE, None)  # a coordinator shows none
    return _installed(asked, naming.coordinator(state, words, environment), scope)


def keep_worker(asked: Asked, offer: Offered, scope: str | None, *, stop_running: bool) -> int:
    """Install `worker join` as it was called, under the name that it has now. A credential that was
    given as it is goes into a file of the worker's state."""
    context = click.get_current_context()
    environment = environment_of(os.environ, with_path=True)
    url = None if context.params.get("address") else asked.said.url
    credential = _without_secret(asked, offer.state, environment)
    places = place_words(url, credential, offer.state)
    words = [*program(), "worker", "join", *places, "--name", offer.name, *words_again(context)]
    tail_ms = offer.offer.guard.tail_ms if stop_running else 0
    return _installed(asked, naming.worker(offer.name, words, environment, tail_ms), scope)


def _without_secret(asked: Asked, state: Path, environment: dict[str, str]) -> str | None:
    """The credential file that was named, or one that now holds the secret that was typed."""
    said = asked.said.credential or of_environment().credential
    if not is_secret(said):
        return asked.said.credential
    from leaseway.client.options import CredentialFile
    from leaseway.client.private import write_credential

    kept = state / KEPT_SECRET
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_credential(kept, CredentialFile(name="", role="worker", secret=said or ""))
    except OSError as wrong:
        raise Fault(
            f"{kept} cannot be written: {wrong.strerror}. Nothing was installed."
        ) from wrong
    environment.pop(CREDENTIAL_VARIABLE, None)
    return str(kept)


def _installed(asked: Asked, service: Service, scope: str | None) -> int:
    done = install(service, supervisor(scope, os.environ, run_here), run_here)
    asked.tell(done, lambda: done.lines)
    return Exit.CLEAN if done.started else Exit.FAILED
