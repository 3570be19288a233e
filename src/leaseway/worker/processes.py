"""Processes of an attempt: whose they are, and signalling them without trusting a bare pid.

A pid may be used again by somebody else. So a process is signalled through a pidfd that was opened
first and checked afterwards, or while it is our own child that nobody has reaped.

Descent finds everything as long as a subreaper above is alive; the mark in the environment finds
what is left after that.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import signal
from collections.abc import Callable, Iterator

MARK = "LEASEWAY_ATTEMPT"
_ENTRY = f"{MARK}=".encode()
_PAGE = 4096
_LONGEST_PID = 16
_PR_SET_CHILD_SUBREAPER = 36


def become_subreaper() -> None:
    """Descendants whose parent has died become our children, not those of init."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def stat_fields(pid: int) -> list[bytes] | None:
    """The fields of /proc/PID/stat after the command's name: [0] state, [1] parent, [3] session,
    [19] start time in clock ticks. None: no such process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text[text.rindex(b")") + 2 :].split()


def start_of(pid: int) -> int | None:
    """When the process started, in clock ticks: together with its pid, who it is."""
    fields = stat_fields(pid)
    return int(fields[19]) if fields else None


def is_alive(pid: int) -> bool:
    """Exists and is not a zombie."""
    fields = stat_fields(pid)
    return fields is not None and fields[0] not in (b"Z", b"X")


def is_halted(pid: int) -> bool:
    """Stopped by a signal, and waiting for another to go on."""
    fields = stat_fields(pid)
    return fields is not None and fields[0] == b"T"


def children_of(pid: int) -> list[int]:
    """Children as of now, zombies included."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", "rb") as file:
            return [int(word) for word in file.read().split()]
    except FileNotFoundError:
        return []
    except OSError as error:
        if error.errno == errno.ESRCH:
            return []
        raise


def descendants(pid: int) -> list[int]:
    """Everything below `pid`, nearest first, zombies included."""
    found: list[int] = []
    queue = [pid]
    while queue:
        below = children_of(queue.pop(0))
        found += below
        queue += below
    return found


def mark_in(pid: int) -> str | None:
    """The mark a process was started with, if any can be seen."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            found = [entry for entry in file.read().split(b"\0") if entry.startswith(_ENTRY)]
    except OSError:  # gone, a kernel thread, or not ours
        return None
    return found[-1][len(_ENTRY) :].decode(errors="replace") if found else None


def carries(pid: int, mark: str) -> bool:
    """Whether this process was started with the mark in its environment."""
    return mark_in(pid) == mark


def marked(mark: str) -> list[int]:
    """Every process of this machine that carries the mark. Reads all of /proc."""
    pids = (int(name) for name in os.listdir("/proc") if name.isdigit())
    return [pid for pid in pids if carries(pid, mark)]


def ancestors(pid: int) -> Iterator[int]:
    """Parent, its parent, and so on."""
    while pid > 1:
        fields = stat_fields(pid)
        if fields is None:
            return
        pid = int(fields[1])
        yield pid


@contextlib.contextmanager
def pinned(pid: int) -> Iterator[int | None]:
    """A pidfd of the process, or None when it is gone."""
    try:
        fd = os.pidfd_open(pid)
    except OSError as error:
        if error.errno not in (errno.ESRCH, errno.EINVAL):
            raise
        yield None
        return
    try:
        yield fd
    finally:
        os.close(fd)


def signal_if(pid: int, number: int, belongs: Callable[[int], bool]) -> bool:
    """Signal `pid` if it is still what we take it for; asked after it was pinned."""
    with pinned(pid) as fd:
        if fd is None or not belongs(pid):
            return False
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(fd, number)
        return True


class Tree:
    """All processes of one attempt: below `root`, which is a subreaper and runs nothing else, or
    carrying the mark."""

    def __init__(self, root: int, mark: str) -> None:
        self.root = root
        self.mark = mark

    def below(self) -> list[int]:
        """Living descendants of the root; cheap."""
        return [pid for pid in descendants(self.root) if is_alive(pid)]

    def everywhere(self) -> list[int]:
        """Those, and whatever else carries the mark."""
        found = dict.fromkeys(self.below())
        found.update(dict.fromkeys(pid for pid in marked(self.mark) if is_alive(pid)))
        return list(found)

    def signal(self, number: int, pids: list[int]) -> None:
        """Signal each that still belongs here."""
        for pid in pids:
            signal_if(pid, number, self._belongs)

    def _belongs(self, pid: int) -> bool:
        return carries(pid, self.mark) or self.root in ancestors(pid)


class OwnChildren:
    """The children of this process, read again and again at the price of one system call."""

    def __init__(self) -> None:
        own = os.getpid()
        self._fd = os.open(f"/proc/self/task/{own}/children", os.O_RDONLY | os.O_CLOEXEC)

    def pids(self) -> list[int]:
        """All of them, zombies included."""
        text = os.pread(self._fd, _PAGE, 0)
        if len(text) > _PAGE - _LONGEST_PID:  # there may be more
            while chunk := os.pread(self._fd, _PAGE, len(text)):
                text += chunk
        return [int(word) for word in text.split()]
