"""An independent checker of placements: every millisecond is looked at, nothing is shared with what
places; and problems to place."""

from __future__ import annotations

from hypothesis import strategies as st

from leaseway.core.scan.problem import NEVER, Kind, Machine, Problem

WIDTH = 6


def uses(*amounts):
    return (*amounts, *([0] * (WIDTH - len(amounts))))


def machine(name="m", capacity=(1,), windows=((0, NEVER),), taken=()):
    offered = (*capacity, *([NEVER] * (WIDTH - len(capacity))))
    return Machine(name, offered, tuple(windows), tuple(taken))


def problem(lengths, sources, machines=None, **fields):
    """Tasks that use one cpu, all of the same length on every machine."""
    machines = machines or (machine(),)
    kinds = tuple(Kind(uses(1), (), (length,) * len(machines)) for length in lengths)
    return Problem(tuple(machines), kinds, range(len(lengths)), sources, **fields)


def broken(problem, spots):
    """What a placement breaks, in words; looked at millisecond by millisecond."""
    placed = {at: spot for at, spot in enumerate(spots) if spot is not None}
    kind = {at: problem.kinds[problem.kind_of[at]] for at in range(len(spots))}
    found = []
    for at, spot in placed.items():
        if spot.end - spot.start != kind[at].lengths[spot.machine]:
            found.append(f"{at} has the wrong length")
        windows = problem.machines[spot.machine].windows
        if not any(opens <= spot.start and spot.end <= ends for opens, ends in windows):
            found.append(f"{at} lies in no window")
        for source in problem.sources[at]:
            if source not in placed or placed[source].end > spot.start:
                found.append(f"{at} does not wait for {source}")
    last = max((spot.end for spot in placed.values()), default=0)
    for moment in range(last):
        found += broken_at(problem, placed, kind, moment)
    return found


def broken_at(problem, placed, kind, moment):
    now = [at for at, spot in placed.items() if spot.start <= moment < spot.end]
    if problem.most is not None and len(now) > problem.most:
        yield f"{len(now)} at once at {moment}"
    for number, each in enumerate(problem.machines):
        here = [kind[at].uses for at in now if placed[at].machine == number]
        here += [amount for start, end, amount in each.taken if start <= moment < end]
        if any(sum(column) > most for column, most in zip(zip(*here), each.capacity)):  # noqa: B905
            yield f"{each.name} holds too much at {moment}"
    held = [token for at in now for token in kind[at].holds]
    held += [
        token
        for token, taken in problem.tokens.items()
        for start, end in taken
        if start <= moment < end
    ]
    if len(held) > len(set(held)):
        yield f"a token is held twice at {moment}"


@st.composite
def sources_of(draw, size):
    return [
        sorted(draw(st.sets(st.integers(0, at - 1), max_size=2))) if at else []
        for at in range(size)
    ]


@st.composite
def windows(draw):
    """One to three stretches in order, the last perhaps without an end."""
    edges = sorted(draw(st.sets(st.integers(0, 40), min_size=2, max_size=6)))
    found = list(zip(edges[::2], edges[1::2], strict=False))
    if draw(st.booleans()):
        found[-1] = (found[-1][0], NEVER)
    return tuple(found)


@st.composite
def machines_of(draw, number, *, taken=True):
    capacity = (draw(st.integers(1, 3)), draw(st.integers(1, 4)))
    blocks = []
    if taken and draw(st.booleans()):
        start = draw(st.integers(0, 20))
        amount = uses(draw(st.integers(1, capacity[0])), draw(st.integers(0, capacity[1])))
        blocks.append((start, start + draw(st.integers(1, 12)), amount))
    return machine(f"m{number}", capacity, draw(windows()), blocks)


@st.composite
def problems(draw):
    count = draw(st.integers(1, 3))
    machines = tuple(draw(machines_of(number)) for number in range(count))
    size = draw(st.integers(1, 9))
    kinds = tuple(draw(kinds_on(machines)) for _ in range(draw(st.integers(1, 4))))
    kind_of = [draw(st.integers(0, len(kinds) - 1)) for _ in range(size)]
    tokens = {"x": ((5, 9),)} if draw(st.booleans()) else {}
    most = draw(st.none() | st.integers(1, 3))
    return Problem(machines, kinds, kind_of, draw(sources_of(size)), most, tokens)


@st.composite
def kinds_on(draw, machines):
    amounts = uses(draw(st.integers(0, 3)), draw(st.integers(0, 4)))
    holds = draw(st.sampled_from([(), (), ("x",), ("y",), ("x", "y")]))
    length = draw(st.integers(0, 9))
    lengths = tuple(
        length + draw(st.integers(0, 2))
        if all(want <= have for want, have in zip(amounts, each.capacity, strict=True))
        and draw(st.integers(0, 4))
        else None
        for each in machines
    )
    return Kind(amounts, holds, lengths)
