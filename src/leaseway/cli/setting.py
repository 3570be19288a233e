"""Where the coordinator is and who asks: options before the environment before a state folder that
is named before what `connect` stored before the usual state folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

URL_VARIABLE = "LEASEWAY_URL"
CREDENTIAL_VARIABLE = "LEASEWAY_CREDENTIAL"
STATE_VARIABLE = "LEASEWAY_STATE"
CONNECTED = "connected.credential"


@dataclass(frozen=True)
class Setting:
    """`--url`, `--credential`, `--state`, `--lang`, or what the environment says instead; None: not
    said."""

    url: str | None = None
    credential: str | None = None
    state: str | None = None
    lang: str | None = None

    def over(self, above: Setting) -> Setting:
        """This one, said after the command's name, and where it says nothing the one before it."""
        return Setting(
            url=self.url or above.url,
            credential=self.credential or above.credential,
            state=self.state or above.state,
            lang=self.lang or above.lang,
        )


@dataclass(frozen=True)
class Places:
    """What options and environment came to. `folder`: the state folder that names the coordinator,
    None where an address or a credential does. `state`: where this machine keeps its own."""

    url: str | None
    credential: str | None
    folder: Path | None
    state: Path


def places_of(options: Setting, environment: Setting) -> Places:
    """A `--state` that was typed wins over an address in the environment."""
    named = options.state or environment.state
    state = Path(named).expanduser() if named else default_state()
    if options.state and not options.url:
        return Places(None, options.credential, state, state)
    url = options.url or environment.url
    credential = options.credential or environment.credential
    there = _address_in(state)
    if credential and not url and not Path(credential).expanduser().is_file():
        url = there  # a secret alone does not say where
    if url and not credential:
        credential = _credential_for(url.rstrip("/"), there, state)
    if url or credential:
        return Places(url, credential, None, state)
    if not named and connected_file().exists():
        return Places(None, str(connected_file()), None, state)
    return Places(None, None, state, state)


def connected_file() -> Path:
    """Where `connect` keeps its credential: `~/.config/leaseway`, or below XDG_CONFIG_HOME."""
    above = os.environ.get("XDG_CONFIG_HOME")
    return (Path(above) if above else Path.home() / ".config") / "leaseway" / CONNECTED


def _credential_for(url: str, there: str | None, state: Path) -> str | None:
    """The one that belongs to an address which was given alone."""
    if url == there:
        return str(state / "owner.credential")
    stored = connected_file()
    return str(stored) if f'"{url}"' in _text_of(stored) else None


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def _address_in(state: Path) -> str | None:
    """Where the coordinator of this state folder answers, as it wrote it."""
    try:
        return (state / "url").read_text(encoding="utf-8").strip().rstrip("/") or None
    except OSError:
        return None


def of_environment() -> Setting:
    """What the environment says."""
    return Setting(
        url=os.environ.get(URL_VARIABLE) or None,
        credential=os.environ.get(CREDENTIAL_VARIABLE) or None,
        state=os.environ.get(STATE_VARIABLE) or None,
    )


def default_state() -> Path:
    """`~/.local/state/leaseway`, or below XDG_STATE_HOME."""
    above = os.environ.get("XDG_STATE_HOME")
    return (Path(above) if above else Path.home() / ".local" / "state") / "leaseway"
