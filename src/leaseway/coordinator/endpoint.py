"""One route as data: method, path, handler, who may, and what goes in and comes out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from leaseway.coordinator.asked import Asked
from leaseway.core.model.commands import Role

Handler = Callable[[Asked], Awaitable[Response]]
BYTES = "bytes"
"""A body that is no message."""


@dataclass(frozen=True)
class Endpoint:
    """One verb. `does`: as in "may not …", and its summary in the description. `query`: names of
    its parameters. `is_open`: asked without any credential."""

    method: str
    path: str
    handler: Handler
    roles: frozenset[Role]
    does: str
    reply: Any
    body: Any = None
    query: tuple[str, ...] = ()
    is_open: bool = False
