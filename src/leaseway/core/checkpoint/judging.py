"""One checkpoint judged: go on, hurry, or save and stop (`docs/checkpoints.md`).

All times are lengths or moments of one clock, in whole milliseconds. What is projected is an upper
bound of the time still needed:

    need = max(reserved − used, used · (1 − x) / x · q)      x: progress, q: 1.25 at first

and once a few steps were seen, steps left × the longest of the last ones. Below 2 % nothing is
projected from progress. Nobody is told to stop for the sake of the margin q alone. A report that
goes back never makes the bound smaller.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from leaseway.core.model.checkpoint import WHOLE_PPM, Advice, Checkpoint
from leaseway.core.model.units import Millis

FLOOR_PPM = 20_000
"""Nothing is projected from less progress than this."""

COLD_PERCENT = 125
"""q before a task has shown steps of its own."""

WARM_STEPS = 3
"""So many steps were seen before their length says more than progress as a whole."""

LAST_STEPS = 5
"""How many of the latest steps, and of the latest ways from check to check, are remembered."""

CONSECUTIVE = 2
"""So many checks in a row, or `CLEAR_PERCENT` of the whole time, turn the advice to and fro."""

CLEAR_PERCENT = 5


class Report(Struct, frozen=True):
    """What a task says. None: not said. `done`, `of`: steps, `of` 0: how many was not said."""

    progress_ppm: int | None = None
    done: int | None = None
    of: int = 0
    step: str = ""
    next_ms: Millis = 0


class Standing(Struct, frozen=True):
    """The attempt as it stands now. `at_ms`, `stop_ms` and `grows_ms` (what the stop time is sure
    to become at most, `stop_ms` where nobody said so) are moments of one clock; `used_ms` has run;
    `reserved_ms` is the bound of the whole; `save_ms` the longest that saving takes."""

    at_ms: Millis
    stop_ms: Millis
    grows_ms: Millis
    used_ms: Millis
    reserved_ms: Millis
    save_ms: Millis = 0

    @property
    def window_ms(self) -> Millis:
        """From the start to the stop time."""
        return max(1, self.used_ms + self.stop_ms - self.at_ms)

    @property
    def end_ms(self) -> Millis:
        """The latest moment at which it may still be running, before it is stopped."""
        return max(self.stop_ms, self.grows_ms)

    @property
    def no_return_ms(self) -> Millis:
        """After this a clean save is impossible: its end, less stop grace and kill (that is the
        stop time) and less what saving takes."""
        return self.end_ms - self.save_ms


class Course(Struct, frozen=True):
    """What was heard of one attempt so far. `used_ms`: at the last check; `steps_ms`, `gaps_ms`:
    the latest, oldest first; `turning`: checks in a row that speak against the present advice."""

    last: Checkpoint = Checkpoint()
    need_ms: Millis = 0
    best_ppm: int = 0
    used_ms: Millis = 0
    done: int = 0
    of: int = 0
    step_used_ms: Millis = 0
    steps_ms: tuple[Millis, ...] = ()
    gaps_ms: tuple[Millis, ...] = ()
    turning: int = 0


def judge(course: Course, report: Report, now: Standing) -> Course:
    """The course with this report in it; `last` holds the advice and the numbers it rests on."""
    told = course.last.progress_ppm
    heard = _heard(course, report, now)
    ppm = report.progress_ppm
    if ppm is None:
        ppm = _of_steps(heard) if report.done is not None else told
    need, likely = _projected(heard, ppm, now)
    if _is_back(course, ppm):
        need = max(need, course.need_ms)
    if told is not None and (ppm is None or ppm <= told):
        likely = need  # nothing was done since: how long it will take is anybody's guess
    if ppm != WHOLE_PPM:
        need = max(need, report.next_ms)
    advice, reason, turning = _advice(heard, (need, likely), report.next_ms, now)
    last = Checkpoint(
        advice=advice,
        reason=reason,
        progress_ppm=ppm,
        step=report.step or course.last.step,
        count=course.last.count + 1,
        ran_ms=now.used_ms,
        left_ms=now.stop_ms - now.at_ms,
        need_ms=need,
        next_ms=report.next_ms,
    )
    best = max(course.best_ppm, ppm or 0)
    return replace(heard, last=last, need_ms=need, best_ppm=best, turning=turning)


def _is_back(course: Course, ppm: int | None) -> bool:
    """Whether this is less than was said before, or too little again to project from."""
    told = course.last.progress_ppm
    if ppm is None or told is None:
        return False
    return ppm < told or ppm < FLOOR_PPM <= course.best_ppm


def _heard(course: Course, report: Report, now: Standing) -> Course:
    """Steps and gaps as they are with this report."""
    gap = max(0, now.used_ms - course.used_ms)
    heard = replace(
        course,
        used_ms=now.used_ms,
        of=report.of or course.of,
        gaps_ms=(*course.gaps_ms, gap)[-LAST_STEPS:],
    )
    if report.done is None:
        return heard
    forward = report.done - course.done
    if forward <= 0:  # said again, or back: nothing is learned of how long a step takes
        return replace(heard, done=report.done)
    each = (now.used_ms - course.step_used_ms) // forward
    steps = (*course.steps_ms, *([each] * min(forward, LAST_STEPS)))[-LAST_STEPS:]
    return replace(heard, done=report.done, step_used_ms=now.used_ms, steps_ms=steps)


def _of_steps(course: Course) -> int | None:
    if course.of <= 0:
        return None
    return min(WHOLE_PPM, course.done * WHOLE_PPM // course.of)


def _projected(course: Course, ppm: int | None, now: Standing) -> tuple[Millis, Millis]:
    """What is still to run: an upper bound, and what is likely, without any margin."""
    if ppm == WHOLE_PPM:
        return 0, 0
    rest = now.reserved_ms - now.used_ms
    if course.of and len(course.steps_ms) >= WARM_STEPS:
        left, steps = course.of - course.done, course.steps_ms
        return max(rest, left * max(steps)), left * sum(steps) // len(steps)
    if ppm is None or ppm < FLOOR_PPM:
        # Past all that was reserved and nothing shown: all of it is taken as still to do.
        bound = rest if rest > 0 else now.reserved_ms
        return bound, bound
    likely = now.used_ms * (WHOLE_PPM - ppm) // ppm
    return max(rest, likely * COLD_PERCENT // 100), likely


def _advice(
    course: Course, projected: tuple[Millis, Millis], next_ms: Millis, now: Standing
) -> tuple[Advice, str, int]:
    """The advice, what it rests on, and the checks in a row that speak against it."""
    need, likely = projected
    if need and now.at_ms + next_ms > now.no_return_ms:
        return Advice.SAVE, "step" if next_ms else "return", 0
    # Probably not done by the end, and the next check would come too late to say so.
    again_ms = next_ms or max(course.gaps_ms)
    if now.at_ms + likely > now.end_ms and now.at_ms + again_ms > now.no_return_ms:
        return Advice.SAVE, "return", 0
    slack = now.stop_ms - now.at_ms - need
    was_late = course.last.advice is not Advice.GO_ON
    if (slack < 0) == was_late:
        return (Advice.HURRY, "late", 0) if was_late else (Advice.GO_ON, "", 0)
    turning = course.turning + 1
    is_clear = abs(slack) * 100 > now.window_ms * CLEAR_PERCENT
    if turning < CONSECUTIVE and not is_clear:
        return (Advice.HURRY, "late", turning) if was_late else (Advice.GO_ON, "", turning)
    return (Advice.HURRY, "late", 0) if slack < 0 else (Advice.GO_ON, "", 0)
