"""Recording: what an attempt that ended adds to the histories of its command."""

from __future__ import annotations

from msgspec.structs import replace

from leaseway.core.estimates.bound import bound_of, moved, pair_before
from leaseway.core.estimates.keys import HistoryKey, keys_of, worker_class
from leaseway.core.estimates.soundness import is_sound
from leaseway.core.model.estimate import LEVEL_PPM, Estimate, Ppm, Run, Runs
from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Facts, Task, View

RUNS_KEPT = 100
"""Of one history; older ones are forgotten."""

_DROPPED = 20  # one in so many: sorting for each new one would be dear
_RAN = (EndKind.EXITED, EndKind.SIGNALED, EndKind.KEEPER_DIED)


def learn(view: View, task: Task, worker: str, ending: Ending, at: Instant) -> None:
    """Fold one ending into the histories. What failed by itself says nothing."""
    run = _run_of(view, task, worker, ending, at)
    lease = view.facts.leases.get(worker)
    if run is None or lease is None:
        return
    plan = view.facts.plans[task.plan]
    labels = worker_class(lease.terms.labels)
    for key in keys_of(task.spec, plan.workdir, plan.workspace, labels):
        add(view.facts, key, run, task.submitted_at, task.spec.learned)
    _forget(view.facts, view.settings.histories_kept)


def _run_of(view: View, task: Task, worker: str, ending: Ending, at: Instant) -> Run | None:
    if ending.kind not in _RAN or ending.ran_ms < 0:
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
        limit_ms=task.spec.limit_ms or 0,
    )


def add(facts: Facts, key: HistoryKey, run: Run, asked_at: Instant, given: Estimate | None) -> None:
    """One more run of this history, asked for at `asked_at`. `given`: the bound it was given then;
    it is put to the test where it came from this history, else the one that stands."""
    past = facts.histories.get(key.id)
    if past is None or not is_sound(past):
        past = Runs(key.likeness, key.command, key.place, key.labels)
        facts.histories[key.id] = past
    if given is not None and given.level_ppm != past.level_ppm:
        _aim_at(past, given.level_ppm)
    bound = given.bound_ms if given is not None and given.key == key.id else past.bound_ms
    if bound is not None:
        _put_to_the_test(past, run, bound)
    else:
        _stood_in(past, run, run.limit_ms if given is None else given.bound_ms)
    run = replace(run, pair_ms=pair_before(past.runs, asked_at), bound_ms=bound or 0)
    past.runs = (*past.runs, run)[-RUNS_KEPT:]
    past.bound_ms = bound_of(past.runs, past.level_ppm, past.shift_ppm)
    past.used = facts.position


def _aim_at(past: Runs, level_ppm: Ppm) -> None:
    """Another confidence is asked for: what came of the one before says nothing of it."""
    past.level_ppm = level_ppm
    past.shift_ppm = past.judged = past.covered = 0
    past.bound_ms = bound_of(past.runs, level_ppm)


def _put_to_the_test(past: Runs, run: Run, bound: Millis) -> None:
    missed = _missed(run, bound)
    if missed is None:
        return
    past.judged += 1
    past.covered += not missed
    past.shift_ppm = moved(past.shift_ppm, past.level_ppm, missed=missed)


def _stood_in(past: Runs, run: Run, bound: Millis) -> None:
    """No bound was given from this history, and another stood in: it too was put to the test, or
    a row of misses would be held against this history for ever. It is no bound of this history, so
    hits bring the aim back and never past where it began."""
    missed = _missed(run, bound) if bound else None
    if missed is not None and past.runs:
        past.shift_ppm = min(
            max(0, past.shift_ppm), moved(past.shift_ppm, past.level_ppm, missed=missed)
        )


def _missed(run: Run, bound: Millis) -> bool | None:
    """None: it was stopped before that could be seen."""
    if not run.ended and run.ran_ms < bound:
        return None
    return run.ran_ms > bound or not run.ended


def _forget(facts: Facts, most: int) -> None:
    """Those that were not added to for longest, some at once."""
    if len(facts.histories) <= most:
        return
    oldest = sorted(facts.histories.items(), key=lambda each: (each[1].used, each[0]))
    for id, _ in oldest[: len(oldest) - most + most // _DROPPED]:
        del facts.histories[id]


def estimate_of(id: str, past: Runs, level_ppm: Ppm = LEVEL_PPM) -> Estimate | None:
    """What this history says of the next run at this confidence. None: too few runs have ended for
    it, or what was stopped leaves it open; the next history up the chain is asked then."""
    same = level_ppm == past.level_ppm
    bound = past.bound_ms if same else bound_of(past.runs, level_ppm)
    if bound is None:
        return None
    judged, covered = (past.judged, past.covered) if same else (0, 0)
    return Estimate(bound, past.ended, id, past.likeness, level_ppm, judged, covered)
