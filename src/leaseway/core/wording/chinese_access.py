"""简体中文：谁可以进来。"""

from __future__ import annotations

_FRESH = "请所有者给一个新的：leaseway access invite --role ROLE。"

ACCESS: dict[str, tuple[str, str]] = {
    "LW802/revoked": (
        "{by} 的凭证已被撤销。",
        "请所有者给一个邀请，然后在工作机上：leaseway worker join HOST:PORT --anew，"
        "在别处：leaseway connect HOST:PORT。",
    ),
    "LW802/bound": (
        "{by} 的凭证只代表 {by}，不能以 {worker} 的身份{action}。",
        "以 {by} 的名字加入，或请所有者为 {worker} 给一个邀请。",
    ),
    "LW802/own": (
        "{name} 就是提出请求的凭证；没有人能把自己锁在外面。",
        "让另一个所有者撤销它。",
    ),
    "LW802/name-taken": (
        "{name} 已经是本池的凭证。",
        "换一个名字，或先让所有者撤销旧的：leaseway access revoke {name}。",
    ),
    "LW802/invitation-used": ("这个邀请已经用过；每个只能用一次。", _FRESH),
    "LW802/invitation-expired": ("这个邀请已于 {expired_ms} 前过期。", _FRESH),
    "LW802/invitation-unknown": (
        "这个协调器不认识这个邀请：它已被收回，或出自另一个状态文件夹。",
        _FRESH,
    ),
    "LW802/invitation-kind": (
        "这个邀请用于角色 {role}，却被用于另一个角色。",
        "工作机这样加入：leaseway worker join HOST:PORT；其他的：leaseway connect HOST:PORT。",
    ),
    "LW802/invitation-name": (
        "这个邀请是给 {name} 的，而请求的是 {got}。",
        "不写名字，或请所有者为 {got} 给一个邀请。",
    ),
    "LW802/secret-known": (
        "这个密钥已经是本池的凭证。",
        "重新加入：密钥每次都是新的。",
    ),
}
