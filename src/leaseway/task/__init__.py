"""What a task itself can ask, from inside: am I in time, and how long have I got?

    from leaseway.task import checkpoint, left

    if checkpoint("step 3/10", next="8m").must_save:
        ...

The answers come from the keeper of this attempt, over a socket on this machine; no network is
needed and nothing heavy is imported. The protocol is one line of text: `docs/checkpoints.md`.
"""

from __future__ import annotations

import os
from _socket import AF_UNIX, SOCK_STREAM, socket

SOCKET = "LEASEWAY_SOCKET"
EXITS = {"go-on": 0, "hurry": 10, "save-and-stop": 11}
_WAIT_S = 10.0
_CHUNK = 4_096


class NotInTask(RuntimeError):
    """There is no keeper to ask: this is no task, or its keeper is gone."""


class NotTaken(ValueError):
    """The keeper did not understand what was said; the message says what it expects."""


class Answer:
    """What the keeper said. `advice`: go-on, hurry, save-and-stop; `left_s`: whole seconds to the
    stop time; `late_s`: how late it is projected to be; `stop_at`: UTC."""

    __slots__ = ("advice", "late_s", "left_s", "stop_at", "words")

    def __init__(self, advice: str, words: dict[str, str]) -> None:
        self.advice = advice
        self.words = words
        self.left_s = int(words.get("left", "0s").rstrip("s"))
        self.late_s = int(words.get("late", "0s").rstrip("s"))
        self.stop_at = words.get("stop_at", "")

    @property
    def must_save(self) -> bool:
        """Whether it is to save what it has and end now."""
        return self.advice == "save-and-stop"

    @property
    def exit_code(self) -> int:
        """0 go on, 10 hurry, 11 save and end now."""
        return EXITS.get(self.advice, 2)


def checkpoint(step: str = "", progress: float | str | None = None, next: str = "") -> Answer:
    """Say how far this task is, and hear whether it may go on. `step`: what was just done, `3/10`
    at its end means three of ten; `progress`: a share from 0 to 1; `next`: the longest that the
    next step takes, such as `8m`. NotInTask, NotTaken: nothing was noted."""
    said = ["checkpoint"]
    if progress is not None:
        said.append(f"{progress:.9f}" if isinstance(progress, float) else _escaped(str(progress)))
    said += [
        f"{key}={_escaped(str(text))}" for key, text in (("step", step), ("next", next)) if text
    ]
    return asked(" ".join(said))


def left() -> int:
    """Whole seconds until this task is told to stop."""
    return asked("left").left_s


def _escaped(text: str) -> str:
    return " ".join(text.split()).replace("%", "%25").replace(" ", "%20").replace("=", "%3D")


def asked(line: str) -> Answer:
    """What the keeper says to one line. NotInTask, NotTaken: nothing was noted."""
    address = os.environ.get(SOCKET)
    if not address:
        raise NotInTask(f"this is not inside a task of Leaseway ({SOCKET} is not set)")
    channel = socket(AF_UNIX, SOCK_STREAM)
    try:
        channel.settimeout(_WAIT_S)
        channel.connect(address)
        channel.sendall(line.encode() + b"\n")
        said = b""
        while not said.endswith(b"\n"):
            data = channel.recv(_CHUNK)
            if not data:
                break
            said += data
    except OSError as error:
        raise NotInTask(f"the keeper of this task does not answer: {error}") from error
    finally:
        channel.close()
    advice, _, rest = said.decode().strip().partition(" ")
    if advice == "error":
        raise NotTaken(rest)
    if not advice:
        raise NotInTask("the keeper of this task does not answer: the attempt is over")
    return Answer(advice, dict(word.split("=", 1) for word in rest.split() if "=" in word))
