"""Goal: work travels to where it runs, and back, whoever dies meanwhile. Method: a real pool, trees
packed here, contents of results known from the commands."""

from __future__ import annotations

from pathlib import Path

from leaseway.client.archives import fetch, send
from leaseway.core.model.plan import Archive, PlanSpec, TaskSpec, Workspace
from leaseway.wire.plans import SubmitRequest
from leaseway.wire.tasks import EndingInfo
from leaseway.workspace.listing import tree_of
from leaseway.workspace.packing import pack
from leaseway.workspace.unpacking import unpack
from tests.e2e.house import House, command_line


def workspace(house: House, **files: str) -> Workspace:
    """A tree of these files, handed in."""
    tree, out = house.folder / "tree", house.folder / "tree.tar.gz"
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    packed = pack(tree_of(tree), out)
    send(house.client, out, packed.digest)
    archive = Archive(packed.digest, packed.archive_bytes, packed.files)
    return Workspace(archive, origin="here:/tree")


def submit(house: House, tree: Workspace, *tasks: TaskSpec) -> list[str]:
    plan = PlanSpec("plan", tasks, workspace=tree)
    return [task.id for task in house.client.submit(SubmitRequest(plan)).tasks]


def task(name: str, run: str, *outputs: str, **more: tuple[str, ...]) -> TaskSpec:
    known = {"reads": (), "writes": (), **more}
    return TaskSpec(name, run, limit_ms=8_000, outputs=outputs, **known)  # type: ignore[arg-type]


def ending(house: House, id: str) -> EndingInfo:
    """Of a task that succeeded."""
    info = house.wait_ended(id, 30)
    assert info.outcome is not None
    found = info.past[-1].ending
    assert found is not None
    assert info.outcome.kind == "succeeded", found.detail
    return found


def files(house: House, archive: Archive | None) -> dict[str, str]:
    """What came back."""
    assert archive is not None
    into = house.folder / archive.digest[-8:]
    path = into.with_suffix(".tar.gz")
    fetch(house.client, archive.digest, path)
    done = unpack(path, into, archive.digest)
    return {name: (into / name).read_text() for name in done.manifest.entries}


def test_a_follower_sees_what_was_declared_and_nothing_else(house: House) -> None:
    for name in ("box", "bay"):
        house.join(name)
    tree = workspace(house, a="1\n", b="1\n")
    first, second, third = submit(
        house,
        tree,
        task("make", "cat a > out; echo 2 >> out; echo 3 > b; echo 4 > more", "out"),
        task("use", "cat out b; ls; cat out > seen", "seen", needs=("make",), reads=("out",)),
        task("apart", "ls; echo 5 > a", writes=("a",)),
    )
    made = ending(house, first)
    assert files(house, made.results) == {"out": "1\n2\n"}
    assert files(house, made.extra) == {"b": "3\n", "more": "4\n"}
    assert (made.undeclared, made.undeclared_count) == (("b", "more"), 2)
    assert files(house, ending(house, second).results) == {"seen": "1\n2\n"}
    assert house.client.log(second).data == b"1\n2\n1\na\nb\nout\n"
    assert house.client.log(third).data == b"a\nb\n"
    assert files(house, ending(house, third).results) == {"a": "5\n"}


def test_the_worker_s_daemon_is_killed_while_it_runs(house: House, tmp_path: Path) -> None:
    house.join("box")
    started, go = tmp_path / "started", tmp_path / "go"
    wait = f"touch {started}; until test -e {go}; do sleep 0.1; done"
    first, second = submit(
        house,
        workspace(house, a="1\n"),
        task("make", f"{wait}; echo 2 > out", "out"),
        task("use", "cat a out", needs=("make",), reads=("out",)),
    )
    house.wait("the start", started.exists)
    daemon = house.pool.members["box"].pid
    assert "worker" in command_line(daemon)
    house.kill(daemon)
    go.touch()
    house.join("box")
    assert files(house, ending(house, first).results) == {"out": "2\n"}
    ending(house, second)
    assert house.client.log(second).data == b"1\n2\n"
