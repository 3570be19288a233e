"""How a call gets to the coordinator: what is sent along, how long to wait, when to try again."""

from __future__ import annotations

import os
import socket
import ssl
from typing import Any

import httpx

from leaseway.client.calls import Call
from leaseway.client.errors import Unreachable
from leaseway.client.options import ClientOptions
from leaseway.client.pinned import ANOTHER, trusting

NOT_THERE = (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol)
"""Nothing was sent: there is nobody, and trying again at once finds nobody either."""

NO_SUCH_NAME = "no machine of that name was found"


def settings_of(options: ClientOptions) -> dict[str, Any]:
    """Arguments of either httpx client. The environment's proxies are not asked: a coordinator is
    on this network."""
    headers = {"authorization": f"Bearer {options.secret}"} if options.secret else {}
    return {
        "base_url": options.url,
        "headers": headers,
        "timeout": _timeout(options, 0),
        "trust_env": False,
        "verify": trusting(options.ca) if options.ca else True,
    }


def arguments_of(call: Call[Any], options: ClientOptions) -> dict[str, Any]:
    """Arguments of `request`."""
    headers = {"content-type": "application/json"} if call.body is not None else {}
    return {
        "method": call.method,
        "url": call.path,
        "params": call.query,
        "content": call.body,
        "headers": headers,
        "timeout": _timeout(options, call.wait_ms),
    }


def may_try_again(call: Call[Any], options: ClientOptions, tried: int, broke: Exception) -> bool:
    """Whether the same call may be sent once more: the connection broke, and doing it twice is
    doing it once."""
    return call.again and tried < options.tries and not isinstance(broke, NOT_THERE)


def unreachable(call: Call[Any], options: ClientOptions, broke: Exception) -> Unreachable:
    """What to say when no answer came."""
    reason = words(broke)
    key = "" if isinstance(broke, NOT_THERE) else call.key
    return Unreachable(options.url, reason, key, sent=not isinstance(broke, NOT_THERE))


def _timeout(options: ClientOptions, wait_ms: int) -> httpx.Timeout:
    return httpx.Timeout(options.answer_s + wait_ms / 1000, connect=options.connect_s)


def words(broke: Exception) -> str:
    """What happened, as the system says it; httpx and asyncio wrap that in words of their own."""
    inner: BaseException | None = broke
    while inner is not None:
        if isinstance(inner, ssl.SSLCertVerificationError):
            return ANOTHER
        if isinstance(inner, socket.gaierror):  # its numbers are not those of the system
            return NO_SUCH_NAME
        if isinstance(inner, OSError) and inner.errno:
            return os.strerror(inner.errno)
        inner = inner.__cause__ or inner.__context__
    return str(broke) or type(broke).__name__
