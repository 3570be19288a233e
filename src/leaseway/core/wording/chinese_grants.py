"""简体中文：授权、凭证和时钟（LW8xx）。"""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

_ASK_GRANT = "重新请求授权。"

GRANTS: dict[str, Entry] = {
    "LW801": ("{task} 的授权无效。", _ASK_GRANT),
    "LW801/attempt": (
        "{task} 的授权无效：请求的是尝试 {number}，以 {current} 为准。",
        _ASK_GRANT,
    ),
    "LW801/worker": (
        "{worker} 不持有[ {task} 的]授权：它给了另一台工作机，或 {worker} 从未加入。",
        "先加入，或在获得授权的地方运行。",
    ),
    "LW801/incarnation": (
        "{worker} 不再有效：更新的守护进程占用了它的名字[（第 {current} 代，"
        "这是第 {number} 代）]。",
        "停止较旧的守护进程，或以另一个名字加入。",
    ),
    "LW801/window": (
        "{task} 的授权无效：{worker} 的租约[自 {closed_at} 起]已关闭。",
        "租约打开时再请求。",
    ),
    "LW801/spool": (
        "{worker} 带着另一块磁盘回来；在所有者查看之前不接新任务。",
        "让 {worker} 的所有者查看，然后 undrain 它。",
    ),
    "LW801/old": (
        "{worker} 对这个协调器来说太旧（它使用协议版本 {speaks}，协调器使用 {spoken}）："
        "它不接新任务，正在那里运行的继续。",
        "在 {worker} 上：pip install -U leaseway[=={software}]，然后再次 leaseway worker join。",
    ),
    "LW801/new": (
        "{worker} 比这个协调器新（它使用协议版本 {speaks}，协调器使用 {spoken}）："
        "它不接新任务，正在那里运行的继续。",
        "在协调器运行的地方：pip install -U leaseway[=={software}]，然后再次 leaseway up。",
    ),
    "LW801/ended": (
        "{worker} 的租约已永久关闭；任何条件都不能再打开它。",
        "重新提供：leaseway worker join --name {worker}。",
    ),
    "LW801/state": (
        "{worker} 的租约处于{old}，不能变为{new}。",
        "用这个命令查看：leaseway lease show {worker}。",
    ),
    "LW802": (
        "没有出示有效的凭证。",
        "把 LEASEWAY_CREDENTIAL 设为本池的一个凭证文件。",
    ),
    "LW802/role": ("{by} 是{role}，不能{action}。", "请问{needed}。"),
    "LW802/other": (
        "{task} 属于 {by}；只有 {by} 或所有者可以{action}它。",
        "请问 {by}。",
    ),
    "LW803": (
        "{worker} 的时钟差 {offset_ms}，超过 {limit_ms}。",
        "校准 {worker} 的时钟。",
    ),
    "LW803/rate": (
        "{worker} 的时钟快慢不同：{span_ms} 内差 {offset_ms}，允许 {limit_ms}。",
        "检查 {worker} 是否作为虚拟机暂停过；由它的所有者 undrain。",
    ),
    "LW805": (
        "{worker} 跟随过另一个历史[（{old}）]，与这个协调器的[（{new}）]不同；"
        "在所有者查看之前不接新任务。",
        "恢复较新的账本，或让 {worker} 的所有者接受这一个：leaseway undrain {worker}。",
    ),
}
