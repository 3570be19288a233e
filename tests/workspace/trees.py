"""Small trees for tests: made by hypothesis or by hand, written to a disk, read back by brute
force."""

from __future__ import annotations

import io
import os
import socket
import stat
import tarfile
from collections.abc import Mapping
from pathlib import Path

from hypothesis import strategies as st

# A tree as a plain value: name -> ("file", content, x bit) | ("link", target) | ("folder",).
Node = tuple
Nodes = Mapping[str, Node]

PARTS = st.sampled_from(
    ["a", "b", "B", "ü", "with space", "-dash", "new\nline", "\udcff", "x.txt", ".hidden", "*"]
)
NAMES = st.lists(PARTS, min_size=1, max_size=3).map("/".join)
FILES = st.tuples(st.just("file"), st.binary(max_size=40) | st.just(b"long" * 3000), st.booleans())
LINKS = st.tuples(st.just("link"), NAMES)
NODES = st.one_of(FILES, FILES, LINKS, st.just(("folder",)))


def fitting(drawn: Nodes) -> dict[str, Node]:
    """Without what cannot stand together: something below a file or a link, a folder that is
    listed although it holds something, a link that leads out through others."""
    kept: dict[str, Node] = {}
    for name in sorted(drawn, key=lambda n: n.count("/")):
        above = ["/".join(name.split("/")[:n]) for n in range(1, name.count("/") + 1)]
        if all(kept.get(folder, ("folder",))[0] == "folder" for folder in above):
            kept[name] = drawn[name]
    return {
        name: node
        for name, node in kept.items()
        if node != ("folder",) or not any(other.startswith(f"{name}/") for other in kept)
    }


TREES = st.dictionaries(NAMES, NODES, max_size=8).map(fitting)


def write(root: Path, nodes: Nodes, mtime_s: int = 1_700_000_000) -> Path:
    """The tree on disk, new, each with the same time of change."""
    root.mkdir(parents=True, exist_ok=True)
    for name, node in nodes.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        put(path, node)
        if node[0] != "folder":
            os.utime(path, (mtime_s, mtime_s), follow_symlinks=False)
    return root


def put(path: Path, node: Node) -> None:
    match node:
        case ("file", content, is_program):
            path.write_bytes(content)
            path.chmod(0o755 if is_program else 0o644)
        case ("link", target):
            path.symlink_to(target)
        case _:
            path.mkdir(exist_ok=True)


def read(root: Path) -> dict[str, Node]:
    """What is on disk, by brute force; folders only if empty."""
    found: dict[str, Node] = {}
    for folder, inner, files in os.walk(root):
        here = os.path.relpath(folder, root)
        if here != "." and not inner and not files:
            found[here] = ("folder",)
        for name in [*inner, *files]:
            path = Path(folder, name)
            relative = os.path.relpath(path, root)
            at = path.lstat()
            if stat.S_ISLNK(at.st_mode):
                found[relative] = ("link", os.readlink(path))
            elif stat.S_ISREG(at.st_mode):
                found[relative] = ("file", path.read_bytes(), bool(at.st_mode & stat.S_IXUSR))
    return found


def bind_socket(path: Path) -> None:
    """A real socket, left behind as a crashed server leaves it."""
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(os.fspath(path))


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", size: int = 0):
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.size = kind, link, size
    return made


def archive_by_hand(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> str:
    """An archive that `pack` would not write, with the digest that is true of it."""
    import gzip
    import hashlib

    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for made, content in members:
            made.size = len(content) if made.isreg() else made.size
            tar.addfile(made, io.BytesIO(content))
    path.write_bytes(gzip.compress(plain.getvalue()))
    return "sha256:" + hashlib.sha256(plain.getvalue()).hexdigest()
