"""Goal: with a laptop and two other machines real work is done in ten minutes. Method: three
network namespaces, and the commands of docs/tutorial.md typed into them as they stand there; what
the page shows is compared with what is printed, but for times, addresses and invitations."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from leaseway.runtime import Clock
from tests.checkout import ROOT
from tests.e2e.house import command_line
from tests.e2e.lan import Lan, Machine, why_none
from tests.e2e.terminal import Running
from tests.e2e.told import INVITATION, Step, WrittenFile, missing, steps_of

PAGE = ROOT / "docs" / "tutorial.md"
LAPTOP_THERE, HOME_THERE = "192.168.1.5", "/home/ann"
STAYS = ("leaseway up", "leaseway worker join")
SHAPES = "def area(width, height):\n    return width * height\n"
TESTS = """\
from shapes import area


def test_area():
    assert area(2, 3) == 6


def test_nothing():
    assert area(0, 3) == 0
"""


@dataclass
class Typist:
    """Types a page into the machines, and remembers what each printed. `lan`: with machines called
    laptop, box1 and box2."""

    lan: Lan
    codes: dict[str, int] = field(default_factory=dict)
    folders: dict[str, Path] = field(default_factory=dict)
    staying: dict[str, Running] = field(default_factory=dict)
    printed: list[str] = field(default_factory=list)
    took_ms: list[tuple[int, str]] = field(default_factory=list)

    def machine(self, name: str) -> Machine:
        """The one of this name."""
        return next(each for each in self.lan.machines if each.name == name)

    def follow(self, page: str) -> None:
        """Everything that it tells to do."""
        for step in steps_of(page):
            if isinstance(step, WrittenFile):
                self.folders["laptop"].joinpath(step.name).write_text(step.text)
                continue
            began = Clock().boot_ms()
            self.type(step)
            self.took_ms.append((Clock().boot_ms() - began, f"{step.machine}$ {step.command}"))

    def type(self, step: Step) -> None:
        """One command; what the page shows below it has to be printed."""
        if step.command == "^C":
            text = self.press_ctrl_c(step.machine)
        elif step.command.startswith(STAYS):
            text = self.begin(step)
        else:
            text = self.run(step)
        self.printed.append(text)
        assert missing(step.answers(), self.as_there(text)) == [], f"{step.command}\n{text}"

    def begin(self, step: Step) -> str:
        """A command that goes on; at a worker's question for an invitation, the last one told."""
        running = self.start(step, f"exec {self.here(step.command)}")
        self.staying[step.machine] = running
        if "worker join" in step.command:
            running.wait_for("(not shown):")
            running.type(INVITATION.findall("\n".join(self.printed))[-1])
        return running.wait_until(self.shows(step.answers()), str(step.answers()))

    def run(self, step: Step) -> str:
        """A command that ends, in the folder and after the exit code of the last one there."""
        line, told = self.here(step.command), self.lan.folder / "pwd"
        if step.interrupted:
            running = self.start(step, f"exec {line}")
            before = step.shown[: step.shown.index("^C")]
            running.wait_until(self.shows(before), str(before))
            running.interrupt()
            self.codes[step.machine] = running.end()
            return running.printed
        last = self.codes.get(step.machine, 0)
        running = self.start(step, f"(exit {last}); {line}\ncode=$?; pwd > {told}; exit $code")
        self.codes[step.machine] = running.end()
        self.folders[step.machine] = Path(told.read_text().strip())
        return running.printed

    def press_ctrl_c(self, machine: str) -> str:
        """End what goes on there."""
        running = self.staying.pop(machine)
        running.interrupt()
        assert running.end() == 0, running.printed
        return running.printed

    def left(self) -> list[str]:
        """Command lines of what still runs on the machines."""
        return [command_line(pid) for each in self.lan.machines for pid in each.pids()]

    def start(self, step: Step, line: str) -> Running:
        """In a terminal of its own."""
        machine = self.machine(step.machine)
        return Running.start(machine, line, self.folders.setdefault(step.machine, machine.home))

    def shows(self, lines: list[str]) -> Callable[[str], bool]:
        """Whether all of these are printed."""
        return lambda text: not missing(lines, self.as_there(text))

    def here(self, command: str) -> str:
        """The page's command with our address."""
        return command.replace(LAPTOP_THERE, self.machine("laptop").address)

    def as_there(self, text: str) -> str:
        """What was printed here, with the page's address and home."""
        for machine in self.lan.machines:
            text = text.replace(str(machine.home), HOME_THERE)
        return text.replace(self.machine("laptop").address, LAPTOP_THERE)

    def report(self) -> str:
        """How long each command took."""
        lines = [f"{took / 1000:6.2f} s  {command}" for took, command in self.took_ms]
        return "\n".join([*lines, f"{sum(took for took, _ in self.took_ms) / 1000:6.2f} s  in all"])


@pytest.fixture
def typist(tmp_path: Path) -> Iterator[Typist]:
    if why := why_none():
        pytest.skip(why)
    with Lan(tmp_path, "laptop", "box1", "box2") as lan:
        yield Typist(lan)


def a_checkout(folder: Path) -> None:
    """A small project under git."""
    (folder / "tests").mkdir(parents=True)
    (folder / "shapes.py").write_text(SHAPES)
    (folder / "tests" / "test_shapes.py").write_text(TESTS)
    (folder / ".gitignore").write_text("__pycache__/\n.pytest_cache/\n")
    person = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    for words in (("init", "-q"), ("add", "."), (*person, "commit", "-qm", "Shapes")):
        subprocess.run(["git", *words], cwd=folder, check=True)


def test_the_first_hour_as_the_tutorial_tells_it(typist: Typist):
    laptop, box1, _ = typist.lan.machines
    a_checkout(laptop.home / "shapes")
    try:
        typist.follow(PAGE.read_text(encoding="utf-8"))
    finally:
        print(typist.report())
    assert sum(took for took, _ in typist.took_ms) < 60_000
    brought = (laptop.home / "shapes" / "report.xml").read_text()
    assert 'hostname="box1"' in brought
    assert (laptop.home / "shapes" / "summary.txt").read_text() == 'tests="2"\ntold by box2\n'
    everything = "\n".join(typist.printed)
    assert "Traceback" not in everything
    assert "refused:" not in everything, "the coordinator shut its door on somebody"
    assert "LW202" not in everything, "what git ignores was told as a change"
    assert [line for line in everything.splitlines() if len(line) > 100] == []
    assert [each for each in typist.left() if "worker.spawner" not in each] == []
    files = [path for path in box1.home.rglob("*") if path.is_file()]
    assert files == [], "the page says how to undo it all"


def test_every_command_of_the_page_is_typed():
    """No command hides in a block that the test above does not read."""
    page = PAGE.read_text(encoding="utf-8")
    prompts = re.findall(r"^(?:laptop|box\d)\$ ", page, flags=re.MULTILINE)
    typed = [step for step in steps_of(page) if isinstance(step, Step)]
    assert len(typed) == len(prompts) > 15
