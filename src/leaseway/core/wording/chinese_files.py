"""简体中文：计划文件、大小和文件树（LW9xx）。"""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

_SPLIT = "拆分这个计划。"

FILES: dict[str, Entry] = {
    "LW313": (
        "扫描 {name} 所见已不再如此[；计划 {plan} 不同了][；{changed} 的租约不同了]"
        "[；已没有的租约：{gone}][；租约不同了，现在有 {have}]"
        "[；承诺的内容不同了，现在共 {held}]。",
        "重新扫描，并用新扫描的编号运行。",
    ),
    "LW901": (
        "[{where|file}：]应为 {expected}[，却是 {got}][；最接近的：{nearest}]。",
        "写 {expected}[，也许是 {nearest}]。",
    ),
    "LW901/syntax": (
        "[{where|file}：]这不是有效的 {expected}[：{got}]。",
        "把它改成有效的 {expected}；文件内容完全没有读入。",
    ),
    "LW901/unknown-key": (
        "[{where|file}：][{place} 中的]键 {name} 未知[；最接近的：{nearest}]。",
        "改正这个键[，也许是 {nearest}]，或去掉它[；这里已知的：{known}]。",
    ),
    "LW901/not-offered": (
        "[{where|file}：]应为 {expected}。",
        "去掉 {name}。",
    ),
    "LW901/duplicate": (
        "[{where|file}：]不止一个任务叫 {name}。",
        "给每个任务各自的名字。",
    ),
    "LW901/twice": (
        "不止一个任务叫 {name}。",
        "给每个任务各自的名字。",
    ),
    "LW901/zero": (
        "[{where|file}：][{task}：]{key} 为零或空，这与没有写不是一回事。",
        "给 {key} 一个值，或不写它。",
    ),
    "LW901/zero-terms": (
        "{worker} 的 {key} 为零，这与没有写不是一回事：那里永远无法运行任何东西。",
        "给 {key} 一个值，或不写它。若暂时不接任务，请 drain {worker}。",
    ),
    "LW901/share": (
        "{worker} 中 {role} 的份额是 {got}；应为 1% 到 100%。",
        "给 {role} 这个范围内的份额，或不写：那样就没有限制。",
    ),
    "LW901/name": (
        "{got} 不能作为{what}的名字；应为 {expected}。",
        "给{what}换一个名字。",
    ),
    "LW901/no-tasks": ("计划 {name} 没有任务。", "至少加一个任务。"),
    "LW901/window": (
        "[{worker} 的]一个时间窗在打开之前就会关闭：{opens_in_ms} 后打开，{closes_in_ms} 后关闭。",
        "让它晚些关闭。",
    ),
    "LW901/no-windows": (
        "[{worker} 的]租约没有时间窗：那里永远无法运行任何东西。",
        "让它打开：--for、--until 或 --window。",
    ),
    "LW902": (
        "计划超过大小限制：{have}，最多 {cap}。",
        _SPLIT,
    ),
    "LW902/tasks": (
        "计划超过大小限制：{have:task}，最多 {cap}。",
        "拆分这个计划，或递交一个自己循环的任务。",
    ),
    "LW902/edges": (
        "计划超过大小限制：{have} 条依赖，最多 {cap}[；仅一个任务就有 {own} 条]。",
        "在中间放一个汇集许多前驱的任务，或拆分这个计划。",
    ),
    "LW902/needs": (
        "计划超过大小限制：{have} 个 needs，最多 {cap}。",
        "在中间放一个汇集许多前驱的任务，或拆分这个计划。",
    ),
    "LW902/nodes": (
        "计划超过大小限制：一个文件中有 {have} 个值，最多 {cap}。",
        _SPLIT,
    ),
    "LW902/env": (
        "[{task} 的] env 超过大小限制：{have_bytes}，最多 {cap_bytes}。",
        "写进文件，再读那个文件。",
    ),
    "LW902/text": (
        "计划超过大小限制：{have_bytes}，最多 {cap_bytes}。",
        "拆分这个计划，或把 env 和 run 中的数据移到文件里。",
    ),
    "LW902/accesses": (
        "计划超过大小限制：它的读写在太多地方相遇，已比较超过 {cap} 处。",
        "少声明一些或声明更简单的路径，写明 needs，或拆分这个计划。",
    ),
    "LW902/command": (
        "{task} 的命令超过大小限制：{have_bytes|have}，最多 {cap_bytes|cap}。",
        "写进文件，再运行那个文件。",
    ),
    "LW902/tree": (
        "文件树太大，无法传送：{got}[；最大的：{paths}]。",
        "把不需要的写进忽略文件，或用 --tree-limit。",
    ),
    "LW903": (
        "键 {name} 已被 {by} 用于另一个计划[（{plan}）]。",
        "新计划用新键；重试必须递交完全相同的计划。",
    ),
    "LW904": (
        "{file} 不在任何 git 检出之内，因此不知道需要哪些文件。",
        "进入一个 git 检出；或用 --tree DIR 传送一个文件夹，"
        "或用 --in-place 在工作机的这个路径上直接运行。",
    ),
    "LW904/folder": (
        "{file} 不是可以传送的文件夹。",
        "写一个存在的文件夹。",
    ),
    "LW905": (
        "这些文件在读取时发生变化：{paths}。",
        "等写它们的程序结束，或把它们写进忽略文件。",
    ),
    "LW906": (
        "{name} 不随同传送：{got}。",
        "无需处理，除非某个任务需要它。",
    ),
    "LW906/kept": (
        "{name} 虽然异常，仍随同传送：{got}。",
        "无需处理，除非某个任务介意。",
    ),
    "LW906/more": (
        "文件树中另有 {count} 个异常的名字。",
        "用 --json 查看。",
    ),
    "LW907": (
        "无法在这里写入：{got}。",
        "腾出空间，或检查权限，然后再做一次。",
    ),
}
