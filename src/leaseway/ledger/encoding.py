"""How events and facts become bytes: JSON in one canonical form, equal things to equal bytes."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
from msgspec import Struct

from leaseway.core.model.events import Event, Fact
from leaseway.ledger.errors import LedgerUnreadable
from leaseway.ledger.upcasters import CURRENT, Payload, Upcasters

SNAPSHOT_SCHEMA = 5
"""Layout of a snapshot's bytes; raise it whenever `core.model.view.Facts` changes its form."""

_ENCODER = msgspec.json.Encoder(order="deterministic")
_KINDS: dict[str, Any] = {kind.__name__: kind for kind in get_args(Fact)}
_DECODERS = {tag: msgspec.json.Decoder(kind) for tag, kind in _KINDS.items()}


class Encoded(Struct, frozen=True, gc=False):
    """An event as stored. The payload is JSON and carries the tag as `type`."""

    tag: str
    schema: int
    payload: bytes


def canonical(value: object) -> bytes:
    """JSON with sorted keys; fields of records in the order of their declaration."""
    return _ENCODER.encode(value)


def encode(event: Event, upcasters: Upcasters = CURRENT) -> Encoded:
    """An event in its schema of today. ValueError: it is a mark, which is not stored."""
    tag = type(event).__name__
    if tag not in _KINDS:
        raise ValueError(f"{tag} is a mark, not a fact: it is folded into the view and not stored")
    return Encoded(tag, upcasters.schema(tag), _ENCODER.encode(event))


def decode(stored: Encoded, upcasters: Upcasters = CURRENT) -> Fact:
    """The event, lifted to the schema of today. UnknownEvent, or LedgerUnreadable where the
    payload is not what its tag and schema say."""
    try:
        if stored.schema == upcasters.schema(stored.tag):
            event: Fact = _DECODERS[stored.tag].decode(stored.payload)
            return event
        plain = msgspec.json.decode(stored.payload, type=Payload)
        lifted = upcasters.lift(stored.tag, stored.schema, plain)
        event = msgspec.convert(lifted, _KINDS[stored.tag])
    except (msgspec.DecodeError, UnicodeDecodeError) as wrong:
        raise LedgerUnreadable(
            f"a stored {stored.tag} of schema {stored.schema} cannot be read: {wrong}"
        ) from wrong
    return event
