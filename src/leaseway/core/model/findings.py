"""A finding: one thing that a scan, an admission, a checkpoint or an ending says. Data only.

Its sentences come from `core.wording`, so that a second language is a second catalogue.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field


class Severity(StrEnum):
    """`error` refuses; `warning` and `note` tell; `cause` says why something ended."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    CAUSE = "cause"


class Finding(Struct, frozen=True, omit_defaults=True):
    """Code, what it is about, and the numbers it rests on.

    Units are in the names of the numbers: `_ms`, `_bytes`, `_milli` (cpus), `_at` (ledger time).
    `variant` picks a wording where one code has several.
    """

    code: str
    tasks: tuple[str, ...] = ()
    workers: tuple[str, ...] = ()
    numbers: dict[str, int | str | list[str]] = field(default_factory=dict)
    variant: str = ""
    severity: Severity = Severity.ERROR
