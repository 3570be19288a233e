"""Goal: a worker lets go of a view when nobody will ask for it, and never on the word of a ledger
that cannot know. Method: syncs in virtual time that name what is kept."""

from msgspec.structs import replace

from leaseway.core.agent import next_request
from leaseway.core.model import commands as cmd
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.units import MINUTE
from tests.core.pool import PERSON, Pool, S, task


def forgotten(pool, machine, *refs):
    """What a sync that keeps these is told to forget."""
    request = replace(next_request(machine.agent, machine.now()), kept=refs)
    return pool.do(cmd.Sync(request, pool.now, "fresh")).reply.forget


def test_what_is_acknowledged_is_forgotten_and_nothing_else():
    pool = Pool()
    box = pool.worker("box")
    pool.submit(task("a", MINUTE), task("b", MINUTE))
    pool.run(1 * S)
    seen, unseen = (AttemptRef(pool.task(name).id, 1) for name in "ab")
    assert forgotten(pool, box, seen, unseen) == ()
    pool.do(cmd.Acknowledge((seen.task,), PERSON))
    assert forgotten(pool, box, seen, unseen) == (seen,)


def test_a_task_that_left_the_view_was_acknowledged():
    pool = Pool()
    box = pool.worker("box")
    pool.submit(task("a", MINUTE))
    pool.run(1 * S)
    ref = AttemptRef(pool.task("a").id, 1)
    pool.do(cmd.Acknowledge((ref.task,), PERSON))
    pool.run(10 * S)
    assert ref.task not in pool.view.facts.tasks
    assert forgotten(pool, box, ref) == (ref,)


def test_of_a_plan_that_this_ledger_never_had_nothing_is_said():
    pool = Pool()
    box = pool.worker("box")
    pool.submit(task("a", MINUTE))
    later, odd = AttemptRef("p-9/a", 1), AttemptRef("nonsense", 1)
    assert forgotten(pool, box, later, odd) == ()
