"""简体中文：任务为什么等待，或现在在哪里（LW72x、LW73x）。这些都不拒绝任何东西。"""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

_ROOM = (
    "[：要 {need_milli:cpu}，{cap_milli} 中空闲 {free_milli}]"
    "[：要 {need_bytes} {resource}，{cap_bytes} 中空闲 {free_bytes}]"
    "[：要 {need} {resource}，{cap} 中空闲 {free}]"
)
_LOOK_DAEMON = "查看 {worker} 的守护进程是否在运行、能否连到协调器。"
_UNDRAIN = "查看工作机的日志；修好之后 undrain {worker}。"


def _behind(whom: str) -> Entry:
    """LW721，某一种次序。"""
    return (f"{{task}} 等待 {whom}[；它将在 {{ends_at}} 前结束]。", "")


WAIT: dict[str, Entry] = {
    "LW721": _behind("{other}（{state}）"),
    "LW721/read-after-write": _behind("{other}（{state}），后者写它所读的"),
    "LW721/write-after-read": _behind("{other}（{state}），后者读它所写的"),
    "LW721/write-after-write": _behind("{other}（{state}），两者写同一处"),
    "LW721/token": _behind("{other}（{state}），后者持有同一令牌"),
    "LW721/inferred": _behind("{other}（{state}）：两者可能触及同一处（推断）"),
    "LW721/unknown-access": _behind("{other}（{state}）：其中一个触及什么未知"),
    "LW721/conflict": (
        "{task} 在 {worker} 上等待 {other}（{state}），两者触及同一处[：{over}]。",
        "",
    ),
    "LW721/unconfirmed": (
        "{task} 等待 {other}：后者已有结果，但可能仍在失去联系的 {worker} 上运行，"
        "直到 {until_at}。",
        "",
    ),
    "LW722": ("{task} 等待令牌 {name}，它由 {other} 持有。", ""),
    "LW722/promised": (
        "{task} 等待令牌 {name}：它现在空闲，但从 {start_at} 起已承诺出去。",
        "",
    ),
    "LW722/unconfirmed": (
        "{task} 等待令牌 {name}：{other} 已有结果，但可能仍在失去联系的 {worker} 上运行，"
        "直到 {until_at}。",
        "",
    ),
    "LW723": (f"{{worker}} 现在没有 {{task}} 的位置{_ROOM}。", ""),
    "LW723/promised": (
        "{worker} 现在有 {task} 的位置，但不够它所需的时长：从 {start_at} 起已先承诺给别的任务"
        f"[（{{before}}）]{_ROOM}。",
        "",
    ),
    "LW723/ahead": (
        "{worker} 从 {start_at} 起要启动的已交给它；在那之前不再安排新的。",
        "",
    ),
    "LW723/unconfirmed": (
        "{worker} 为 {other} 保留位置：后者已有结果，但可能仍在那里运行，直到 {until_at}。",
        "",
    ),
    "LW724": (
        "[自 {heard_at} 起]没有 {worker} 的消息；在它联系之前不给它任何授权。",
        "查看它的守护进程是否在运行、能否连到协调器。",
    ),
    "LW725": ("边界所限：{worker} 的租约现在没有打开[；它在 {opens_at} 打开]。", ""),
    "LW725/short": (
        "边界所限：{worker} 现在打开的时间窗还剩 {left_ms}，而需要"
        "[ {need_ms} 和][ {receive_ms} 用于接收它的文件，以及] {guard_ms} 用于停止和交付；"
        "差 {short_ms}[；下一个在 {opens_at} 打开]。",
        "",
    ),
    "LW726": ("{task} 的计划只允许同时运行 {cap:task}，现在正有这么多。", ""),
    "LW726/promised": (
        "{task} 的计划只允许同时运行 {cap:task}，从 {start_at} 起已承诺了这么多。",
        "",
    ),
    "LW727": (
        "{task} 在 {worker} 上从 {start_at} 起有位置[，承诺在 {promise_at} 前结束]"
        "；有空位时会更早开始。",
        "",
    ),
    "LW727/passed": (
        "{task} 在 {worker} 上从 {start_at} 起的位置已过；马上重新安排。",
        "",
    ),
    "LW728": (
        "{task} [自 {start_at} 起]在 {worker} 上运行[；停止时刻是 {stop_at}]。",
        "",
    ),
    "LW728/stopping": (
        "正在 {worker} 上停止 {task}；它的进程都结束后才有结果。",
        "",
    ),
    "LW728/unconfirmed": (
        "{task} 可能仍在 {worker} 上运行，直到 {until_at}：它所持有的为它保留到那时，"
        "或直到 {worker} 报告它结束。",
        _LOOK_DAEMON,
    ),
    "LW728/unheard": (
        "{task} 应当停止[（{by}）]，但[自 {heard_at} 起]没有 {worker} 的消息：它回来时会得知"
        "[，它自己也会在 {stop_at} 停止 {task}]。",
        "查看它的守护进程是否在运行；若无从告知：leaseway give-up {task}。",
    ),
    "LW728/silent": (
        "{task} [于 {start_at} ]在 {worker} 上开始，但[自 {heard_at} 起]没有 {worker} 的消息："
        "它自己会守住边界[，并在 {stop_at} 停止 {task}]；它回来时会报告所做的一切。",
        "查看它的守护进程是否在运行、能否连到协调器；不想再等：leaseway give-up {task}。",
    ),
    "LW729": (
        "{task} 自 {granted_at} 起授权给 {worker}，还没有开始[；{start_by_at} 之后收回]。",
        "",
    ),
    "LW729/handed-back": (
        "{worker} 未启动就交还了 {task}[，连续 {count} 次]；从 {again_at} 起会再次给它，"
        "别的工作机可以马上接走。",
        "查看工作机的日志。",
    ),
    "LW729/hands-back": (
        "{worker} 连续交还了 {count} 个授权，最后一个是 {task}，一个都没有启动："
        "在所有者查看之前不被信任。",
        _UNDRAIN,
    ),
    "LW729/never-started": (
        "{worker} 于 {granted_at} 获得 {task} 的授权，{waited_ms} 后仍未启动，尽管它有联系："
        "在所有者查看之前不被信任，{task} 转到别处。",
        _UNDRAIN,
    ),
    "LW730": (
        "{task} 现在没有承诺，正等待位置；{give_up_at} 放弃。",
        "打开一个容得下它的租约，或取消它。",
    ),
    "LW730/best-effort": (
        "{task} 是尽力而为：没有估计和时限，因此没有承诺；哪里有位置就在哪里开始[，"
        "直到 {give_up_at}]。",
        "给它估计或时限。",
    ),
    "LW731": (
        "{worker} 不接新任务：它的租约处于{state}[（{reason}）]。",
        "undrain 它，或用另一台。",
    ),
    "LW732": ("{task} 的结果在停止时刻和预留之后 {late_ms} 才到达。", ""),
    "LW733": (
        "{task} 的 {stream} 只保留了一部分：首尾之间的 {left_out_bytes} 被略去。",
        "让命令把长输出写进文件。",
    ),
    "LW734": ("{task} 的计划只在 {allowed} 上运行，不在 {worker} 上。", ""),
    "LW734/not-on": ("{task} 的计划不在 {worker} 上运行。", ""),
}
