"""`leaseway checkpoint` and `leaseway left`, without anything heavy: they are asked for often.

Exit codes: 0 go on, 10 hurry, 11 save and end now, 2 nothing was asked (and nothing was noted).
"""

from __future__ import annotations

import sys

from leaseway.task import Answer, NotInTask, NotTaken, asked, checkpoint

COMMANDS = ("checkpoint", "left")
NOT_ASKED = 2
_USAGE = 'usage: leaseway checkpoint ["step 3/10"] [--progress 0.3] [--next 8m] [--json]'
_SHOWN = {
    "go-on": "go on",
    "hurry": "hurry",
    "save-and-stop": "save and end now",
}


def is_light(argv: list[str]) -> bool:
    """Whether these arguments (without the program's name) are answered here."""
    return bool(argv) and argv[0] in COMMANDS and not {"--help", "-h"} & set(argv)


def run(argv: list[str]) -> int:
    """Carry out one of the two; the exit code."""
    try:
        if argv[0] == "left":
            return _left(argv[1:])
        return _checkpoint(argv[1:])
    except (NotInTask, NotTaken) as error:
        return _told(str(error))


def _left(rest: list[str]) -> int:
    if rest not in ([], ["--json"]):
        return _told("usage: leaseway left [--json]")
    answer = asked("left")
    as_json = f'{{"left_s": {answer.left_s}, "stop_at": "{answer.stop_at}"}}'
    sys.stdout.write(f"{as_json if rest else answer.left_s}\n")
    return 0


def _checkpoint(rest: list[str]) -> int:
    steps: list[str] = []
    options: dict[str, str] = {}
    as_json = False
    words = iter(rest)
    for word in words:
        name, equals, value = word.partition("=")
        if name in ("--progress", "--next"):
            options[name] = value if equals else next(words, "")
            if not options[name]:
                return _told(f"{name} needs a value\n{_USAGE}")
        elif word == "--json":
            as_json = True
        elif word.startswith("-") or steps:
            return _told(f"{word} is not understood\n{_USAGE}")
        else:
            steps.append(word)
    answer = checkpoint("".join(steps), options.get("--progress"), options.get("--next", ""))
    if as_json:
        sys.stdout.write(as_object(answer))
    else:
        sys.stderr.write(as_sentence(answer))
    return answer.exit_code


def as_sentence(answer: Answer) -> str:
    """For people, on the error stream: what a task prints is its own."""
    late = f", projected late by {answer.late_s}s" if answer.late_s else ""
    shown = _SHOWN.get(answer.advice, answer.advice)
    return f"leaseway: {shown}{late}; {answer.left_s}s left, stop time {answer.stop_at}\n"


def as_object(answer: Answer) -> str:
    """For machines. All words are plain: nothing in them needs to be escaped."""
    progress = answer.words.get("progress", "null")
    return (
        f'{{"advice": "{answer.advice}", "left_s": {answer.left_s}, "late_s": {answer.late_s}, '
        f'"stop_at": "{answer.stop_at}", "reason": "{answer.words.get("reason", "")}", '
        f'"progress": {progress}}}\n'
    )


def _told(text: str) -> int:
    sys.stderr.write(f"leaseway: {text}\n")
    return NOT_ASKED
