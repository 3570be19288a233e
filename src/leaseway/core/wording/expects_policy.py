"""The numbers that the sentences on the pool's policy name."""

from __future__ import annotations

OF_POLICY: dict[str, tuple[str, ...]] = {
    "LW314": ("approval", "policy", "valid_ms"),
    "LW314/answered": ("answered_at", "approval", "by", "state"),
    "LW314/approved": ("approval", "by"),
    "LW314/command": ("allowed",),
    "LW314/cpus": ("cap_milli", "need_milli"),
    "LW314/denied": ("answered_at", "approval", "by", "reason"),
    "LW314/dry": ("policy",),
    "LW314/full": ("by", "count"),
    "LW314/longer": ("cap_ms", "need_ms"),
    "LW314/unbounded": ("cap_ms",),
    "LW404/approval": ("name", "nearest", "offered"),
    "LW404/version": ("name", "offered"),
    "LW802/approval": ("approval", "by"),
    "LW802/own-approval": ("approval", "by"),
    "LW908": ("where",),
    "LW908/fixed": ("got", "meaning", "name", "where"),
    "LW908/no-share": ("name", "where"),
    "LW908/nobody-answers": ("count", "where"),
    "LW908/nobody-asks": ("where",),
    "LW908/not-judged": ("meaning", "name", "where"),
    "LW908/role": ("name", "nearest", "offered", "where"),
    "LW908/twice": ("got", "name", "where"),
    "LW908/unknown-code": ("name", "nearest", "offered", "where"),
    "LW908/value": ("expected", "got", "where"),
}
