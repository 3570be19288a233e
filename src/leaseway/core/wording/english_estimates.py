"""English: what is said of estimates from earlier runs."""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

ESTIMATES: dict[str, Entry] = {
    "LW304/broken": (
        "{task}: no estimate: what is kept of its earlier runs makes no sense and is passed over"
        " (rows: {broken}); no limit either: best effort, without a promise.",
        "Give an estimate or a limit; the history begins anew with the next run.",
    ),
}
