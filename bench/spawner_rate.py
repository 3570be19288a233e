"""How many `true` a second the spawner runs with two slots, as a ratio to the floor of this run.

    python bench/spawner_rate.py [TASKS [ROUNDS]]

The floor is posix_spawn + wait of /bin/true with a true two in flight. The journal is synced by
this process once per batch, as the daemon does it.
"""

from __future__ import annotations

import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from leaseway.core.model.capacity import Capacity, Uses
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.worker import LocalGrant, NoteEnded, NoteGranted, SetCapacity
from leaseway.worker import messages
from leaseway.worker.channel import Channel, connect_in
from leaseway.worker.journal import notes_of
from leaseway.worker.spawner import DOOR
from leaseway.worker.spool import Spool

AHEAD = 32
SLOTS = 2
BATCH_S = 0.01


def floor_per_s(tasks: int) -> float:
    """Rate of bare processes, two in flight."""
    started = time.perf_counter()
    running = 0
    for _ in range(tasks):
        os.posix_spawn("/bin/true", ["/bin/true"], os.environ)
        running += 1
        if running == SLOTS:
            os.waitid(os.P_ALL, 0, os.WEXITED)
            running -= 1
    while running:
        os.waitid(os.P_ALL, 0, os.WEXITED)
        running -= 1
    return tasks / (time.perf_counter() - started)


def grant(number: int, now_ms: int) -> LocalGrant:
    """One `true`."""
    return LocalGrant(
        ref=AttemptRef(f"bench-{number}", 1),
        run=("/bin/true",),
        reserved_ms=60_000,
        not_before_boot=0,
        start_by_boot=now_ms + 600_000,
        stop_latest_boot=now_ms + 600_000,
        uses=Uses(cpus_milli=1000),
        order=number,
    )


def connect(spool: Spool) -> Channel:
    """The spawner's door, as soon as it opens."""
    for _ in range(1000):
        try:
            return Channel(connect_in(spool.root, DOOR))
        except OSError:
            time.sleep(0.01)
    raise SystemExit("the spawner does not open its door")


def run(spool: Spool, channel: Channel, numbers: range) -> float:
    """Feed the spawner `AHEAD` ahead; the rate."""
    now_ms = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000
    tasks = len(numbers)
    grants = [grant(number, now_ms) for number in numbers]
    channel.send(messages.encode(SetCapacity(Capacity(cpus_milli=SLOTS * 1000, slots=SLOTS))))
    channel.send(messages.encode(messages.Accept(yes=True)))
    position, given, ended = spool.journal.end(), 0, 0
    started = time.perf_counter()
    while ended < tasks:
        fresh = tuple(grants[given : ended + AHEAD])
        if fresh:
            spool.journal.append(*(NoteGranted(one, "bench") for one in fresh))
            spool.journal.sync()
            channel.send(messages.encode(messages.Queue(fresh)))
            given += len(fresh)
        channel.send(messages.encode(messages.Watch()))
        time.sleep(BATCH_S)
        channel.receive()
        data, position = spool.journal.read_from(position)
        spool.journal.sync()
        ended += sum(isinstance(note, NoteEnded) for note in notes_of(data))
    return tasks / (time.perf_counter() - started)


def children(pid: int) -> list[int]:
    """Keepers of a spawner."""
    return [int(w) for w in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def cpu_s(pid: int) -> float:
    """What a process and those it waited for have used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(int(word) for word in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def pss_kb(pid: int) -> int:
    """Proportional memory of a process."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def own_children_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    mine = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime + mine.ru_utime + mine.ru_stime


def rounds(spool: Spool, spawner: int, tasks: int, count: int) -> list[tuple[float, ...]]:
    """Floor and spawner in turn: rate and CPU per task of both."""
    found: list[tuple[float, ...]] = []
    channel, number = connect(spool), 0
    for _ in range(count):
        before = own_children_cpu_s()
        floor = floor_per_s(tasks)
        floor_cpu = own_children_cpu_s() - before
        before = cpu_s(spawner) + sum(cpu_s(pid) for pid in children(spawner))
        rate = run(spool, channel, range(number, number + tasks))
        after = cpu_s(spawner) + sum(cpu_s(pid) for pid in children(spawner))
        number += tasks
        found.append((floor, rate, 1000 * floor_cpu / tasks, 1000 * (after - before) / tasks))
    return found


def main() -> None:
    """Print rate, floor and ratio."""
    tasks = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as folder:
        spool = Spool(Path(folder))
        process = subprocess.Popen([sys.executable, "-m", "leaseway.worker.spawner", folder])
        try:
            found = rounds(spool, process.pid, tasks, count)
            time.sleep(0.5)  # the last keepers have left
            memory = [pss_kb(pid) for pid in (process.pid, *children(process.pid))]
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
    for floor, rate, floor_cpu, cpu in found:
        print(
            f"floor {floor:5.0f}/s {floor_cpu:.2f} ms CPU   spawner {rate:5.0f}/s {cpu:.2f} ms CPU"
            f"   ratio {rate / floor:.2f}"
        )
    print(f"median ratio {statistics.median(rate / floor for floor, rate, *_ in found):.2f}")
    print(f"proportional memory, kB: spawner {memory[0]}, keepers {memory[1:]}")


if __name__ == "__main__":
    main()
