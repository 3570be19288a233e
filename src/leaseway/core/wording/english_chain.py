"""English for waits that never end: more cycles, and chains to what cannot run (LW101, LW105)."""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

CHAIN: dict[str, Entry] = {
    "LW101/more": (
        "{count} more cycles of needs, among {tasks}; none of them could ever start.",
        "Remove one of the needs along each.",
    ),
    "LW105": (
        "{task} waits for {waits_for}, which cannot succeed[ ({why})].",
        "Mend {waits_for} first, or remove the need.",
    ),
    "LW105/chain": (
        "{task} waits for {waits_for}, which cannot succeed, for {root} cannot ({why}): {path>}"
        "[ → {more} more → {root}].",
        "Mend {root} first, or remove a need on the way to it.",
    ),
    "LW105/more": (
        "{count} more tasks wait for what cannot succeed.",
        "Mend that first, or remove the needs.",
    ),
}
