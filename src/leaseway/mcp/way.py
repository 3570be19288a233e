"""The way to the coordinator, found anew for each call: it may be started, moved or connected to
while an agent's program stays up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leaseway.client.blocking import Client
    from leaseway.client.options import ClientOptions


@dataclass(frozen=True)
class Way:
    """`options`: whom to ask and as whom (NoAddress: nobody is named). `sent`: where what was sent
    with a plan is remembered. `in_place`: nothing is sent unless a call says so."""

    options: Callable[[], ClientOptions]
    sent: Path
    in_place: bool = False

    def client(self) -> Client:
        """A client; close it. NoAddress."""
        from leaseway.client.blocking import Client

        return Client(self.options())
