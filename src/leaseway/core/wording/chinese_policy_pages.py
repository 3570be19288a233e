"""Simplified Chinese for the pages of the pool's policy and of a person's yes."""

from __future__ import annotations

POLICY_HEADS: dict[str, str] = {
    "request": "请求",
    "set by": "设定者",
    "why": "原因",
    "until": "直到",
    "by policy": "按策略",
    "answered by": "答复者",
    "used for": "用于",
    "value": "值",
    "meaning": "含义",
    "before": "此前",
    "after that": "此后",
}

POLICY_SENTENCES: dict[str, str] = {
    "Nobody has set a policy: every rule is as it is by itself.": (
        "没有人设定过策略：每条规则都如其本身。"
    ),
    "Policy {version}, set by {by} at {when}.": "策略 {version}，由 {by} 于 {when} 设定。",
    "It is not in force: policy {now} is.": "它没有生效：生效的是策略 {now}。",
    "how often bounds of promises are meant to hold": "承诺所依据的上限应有多常成立",
    "kept free at the end of windows, beside each lease's own": (
        "在时段末尾留空，另加于每份租约自己的"
    ),
    "of each lease's time ahead, at most": "最多占每份租约今后时间的",
    "have to ask for a person's yes": "需要询问人的同意",
    "a yes, and a no, counts for so long": "同意与不同意都在这么长时间内有效",
    "needs a person's yes": "需要人的同意",
    "needs a person's yes; against accidents, not intent": "需要人的同意；防意外，不防恶意",
    "in force": "生效",
    "It says what policy {version}, in force, says.": "它与生效的策略 {version} 所说相同。",
    "What would be different from policy {version}:": "与策略 {version} 会有的不同：",
    "not said": "未写",
    "{file} can be the pool's policy.": "{file} 可以作为池的策略。",
    "Policy {version} says that already; nothing was changed.": (
        "策略 {version} 已经这么说；什么都没有改变。"
    ),
    "Policy {version} is in force now. What is different:": "策略 {version} 现已生效。不同之处：",
    "Not compared: {why}.": "没有比较：{why}。",
    "Nothing waits for a person's yes.": "没有什么在等人的同意。",
    "Look: leaseway approve {id} --show. Say yes: leaseway approve {id}; no: with --deny.": (
        "查看：leaseway approve {id} --show。同意：leaseway approve {id}；不同意：加 --deny。"
    ),
    "open": "待答复",
    "given": "已同意",
    "denied": "未同意",
    "used": "已用过",
    "{id} is denied: {plan} of {who} is refused, and not asked about again for {length}.": (
        "{id} 未获同意：{who} 的 {plan} 被拒绝，{length} 内不再询问。"
    ),
    "{id} is approved: {who} may hand {plan} in once within {length}.": (
        "{id} 已获同意：{who} 可在 {length} 内提交一次 {plan}。"
    ),
}
