"""What the control groups of this process allow: in a container, less than the machine has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")


@dataclass(frozen=True)
class Limits:
    """None: no bound. `cpus_milli`: thousandths of a cpu."""

    cpus_milli: int | None = None
    memory_bytes: int | None = None


def limits_here(groups: Path = GROUPS, own: Path = OWN) -> Limits:
    """The tightest bounds on the way from this process's group to the root. Version 2 only; what
    cannot be read bounds nothing."""
    cpus: list[int] = []
    memory: list[int] = []
    for folder in _up(groups, own):
        quota = _words(folder / "cpu.max")
        if len(quota) == 2 and all(word.isdigit() for word in quota) and int(quota[1]):
            cpus.append(max(1, int(quota[0]) * 1000 // int(quota[1])))
        most = _words(folder / "memory.max")
        if len(most) == 1 and most[0].isdigit():
            memory.append(int(most[0]))
    return Limits(min(cpus, default=None), min(memory, default=None))


def _up(groups: Path, own: Path) -> Iterator[Path]:
    """The group of this process and all above it. The group may stand outside what is mounted
    here; then the root of the mount is what counts."""
    line = next((line for line in _lines(own) if line.startswith("0::")), "0::/")
    parts = [part for part in line[3:].split("/") if part not in ("", "..")]
    for length in range(len(parts), -1, -1):
        yield groups.joinpath(*parts[:length])


def _words(file: Path) -> list[str]:
    return " ".join(_lines(file)).split()


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
