"""简体中文：计划自身的情况（LW1xx 次序，LW2xx 冲突，LW9xx 文件）。"""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

_ORDER_IF_MEANT = "如果本意如此，请写明：{task} needs {other}。"
_ORDER_OR_PATHS = "用 needs 写明次序，或让它们写不同的路径。"
_DECLARE = "声明 reads 和 writes（可以为空），或写 parallel = true。"

PLAN: dict[str, Entry] = {
    "LW101": (
        "这些任务构成环，每个都需要下一个：{path>}；它们都永远无法开始。",
        "去掉这条路径上的一个 needs。",
    ),
    "LW101/self": (
        "{task} 需要它自己，永远无法开始。",
        "从 {task} 的 needs 中去掉它自己。",
    ),
    "LW102": (
        "{task} 需要 {name}，而计划中没有这个任务[；最接近的：{nearest}]。",
        "改用本计划中的任务[，也许是 {nearest}]，或加上 {name}。",
    ),
    "LW103": (
        "{task} 读取 {over}，而 {other} 写它，且没有声明次序：{task} 等待 {other}。",
        _ORDER_IF_MEANT,
    ),
    "LW103/write-after-read": (
        "{task} 写 {over}，而 {other} 读取它，且没有声明次序：{task} 等待 {other}。",
        _ORDER_IF_MEANT,
    ),
    "LW103/more": (
        "另有 {count} 对任务触及相同的东西而没有声明次序：每对中列在后面的等待前面的。",
        "用 needs 写明次序，或让它们触及不同的路径。",
    ),
    "LW104": (
        "{task} 不必写 {implied}：它的其他 needs 已经等待了。",
        "从 {task} 的 needs 中去掉 {implied}，或保留；结果不变。",
    ),
    "LW106": (
        "{task} 和 {other} 都触及 {over}，至少一个会写，而计划没有可以推导的次序。",
        "用 needs 说明先后，或把计划写成任务列表。",
    ),
    "LW106/more": (
        "另有 {count} 对任务触及相同的东西，而计划没有可以推导的次序。",
        "用 needs 说明先后，或把计划写成任务列表。",
    ),
    "LW201": (
        "{task} 和 {other} 都写 {over}，并且可能同时运行：{task} 等待 {other}。",
        _ORDER_OR_PATHS,
    ),
    "LW202": (
        "{task} 和 {other} 都写 {over}，各在自己的视图中，合并结果时会相遇：{task} 等待 {other}。",
        _ORDER_OR_PATHS,
    ),
    "LW202/at-home": (
        "{over} 被 {task} 改动，这里也改动过：保留你的，另一份是 {file}。",
        "比较两份，留下想要的，删掉另一份。",
    ),
    "LW202/at-home-deleted": (
        "{task} 删除了 {over}，而这里同时改动过它：保留你的。",
        "如果同意，就删除它。",
    ),
    "LW202/beside": (
        "{task} 改动了它没有声明的 {count:file}：{paths}[，另有 {more} 个]。",
        "这些都没有带回；需要的话：leaseway bring {task} --whole。",
    ),
    "LW202/gone": (
        "{task} 所改动的内容已不再保留。",
        "重新运行它，并在那时带回结果。",
    ),
    "LW203": (
        "{tasks} 都持有令牌 {over}：每次只运行一个。",
        "无需处理，除非其中某个并不需要 {over}。",
    ),
    "LW204": (
        "{task} 和 {other} 都操作 {over}（由命令推断[：{text}][；{other_text}]）："
        "{task} 等待 {other}。",
        "声明 reads 和 writes；若确知它们互不相干，写 parallel = true。",
    ),
    "LW204/more": (
        "另有 {count:pair} 因由命令推断的内容而等待。",
        "声明 reads 和 writes。",
    ),
    "LW204/unread": (
        "{count:task}的命令没有完全读懂：{missing}；不从这些部分推断任何内容。",
        "声明 reads 和 writes。",
    ),
    "LW204/too-many": (
        "由命令推断的内容超过一个计划的 {cap} 次比较：不据此排定次序。",
        "声明 reads 和 writes。",
    ),
    "LW205": (
        "{task} 与[计划 {plan} 的] {other}[（{by}）]在 {over} 上冲突：排在它之后[，"
        "它在 {ends_at} 前结束]。",
        "等待，或让它们触及不同的路径。",
    ),
    "LW206": (
        "{tasks}：reads 和 writes 都没有声明，触及什么未知；未知视为触及一切，每个都单独运行。",
        _DECLARE,
    ),
    "LW206/told": (
        "{tasks}：reads 和 writes 都没有声明，触及什么未知；无法推导次序。",
        _DECLARE,
    ),
    "LW206/in-views": (
        "{tasks}：reads 和 writes 都没有声明，触及什么未知；每个在自己的视图中运行，"
        "两个任务的改动在带回时才会相遇。",
        _DECLARE,
    ),
    "LW207": (
        "{name} 和 {same} 是同一路径[ {real} ]的两个名字：{tasks} 因此如同争用一个路径。",
        "若本意如此则无需处理；否则两处写同一个名字。",
    ),
    "LW207/inside": (
        "{name} 位于 {same} 之内[，因为 {link} 指向 {real}]：{tasks} 因此如同争用一个路径。",
        "若本意如此则无需处理；否则两处写同一个名字。",
    ),
    "LW207/case": (
        "{name} 和 {same} 只有大小写或字母组成方式不同；在不区分它们的磁盘上是同一个文件："
        "{tasks} 因此如同争用一个路径。",
        "两处写同一个名字，或用不只是大小写不同的名字。",
    ),
    "LW207/spelling": (
        "{names} 是同一路径的不同写法，按一个处理。",
        "",
    ),
    "LW207/more": (
        "另有 {count} 对名字是同一路径，或在某些磁盘上可能是。",
        "每个路径只写一个名字。",
    ),
    "LW209": (
        "{task}：{over} 位于随计划递交的文件树之外。",
        "改用树根之下的路径、工作机上的绝对路径，或命名空间。",
    ),
    "LW209/above": (
        "{task}：{over} 向上的层数超过了目录的层数；按 {real} 处理。",
        "写出真正所指的路径。",
    ),
    "LW209/more": (
        "另有 {count} 个路径向上的层数超过了目录的层数。",
        "写出真正所指的路径。",
    ),
    "LW210": (
        "{count:task}构成 {pairs:pair}：按声明的次序有 {overlap} 对可能同时运行，"
        "{conflicts} 对确实冲突[；多数由 {over} 引起（{most}）][；{beside} 对可以并行]。",
        "",
    ),
    "LW210/bounds": (
        "{count:task}构成 {pairs:pair}，太多而无法逐对查看：按声明的次序有 {overlap} 到"
        " {overlap_most} 对可能同时运行[，最多 {conflicts_most} 对确实冲突]"
        "[；{beside} 到 {beside_most} 对可以并行]。",
        "",
    ),
    "LW211": (
        "最多同时运行 {degree} 个才有收益：总共 {degree_ms}"
        "[，{fewer} 个时 {fewer_ms}][，{more} 个时 {more_ms}]。",
        "设置 max_parallel = {degree}，把池中其余的留出来。",
    ),
    "LW211/all": (
        "同时运行 {degree} 个：总共 {degree_ms}[，{fewer} 个时 {fewer_ms}][，"
        "{more} 个时 {more_ms}]。",
        "",
    ),
}
