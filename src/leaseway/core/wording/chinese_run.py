"""简体中文：运行时与怎样结束（LW6xx、LW7xx），以及谁可以这样做（LW8xx）。"""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

_AGAIN = "重新递交；它至今写下的内容随这次尝试保留。"
_LONGER = "递交到租约打开足够久的地方。"
_LOOK_FIRST = "再次运行之前，先看 {worker} 和 {task} 写下了什么。"
_LOOK_WRITTEN = "再次运行之前，先看 {task} 写下了什么。"
_OUTLIVED = "[有进程在它之后仍在：{left_pids}。]"
_OWN_PROMISE = "给它估计或时限，使它有自己的承诺。"


def _withdrawn(cause: str) -> Entry:
    """LW605，某一种原因。"""
    return (
        f"对 {{task}} 的承诺（{{old_at}}）已撤回：{cause}。[新的时间：{{new_at}}。]",
        "新的时间可行则无需处理；否则取消它，或递交到别处。",
    )


RUN: dict[str, Entry] = {
    "LW601": (
        "照此速度 {task} 将在 {new_at} 结束，晚于承诺的 {promise_at}[；晚 {late_ms}]"
        "[；自检查点 {since} 起]。",
        "早些保存并结束，或请求更多时间。",
    ),
    "LW602": (
        "边界所限：{task} 运行时 {worker} 的租约缩短了：{old_at} 变为 {new_at}。",
        "在 {new_at} 前保存。",
    ),
    "LW602/slept": (
        "边界所限：{task} 运行时 {worker} 休眠了 {slept_ms}[；它必须在 {new_at} 前结束]。",
        "在 {new_at} 前保存。",
    ),
    "LW602/contention": (
        "{task} 现在从 {worker} 得到的少于承诺的[；将在 {new_at} 结束]。",
        "",
    ),
    "LW603": (
        "检查点要求停止：{task} 的下一步需要 {need_ms}，只剩 {left_ms}。",
        "现在保存并结束。",
    ),
    "LW604": (
        "{task} 超时之后原样再次递交[：预约 {reserved_ms}，运行了 {ran_ms}]。",
        "提高它的估计或时限[，高于 {ran_ms}]，或改变它所做的事。",
    ),
    "LW605": _withdrawn("已无法守住"),
    "LW605/gone": _withdrawn("[自 {heard_at} 起]没有 {worker} 的消息"),
    "LW605/closed": _withdrawn("{worker} 的租约提前关闭[（{reason}）]"),
    "LW605/shrunk": _withdrawn("{worker} 的租约缩短了"),
    "LW605/revoked": _withdrawn("{worker} 的所有者收回了授权[（{reason}）]"),
    "LW605/drained": _withdrawn("{worker} 不接新任务[（{reason}）]"),
    "LW605/quarantined": _withdrawn("在所有者查看之前，{worker} 不被信任[（{reason}）]"),
    "LW605/late": _withdrawn("{worker} 上排在它前面的晚了"),
    "LW605/lost": _withdrawn("它在 {worker} 上的尝试没有结果"),
    "LW605/clock": _withdrawn("{worker} 休眠过，或它的时钟不准"),
    "LW606": (
        "{worker}，{key}：{old} → {new}。",
        "",
    ),
    "LW606/stays": (
        "于 {set_at} 用命令设定，优先于 {worker} 加入时的设定：{names}。"
        "在租约文件或选项改变之前一直如此。",
        "若要改用文件中的，请改动文件，或关闭租约重新加入。",
    ),
    "LW701": ("{task} 已结束[，运行了 {ran_ms}]。", "查看它的输出。"),
    "LW701/success": (
        f"{{task}} 成功了[，运行了 {{ran_ms}}]。{_OUTLIVED}",
        "",
    ),
    "LW701/exit": (
        "原因不在边界：{task} 自己结束，退出码 {exit_code}[，运行了 {ran_ms}]。" + _OUTLIVED,
        "查看它的输出；是命令本身失败了。",
    ),
    "LW701/signal": (
        "原因不在边界：{task} 被信号 {signal} 终止[，运行了 {ran_ms}]，而 Leaseway 没有发送它。",
        "查看它的输出；它崩溃了，或被某人或系统终止。",
    ),
    "LW701/spawn": (
        "原因不在边界：{task} 无法在 {worker} 上启动[：{detail}]。",
        "检查 {worker} 上的命令、它的路径和工作目录。",
    ),
    "LW702": (
        "原因是它自己的限制：预约 {reserved_ms}，运行了 {ran_ms}[，由 {by} 终止]。",
        "把 {task} 的估计提高到 {ran_ms} 以上，或拆分它。",
    ),
    "LW702/limit": (
        "原因是它自己的限制：时限 {limit_ms}，运行了 {ran_ms}[，由 {by} 终止]。",
        "把 {task} 的时限提高到 {ran_ms} 以上，或拆分它。",
    ),
    "LW702/window": (
        "原因是它自己的限制：预约 {reserved_ms}，运行了 {ran_ms}，直到 {worker} 的租约关闭。",
        "把 {task} 的估计提高到 {ran_ms} 以上，或拆分它。",
    ),
    "LW703": (
        "原因在边界：{task} 运行时 {worker} 的租约[于 {closed_at}]关闭[，已运行 {ran_ms}]"
        "[，预约 {reserved_ms}]。",
        _LONGER,
    ),
    "LW703/not-started": (
        "原因在边界：{worker} 未能及时启动 {task}，把它交还了。",
        "重新递交。",
    ),
    "LW703/slept": (
        "原因在边界：{worker} 休眠[了 {slept_ms}]，越过了 {task} 的停止时刻[，它运行了 {ran_ms}]。",
        _AGAIN,
    ),
    "LW703/revoke": (
        "原因在边界：{worker} 的所有者[（{by}）]在 {task} 运行时[（{ran_ms}）]收回了授权。",
        "递交到另一台工作机，或问所有者。",
    ),
    "LW703/cut-off": (
        "原因在边界：{worker} 与协调器失去联系的时间超过 {task} 所允许的[；它运行了 {ran_ms}]。",
        "修好网络，或让 {task} 在断开时继续运行。",
    ),
    "LW703/shutdown": (
        "原因在边界：{task} 运行时[（{ran_ms}）]{worker} 被要求离开。",
        "递交到另一台工作机。",
    ),
    "LW704": (
        "两种结局都未证实：[自 {heard_at} 起]没有 {worker} 的消息，"
        "而 {task} 的停止时刻[（{stop_at}）]已过。",
        _LOOK_FIRST,
    ),
    "LW704/given-up": (
        "两种结局都未证实：{by} [于 {given_up_at} ]放弃了 {task}，而[自 {heard_at} 起]没有"
        " {worker} 的消息。",
        _LOOK_FIRST,
    ),
    "LW704/new-spool": (
        "两种结局都未证实：{worker} 带着另一块磁盘回来，它所知的 {task} 已经没有了。",
        _LOOK_WRITTEN,
    ),
    "LW705": ("原因在边界：{task} 达到了 {worker} 的某个容量。", _AGAIN),
    "LW705/memory": (
        "原因在边界：{task} 达到了它的内存[：{have_bytes}，上限 {cap_bytes}]。",
        "在 uses 中要求更多内存。",
    ),
    "LW705/disk": (
        "原因在边界：{task} 达到了它的磁盘[：{have_bytes}，上限 {cap_bytes}]。",
        "在 uses 中要求更多磁盘。",
    ),
    "LW705/processes": (
        "原因在边界：{task} 达到了它的进程数[：{cap}]。",
        "在 uses 中要求更多进程。",
    ),
    "LW706": (
        "{task} 以退出码 0 结束，但缺少声明的输出：{missing}。",
        "改正 outputs，或改正应当写出它们的命令。",
    ),
    "LW707": (
        "{task} 被跳过：它需要 {other}，而后者没有成功[（{outcome}）]。",
        "改正 {other}，再把两者一起递交。",
    ),
    "LW708": (
        "{task} 的一个结果[（尝试 {number}）]来自 {worker}，而它已不再持有授权"
        "[；以尝试 {current} 为准]：保留，不计入。"
        "[它以退出码 {exit_code} 结束，运行了 {ran_ms}。][它被信号 {signal} 终止，"
        "运行了 {ran_ms}。]",
        "",
    ),
    "LW709": (
        "原因在边界：{task} 运行时 {worker} 重启，它至少运行了 {ran_ms}。",
        _AGAIN,
    ),
    "LW710": (
        "{task} 没有承诺，为 {other} 更早的承诺让出了位置[，运行了 {ran_ms}]。",
        _OWN_PROMISE,
    ),
    "LW710/no-room": (
        "{task} 没有承诺，时间到时[（运行了 {ran_ms}）]位置已承诺给别的任务。",
        _OWN_PROMISE,
    ),
    "LW711": (
        "{task} 在 {worker} 上的看护进程死了，它的进程被终止[，运行了 {ran_ms}]；"
        "没有看到它怎样退出。",
        _LOOK_WRITTEN,
    ),
    "LW711/no-status": (
        "{task} 在 {worker} 上结束[，运行了 {ran_ms}]，退出码和信号都没有记录。",
        _LOOK_WRITTEN,
    ),
    "LW712": ("{task} 被 {by} 取消[，运行了 {ran_ms}]。", ""),
    "LW712/waiting": ("{task} 在开始之前被 {by} 取消。", ""),
    "LW713": (
        "{task} 已放弃：到 {give_up_at} 为止没有工作机能启动它[；承诺 {promise_at}]。",
        "租约打开时重新递交。",
    ),
    "LW713/by": ("{task} 在开始之前被 {by} 放弃。", ""),
    "LW713/heard": (
        "{task} 没有放弃：{worker} 有消息，因此会知道它怎样结束。",
        "改为取消 {task}。",
    ),
    "LW714": (
        "{task} 还没有结束；没有什么可以确认。",
        "等它结束，或取消它。",
    ),
    "LW804": ("{worker} 休眠了 {slept_ms}。", ""),
}
