"""What came back over HTTP, turned into a reply or an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

import msgspec

from leaseway.client.calls import Call
from leaseway.client.errors import BadAnswer, error_of
from leaseway.wire import streams
from leaseway.wire.problems import MEDIA_TYPE, Problem

Reply = TypeVar("Reply")


def read_answer(call: Call[Reply], status: int, headers: Mapping[str, str], body: bytes) -> Reply:
    """The reply. Refused: the coordinator said no. BadAnswer: this is no coordinator."""
    if headers.get("content-type", "").startswith(MEDIA_TYPE):
        raise error_of(_decode(body, Problem))
    if not 200 <= status < 300:
        raise BadAnswer(f"{call.method} {call.path} was answered {status}, not by a coordinator")
    if cast(Any, call.reply) is streams.LogChunk:
        return cast(Reply, _log_chunk(headers, body))
    return _decode(body, call.reply)


def _decode(body: bytes, kind: type[Reply]) -> Reply:
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.DecodeError as wrong:
        raise BadAnswer(f"the coordinator's answer cannot be read here: {wrong}") from wrong


def _log_chunk(headers: Mapping[str, str], body: bytes) -> streams.LogChunk:
    expected = headers.get(streams.LOG_EXPECTED)
    return streams.LogChunk(
        data=body,
        next_offset=int(headers.get(streams.NEXT_OFFSET, "0")),
        ended=headers.get(streams.LOG_ENDED) == "true",
        complete=headers.get(streams.LOG_COMPLETE) == "true",
        expected=None if expected is None else int(expected),
        attempt=int(headers.get(streams.LOG_ATTEMPT, "0")),
        left_out_bytes=int(headers.get(streams.LOG_LEFT_OUT, "0")),
    )
