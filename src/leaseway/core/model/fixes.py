"""What would mend a finding, as data: one change of one key of a plan."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class FixKind(StrEnum):
    """What is done to a key. `in order`: the table `task` becomes the list `tasks`."""

    ADD = "add"
    REMOVE = "remove"
    REPLACE = "replace"
    LOWER = "lower"
    SET = "set"
    IN_ORDER = "in order"


class Fix(Struct, frozen=True, omit_defaults=True):
    """`task`: whose key it is, empty for the plan's own. `value`: the element that is added to the
    list, removed from it, or put there in place of `instead`; a length in ms for `lower`."""

    kind: FixKind
    key: str
    task: str = ""
    value: int | str = ""
    instead: str = ""
