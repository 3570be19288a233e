"""Goal: a task is named as a person would name it, or it is said what could be meant. Method: a
pool with two plans, asked by every command that takes a task."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from leaseway.wire.streams import ExplainInfo
from tests.cli.samples import plan_info, running, succeeded

OF_ONE = ("task", "explain", "logs", "give-up", "cancel")


def of_plan(task, plan):
    return replace(task, id=f"{plan}/{task.name}", plan=plan)


@pytest.fixture(autouse=True)
def pool(fake):
    """nightly-3 has build and test, out-4 has build alone."""
    there = [succeeded("build"), running("test", 2), of_plan(succeeded("build", 3), "out-4")]
    fake.steps = {task.id: [task] for task in there}
    fake.plans_there = (
        replace(plan_info("build"), id="out-4", tasks=("out-4/build",)),
        plan_info("build", "test"),
    )
    fake.explained = ExplainInfo("nightly-3/build", "It runs.")


@pytest.mark.parametrize("command", OF_ONE)
def test_a_name_that_only_one_task_has(run, command):
    assert run(command, "test").exit_code == 0


@pytest.mark.parametrize("command", OF_ONE)
def test_the_plan_of_a_single_task_stands_for_it(run, command):
    assert run(command, "out-4").exit_code == 0


@pytest.mark.parametrize("command", [*OF_ONE, "ack"])
def test_a_name_of_several_shows_them(run, command):
    done = run(command, "build")
    assert done.exit_code == 2
    assert "2 tasks are called build." in done.stderr
    assert "Name one of out-4/build, nightly-3/build, newest first." in done.stderr


@pytest.mark.parametrize("command", [each for each in OF_ONE if each != "cancel"])
def test_a_plan_of_several_lists_its_tasks(run, command):
    done = run(command, "nightly-3")
    assert done.exit_code == 2
    assert "nightly-3 is a plan of 2 tasks." in done.stderr
    assert "Name one of nightly-3/build, nightly-3/test." in done.stderr


@pytest.mark.parametrize("command", [*OF_ONE, "ack"])
def test_a_name_of_nobody_is_answered_with_what_there_is(run, command):
    done = run(command, "xyz")
    assert done.exit_code == 2
    assert "There is no task or plan xyz." in done.stderr
    assert "the newest plans: out-4, nightly-3" in done.stderr


def test_cancel_takes_whole_plans(run, fake):
    run("cancel", "nightly-3", "test")
    assert fake.named("cancel") == [("nightly-3",), ("nightly-3/test",)]


def test_nothing_is_given_up_that_has_ended(run, fake):
    done = run("give-up", "out-4")
    assert done.stdout == "Nothing to give up: out-4/build had ended already, succeeded.\n"
    assert fake.named("give_up") == []
