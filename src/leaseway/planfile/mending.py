"""Changes of a plan's text: comments and layout stay, and what comes out says what was meant.

The same changes are made to the text and to the value that the text stands for; a text that then
stands for anything else is thrown away.
"""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Callable, Iterable, MutableMapping
from typing import Any

from leaseway.core.model.fixes import Fix, FixKind
from leaseway.core.model.units import Millis
from leaseway.planfile.kinds import Duration

Put = Callable[[MutableMapping[str, Any], str, object], None]
_INDENT = re.compile(r"\n([ \t]+)\S")


class NotMendable(Exception):
    """Nothing was changed: this format cannot be written, or not without changing more."""


def mended(text: str, format: str, fixes: Iterable[Fix]) -> tuple[str, tuple[Fix, ...]]:
    """A plan's text (`toml` or `json`) with these changes, and those of them that were made: one
    that the plan has no place for is passed over. NotMendable: nothing can be written."""
    match format:
        case "toml":
            return _mended_toml(text, tuple(fixes))
        case "json":
            return _mended_json(text, tuple(fixes))
        case _:
            raise NotMendable(f"{format} files cannot be written without losing their layout")


def _mended_toml(text: str, fixes: tuple[Fix, ...]) -> tuple[str, tuple[Fix, ...]]:
    import tomlkit
    import tomlkit.exceptions

    crlf = "\r\n" in text and "\n" not in text.replace("\r\n", "")
    plain = text.replace("\r\n", "\n") if crlf else text
    meant = tomllib.loads(plain)
    try:
        document = tomlkit.parse(plain)
        made = tuple(fix for fix in fixes if _apply(document, fix, _put_toml))
        written = tomlkit.dumps(document)
        said = tomllib.loads(written)
    except (tomlkit.exceptions.TOMLKitError, tomllib.TOMLDecodeError) as error:
        raise NotMendable(f"its layout cannot be kept ({error})") from error
    if not made:
        return text, ()
    for fix in fixes:
        _apply(meant, fix, _put)
    if _in_order(said) != _in_order(meant):
        raise NotMendable("its layout cannot be kept")
    return written.replace("\n", "\r\n") if crlf else written, made


def _mended_json(text: str, fixes: tuple[Fix, ...]) -> tuple[str, tuple[Fix, ...]]:
    value = json.loads(text)
    made = tuple(fix for fix in fixes if _apply(value, fix, _put))
    if not made:
        return text, ()
    indent = _INDENT.search(text)
    end = text[len(text.rstrip()) :]
    return json.dumps(value, indent=indent[1] if indent else None, ensure_ascii=False) + end, made


def _in_order(value: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """A value with the order of its tasks, which two equal dicts may differ in."""
    task = value.get("task")
    return value, list(task) if isinstance(task, dict) else []


def _apply(plan: MutableMapping[str, Any], fix: Fix, put: Put) -> bool:
    """Makes one change; False: the plan has no place for it, or it is so already."""
    if fix.kind is FixKind.IN_ORDER:
        return _list_tasks(plan, put)
    table = _table(plan, fix.task)
    if table is None:
        return False
    defaults = plan.get("defaults", {}) if fix.task else {}
    *outer, key = fix.key.split(".")
    for name in outer:
        if name not in table:
            if name not in defaults:
                return False
            put(table, name, {})
        table, defaults = table[name], defaults.get(name, {})
    match fix.kind:
        case FixKind.LOWER:
            return _lower(table, defaults, key, fix.value, put)
        case FixKind.SET:
            if table.get(key, defaults.get(key)) == fix.value:
                return False
            put(table, key, fix.value)
            return True
        case _:
            return _change_list(table, defaults, key, fix, put)


def _table(plan: MutableMapping[str, Any], task: str) -> MutableMapping[str, Any] | None:
    """The table of a task, or the plan's own."""
    if not task:
        return plan
    if task in plan.get("task", {}):
        found: MutableMapping[str, Any] = plan["task"][task]
        return found
    return next((each for each in plan.get("tasks", ()) if each.get("id") == task), None)


def _list_tasks(plan: MutableMapping[str, Any], put: Put) -> bool:
    """`task = { a = … }` → `tasks = [{ id = "a", … }]`, in the order written."""
    if "task" not in plan or "tasks" in plan:
        return False
    rest = list(plan.items())
    listed = [{"id": name, **task} for name, task in plan["task"].items()]
    for key, _ in rest:
        del plan[key]
    for key, value in rest:
        put(plan, "tasks" if key == "task" else key, listed if key == "task" else value)
    return True


def _lower(
    table: MutableMapping[str, Any], defaults: Any, key: str, most_ms: int | str, put: Put
) -> bool:
    """A limit that is longer becomes `most_ms`. Where an estimate gives the bound, or there is no
    limit, nothing is lowered."""
    if "estimate" in table or "estimate" in defaults or not isinstance(most_ms, int):
        return False
    given = table.get(key, defaults.get(key))
    length = Duration().millis(given)
    if length is None or length <= most_ms:
        return False
    put(table, key, _duration(most_ms))
    return True


def _duration(length: Millis) -> str:
    """Whole seconds as a plan writes them: `4m51s`."""
    minutes, seconds = divmod(length // 1_000, 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "m"), (seconds, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number) or "0s"


def _change_list(
    table: MutableMapping[str, Any], defaults: Any, key: str, fix: Fix, put: Put
) -> bool:
    """An element added, removed or replaced; a list that stood in [defaults] is copied first."""
    if key not in table:
        if key not in defaults and fix.kind is not FixKind.ADD:
            return False
        inherited = [str(each) for each in defaults.get(key, ())]
        if not _changed(inherited, fix):
            return False
        put(table, key, inherited)
        return True
    return _changed(table[key], fix)


def _changed(names: Any, fix: Fix) -> bool:
    match fix.kind:
        case FixKind.ADD if fix.value not in names:
            names.append(fix.value)
        case FixKind.REMOVE if fix.value in names:
            while fix.value in names:
                names.remove(fix.value)
        case FixKind.REPLACE if fix.instead in names:
            at = names.index(fix.instead)
            if fix.value in names:
                del names[at]
            else:
                names[at] = fix.value
        case _:
            return False
    return True


def _put(table: MutableMapping[str, Any], key: str, value: object) -> None:
    table[key] = copy.deepcopy(value)


def _put_toml(table: MutableMapping[str, Any], key: str, value: object) -> None:
    """A new key stands below the last of its table, above what is said about the next one."""
    import tomlkit
    from tomlkit.items import AoT, Table

    last = None
    if isinstance(table, Table) and key not in table:
        for name, item in table.value.body:
            if name is not None and not isinstance(item, Table | AoT):
                last = name, item.trivia.indent
    if last is None or not isinstance(table, Table):
        table[key] = value
        return
    item = tomlkit.item(value)
    item.trivia.indent = last[1]
    table.value._insert_after(last[0], key, item)
