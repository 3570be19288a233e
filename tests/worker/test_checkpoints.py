"""Goal: a task is answered by its keeper, in time, whoever else is dead. Method: real commands
through a spawner; they say what they were told by printing it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from leaseway.core.model.checkpoint import Advice, Pacing, Save
from leaseway.core.model.outcomes import StopReason
from leaseway.core.model.worker import LocalGrant, NoteChecked
from leaseway.worker.journal import START, notes_of
from tests.worker.rig import Rig
from tests.worker.waiting import until

PYTHON = sys.executable
COMMAND = f"{PYTHON} -P -m leaseway"
TALK = """
import os, socket, sys
def ask(*lines):
    talk = socket.socket(socket.AF_UNIX)
    talk.connect(os.environ["LEASEWAY_SOCKET"])
    talk.sendall("".join(line + "\\n" for line in lines).encode())
    file = talk.makefile()
    return [file.readline().strip() for _ in lines]
"""


def said(live: Rig, grant: LocalGrant) -> str:
    live.ended(grant)
    return live.output(grant).decode()


def python(text: str) -> tuple[str, ...]:
    return (PYTHON, "-P", "-c", TALK + text)


def checks(live: Rig, grant: LocalGrant) -> list[NoteChecked]:
    data, _ = live.spool.journal.read_from(START)
    return [n for n in notes_of(data) if isinstance(n, NoteChecked) and n.ref == grant.ref]


def test_the_command_answers_with_its_exit_code(live: Rig):
    run = (
        f'{COMMAND} checkpoint "step 1/2" --json; echo $?;'
        f"{COMMAND} checkpoint --progress 0.5 --next 1h 2>&1; echo $?;"
        f"{COMMAND} left; {COMMAND} checkpoint --progress 1.5 2>&1; echo $?"
    )
    grant = live.give("t", run, reserved_ms=60_000)
    first, code, second, other, seconds, wrong, last = said(live, grant).splitlines()
    told = json.loads(first)
    assert (told["advice"], told["progress"], code) == ("go-on", 0.5, "0")
    assert 50 <= told["left_s"] <= 60
    assert second.startswith("leaseway: save and end now")
    assert other == "11"
    assert 50 <= int(seconds) <= 60
    assert (wrong, last) == (
        "leaseway: progress 1.5: more than all of it; say 1 when all is done",
        "2",
    )


def test_the_call_answers_and_the_ending_tells_the_last(live: Rig):
    text = """
from leaseway.task import NotTaken, checkpoint, left
answer = checkpoint("step 3/10", next="8m")
print(answer.advice, answer.must_save, answer.exit_code, answer.words["progress"], left() > 500)
try:
    checkpoint(progress=float("nan"))
except NotTaken as error:
    print(error)
"""
    grant = live.give("t", (PYTHON, "-P", "-c", text), reserved_ms=600_000)
    note = live.ended(grant)
    assert live.output(grant).decode().splitlines() == [
        "go-on False 0 0.3 True",
        "progress nan: not a number; write a share such as 0.3, or 30%, or 3/10",
    ]
    last = note.ending.checkpoint
    assert last is not None
    assert (last.step, last.progress_ppm, last.next_ms) == ("step 3/10", 300_000, 480_000)
    assert [note.checkpoint for note in checks(live, grant)] == [last]


def test_a_line_for_somebody_else_is_turned_away(live: Rig):
    ours = "f\"checkpoint 0.1 task={os.environ['LEASEWAY_TASK']}\""
    text = f"""
print(*ask("checkpoint 0.1 task=other", "checkpoint 0.1 attempt=x:t#9", {ours}, "nonsense"),
      sep="\\n")
"""
    lines = said(live, live.give("t", python(text), reserved_ms=600_000)).splitlines()
    assert lines[0] == "error this is task t, not other"
    assert lines[1].startswith("error that attempt has ended")
    assert lines[2].startswith("go-on left=59")
    assert lines[3].startswith("error expected: checkpoint")


def test_answers_come_with_daemon_and_spawner_dead(live: Rig, tmp_path: Path):
    gate = tmp_path / "gate"
    text = f"""
import time
print(ask("left")[0].split("=")[0], flush=True)
while not os.path.exists({str(gate)!r}): time.sleep(0.01)
print(*ask("checkpoint 0.5 next=30s"), sep="\\n", flush=True)
"""
    grant = live.give("t", python(text), reserved_ms=600_000)
    until(lambda: live.output(grant) == b"left left\n", "the first answer")
    live.leave()
    live.kill(live.started[0])
    gate.touch()
    until(lambda: b"go-on left=5" in live.output(grant), "an answer from the keeper alone")


def test_a_flood_harms_only_itself(live: Rig):
    """The stop time is kept to, and what others ask is answered."""
    text = """
talk = socket.socket(socket.AF_UNIX)
talk.connect(os.environ["LEASEWAY_SOCKET"])
talk.setblocking(False)
import select
line = b"checkpoint 0.5\\n" * 1000
while True:
    select.select([talk], [talk], [])
    try:
        talk.send(line)
    except BlockingIOError:
        pass
    try:
        talk.recv(1 << 16)
    except BlockingIOError:
        pass
"""
    grant = live.give("t", python(text), reserved_ms=1_500)
    ending = live.ended(grant).ending
    assert ending.reason is StopReason.RESERVED
    assert 1_500 <= ending.ran_ms < 4_000
    assert ending.checkpoint is not None
    assert ending.checkpoint.count > 100
    assert len(checks(live, grant)) <= 12, "noted at most every 200 ms"


def test_who_does_not_read_is_let_go_and_who_holds_on_gives_way(live: Rig):
    text = """
mute = socket.socket(socket.AF_UNIX)
mute.connect(os.environ["LEASEWAY_SOCKET"])
try:
    while True: mute.sendall(b"left\\n" * 1000)
except OSError:
    print("let go")
held = []
for _ in range(60):
    held.append(socket.socket(socket.AF_UNIX))
    held[-1].connect(os.environ["LEASEWAY_SOCKET"])
print(ask("left")[0][:4])
held[-1].sendall(b"x" * 5000)
print(held[-1].recv(9999)[:26].decode())
"""
    grant = live.give("t", python(text), reserved_ms=60_000)
    assert said(live, grant).splitlines() == ["let go", "left", "error the line is longer t"]


def test_the_signal_of_its_choice_comes_before_the_point_of_no_return(live: Rig):
    run = 'trap "echo saved; exit 11" USR1; while :; do sleep 0.02; done'
    pacing = Pacing(save=Save(within_ms=2_000, signal="USR1"))
    ending = live.ended(live.give("t", run, reserved_ms=3_500, pacing=pacing)).ending
    assert (ending.reason, ending.exit_code) == (None, 11)
    assert 1_200 <= ending.ran_ms < 2_500  # 3.5 s less 2 s less 0.2 s


def test_output_tells_of_steps(live: Rig):
    pacing = Pacing(steps=4, phases={r"collected \d+ items": 1_000, "built": 900_000})
    run = "echo collected 7 items; echo nothing; echo built; sleep 0.3; printf 'collected 1 items'"
    grant = live.give("t", run, reserved_ms=600_000, pacing=pacing)
    ending = live.ended(grant).ending
    assert ending.checkpoint is not None
    assert (ending.checkpoint.progress_ppm, ending.checkpoint.step) == (
        750_000,
        "collected 1 items",
    )
    assert checks(live, grant)[0].checkpoint.advice in (Advice.GO_ON, Advice.SAVE)
    assert live.output(grant).startswith(b"collected 7 items\nnothing\nbuilt\n")


def test_a_deep_spool_has_a_short_address(tmp_path: Path):
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    live = Rig(deep, tmp_path / "clock.json")
    try:
        live.spawner()
        live.connect()
        grant = live.give("t", python("print(ask('left')[0][:4])"))
        assert said(live, grant) == "left\n"
    finally:
        live.close()
