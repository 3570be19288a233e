"""Asking: what the histories say of the tasks of a plan that is handed in.

The bound is asked before anybody knows where the task will run: of the classes of workers that
may take it, the longest counts.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from leaseway.core.admission.gates import reserved_ms
from leaseway.core.estimates.keys import HistoryKey, keys_of, worker_class
from leaseway.core.estimates.learning import estimate_of
from leaseway.core.estimates.soundness import is_sound
from leaseway.core.model.accesses import task_key
from leaseway.core.model.estimate import LEVEL_PPM, Estimate, Likeness, Ppm, Run, Runs, runs_needed
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.core.model.states import LeaseState
from leaseway.core.model.view import View

_COMPARED = 9  # of the last runs, with an estimate that was given
_ENOUGH = 3  # so many of them to call an estimate unlike


class Said(Struct, frozen=True):
    """What is known of one command. `runs`: most that any of its histories has seen to the end.
    `broken`: histories of it that make no sense and were passed over."""

    estimate: Estimate | None = None
    runs: int = 0
    last: tuple[Run, ...] = ()
    broken: int = 0


class Asking:
    """One plan held against the histories; commands alike are looked up once. `level_ppm`: how
    often the bounds are meant to hold."""

    def __init__(self, view: View, plan: PlanSpec, level_ppm: Ppm = LEVEL_PPM) -> None:
        self.view = view
        self.plan = plan
        self.level_ppm = level_ppm
        self.offers = {
            lease.terms.labels
            for lease in view.facts.leases.values()
            if lease.state is LeaseState.ACTIVE
            and (not plan.workers or lease.worker in plan.workers)
            and lease.worker not in plan.not_on
        }
        self.known: dict[object, Said] = {}

    def learned(self) -> PlanSpec:
        """The plan with what is known, in each task that needs it. What the plan itself says of it
        is nobody's word and is dropped."""
        if not self.view.facts.histories and not any(task.learned for task in self.plan.tasks):
            return self.plan
        return replace(self.plan, tasks=tuple(self._with(task) for task in self.plan.tasks))

    def findings(self, learned: PlanSpec) -> list[Finding]:
        """LW304 of tasks without a bound, LW308 of estimates unlike what was seen."""
        unknown: list[str] = []
        found: list[Finding] = []
        for task in learned.tasks:
            if task.estimate_ms is not None:
                found += self._unlike(task, task.estimate_ms)
            elif task.promise != "none" and reserved_ms(task) is None:
                said = self.said(task)
                if said.runs or said.broken:
                    found.append(_not_yet(task, said, runs_needed(self.level_ppm)))
                else:
                    unknown.append(task.name)
        if unknown:
            found.append(Finding("LW304", tuple(unknown), severity=Severity.NOTE))
        return found

    def said(self, task: TaskSpec) -> Said:
        """What is known of this task's command."""
        if not self.view.facts.histories:
            return Said()
        alike = (task.run, task.workdir, task.on.labels)
        found = self.known.get(alike)
        if found is None:
            found = self.known[alike] = self._look(task)
        return found

    def _look(self, task: TaskSpec) -> Said:
        asked = set(task.on.labels)
        classes = {worker_class(labels) for labels in self.offers if asked <= set(labels)}
        estimates: list[Estimate | None] = []
        runs = broken = 0
        last: list[Run] = []
        for labels in sorted(classes or {""}):
            keys = keys_of(task, self.plan.workdir, self.plan.workspace, labels)
            estimates.append(self._nearest(keys))
            for key in keys:
                past = self.view.facts.histories.get(key.id)
                if past is None:
                    continue
                if not is_sound(past):
                    broken += 1
                    continue
                runs = max(runs, past.ended)
                last += past.runs if key.likeness is Likeness.COMMAND else ()
        sure = [each for each in estimates if each is not None]
        longest = max(sure, key=lambda each: each.bound_ms, default=None)
        estimate = longest if len(sure) == len(estimates) else None
        return Said(estimate, runs, _newest(last), broken)

    def _nearest(self, keys: tuple[HistoryKey, ...]) -> Estimate | None:
        for key in keys:
            estimate = self._of(key, self.view.facts.histories.get(key.id))
            if estimate is not None:
                return estimate
        return None

    def _of(self, key: HistoryKey, past: Runs | None) -> Estimate | None:
        if past is None or not is_sound(past):
            return None
        return estimate_of(key.id, past, self.level_ppm)

    def _with(self, task: TaskSpec) -> TaskSpec:
        estimate = None
        if task.estimate_ms is None and task.promise != "none":
            estimate = self.said(task).estimate
        return task if task.learned == estimate else self._unless_overran(task, estimate)

    def _unless_overran(self, task: TaskSpec, estimate: Estimate | None) -> TaskSpec:
        """What has just overrun is not given the same time again by us (LW604): until it succeeds
        its own limit counts, or nothing."""
        with_it = replace(task, learned=estimate)
        past = self.view.facts.overran.get(task_key(task, self.plan.workdir, self.plan.workspace))
        own = reserved_ms(with_it)
        if past is None or own is None or own > past.reserved_ms:
            return with_it
        return replace(task, learned=None)

    def _unlike(self, task: TaskSpec, estimate_ms: int) -> list[Finding]:
        """Each of the last runs took longer than the estimate says."""
        took = [run.ran_ms for run in self.said(task).last]
        if len(took) < _ENOUGH or estimate_ms >= min(took):
            return []
        numbers: dict[str, int | str | list[str]] = {
            "estimate_ms": estimate_ms,
            "low_ms": min(took),
            "high_ms": max(took),
        }
        return [Finding("LW308", (task.name,), numbers=numbers, severity=Severity.WARNING)]


def _newest(runs: list[Run]) -> tuple[Run, ...]:
    ended = sorted((run for run in runs if run.ended), key=lambda run: run.at)
    return tuple(ended[-_COMPARED:])


def _not_yet(task: TaskSpec, said: Said, needed: int) -> Finding:
    numbers: dict[str, int | str | list[str]] = {"count": said.runs, "most": needed}
    variant = "runs" if said.runs < needed else "unsure"
    if said.broken:
        variant, numbers = "broken", {"broken": said.broken}
    return Finding("LW304", (task.name,), (), numbers, variant, Severity.NOTE)
