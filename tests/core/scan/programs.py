"""Tiny real programs on real files, as tasks: what a program leaves depends on everything that it
declares to read and on what stood in the files that it declares to write."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from hypothesis import Phase, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.core.scan.plans import plan, task

REAL = {
    "a": ["a"],
    "b": ["b"],
    "./a": ["a"],
    "d": ["d/x", "d/y"],
    "d/*": ["d/x", "d/y"],
    "d/x": ["d/x"],
    "*": ["a", "b", "d/x", "d/y"],
}
"""By declared path, the files that a program touches there."""

PATHS = st.lists(st.sampled_from(sorted(REAL)), max_size=2, unique=True).map(tuple)

FEW = settings(max_examples=25, phases=(Phase.explicit, Phase.reuse, Phase.generate))
"""Each example starts dozens of processes: few, and a failure is shown as it was found."""


def program(name, reads, writes):
    """A checksum of its name and all that it reads goes to the end of each file that it writes."""
    sources = [path for said in reads for path in REAL[said]]
    targets = [path for said in writes for path in REAL[said]]
    lines = [f"sum=$(cat {shlex.join(sources)} - <<< {name} | cksum)" if sources else f"sum={name}"]
    return "; ".join([*lines, *(f'echo "$sum" >> {path}' for path in targets)])


@st.composite
def programs(draw):
    """Plans of such programs; needs may turn the list around."""
    size = draw(st.integers(3, 5))
    turned = draw(st.permutations(range(size)))
    tasks = []
    for at in range(size):
        earlier = [other for other in range(size) if turned[other] < turned[at]]
        needs = draw(st.lists(st.sampled_from(earlier), max_size=1)) if earlier else []
        reads, writes = draw(PATHS), draw(PATHS)
        made = task(f"t{at}", needs=tuple(f"t{o}" for o in needs), reads=reads, writes=writes)
        tasks.append(replace(made, run=program(f"t{at}", reads, writes), limit_ms=60_000))
    return plan(*tasks)


def left_by(folder: Path, groups):
    """Every file's content after these groups of tasks, one after the other, those of one group at
    the same time."""
    (folder / "d").mkdir(parents=True)
    for path in REAL["*"]:
        (folder / path).write_text("first\n")
    for group in groups:
        started = [subprocess.Popen(["bash", "-c", each.run], cwd=folder) for each in group]
        assert [each.wait() for each in started] == [0] * len(started)
    return {path: (folder / path).read_text() for path in REAL["*"]}


def backwards(whole, before):
    """The schedule that is least like the list: of all that may start the last one does. `before`:
    by name, the names of those that a task waits for."""
    return in_order(list(reversed(whole.tasks)), before)


def in_order(ranked, before, together=1):
    """Again and again the first `together` of those that may start."""
    left = list(ranked)
    done: set[str] = set()
    groups = []
    while left:
        groups.append([each for each in left if before[each.name] <= done][:together])
        done |= {each.name for each in groups[-1]}
        left = [each for each in left if each.name not in done]
    return groups
