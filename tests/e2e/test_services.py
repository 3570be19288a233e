"""Goal: a service as it is installed really serves, and a reboot loses nothing. Method: the start
lines of the units are executed as they stand, in the bare environment that a supervisor gives."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

from msgspec.structs import replace

from leaseway.core.model.plan import TaskSpec
from leaseway.demo.pool import MARK, LocalPool
from leaseway.runtime import Clock
from tests.cli.services.reading import command_of, environment_of
from tests.e2e.house import House, is_alive


def install(pool: LocalPool, home: Path, *words: str) -> Path:
    """Run a command with --service where no systemd answers; the unit that it wrote."""
    units = home / ".config" / "systemd" / "user"
    before = set(units.glob("*.service"))
    done = subprocess.run(
        pool.command(*words, "--service", "--user"),
        env={"PATH": os.environ["PATH"], "HOME": str(home), "XDG_RUNTIME_DIR": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "No systemd answers here" in done.stdout, done.stdout + done.stderr
    (unit,) = set(units.glob("*.service")) - before
    return unit


def start(pool: LocalPool, member: str, unit: Path, **more: str) -> None:
    """Execute the start line of a unit as it stands, somewhere else."""
    text = unit.read_text(encoding="utf-8")
    with (pool.folder / f"{member}.out").open("ab") as out:
        pool.members[member] = subprocess.Popen(
            command_of(text),
            cwd="/",
            env={**environment_of(text), MARK: f"{pool.folder}/{member}", **more},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def worker_words(pool: LocalPool) -> list[str]:
    return [
        *("worker", "join", "--name", "box", "--slots", "1", "--cpus", "1"),
        *("--state", str(pool.folder / "box")),
        *("--credential", str(pool.state / "worker.credential")),
    ]


def serve(pool: LocalPool, home: Path, traces: Path) -> House:
    """A coordinator as a service, and a client beside it."""
    pool.folder.mkdir(parents=True)
    up = install(pool, home, "up", "--state", str(pool.state), "--patience", "2s")
    start(pool, "coordinator", up)
    pool.wait("the address of the coordinator", (pool.state / "url").exists)
    house = House(pool, pool.client(), traces)
    pool.wait("an answer", lambda: bool(house.client.about().software))
    return house


def joined(house: House, incarnation: int) -> bool:
    found = house.client.workers().workers
    return bool(found) and found[0].present and found[0].incarnation == incarnation


def test_the_start_lines_of_the_units_serve(tmp_path: Path) -> None:
    """Paths with a space, a percent sign and an umlaut; stopped as a supervisor stops it."""
    home = tmp_path / "hö me 100%"
    home.mkdir()
    with LocalPool(home / "pool") as pool:
        house = serve(pool, home, tmp_path)
        start(pool, "box", install(pool, home, *worker_words(pool)))
        house.wait("worker box", lambda: joined(house, 1))
        plan = house.submit(TaskSpec("a", "true", limit_ms=8_000, reads=(), writes=()))
        ended = house.wait_ended(plan.tasks[0].id)
        assert ended.outcome is not None
        assert ended.outcome.kind == "succeeded"
        long = house.submit(house.traced("long", "sleep 2"), name="other").tasks[0].id
        running = house.wait_started("long")
        daemon = pool.members.pop("box")
        daemon.send_signal(signal.SIGTERM)  # KillMode=process: the main process alone
        assert daemon.wait(timeout=20) == 0
        assert is_alive(running), "what runs goes on while its daemon is restarted"
        start(pool, "box", home / ".config/systemd/user/leaseway-worker-box.service")
        outcome = house.wait_ended(long).outcome
        assert outcome is not None
        assert outcome.kind == "succeeded"
        assert len(house.starts("long")) == 1
        house.client.close()


def test_a_reboot_is_accounted_for_and_waiting_work_goes_on(tmp_path: Path) -> None:
    """All processes of the box are gone, its clock counts from a new boot, its service starts."""
    clock = tmp_path / "clock.json"
    clock.write_text(json.dumps({"boot_id": "boot-one"}))
    with LocalPool(tmp_path / "pool") as pool:
        house = serve(pool, tmp_path, tmp_path)
        unit = install(pool, tmp_path, *worker_words(pool))
        start(pool, "box", unit, LEASEWAY_CLOCK=str(clock))
        house.wait("worker box", lambda: joined(house, 1))
        desk = ("desk.txt",)  # both write it, so the second one is not even granted
        first = replace(house.traced("long", "sleep 60", limit_ms=90_000), writes=desk)
        running = house.submit(first).tasks[0].id
        house.wait_started("long")
        second = replace(house.traced("next", "true"), writes=desk)
        waiting = house.submit(second, name="other").tasks[0].id
        pool.kill("box")
        since = 5_000 - Clock().boot_ms()
        shift = {"boot_offset_ms": since, "awake_offset_ms": since}
        clock.write_text(json.dumps({"boot_id": "boot-two", **shift}))
        start(pool, "box", unit, LEASEWAY_CLOCK=str(clock))
        ended = house.wait_ended(running).outcome
        assert ended is not None
        assert ended.cause.code == "LW709"
        after = house.wait_ended(waiting).outcome
        assert after is not None
        assert after.kind == "succeeded"
        assert (len(house.starts("long")), len(house.starts("next"))) == (1, 1)
        house.client.close()
