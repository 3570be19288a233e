"""How a policy reads, and what of it would change: key by key, as its file would say it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from leaseway.cli.language import spoken, told
from leaseway.cli.paint import Paint, Tone
from leaseway.cli.table import Column, Row, paragraph, table_lines
from leaseway.core.model.policy import Policy, Weight
from leaseway.core.model.units import show_cpus, show_ms
from leaseway.core.policy.soundness import asks
from leaseway.core.wording.languages import catalogue_of
from leaseway.core.wording.rules import RULES
from leaseway.runtime import since_epoch_iso
from leaseway.wire.policy import PolicyInfo

KEYS = (Column("key"), Column("value"), Column("meaning", wraps=True))
CHANGES = (Column("key"), Column("before", most=40), Column("after that", most=40))
VERSIONS = (Column("version", right=True), Column("set by"), Column("when"), Column("note"))
_SHOWN = 10


class Change(Struct, frozen=True):
    """One key that differs; an empty side: it is not said there."""

    key: str
    before: str
    after: str


def rows_of(policy: Policy) -> dict[str, str]:
    """Every key and its value, as they stand in a file."""
    approve = policy.approve
    return {
        "confidence": f"{policy.confidence_ppm // 10_000}%",
        "guard": show_ms(policy.guard_ms),
        **{f"findings.{code}": weight.value for code, weight in sorted(policy.findings.items())},
        **{f"share.{role}": f"{part}%" for role, part in sorted(policy.share.items())},
        "approve.roles": ", ".join(approve.roles),
        **_given("approve.codes", ", ".join(approve.codes)),
        **_given("approve.longer_than", _length(approve.longer_than_ms)),
        **_given("approve.more_cpus_than", _cpus(approve.more_cpus_than_milli)),
        **_given("approve.commands", ", ".join(approve.commands)),
        "approval_valid_for": show_ms(policy.approval_valid_for_ms),
    }


def _given(key: str, value: str) -> dict[str, str]:
    return {key: value} if value else {}


def _length(length_ms: int | None) -> str:
    return "" if length_ms is None else show_ms(length_ms)


def _cpus(milli: int | None) -> str:
    return "" if milli is None else show_cpus(milli)


def changes(before: Policy, after: Policy) -> list[Change]:
    """Every key that differs."""
    old, new = rows_of(before), rows_of(after)
    keys = [*new, *(key for key in old if key not in new)]
    return [
        Change(key, old.get(key, ""), new.get(key, ""))
        for key in keys
        if old.get(key) != new.get(key)
    ]


def policy_lines(info: PolicyInfo, paint: Paint) -> Iterator[str]:
    """The policy, whole, and the versions that there were."""
    yield from paragraph(_head(info), paint)
    yield from table_lines(KEYS, list(_explained(info.policy)), paint)
    if len(info.versions) > 1:
        yield ""
        yield from table_lines(VERSIONS, _versions(info), paint)


def _head(info: PolicyInfo) -> str:
    if not info.version:
        return told("Nobody has set a policy: every rule is as it is by itself.")
    said = told(
        "Policy {version}, set by {by} at {when}.",
        version=info.version,
        by=info.by,
        when=since_epoch_iso(info.at),
    )
    if info.version == info.in_force:
        return said
    return f"{said} " + told("It is not in force: policy {now} is.", now=info.in_force)


def _explained(policy: Policy) -> Iterator[Row]:
    """Rows with what the codes mean; who has to ask only where something is asked."""
    for key, value in rows_of(policy).items():
        table, _, code = key.partition(".")
        if table == "findings" and code in RULES:
            yield key, value, _meaning(code)
        elif key not in ("approve.roles", "approval_valid_for") or asks(policy):
            yield key, value, _said_of(table if table == "share" else key)


def _said_of(key: str) -> str:
    match key:
        case "confidence":
            return told("how often bounds of promises are meant to hold")
        case "guard":
            return told("kept free at the end of windows, beside each lease's own")
        case "share":
            return told("of each lease's time ahead, at most")
        case "approve.roles":
            return told("have to ask for a person's yes")
        case "approval_valid_for":
            return told("a yes, and a no, counts for so long")
        case "approve.codes" | "approve.longer_than" | "approve.more_cpus_than":
            return told("needs a person's yes")
        case _:
            return told("needs a person's yes; against accidents, not intent")


def _meaning(code: str) -> str:
    return catalogue_of(spoken()).words.meanings.get(code, RULES[code][1])


def _versions(info: PolicyInfo) -> list[Row]:
    return [
        (
            str(each.version),
            each.by,
            since_epoch_iso(each.at),
            told("in force") if each.version == info.in_force else "",
        )
        for each in reversed(info.versions[-_SHOWN:])
    ]


def change_lines(found: list[Change], against: PolicyInfo, paint: Paint) -> Iterator[str]:
    """What would be different from what is in force."""
    if not found:
        yield from paragraph(
            told("It says what policy {version}, in force, says.", version=against.in_force), paint
        )
        return
    head = told("What would be different from policy {version}:", version=against.in_force)
    yield from paragraph(head, paint)
    yield from difference_lines(found, paint)


def difference_lines(found: list[Change], paint: Paint) -> Iterator[str]:
    """Key by key, before and after."""
    yield from table_lines(CHANGES, [(each.key, *_sides(each)) for each in found], paint)


def _sides(each: Change) -> tuple[str, str]:
    code = each.key.removeprefix("findings.")
    own = Weight.TELL.value if code in RULES else told("not said")
    return each.before or own, each.after or own


def good_line(path: str, paint: Paint) -> list[str]:
    """That nothing is wrong with it."""
    said = told("{file} can be the pool's policy.", file=path)
    return [paint(line, Tone.GOOD) for line in paragraph(said, paint)]
