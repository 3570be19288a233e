"""Recording: what an attempt that ended adds to the histories of its command."""

from __future__ import annotations

from msgspec.structs import replace

from leaseway.core.estimates.bound import bound_of, moved, pair_before
from leaseway.core.estimates.keys import HistoryKey, keys_of, worker_class
from leaseway.core.model.estimate import Estimate, Run, Runs
from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Facts, Task, View

RUNS_KEPT = 64
"""Of one history; older ones are forgotten."""

_DROPPED = 20  # one in so many: sorting for each new one would be dear
_RAN = (EndKind.EXITED, EndKind.SIGNALED, EndKind.KEEPER_DIED)


def learn(view: View, task: Task, worker: str, ending: Ending, at: Instant) -> None:
    """Fold one ending into the histories. What failed by itself says nothing."""
    run = _run_of(view, worker, ending, at)
    lease = view.facts.leases.get(worker)
    if run is None or lease is None:
        return
    plan = view.facts.plans[task.plan]
    labels = worker_class(lease.terms.labels)
    for key in keys_of(task.spec, plan.workdir, plan.workspace, labels):
        add(view.facts, key, run, task.submitted_at, task.spec.learned)
    _forget(view.facts, view.settings.histories_kept)


def _run_of(view: View, worker: str, ending: Ending, at: Instant) -> Run | None:
    if ending.kind not in _RAN:
        return None
    stopped = ending.reason is not None
    if not stopped and ending.exit_code != 0:
        return None
    beside = len(view.index.attempts.get(worker, ())) - 1
    return Run(
        ending.ran_ms,
        at,
        worker,
        ended=not stopped,
        cpu_ms=ending.cpu_ms,
        beside=max(0, beside),
    )


def add(facts: Facts, key: HistoryKey, run: Run, asked_at: Instant, given: Estimate | None) -> None:
    """One more run of this history, asked for at `asked_at`. `given`: the bound it was given then;
    it is put to the test where it came from this history, else the one that stands."""
    past = facts.histories.get(key.id)
    if past is None:
        past = Runs(key.likeness, key.command, key.place, key.labels)
        facts.histories[key.id] = past
    bound = given.bound_ms if given is not None and given.key == key.id else past.bound_ms
    if bound is not None and (run.ended or run.ran_ms >= bound):
        missed = run.ran_ms > bound or not run.ended
        past.judged += 1
        past.covered += not missed
        past.miss_ppm = moved(past.miss_ppm, missed=missed)
    run = replace(run, pair_ms=pair_before(past.runs, asked_at))
    past.runs = (*past.runs, run)[-RUNS_KEPT:]
    past.bound_ms = bound_of(past.runs, past.miss_ppm)
    past.used = facts.position


def _forget(facts: Facts, most: int) -> None:
    """Those that were not added to for longest, some at once."""
    if len(facts.histories) <= most:
        return
    oldest = sorted(facts.histories.items(), key=lambda each: (each[1].used, each[0]))
    for id, _ in oldest[: len(oldest) - most + most // _DROPPED]:
        del facts.histories[id]


def estimate_of(id: str, past: Runs) -> Estimate | None:
    """What this history says of the next run."""
    if past.bound_ms is None:
        return None
    return Estimate(
        past.bound_ms,
        past.ended,
        id,
        past.likeness,
        judged=past.judged,
        covered=past.covered,
    )
