"""Goal: the parts of the simulated world do what their names say. Method: one small case each."""

from __future__ import annotations

import pytest

from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.worker import LocalGrant, NoteEnded, NoteGranted, NoteSettled
from leaseway.sim.agenda import Agenda
from leaseway.sim.chance import Chance
from leaseway.sim.disk import Journal
from leaseway.sim.host import Host, Process
from leaseway.sim.keepers import Script
from leaseway.sim.net import Net, Way, Weather
from leaseway.sim.shrink import check_of
from leaseway.sim.trace import Trace

REF = AttemptRef("p-1/a", 1)


def run_out(agenda, until=100_000):
    """Everything that is still to happen."""
    while agenda.step(until):
        pass


def test_chance_is_splitmix64():
    """First outputs for seed 0 as published with the algorithm."""
    chance = Chance(0)
    assert [chance.draw() for _ in range(3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]


def test_streams_are_apart_and_named():
    assert Chance(1).stream("a").draw() == Chance(1).stream("a").draw()
    assert Chance(1).stream("a").draw() != Chance(1).stream("b").draw()
    drawn = Chance(1)
    drawn.draw()
    assert drawn.stream("a").draw() == Chance(1).stream("a").draw()


def test_between_has_both_ends():
    chance = Chance(5)
    assert {chance.between(1, 3) for _ in range(100)} == {1, 2, 3}


def test_the_agenda_keeps_order_at_one_moment():
    agenda = Agenda()
    done: list[str] = []
    agenda.after(5, lambda: done.append("late"))
    agenda.after(1, lambda: done.append("a"))
    agenda.after(1, lambda: done.append("b"))
    run_out(agenda, 10)
    assert (done, agenda.now) == (["a", "b", "late"], 10)


def test_a_sleeping_host_is_late_and_one_without_power_forgets():
    agenda = Agenda()
    host, done = Host(agenda, "w", 0), []
    host.later(10, lambda: done.append(agenda.now))
    host.sleep()
    run_out(agenda, 100)
    host.wake()
    run_out(agenda, 100)
    assert done == [100]
    assert (host.read().boot_ms, host.read().awake_ms) == (100, 0)
    host.later(10, lambda: done.append(agenda.now))
    host.power_off()
    host.power_on()
    run_out(agenda, 200)
    assert (done, host.boot_id) == ([100], "w-boot-2")


def test_a_timer_dies_with_its_process():
    agenda = Agenda()
    host, process, done = Host(agenda, "w", 0), Process(), []
    host.later(1, lambda: done.append(1), process)
    process.alive = False
    run_out(agenda, 5)
    assert done == []


@pytest.mark.parametrize("ppm", [-999, 0, 999])
def test_a_timer_never_fires_before_its_own_clock_says_so(ppm):
    agenda = Agenda()
    agenda.now = 777
    host = Host(agenda, "w", ppm)
    late: list[int] = []

    def wait(length: int) -> None:
        due = host.read().boot_ms + length
        host.later(length, lambda: late.append(host.read().boot_ms - due))

    for length in (1, 10, 999, 1_001, 60_000):
        wait(length)
    run_out(agenda)
    assert min(late) >= 0
    assert max(late) <= 2


def net(weather):
    agenda = Agenda()
    return agenda, Net(agenda, Chance(1), Trace(agenda), weather)


@pytest.mark.parametrize(
    ("weather", "times"),
    [(Weather(), 1), (Weather(dropped=1_000), 0), (Weather(doubled=1_000), 2)],
    ids=["fair", "dropped", "doubled"],
)
def test_a_message_arrives_never_once_or_twice(weather, times):
    agenda, wire = net(weather)
    came: list[str] = []
    wire.send("w1", Way.UP, "hello", lambda: came.append("hello"))
    run_out(agenda)
    assert len(came) == times


def test_a_link_may_be_half_open():
    agenda, wire = net(Weather())
    came: list[str] = []
    wire.cut.add(("w1", Way.DOWN))
    wire.send("w1", Way.DOWN, "hello", lambda: came.append("down"))
    wire.send("w1", Way.UP, "hello", lambda: came.append("up"))
    run_out(agenda)
    assert came == ["up"]


def test_a_request_does_not_reach_the_next_coordinator():
    agenda, wire = net(Weather())
    lives = [object()]
    wire.listener = lambda: lives[-1]
    came = []
    wire.send("w1", Way.UP, "hello", lambda: came.append(1))
    lives.append(object())
    run_out(agenda)
    assert came == []


def granted() -> NoteGranted:
    return NoteGranted(LocalGrant(REF, ("act", "1", "0", "dies"), 10, 0, 5, 99), "boot-1")


def test_a_power_cut_takes_only_what_was_not_synced():
    journal = Journal("spool")
    journal.append(granted())
    journal.sync()
    journal.append(NoteEnded(REF, Ending(EndKind.EXITED, exit_code=0), "boot-1", 3))
    journal.append(NoteSettled((REF,)))
    for seed in range(20):
        torn = Journal("spool")
        torn.notes, torn.synced = list(journal.notes), journal.synced
        lost = torn.lose_power(Chance(seed))
        assert torn.notes == journal.notes[: 3 - lost]
        assert (REF in torn.retold) is (lost > 0)


def test_after_a_reboot_what_was_granted_counts_as_started():
    journal = Journal("spool")
    journal.append(granted())
    _, same = journal.recovered("boot-1")
    assert same[0].ended is None
    _, after = journal.recovered("boot-2")
    assert after[0].ended is not None
    assert after[0].ended.ending.kind is EndKind.RESTARTED
    assert journal.endings()[REF].ending.kind is EndKind.RESTARTED


def test_a_script_reads_what_it_writes():
    script = Script(100, 1, "ignores")
    assert Script.of(script.command()) == script


def test_a_trace_tells_what_matters():
    agenda = Agenda()
    trace = Trace(agenda)
    for number in range(50):
        trace.say("w1", f"line {number}")
    trace.say("world", "fault cut: w1")
    for number in range(50):
        trace.say("w2", f"p-1/t{number}")
    about = trace.about(["p-1/t3 ", "line 7"])
    assert [line[22:] for line in about if "line" in line] == ["line 7"]
    assert any("fault" in line for line in about)
    assert len(about) < 20


def test_the_name_of_a_check_has_no_numbers_of_its_own():
    assert check_of("truth 5 exclusive: p1-3/t0#1 begins while …") == "truth 5 exclusive"
