"""Simplified Chinese: what is said of estimates from earlier runs."""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

ESTIMATES: dict[str, Entry] = {
    "LW304/broken": (
        "{task}：没有估计：它以前运行的记录不合情理，已略过（{broken} 行）；"
        "也没有时限：尽力而为，没有承诺。",
        "给出估计或时限；下一次运行起重新记录。",
    ),
}
