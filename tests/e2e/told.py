"""What a page tells to type, and what it shows as the answer: ```console blocks whose commands
begin with the machine's name. Shown lines are compared with what was really printed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_COMMAND = re.compile(r"^(laptop|box1|box2)\$ (.+)$")
_BLOCK = re.compile(r"^```(console|toml|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"^# (\S+\.toml)\n")
INVITATION = re.compile(r"\b[A-Z2-7]{8}(?:-[A-Z2-7]{8}){6}\b")
_VARIES = (
    (INVITATION, "(invitation)"),
    (re.compile(r"\b[0-9a-f]{4}(?:-[0-9a-f]{4}){7}\b"), "(fingerprint)"),
    (re.compile(r"\bledger-[0-9a-f]+\b"), "(ledger)"),
    (re.compile(r"\b\d{4}-\d\d-\d\d "), ""),
    (re.compile(r"\b\d\d:\d\d:\d\d\b"), "(time)"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|[smh]|[KMG]iB)\b(?: \d+[smh]\b)*"), "(much)"),
    (re.compile(r"\bjust now\b"), "(much) ago"),
    (re.compile(r"\b\d+(?:\.\d+)?(?= (?:cpus?|slots?|of|days)\b)"), "(many)"),
    (re.compile(r"(?<=of )\d+(?:\.\d+)?\b"), "(many)"),
)


@dataclass
class Step:
    """One command: on which machine, the text, and the lines that the page shows below it."""

    machine: str
    command: str
    shown: list[str] = field(default_factory=list)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C is pressed while it runs."""
        return "^C" in self.shown

    def answers(self) -> list[str]:
        """The shown lines that its output must have."""
        return [line for line in self.shown if line.strip() not in ("", "…", "^C")]


@dataclass(frozen=True)
class WrittenFile:
    """A file that the page gives whole."""

    name: str
    text: str


def steps_of(page: str) -> list[Step | WrittenFile]:
    """Commands and files of a page in the order of reading."""
    found: list[Step | WrittenFile] = []
    for language, text in _BLOCK.findall(page):
        if language == "toml" and (named := _FILE.match(text)):
            found.append(WrittenFile(named[1], text))
        elif language == "console":
            found += _steps_in(text)
    return found


def _steps_in(block: str) -> list[Step]:
    steps: list[Step] = []
    for line in block.splitlines():
        command = _COMMAND.match(line)
        if command:
            steps.append(Step(command[1], command[2]))
        else:
            steps[-1].shown.append(line)
    return steps


def same_text(text: str) -> str:
    """Without what is another each time, and however it was wrapped."""
    text = " ".join(text.split())
    for pattern, name in _VARIES:
        text = pattern.sub(name, text)
    return text


def missing(shown: list[str], printed: str) -> list[str]:
    """Shown lines that were not printed."""
    real = same_text(printed)
    return [line for line in shown if same_text(line) not in real]
