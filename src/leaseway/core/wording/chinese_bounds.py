"""简体中文：边界（LW3xx 时间与承诺，LW4xx 容量与名字，LW5xx 范围）。"""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

_PARTS = (
    "停止宽限 {stop_grace_ms}，强制终止 {kill_ms}，交付 {delivery_ms}，时钟误差 {clock_error_ms}"
)
_DRIFT = (
    "[其中 {drift_ms} 留给到结束时会偏得更多的时钟。]"
    "[其中 {early_close_ms} 预留，因为它的所有者以前提早过这么多关闭。]"
    "[其中 {pool_guard_ms} 按池的策略预留。]"
)
_RECEIVE = "[接收它的文件需要 {receive_ms}。]"
_OF = (
    "[：需要 {{need_milli:cpu}}，{1} {{have_milli{0}}}]"
    "[：需要 {{need_bytes}} {{resource}}，{1} {{have_bytes{0}}}]"
    "[：需要 {{need}} {{resource}}，{1} {{have{0}}}]"
)
_FEWER = "少要一些，或请 {worker} 的所有者多给一些。"
_EXTEND_ANY = "或请某个所有者延长租约"
_LATER = "晚些递交，降低它的时长上限，或换一台工作机。"


def _free_only(asked: str, free: str, total: str, of: str) -> Entry:
    """LW403，某一种资源。"""
    return (
        f"{{task}} 只有在 {{worker}} 空闲时才放得下：需要 {{{asked}}}{of}，"
        f"总共 {{{total}}} 中空闲 {{{free}}}。",
        "无需处理：它会等到有空位。",
    )


BOUNDS: dict[str, Entry] = {
    "LW301": (
        "边界所限：{task} 需要 {need_ms}，{worker} 只允许一个任务最多运行 {cap_ms}；"
        "差 {short_ms}。",
        "把 {task} 的时长上限降到 {cap_ms<} 或更低，拆分它，或请 {worker} 的所有者把"
        "最长运行时间放宽到 {need_ms^}。",
    ),
    "LW301/many": (
        "边界所限：{task} 需要 {need_ms}，超过每台工作机的最长运行时间：{cap_ms@}[；"
        "差 {short_ms}]。",
        "降低 {task} 的时长上限，拆分它，或请某个所有者把最长运行时间放宽到 {need_ms^}。",
    ),
    "LW302": (
        "边界所限：{task} 需要 {need_ms}，{worker} 只剩 {have_ms}；差 {short_ms}。"
        f"[到租约结束的 {{left_ms}} 中有 {{guard_ms}} 预留（{_PARTS}）。]{_DRIFT}{_RECEIVE}",
        "把 {task} 的时长上限降到 {have_ms<} 或更低，拆分它，或请 {worker} 的所有者把"
        "租约延长 {short_ms^}。",
    ),
    "LW302/many": (
        "边界所限：{task} 需要 {need_ms}，没有一台剩这么多：{have_ms@}[；差 {short_ms}]。",
        f"降低 {{task}} 的时长上限，拆分它，{_EXTEND_ANY}[ {{short_ms^}}]。",
    ),
    "LW303": (
        "不只是边界：{task} 单独放得进 {worker}，但排在已承诺的任务之后放不下："
        "它在 {close_at} 前需要 {need_ms}，{worker} 从 {free_at} 起空闲[；差 {short_ms}]"
        "[；在它之前：{before}]。",
        "晚些递交，降低它的时长上限，换一台工作机，或请 {worker} 的所有者延长租约[ {short_ms}]。",
    ),
    "LW303/many": (
        "不只是边界：{task} 单独放得下，但排在已承诺的任务之后放不下："
        "它在 {close_at} 前需要 {need_ms}，{worker} 从 {free_at} 起空闲[；差 {short_ms}]"
        "；各台剩余：{have_ms@}[；在它之前：{before}]。",
        f"晚些递交，降低它的时长上限，{_EXTEND_ANY}[ {{short_ms}}]。",
    ),
    "LW303/by": (
        "原因是计划自己的期限：{task} 应在 {by_at} 前结束，而最早的承诺是 {promise_at}；"
        "晚 {short_ms}。",
        "允许它晚些结束，降低它的时长上限，或用更多工作机。",
    ),
    "LW303/demand": (
        "不只是边界：{task} 单独放得进 {worker}，但排在已承诺的任务之后放不下："
        "到 {by_at} 为止要求 {demand_ms} 的工作，{worker} 能提供 {supply_ms}[；差 {short_ms}]。",
        _LATER,
    ),
    "LW303/shared": (
        "不只是边界：{task} 单独放得进 {worker}，但放不进与它分享 CPU 的任务之间：它将在 {new_at}"
        " 结束，晚于最迟能承诺的 {promise_at}[；晚 {short_ms}][；试过：{tried}]。",
        "晚些递交，降低它的上限，换一台工作机，或请 {worker} 的所有者延长租约[ {short_ms}]。",
    ),
    "LW304": (
        "{tasks}：没有估计、时限和历史；尽力而为，没有承诺。",
        "给出估计或时限。",
    ),
    "LW304/runs": (
        "{task}：还没有估计：{most} 次运行中只有 {count} 次；也没有时限：尽力而为，没有承诺。",
        "给出估计或时限，或让它再运行几次。",
    ),
    "LW304/unsure": (
        "{task}：没有估计：{count:run}得不出可靠的结论，因为有些在结束前被停止；"
        "也没有时限：尽力而为，没有承诺。",
        "给出估计或时限。",
    ),
    "LW305": (
        "{count:task}中有 {fit} 个能在剩余时间内完成（预期）"
        "[，以 {confidence} % 的把握是 {sure} 个][：{worker} 剩 {left_ms}]。",
        "少递交一些，降低估计，或争取更多槽位或时间。",
    ),
    "LW305/many": (
        "{count:task}中有 {fit} 个能在剩余时间内完成（预期）"
        "[，以 {confidence} % 的把握是 {sure} 个]：{fit@}。",
        "少递交一些，降低估计，或争取更多槽位或时间。",
    ),
    "LW306": (
        "原因不在边界：{task} 会打破对 {other}[（{by}）] 的承诺，后者将在 {new_at} 结束，"
        "承诺是 {promise_at}[；晚 {short_ms}]"
        "[；到 {by_at} 共要求 {demand_ms} 的工作，而只有 {supply_ms}][；试过：{tried}]。",
        "晚些递交，或换一台工作机。",
    ),
    "LW307": (
        "{task} 已重新安排：将于 {new_at}[ 在 {worker}] 开始[，原为 {old_at}][；"
        "承诺 {promise_at}]。",
        "",
    ),
    "LW307/behind": (
        "{task} 已改排在 {other} 之后：将于 {new_at}[ 在 {worker}] 开始[，原为 {old_at}]"
        "[；承诺 {promise_at}]。",
        "",
    ),
    "LW307/moved": (
        "{task} 已[从 {old_worker} ]移到 {worker}：将于 {new_at} 开始[，原为 {old_at}]"
        "[；承诺 {promise_at}]。",
        "",
    ),
    "LW307/delayed": (
        "{task} 已推迟[到 {new_at}][，在 {worker}][，原为 {old_at}][；承诺 {promise_at}]。",
        "",
    ),
    "LW308": (
        "{task} 与以往用时不符：估计 {estimate_ms}，最近几次为 {low_ms} 到 {high_ms}。",
        "把估计提高到 {high_ms}。",
    ),
    "LW309": (
        f"边界所限：{{worker}} 只剩 {{left_ms}}，而停止和交付需要 {{guard_ms}}[（{_PARTS}）]。"
        f"{_DRIFT}{_RECEIVE}",
        "请 {worker} 的所有者延长租约。",
    ),
    "LW309/many": (
        "边界所限：没有一台还有时间停止和交付：{left_ms@}。",
        "请某个所有者延长租约。",
    ),
    "LW309/terms": (
        "边界所限：{worker} 只会打开 {left_ms}，而停止和交付需要"
        f" {{guard_ms}}[（{_PARTS}）]：那里永远无法运行任何东西。",
        "让它打开更久，或预留更短：--for、--guard。",
    ),
    "LW309/closed": (
        "边界所限：{worker} 的租约[自 {closed_at} 起]已关闭，之后没有时间窗。",
        "请 {worker} 的所有者打开它。",
    ),
    "LW310": (
        "没有找到：试过的 {tried} 种次序中，没有一种在加入 {task} 后仍守住所有承诺，"
        "尽管按需求并非不可能[；试过：{candidates}]。",
        _LATER,
    ),
    "LW311": (
        "边界所限：{by} 已预约 {held_ms}，份额为 {cap_ms}，而 {task} 还需要 {need_ms}；"
        "差 {short_ms}。",
        "等其中一些运行完，或请所有者给更大的份额。",
    ),
    "LW312": (
        "{by} 有 {count:outcome}尚未确认[（{have_bytes}，份额 {cap_bytes}）]：它的磁盘份额已用完。",
        "查看收件箱并确认。",
    ),
    "LW401": (
        f"边界所限：{{task}} 的要求超过 {{worker}} 所有{_OF.format('', '只有')}。",
        _FEWER,
    ),
    "LW401/many": (
        "边界所限：{task} 的要求超过其中任何一台所有" + _OF.format("@", "各有") + "。",
        _FEWER,
    ),
    "LW402": (
        "{worker} 没有 {task} 所要求的 {missing}[；它有 {offered}]。",
        "要求工作机已有的，或请 {worker} 的所有者加上。",
    ),
    "LW402/many": (
        "{task} 要求的标签或工具没有一台齐全；各缺：{missing@}。",
        "要求工作机已有的，或请某个所有者加上。",
    ),
    "LW402/no-worker": (
        "没有工作机可以运行 {task}[：{states}]。",
        "加入一台工作机，undrain 一台，或允许其他的：计划的 workers，单个命令的 --on。",
    ),
    "LW402/excluded": (
        "{worker} 不在计划允许的工作机之中[（{allowed}）]。",
        "把 {worker} 加入计划的 workers，或从 not_on 中去掉。",
    ),
    "LW403": ("{task} 只有在 {worker} 空闲时才放得下。", "无需处理：它会等待。"),
    "LW403/cpus": _free_only("need_milli:cpu", "free_milli", "cap_milli", ""),
    "LW403/memory": _free_only("need_bytes", "free_bytes", "cap_bytes", " 内存"),
    "LW404/bad-name": (
        "{name} 不能作为工作机的名字。",
        "用 1 到 63 个 a-z、0-9、点、短横和下划线，以字母或数字开头。",
    ),
    "LW404": ("这里不认识 {name}[；最接近的：{nearest}]。", "写一个已知的名字。"),
    **{
        f"LW404/{kind}": (
            f"{where}没有{noun} {{name}}[；最接近的：{{nearest}}][；已知：{{offered}}]。",
            f"写一个存在的{noun}[，也许是 {{nearest}}][：{{offered}} 之一]。",
        )
        for kind, noun, where in (
            ("worker", "工作机", "池中"),
            ("token", "令牌", "池中"),
            ("label", "标签", "所有工作机上都"),
            ("tool", "工具", "所有工作机上都"),
            ("task", "任务", ""),
            ("plan", "计划", ""),
            ("credential", "凭证", "本池中"),
            ("history", "历史", ""),
        )
    },
    "LW501": (
        "{task} 运行 {command}，不在 {worker} 允许的命令之中[（{allowed}）]。"
        "除非强制执行范围，这个列表只防意外，不是沙箱。",
        "用允许的命令，或请 {worker} 的所有者允许 {command}。",
    ),
    "LW502": (
        "{task} 触及 {paths}，不在 {worker} 允许的路径之中[（{allowed}）]。",
        "用允许的路径，或请 {worker} 的所有者允许 {paths}。",
    ),
    "LW503": (
        "{task} 要求网络 {name}，而 {worker} 只允许 {allowed}。",
        "少要一些，或请 {worker} 的所有者多给一些。",
    ),
    "LW504": (
        "{worker} 无法强制执行其租约所要求的范围[：{missing}]。",
        "请 {worker} 的所有者只要求它能强制执行的，或换一台工作机。",
    ),
}
