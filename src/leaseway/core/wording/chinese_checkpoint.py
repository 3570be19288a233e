"""检查点带来的结果：中文措辞。"""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

CHECKPOINT: dict[str, Entry] = {
    "LW601/running": (
        "按最近一次检查点[（{step}）]推算，{task} 将比停止时间晚 {late_ms} 结束"
        "[；已完成 {progress}]。",
        "已告知它加快，并在来不及之前保存并结束。",
    ),
    "LW603/running": (
        "最近一次检查点[（{step}）]要求 {task} 保存并结束：当时还剩 {left_ms}"
        "[，下一步需要 {need_ms}][；已完成 {progress}]。",
        "",
    ),
    "LW603/saved": (
        "{task} 按检查点的要求[（{step}）]保存了已有的结果，并及时结束"
        "[；已完成 {progress}][；还需要 {need_ms}，当时只剩 {left_ms}]。",
        '给它更多时间后再次递交，它会从保存处继续；`repeat = "safe"` 会自动这样做。',
    ),
}
