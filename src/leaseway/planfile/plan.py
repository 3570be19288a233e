"""A plan file, text or object → PlanSpec."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from leaseway.core.model.capacity import Uses
from leaseway.core.model.plan import Limits, PlanSpec, Repeat, Selector, TaskSpec
from leaseway.core.model.units import show_ms
from leaseway.planfile.pacing_keys import pacing_of
from leaseway.planfile.plan_keys import PLAN_TABLE
from leaseway.planfile.report import KeyPath, Problem, Report, Spot
from leaseway.planfile.source import Source, source_of_file, source_of_text

Given = dict[str, Any]
LIMITS = Limits()
MERGED = ("uses", "on", "env")  # tables that a task and [defaults] fill together, key by key


def read_plan(path: Path, *, wall_ms: int | None = None, limits: Limits = LIMITS) -> PlanSpec:
    """The plan in a .toml, .yaml, .yml or .json file; PlanFileError carries every mistake.

    `wall_ms`: the wall clock (since the epoch), for `by = "07:00"`; None refuses clock times.
    """
    report = Report(str(path), wall_ms, limits)
    return _plan_of(source_of_file(path, report), path.stem)


def plan_from_text(
    text: str, format: str, name: str, *, wall_ms: int | None = None, limits: Limits = LIMITS
) -> PlanSpec:
    """The plan in a text of the format `toml`, `yaml` or `json`. `name` is the file's name in
    findings and, without its suffix, the plan's where the text gives none."""
    report = Report(name, wall_ms, limits)
    return _plan_of(source_of_text(text, format, report), Path(name).stem)


def plan_from_object(
    value: object, name: str = "plan", *, wall_ms: int | None = None, limits: Limits = LIMITS
) -> PlanSpec:
    """The plan in an object as agents send it, in the same words as a file. Findings name the key
    and no line. A `task` map gives no order here."""
    return _plan_of(Source(value, Report(name, wall_ms, limits), "json"), name)


def _plan_of(source: Source, name: str) -> PlanSpec:
    value, report = source.value, source.report
    if isinstance(value, dict):
        _weigh(value, report)
        if any(problem.code == "LW902" for problem in report.problems):
            source.stop_if_wrong()
    given = PLAN_TABLE.read(value, Spot(report))
    if isinstance(given, dict):
        _check_tasks(given, report)
    source.stop_if_wrong()
    assert isinstance(given, dict)
    return _built(given, name, ordered="tasks" in given or source.format != "json")


def _weigh(value: dict[str, object], report: Report) -> None:
    """How many tasks and needs there are, before anything is read."""
    limits = report.limits
    listed, mapped, defaults = value.get("tasks"), value.get("task"), value.get("defaults")
    tasks: list[tuple[KeyPath, object]] = []
    if isinstance(listed, list | tuple):
        tasks += [(("tasks", at), task) for at, task in enumerate(listed)]
    if isinstance(mapped, dict):
        tasks += [(("task", str(key)), task) for key, task in mapped.items()]
    if len(tasks) > limits.tasks:
        report.too_big(tasks[0][0][:1], "tasks", limits.tasks, len(tasks))
        return
    shared = _needs(defaults)
    edges = [(_needs(task, shared), path) for path, task in tasks]
    total = sum(count for count, _ in edges)
    if total > limits.edges:
        own, largest = max(edges, key=lambda pair: pair[0])
        report.too_big((*largest, "needs"), "edges", limits.edges, total, own=own)


def _needs(task: object, default: int = 0) -> int:
    needs = task.get("needs") if isinstance(task, dict) else None
    return len(needs) if isinstance(needs, list | tuple) else default


def _tasks(given: Given) -> Iterator[tuple[KeyPath, str | None, object]]:
    """Key path, name and keys of each task, in the order written."""
    tasks = given.get("tasks")
    for at, task in enumerate(tasks if isinstance(tasks, list) else ()):
        name = task.get("id") if isinstance(task, dict) else None
        yield ("tasks", at), name if isinstance(name, str) else None, task
    mapped = given.get("task")
    for name, task in mapped.items() if isinstance(mapped, dict) else ():
        yield ("task", name), name, task


def _check_tasks(given: Given, report: Report) -> None:
    """What no single key can know: there are tasks, each has a command and a name of its own."""
    spot = Spot(report)
    if "tasks" in given and "task" in given:
        spot.at("task").wrong("one of tasks and task", "both")
    if not {"tasks", "task"} & given.keys():
        spot.missing("the key tasks, or task")
    elif any(given.get(key) in ([], {}) for key in ("tasks", "task")):
        spot.at("tasks" if "tasks" in given else "task").wrong("at least one task", [])
    defaults = given.get("defaults")
    has_default = isinstance(defaults, dict) and "run" in defaults
    first: dict[str, KeyPath] = {}
    for path, name, task in _tasks(given):
        if isinstance(task, dict) and "run" not in task and not has_default:
            Spot(report, (*path, "run")).missing("the key run: the command")
        _check_estimate(path, task, defaults, report)
        if name is not None and first.setdefault(name, path) != path:
            where = (*path, "id") if path[0] == "tasks" else path
            report.add(Problem(where, "duplicate", {"name": name}))


def _check_estimate(path: KeyPath, task: object, defaults: object, report: Report) -> None:
    """An estimate over the limit: the task would be stopped before it can have ended."""
    if not isinstance(task, dict):
        return
    given = {**(defaults if isinstance(defaults, dict) else {}), **task}
    limit, estimate = given.get("limit"), given.get("estimate")
    high = estimate[1] if isinstance(estimate, tuple) else None
    if isinstance(limit, int) and isinstance(high, int) and high > limit:
        where = path if "estimate" in task else ("defaults",)
        at_most = f"an estimate of at most the limit, {show_ms(limit)}"
        Spot(report, (*where, "estimate")).wrong(at_most, show_ms(high))


def _built(given: Given, name: str, *, ordered: bool) -> PlanSpec:
    defaults = given.get("defaults", {})
    tasks = tuple(_task(str(task_name), defaults, task) for _, task_name, task in _tasks(given))
    return PlanSpec(
        name=given.get("name", name),
        tasks=tasks,
        workdir=given.get("workdir"),
        max_parallel=given.get("max_parallel"),
        by_ms=given.get("by"),
        workers=given.get("workers", ()),
        not_on=given.get("not_on", ()),
        ask=given.get("ask", ()),
        ordered=ordered,
    )


def _task(name: str, defaults: Given, own: Any) -> TaskSpec:
    given: Given = {**defaults, **own}
    for key in MERGED:
        if key in defaults and key in own:
            given[key] = {**defaults[key], **own[key]}
    low, high = given.get("estimate", (None, None))
    return TaskSpec(
        name=name,
        run=given["run"],
        needs=given.get("needs", ()),
        reads=given.get("reads"),
        writes=given.get("writes"),
        holds=given.get("holds", ()),
        uses=_uses(given.get("uses", {})),
        limit_ms=given.get("limit"),
        estimate_low_ms=low,
        estimate_ms=high,
        on=Selector(**given.get("on", {})),
        outputs=given.get("outputs", ()),
        workdir=given.get("workdir"),
        env=given.get("env", {}),
        promise=given.get("promise", "auto"),
        repeat=Repeat(given.get("repeat", Repeat.NEVER)),
        cut_off_ms=given.get("cut_off"),
        on_withdrawn=given.get("on_withdrawn"),
        give_up_ms=given.get("give_up"),
        parallel=given.get("parallel", False),
        pacing=pacing_of(given),
    )


def _uses(given: Given) -> Uses:
    usual = Uses()
    return Uses(
        cpus_milli=given.get("cpus", usual.cpus_milli),
        memory_bytes=given.get("memory", usual.memory_bytes),
        gpus=given.get("gpus", usual.gpus),
        disk_bytes=given.get("disk", usual.disk_bytes),
        processes=given.get("processes", usual.processes),
        slots=given.get("slots", usual.slots),
    )
