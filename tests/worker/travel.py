"""What a test of travelling trees does with a house: hand out trees, look at views."""

from __future__ import annotations

import resource
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import Any

from leaseway.core.model.outcomes import Ending
from leaseway.core.model.plan import Archive
from leaseway.core.model.sync import AttemptRef, Held
from leaseway.worker.spool import view_name
from tests.worker.house import House
from tests.worker.waiting import until

NOISE = "".join(f"{number * 2654435761 % 2**32:08x}" for number in range(40_000))
"""320 kB that do not compress below 100 kB."""


class Travel:
    """A house whose desk keeps archives."""

    def __init__(self, house: House, folder: Path) -> None:
        self.house = house
        self.folder = folder
        self.desk, self.shelf = house.desk, house.desk.shelf
        self._unpacked = 0

    def tree(self, **files: str) -> Archive:
        return self.shelf.add(self.folder, files)

    def grant(self, name: str, run: str, *layers: Archive, **more: Any) -> AttemptRef:
        fields = {"brings": ("out",), "outputs": ("out",), **more}
        return self.desk.grant(name, run, layers=layers, **fields)

    def ending(self, ref: AttemptRef) -> Ending:
        return self.house.ending(ref).ending

    def files(self, archive: Archive | None) -> dict[str, str]:
        """What was brought."""
        assert archive is not None
        self._unpacked += 1
        into = self.folder / f"brought-{self._unpacked}"
        return self.shelf.unpacked(archive, into)[0]

    def view(self, ref: AttemptRef) -> Path:
        return self.house.state / "views" / view_name(ref)

    def is_back(self, ref: AttemptRef) -> None:
        until(partial(self.desk.is_back, ref), f"{ref} to be handed back")

    def held(self, ref: AttemptRef) -> Held | None:
        """As the latest sync has it."""
        said = self.desk.syncs[-1].held if self.desk.syncs else ()
        return next((held for held in said if held.ref == ref), None)

    def told(self, words: str) -> None:
        until(lambda: words in self.house.said.read_text(), f"it to be told: {words}")

    def left(self) -> list[str]:
        """Every file of views and of what is on its way in."""
        roots = (self.house.state / "views", self.house.state / "cache" / "incoming")
        return [str(path) for root in roots for path in root.rglob("*") if path.is_file()]

    def is_gone(self, ref: AttemptRef) -> None:
        until(lambda: not self.view(ref).exists() and not self.left(), "its view to be removed")


def full_disk(daemon: Popen[bytes], most_bytes: int) -> None:
    """No file of this daemon may grow beyond; none, once it is -1."""
    limit = most_bytes if most_bytes >= 0 else resource.RLIM_INFINITY
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
