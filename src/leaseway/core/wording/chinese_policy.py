"""简体中文：池的策略，以及人的同意（LW314、LW908）。"""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

POLICY: dict[str, Entry] = {
    "LW314": (
        "按池的第 {policy} 版策略，这个计划需要人的同意：请求 {approval}。",
        "由所有者查看并答复：leaseway approve {approval}。然后在 {valid_ms} 内再次提交同一个计划。",
    ),
    "LW314/dry": (
        "按池的第 {policy} 版策略，这个计划会需要人的同意。",
        "提交它：这会产生一个请求，由所有者用 leaseway approve 答复。",
    ),
    "LW314/denied": (
        "{by} 没有同意这个计划（{approval}，{answered_at}）[：{reason}]。",
        "与 {by} 商量，或提交另一个计划。",
    ),
    "LW314/full": (
        "{by} 还有 {count:request}未得到答复；不再接受更多。",
        "等所有者答复其中一些：leaseway approve。",
    ),
    "LW314/longer": (
        "{tasks} 最长可能运行 {need_ms}，而超过 {cap_ms} 的需要人的同意。",
        "降低上限，或请所有者同意。",
    ),
    "LW314/unbounded": (
        "没有人知道 {tasks} 会运行多久，而超过 {cap_ms} 的需要人的同意。",
        "设置上限，或请所有者同意。",
    ),
    "LW314/cpus": (
        "{tasks} 最多要 {need_milli:cpu}，而超过 {cap_milli:cpu}需要人的同意。",
        "少要一些，或请所有者同意。",
    ),
    "LW314/command": (
        "{tasks} 要运行需要人同意的命令：{allowed}。",
        "换一个命令，或请所有者同意。命令清单防的是意外，不是恶意。",
    ),
    "LW314/approved": ("{by} 同意了这个计划（{approval}）。", ""),
    "LW314/answered": (
        "{approval} 已有答复：{by} 于 {answered_at} 答复，现状是 {state}。",
        "无需处理：下一次提交这个计划会产生新的请求。",
    ),
    "LW802/own-approval": (
        "{approval} 是 {by} 自己提出的，没有人能同意自己。",
        "请另一个所有者答复。",
    ),
    "LW802/approval": (
        "{by} 不是所有者，而 {approval} 需要人的同意。",
        "请所有者答复：leaseway approve {approval}。",
    ),
    "LW404/approval": (
        "没有待答复的请求 {name}[；相近的：{nearest}][；待答复的：{offered}]。",
        "查看待答复的请求：leaseway approve。一天无人答复的请求会被忘掉。",
    ),
    "LW404/version": (
        "这里没有第 {name} 版策略[；有：{offered}]。",
        "查看全部：leaseway policy show。",
    ),
    "LW908": ("{where}：这个策略自相矛盾。", "请改正；什么都没有改变。"),
    "LW908/unknown-code": (
        "{where}：没有 {name} 这个编号[；相近的：{nearest}][；例如 {offered}]。",
        "见 docs/rules，或 leaseway rule CODE。",
    ),
    "LW908/fixed": (
        "{where}：{name}（{meaning}）不由人决定，策略不能把它改成 {got}。",
        "去掉它：它本来就会拒绝。可以写 refuse，但不改变什么。",
    ),
    "LW908/not-judged": (
        "{where}：{name}（{meaning}）不是提交计划时会说的，策略无从衡量。",
        "去掉它。",
    ),
    "LW908/twice": (
        "{where}：{name} 在这里要询问，而 findings.{name} 写的是 {got}。",
        "只写其中一个。",
    ),
    "LW908/role": (
        "{where}：{name} 不是会提交计划的角色[；相近的：{nearest}][；有：{offered}]。",
        "写 agent 或 owner。",
    ),
    "LW908/no-share": (
        "{where}：份额 0% 会不声不响地把所有 {name} 关在外面。",
        "写 1% 到 100%；不想让谁进来，就不给凭证：leaseway access revoke NAME。",
    ),
    "LW908/nobody-asks": (
        "{where}：有些事需要人的同意，却没有人需要询问。",
        "写明哪些角色要询问，如 agent，或去掉这些条件。",
    ),
    "LW908/nobody-answers": (
        "{where}：所有者要询问另一个所有者，而只有 {count:owner}：没有人能同意。",
        "先邀请另一个所有者：leaseway access invite --role owner --name NAME；或去掉 owner。",
    ),
    "LW908/value": ("{where}：应为 {expected}，实为 {got}。", "按所期望的写。"),
}
