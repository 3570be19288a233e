"""中文：永远等不到的等待（LW101、LW105）。"""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

CHAIN: dict[str, Entry] = {
    "LW101/more": (
        "另有 {count} 个 needs 的环，涉及 {tasks}；其中的任务都永远无法开始。",
        "在每个环上去掉一个 needs。",
    ),
    "LW105": (
        "{task} 等待 {waits_for}，而后者不可能成功[（{why}）]。",
        "先改正 {waits_for}，或去掉这个 needs。",
    ),
    "LW105/chain": (
        "{task} 等待 {waits_for}，而后者不可能成功，因为 {root} 不能运行（{why}）：{path>}"
        "[ → 另 {more} 个 → {root}]。",
        "先改正 {root}，或去掉通向它的一个 needs。",
    ),
    "LW105/more": (
        "另有 {count} 个任务等待不可能成功的任务。",
        "先改正那些任务，或去掉这些 needs。",
    ),
}
