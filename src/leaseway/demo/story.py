"""The demonstration as it is told: leases, scan, a refusal, a run with a machine that dies."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from leaseway.client.blocking import Client
from leaseway.client.calls import TaskFilter
from leaseway.demo.pool import LocalPool
from leaseway.planfile.leases import read_leases
from leaseway.wire.tasks import TaskInfo

HERE = Path(__file__).parent
_WIDTH = 100

Say = Callable[[str], None]


class DemoOptions(Struct, frozen=True):
    """Which leases and plan; None: those beside this file. `victim`: the task whose machine
    dies while it runs."""

    leases: Path | None = None
    plan: Path | None = None
    victim: str = "archive"


def run_demo(options: DemoOptions, say: Say) -> int:
    """Tell the whole story. 0 if every step ran; the outcomes of its tasks are the story's own."""
    leases = options.leases or HERE / "leases.toml"
    plan = options.plan or HERE / "plan.toml"
    with (
        tempfile.TemporaryDirectory(prefix="leaseway-demo-") as folder,
        LocalPool(Path(folder)) as pool,
    ):
        plan = Path(shutil.copy(plan, folder))  # its tasks write beside it
        telling = Telling(pool, say)
        telling.title("Three machines are offered, each with a lease of its own")
        pool.up("--patience", "2s")
        for name in read_leases(leases):
            pool.join(name, leases)
        telling.command("workers")
        telling.title("Thirty seconds before anything runs: the scan")
        telling.command("scan", str(plan))
        telling.title("A task that needs 8 minutes is not started where it cannot finish")
        telling.command("run", telling.own("too-long.toml"))
        telling.title(f"The plan runs; the machine under {options.victim} loses its power")
        telling.run_and_kill(plan, options.victim)
        telling.title("Every task has one outcome, and one command says why")
        telling.aftermath(options.victim)
        several_plans(telling)
    return 0


def several_plans(telling: Telling) -> None:
    """Plans that respect each other: latecomers, two writers of one path, a lease that shrinks."""
    telling.title("Latecomers do not squeeze what is promised")
    telling.pool.join("tiny", HERE / "tiny.toml")
    telling.command("run", "--detach", telling.own("long.toml"))
    telling.command("run", telling.own("latecomers.toml"))
    # At once, while what was promised first still runs, however slow this machine is.
    telling.title("The owner shortens a lease: who can no longer be kept hears it at once")
    telling.command("run", "--detach", telling.own("behind.toml"))
    telling.command("lease", "set", "tiny", "--for", "2s")
    telling.explain_named("upload")
    telling.explain_named("crunch")
    telling.title("Two principals write one path: one is placed after the other, and told so")
    writer = telling.own("writer.toml")
    telling.command("run", "--detach", writer)
    agent = str(telling.pool.state / "agent.credential")
    telling.command("--credential", agent, "run", writer)


class Telling:
    """Runs commands of the pool and shows them with what they printed."""

    def __init__(self, pool: LocalPool, say: Say) -> None:
        self.pool = pool
        self.say = say

    def title(self, text: str) -> None:
        """A new chapter."""
        self.say("")
        self.say(f"── {text} ".ljust(_WIDTH, "─"))

    def command(self, *words: str) -> int:
        """Run a command and show it."""
        self._prompt(*words)
        done = subprocess.run(
            self.pool.command(*words),
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        for line in done.stdout.rstrip("\n").splitlines():
            self.say(line)
        if done.returncode:
            self.say(f"(exit code {done.returncode})")
        return done.returncode

    def own(self, name: str) -> str:
        """A plan of the demonstration, copied to where its tasks may write beside it."""
        return str(shutil.copy(HERE / name, self.pool.folder))

    def explain_named(self, name: str) -> None:
        """`leaseway explain` of the newest task of this name."""
        with self.pool.client() as client:
            found = [task.id for task in self._tasks(client) if task.name == name]
        if found:
            self.command("explain", found[0])

    def run_and_kill(self, plan: Path, victim: str) -> None:
        """`leaseway run`, and while the victim runs its whole machine is killed."""
        self._prompt("run", str(plan), "--partial")
        running = subprocess.Popen(
            self.pool.command("run", str(plan), "--partial"),
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert running.stdout is not None
        killed = False
        with self.pool.client() as client:
            for line in running.stdout:
                self.say(line.rstrip("\n"))
                if not killed:
                    killed = self._kill_under(client, victim)
        code = running.wait()
        if code:
            self.say(f"(exit code {code})")

    def _kill_under(self, client: Client, victim: str) -> bool:
        """Kill the worker on which the victim runs, once it runs."""
        for task in self._tasks(client):
            attempt = task.attempt
            if task.name != victim or attempt is None or task.state != "running":
                continue
            pids = self.pool.kill(attempt.worker)
            self.say(f"   ⚡ {attempt.worker} loses its power ({len(pids)} processes killed)")
            return True
        return False

    def aftermath(self, victim: str) -> None:
        """Why the victim ended so, and the partial output of whatever overran."""
        with self.pool.client() as client:
            tasks = self._tasks(client)
        for task in tasks:
            if task.name == victim:
                self.command("explain", task.id)
        for task in tasks:
            if task.outcome is not None and task.outcome.kind == "overran":
                self.command("explain", task.id)
                self.command("logs", task.id)
        self.command("inbox")

    def _tasks(self, client: Client) -> list[TaskInfo]:
        return list(client.tasks(TaskFilter()).tasks)

    def _prompt(self, *words: str) -> None:
        files = (".toml", ".credential")
        shown = [Path(word).name if word.endswith(files) else word for word in words]
        self.say("$ leaseway " + " ".join(shown))

    def _environment(self) -> dict[str, str]:
        return {**self.pool.environment(), "COLUMNS": str(_WIDTH)}
