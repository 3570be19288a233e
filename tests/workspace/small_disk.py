"""One story on a disk that is too small, in a process of its own.

`small_disk.py HOW STORY FOLDER`: HOW is `mount` (inside a mount namespace of its own, a file system
of 256 KiB is laid on FOLDER/disk) or `limit` (no file of this process may pass 100 KiB). The story
prints the errno it met and what is on the small disk afterwards.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from leaseway.workspace.bringing import Delivery, bring
from leaseway.workspace.cache import Cache
from leaseway.workspace.errors import NotWritten
from leaseway.workspace.listing import tree_of
from leaseway.workspace.manifest import Manifest
from leaseway.workspace.packing import pack
from leaseway.workspace.unpacking import unpack

DISK = 256 << 10
SMALL, LARGE = 20 << 10, 400 << 10


def tell(folder: Path, story: str, how: str) -> None:
    disk, source = folder / "disk", folder / "source"
    disk.mkdir()
    source.mkdir()
    (source / "a-small").write_bytes(os.urandom(SMALL))
    (source / "b-large").write_bytes(os.urandom(LARGE))
    archive = folder / "archive"
    digest = pack(tree_of(source), archive).digest
    make_small(disk, how)
    (disk / "a-small").write_bytes(b"mine")
    stories: dict[str, Callable[[], object]] = {
        "pack": lambda: pack(tree_of(source), disk / "out"),
        "unpack": lambda: unpack(archive, disk / "new", digest),
        "bring": lambda: bring(Delivery(archive, digest, "t"), disk, Manifest()),
        "put": lambda: Cache(disk, 1 << 30).put(digest, archive),
    }
    met = None
    try:
        stories[story]()
    except NotWritten as refused:
        met = refused.errno
    left = {path.name: path.read_bytes() == b"mine" for path in disk.iterdir()}
    print(json.dumps({"errno": met, "left": left}))


def make_small(disk: Path, how: str) -> None:
    if how == "mount":
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", os.fspath(disk)], check=True
        )
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100 << 10, 100 << 10))


if __name__ == "__main__":
    tell(Path(sys.argv[3]), sys.argv[2], sys.argv[1])
