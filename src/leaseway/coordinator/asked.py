"""One request: who asks, what for, and how it is answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from leaseway.coordinator.declined import Declined, malformed, too_large
from leaseway.coordinator.house import House
from leaseway.core.model.commands import Principal
from leaseway.core.model.units import Millis
from leaseway.wire.problems import MEDIA_TYPE, Problem
from leaseway.wire.strict import read

WAIT_MOST_MS = 20_000
LIST_MOST = 1_000

Body = TypeVar("Body")
_encode = msgspec.json.Encoder().encode


@dataclass
class Asked:
    """A request of a principal that may make it."""

    http: Request
    who: Principal
    house: House

    async def raw(self, most: int | None = None) -> bytes:
        """The body. Declined: it is too large; no more of it is read then."""
        most = most or self.house.body_most
        told = self.http.headers.get("content-length", "")
        if told.isdecimal() and int(told) > most:
            raise too_large(int(told), most)
        parts, have = [], 0
        async for part in self.http.stream():
            have += len(part)
            if have > most:
                raise too_large(have, most)
            parts.append(part)
        return b"".join(parts)

    async def body(self, kind: type[Body], most: int | None = None) -> Body:
        """The body as a message. Declined: it is none."""
        raw = await self.raw(most)
        try:
            return read(raw, kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as wrong:
            raise malformed(str(wrong)) from wrong
        except RecursionError as wrong:
            raise malformed("Expected an object that is not nested so deeply") from wrong

    def part(self, name: str) -> str:
        """A part of the path."""
        value: str = self.http.path_params[name]
        return value

    def text(self, name: str) -> str | None:
        """A parameter, None where it was not given."""
        return self.http.query_params.get(name)

    def number(self, name: str, default: int, most: int = 1 << 53) -> int:
        """A parameter that is a whole number, cut to `most`. Declined: it is not one."""
        given = self.http.query_params.get(name)
        if given is None:
            return default
        if not given.isascii() or not given.isdecimal() or len(given) > 16:
            raise malformed(f"Expected a whole number, got `{given[:40]}` - at `?{name}`")
        return min(int(given), most)

    def flag(self, name: str) -> bool | None:
        """A parameter that is true or false. Declined: it is neither."""
        given = self.http.query_params.get(name)
        if given not in (None, "true", "false"):
            raise malformed(f"Expected true or false, got `{given[:40]}` - at `?{name}`")
        return None if given is None else given == "true"

    def wait_ms(self) -> Millis:
        """How long the answer may be held back."""
        return self.number("wait", 0, WAIT_MOST_MS)

    def limit(self, default: int = 100) -> int:
        """How many to list at most."""
        return self.number("limit", default, LIST_MOST)


def reply(message: Any) -> Response:
    """A message as the answer."""
    return Response(_encode(message), media_type="application/json")


def problem_response(why: Problem) -> Response:
    """A problem document as the answer."""
    headers = {"www-authenticate": "Bearer"} if why.status == 401 else None
    return Response(_encode(why), why.status, headers, MEDIA_TYPE)


def declined_response(wrong: Declined) -> Response:
    """The answer of a request that was declined."""
    return problem_response(wrong.problem)
