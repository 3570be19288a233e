"""Plans that travel with their tree: what a view is made of, what meets, and the time to receive.

Layers are worked out by hand from the plan; moments from the formula of `receive_ms`.
"""

import pytest

from leaseway.core.at_workers import at_workers
from leaseway.core.model import commands as cmd
from leaseway.core.model import events as ev
from leaseway.core.model.accesses import accesses_of
from leaseway.core.model.lease import Guard, WindowOffer
from leaseway.core.model.plan import Archive, EdgeKind, TaskSpec, Workspace
from leaseway.core.model.touching import meeting
from leaseway.core.model.units import MINUTE
from leaseway.core.workspaces import brings, layers, may_receive, needed, receive_ms
from tests.core.pool import AGENT, PERSON, T0, Pool, S, codes, events, plan, task

TREE = Archive("sha256:tree", 8_000_000, files=400)
WORKSPACE = Workspace(TREE, "laptop:/home/ada/work")
RECEIVE = 500 + 1_000 + 100  # 0.5 s, 8 MB at 8 MB a second, 400 files at 4 a millisecond


def archive(name):
    return Archive(f"sha256:{name}", 100, 1)


def grants_of(pool, machine):
    """What the machine was given, by name of the task."""
    return {pool.name_of(ref.task): mine.grant for ref, mine in machine.agent.attempts.items()}


def test_receiving_takes_half_a_second_and_a_second_for_eight_megabytes():
    assert receive_ms(None) == 0
    assert receive_ms(WORKSPACE) == RECEIVE
    assert receive_ms(Workspace(Archive("sha256:x", 0))) == 500


def test_the_reservation_holds_receiving_beside_the_run():
    pool = Pool()
    pool.worker("box", 60_000, guard=Guard(1_000, 500, 2_000, 500))
    pool.submit(task("a", 10_000), workspace=WORKSPACE)
    rectangle = pool.task("a").reservation
    assert rectangle.reserved_ms == 10_000
    assert rectangle.hold_ms == 2_000 + RECEIVE + 10_000 + 1_000 + 500
    pool.run(0)
    assert pool.task("a").attempt.start_by == rectangle.start + 2_000 + RECEIVE


def test_a_window_too_short_for_receiving_and_running_refuses_with_both_numbers():
    pool = Pool()
    pool.worker("box", 10_000, guard=Guard(0, 0, 0, 0))
    assert not pool.submit(task("a", 8_400)).refused
    refused = pool.submit(task("b", 8_401), workspace=WORKSPACE).refused
    finding = refused.findings[0]
    assert codes(refused.findings)[0] == "LW302"
    assert (finding.numbers["have_ms"], finding.numbers["receive_ms"]) == (8_400, RECEIVE)
    assert finding.numbers["short_ms"] == 1


def test_who_waits_is_told_of_a_worker_with_the_time_to_receive():
    """8.4 s and 1.6 s to receive fill 10 s; a plan without a tree needs 8.4 s alone. While another
    runs here for 1 s, 9 s are left, and the next window opens at 60 s."""
    pool = Pool()
    later = (WindowOffer(0, 10_000), WindowOffer(60_000, 90_000))
    pool.worker("box", windows=later, guard=Guard(0, 0, 0, 0))
    pool.lasts = {"first": 1_000}
    pool.submit(task("first", 1_000))
    pool.submit(task("a", 8_400), workspace=WORKSPACE)
    pool.run(100)
    assert pool.task("a").reservation.start == T0 + 60_000
    pool.submit(task("b", 8_400), workspace=WORKSPACE)
    (at_box,) = at_workers(pool.view, pool.task("b"), pool.now)
    assert at_box.asked_ms == RECEIVE + 8_400
    short = next(each for each in at_box.reasons if each.variant == "short")
    assert (short.code, short.numbers["receive_ms"]) == ("LW725", RECEIVE)
    assert short.numbers["short_ms"] == RECEIVE + 8_400 - 9_900


def test_a_view_is_the_tree_and_over_it_what_predecessors_changed_in_the_order_of_the_plan():
    pool = Pool()
    box = pool.worker("box", slots=4)
    pool.lasts = {"d": 5 * S}
    pool.results = {name: archive(name) for name in "abc"}
    pool.submit(
        task("a", MINUTE, writes=("x",)),
        task("b", MINUTE, needs=("a",), writes=("y",)),
        task("c", MINUTE, needs=("a",), writes=("z",)),
        task("d", MINUTE, needs=("c", "b"), outputs=("out/*",), writes=("z", "w")),
        workspace=WORKSPACE,
    )
    pool.run(3 * S)
    grant = grants_of(pool, box)["d"]
    assert grant.layers == (TREE, archive("a"), archive("b"), archive("c"))
    assert grant.brings == ("z", "w", "out/*")


def test_what_a_predecessor_left_that_did_not_succeed_is_in_no_view():
    pool = Pool()
    box = pool.worker("box")
    pool.lasts = {"b": 5 * S}
    pool.exits = {"a": 1}
    pool.results = {"a": archive("a")}
    pool.submit(
        task("a", MINUTE, reads=("x",), writes=("log",)),
        task("b", MINUTE, writes=("x",)),  # write after read: it only waits
        workspace=WORKSPACE,
    )
    pool.run(5 * S)
    assert pool.outcome("a") == "failed"
    assert grants_of(pool, box)["b"].layers == (TREE,)


def test_a_grant_of_a_plan_without_a_tree_runs_in_place():
    pool = Pool()
    box = pool.worker("box")
    pool.lasts = {"a": 5 * S}
    pool.submit(task("a", MINUTE, writes=("x",)), workdir="/srv/work")
    pool.run(1 * S)
    assert grants_of(pool, box)["a"].layers == ()
    assert grants_of(pool, box)["a"].brings == ()


def test_tasks_stay_while_a_view_may_still_be_made_of_them():
    """a → b → c: with a seen and b ended, c still needs what a changed."""
    pool = Pool()
    box = pool.worker("box", slots=2, tokens=("t",))
    pool.results = {"a": archive("a"), "b": archive("b")}
    pool.lasts = {"long": 60 * S, "b": 20 * S, "c": 30 * S}
    pool.submit(task("long", MINUTE, holds=("t",)))
    pool.submit(
        task("a", MINUTE, writes=("x",)),
        task("b", MINUTE, needs=("a",), writes=("y",)),
        task("c", MINUTE, needs=("b",), holds=("t",)),
        workspace=WORKSPACE,
    )
    pool.run(5 * S)
    pool.do(cmd.Acknowledge((pool.task("a").id,), PERSON))
    pool.run(60 * S)
    assert grants_of(pool, box)["c"].layers == (TREE, archive("a"), archive("b"))
    pool.run(60 * S)
    assert pool.outcome("c") == "succeeded"


def test_tasks_of_unknown_access_run_side_by_side_in_their_own_views():
    pool = Pool()
    pool.worker("box", slots=2)
    unknown = [task(name, MINUTE, reads=None, writes=None) for name in "ab"]
    carried = pool.submit(*unknown, workspace=WORKSPACE)
    found = [(each.code, each.variant) for each in carried.reply.findings]
    assert ("LW206", "in-views") in found
    assert pool.task("b").edges == ()
    pool.lasts = {"a": 5 * S, "b": 5 * S}
    pool.run(1 * S)
    assert {pool.task(name).state.value for name in "ab"} == {"running"}


def test_in_place_they_do_not():
    pool = Pool()
    pool.worker("box", slots=2)
    unknown = [task(name, MINUTE, reads=None, writes=None) for name in "ab"]
    pool.submit(*unknown, workdir="/srv/work")
    assert [edge.kind for edge in pool.task("b").edges] == [EdgeKind.UNKNOWN]


def test_writers_of_one_path_in_views_are_told_as_such_and_serialised():
    pool = Pool()
    pool.worker("box", slots=2)
    carried = pool.submit(
        task("a", MINUTE, writes=("x",)), task("b", MINUTE, writes=("x",)), workspace=WORKSPACE
    )
    assert "LW202" in codes(carried.reply.findings)
    assert "LW201" not in codes(carried.reply.findings)
    assert [edge.kind for edge in pool.task("b").edges] == [EdgeKind.WRITE_AFTER_WRITE]


def test_plans_from_one_tree_that_bring_back_one_path_follow_each_other_on_any_machine():
    pool = Pool()
    pool.worker("one")
    pool.worker("two")
    pool.submit(task("a", MINUTE, writes=("x",)), workspace=WORKSPACE, workers=("one",))
    other = pool.submit(
        task("b", MINUTE, writes=("x",)), workspace=WORKSPACE, workers=("two",), who=AGENT
    )
    assert "LW205" in codes(other.reply.findings)
    assert pool.task("b").reservation.start >= pool.task("a").reservation.end


@pytest.mark.parametrize(
    ("one", "two", "same", "meets"),
    [
        (("x",), ("x",), True, "x"),
        (("x",), ("x",), False, None),  # trees of two origins
        (("x",), ("y",), True, None),
        (("/var/x",), ("/var/x",), False, "/var/x"),  # a path of the machine
        (("nas:/x",), ("nas:/x",), False, "nas:/x"),
        (("src",), ("src/a.py",), True, "src"),
    ],
)
def test_what_two_tasks_in_views_meet_over(one, two, same, meets):
    origin = "laptop:/home/ada/work" if same else "mini:/home/ben/work"
    left = accesses_of(TaskSpec("a", "x", writes=one, reads=()), ".", WORKSPACE)
    right = accesses_of(TaskSpec("b", "x", writes=two, reads=()), ".", Workspace(TREE, origin))
    assert meeting(left, right, one_machine=True) == meets


def test_reading_in_a_view_meets_nobody():
    reads = accesses_of(TaskSpec("a", "x", reads=("x", "/etc/x")), ".", WORKSPACE)
    assert [(each.named, each.writes) for each in reads] == [("/etc/x", False)]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"writes": ("../x",)}, "../x"),
        ({"outputs": ("a/../../x",)}, "a/../../x"),
        ({"workdir": ".."}, ".."),
        ({"workdir": "/srv"}, "/srv"),
        ({"workdir": "sub", "reads": ("../../x",)}, "../../x"),
    ],
)
def test_paths_outside_the_tree_are_refused(fields, named):
    pool = Pool()
    pool.worker("box")
    refused = pool.submit(task("a", MINUTE, **fields), workspace=WORKSPACE).refused
    assert [(each.code, each.numbers["over"]) for each in refused.findings] == [("LW209", named)]


@pytest.mark.parametrize(
    "fields",
    [
        {"writes": ("sub/../x",)},
        {"workdir": "sub", "reads": ("../x",)},
        {"writes": ("/var/x", "nas:/y", "~/z")},
        {"workdir": "."},
    ],
)
def test_paths_inside_it_or_of_the_machine_are_not(fields):
    pool = Pool()
    pool.worker("box")
    assert not pool.submit(task("a", MINUTE, **fields), workspace=WORKSPACE).refused


def test_a_worker_may_receive_what_its_attempts_are_made_of_and_nothing_else():
    pool = Pool()
    pool.worker("box")
    pool.worker("mini")
    pool.lasts = {"a": 5 * S}
    pool.submit(task("a", MINUTE), workspace=WORKSPACE, workers=("box",))
    pool.run(1 * S)
    assert may_receive(pool.view, "box", TREE.digest)
    assert not may_receive(pool.view, "mini", TREE.digest)
    assert not may_receive(pool.view, "box", "sha256:other")


def test_archives_are_needed_until_nobody_can_ask_for_them():
    pool = Pool()
    pool.worker("box")
    pool.results = {"a": archive("a")}
    pool.submit(task("a", MINUTE), workspace=WORKSPACE)
    assert needed(pool.view) == {TREE.digest}
    pool.run(5 * S)
    assert needed(pool.view) == {"sha256:a"}


def test_what_is_declared_to_change_is_named_once():
    spec = plan(task("a", writes=("x", "y"), outputs=("y", "z"))).tasks[0]
    assert brings(spec) == ("x", "y", "z")


def test_the_tree_is_kept_with_the_plan_in_the_ledger():
    pool = Pool()
    pool.worker("box")
    pool.submit(task("a", MINUTE), workspace=WORKSPACE)
    assert events(pool, ev.PlanSubmitted)[0].workspace == WORKSPACE
    (plan_kept,) = pool.view.facts.plans.values()
    assert plan_kept.workspace == WORKSPACE
    assert layers(pool.view, pool.task("a")) == (TREE,)
