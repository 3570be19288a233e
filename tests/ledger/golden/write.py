"""Write the samples as they would be stored today: python -m tests.ledger.golden.write PATH"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from leaseway.ledger.encoding import encode
from tests.ledger.samples import SAMPLES


class Line(msgspec.Struct):
    """One stored event; the payload's bytes are kept as they are."""

    tag: str
    schema: int
    payload: msgspec.Raw


def lines() -> bytes:
    stored = [encode(event) for event in SAMPLES]
    return msgspec.json.Encoder().encode_lines(
        [Line(one.tag, one.schema, msgspec.Raw(one.payload)) for one in stored]
    )


def read(path: Path) -> list[Line]:
    return msgspec.json.Decoder(Line).decode_lines(path.read_bytes())


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(lines())
