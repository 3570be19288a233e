"""Goal: a plan takes along what its commands show, for tasks that declare nothing. Method: plans
read before and after."""

from __future__ import annotations

import time

from msgspec.structs import replace

from leaseway.client import inferred as module
from leaseway.client.inferred import with_inferred
from leaseway.core.model.plan import PlanSpec, TaskSpec


def whats(plan: PlanSpec):
    return [
        [(each.what, each.writes) for each in task.inferred if each.what] for task in plan.tasks
    ]


def test_only_what_declares_nothing():
    tasks = (
        TaskSpec("a", "touch x"),
        TaskSpec("b", "touch x", reads=()),
        TaskSpec("c", "touch x", writes=("y",)),
        TaskSpec("d", "touch x", parallel=True),
        TaskSpec("e", ("touch", "x y"), outputs=("x y",)),
    )
    found = with_inferred(PlanSpec("p", tasks, "/srv/p"))
    assert whats(found) == [[("x", True)], [], [], [], [("x y", True)]]
    assert replace(found, tasks=()) == PlanSpec("p", (), "/srv/p")


def test_a_plan_that_declares_everything_reads_no_command():
    plan = PlanSpec("p", (TaskSpec("a", "touch x", reads=()),))
    assert with_inferred(plan) is plan


def test_a_checkout_is_named_by_its_root(tmp_path):
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "sub").mkdir()
    base = str(tmp_path / "repo" / "sub")
    tasks = (
        TaskSpec("a", "git commit -m x"),
        TaskSpec("b", "git -C .. fetch", workdir=base),
        TaskSpec("c", "make -C /srv/x"),
        TaskSpec("d", "make -C deep"),
    )
    found = whats(with_inferred(PlanSpec("p", tasks, base)))
    root = str(tmp_path / "repo")
    assert found == [
        [(f"git:{root}", True)],
        [(f"git:{root}", True)],
        [("make:/srv/x", True)],
        [(f"make:{base}/deep", True)],
    ]


def test_the_environment_of_the_task_is_known():
    found = with_inferred(PlanSpec("p", (TaskSpec("a", "touch $OUT", env={"OUT": "o"}),)))
    assert whats(found) == [[("o", True)]]


def test_bounded_for_one_plan(monkeypatch):
    monkeypatch.setattr(module, "MOST_OF_A_PLAN", 3)
    tasks = tuple(TaskSpec(f"t{at}", "touch a b") for at in range(3))
    assert [len(each) for each in whats(with_inferred(PlanSpec("p", tasks)))] == [2, 1, 0]


def test_thousands_of_different_commands_take_seconds():
    tasks = tuple(TaskSpec(f"t{at}", f"cd d{at} && make > log 2>&1") for at in range(6_000))
    started = time.process_time()
    found = with_inferred(PlanSpec("p", tasks, "/nowhere"))
    assert time.process_time() - started < 20
    assert len(found.tasks[-1].inferred) == 3


def test_what_is_not_understood_goes_along():
    (task,) = with_inferred(PlanSpec("p", (TaskSpec("a", "frob > out"),))).tasks
    assert [(each.what, each.text, each.rule) for each in task.inferred] == [
        ("out", "> out", "redirection"),
        ("", "frob", "what this program touches"),
    ]
