"""Seven kinds of unsatisfiable tasks in turn: seven different messages, each with what was asked
and the best on offer. Method: one worker, one refusal each, numbers and names known beforehand."""

from __future__ import annotations

import pytest

from leaseway.core.decide import carry_out
from leaseway.core.model import commands as cmd
from leaseway.core.model.capacity import Uses
from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Scope
from leaseway.core.model.plan import PlanSpec, Selector, TaskSpec
from leaseway.core.wording.say import mend, sentence
from tests.core.pool import PERSON, M, Pool, S, offer, task

LEASE = offer(
    10 * M,
    labels=("gpu",),
    tokens=("gpu-room",),
    max_run_ms=8 * M,
    scope=Scope(commands=("true",), write=("/srv/out",)),
)
# kind: task, code, what was asked, what is on offer
CASES = {
    "time": (task("t", 9 * M), "LW301", "9m", "8m"),
    "quota": (task("t", M, uses=Uses(cpus_milli=4_000)), "LW401", "4 cpus", "of 1"),
    "command": (
        TaskSpec("t", ("rm", "-rf", "x"), limit_ms=S, reads=(), writes=()),
        "LW501",
        "rm",
        "(true)",
    ),
    "path": (task("t", S, writes=("/etc/passwd",)), "LW502", "/etc/passwd", "/srv/out"),
    "label": (task("t", S, on=Selector(labels=("gpus",))), "LW404", "label gpus", "gpu"),
    "token": (task("t", S, holds=("gpu-rom",)), "LW404", "token gpu-rom", "gpu-room"),
    "dependency": (task("tt", S, needs=("t2",)), "LW102", "t2", "tt"),
}


def refused(spec: TaskSpec) -> list[Finding]:
    pool = Pool()
    pool.register("box", LEASE)
    carried = carry_out(pool.view, cmd.Submit(PlanSpec("p", (spec,)), PERSON), pool.now)
    assert carried.refused is not None
    assert [type(event).__name__ for event in carried.events] == ["PlanDeclined"]
    return list(carried.refused.findings)


@pytest.mark.parametrize("kind", CASES)
def test_fault_31_says_what_was_asked_and_what_is_offered(kind: str) -> None:
    spec, code, asked, offered = CASES[kind]
    (finding,) = refused(spec)
    assert finding.code == code
    said = sentence(finding) + " " + mend(finding)
    assert asked in said
    assert offered in said
    assert "Nothing ran." in said


def test_fault_31_no_two_messages_are_alike() -> None:
    said = {sentence(finding) for spec, *_ in CASES.values() for finding in refused(spec)}
    assert len(said) == 7
