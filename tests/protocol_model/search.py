"""Breadth-first search over a model's states: the first broken one has a shortest trace."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

# States are nested tuples of small ints: equal states hash equal under every hash seed, and
# nothing in them needs a `__hash__` written in Python. What they mean is the model's business.
State = tuple[Any, ...]
Step = tuple[str, State]


class Model(Protocol):
    """What the search needs to know of a protocol."""

    def initial(self) -> State:
        """The one state everything starts from."""

    def steps(self, state: State) -> list[Step]:
        """Every step that may come next, with its name."""

    def broken(self, state: State) -> str:
        """The letter of the property this state breaks, or an empty string."""

    def describe(self, state: State) -> str:
        """One line a person can read."""


@dataclass(frozen=True)
class Found:
    """What a search saw: `broken` is empty when it visited everything and all was well."""

    states: int
    broken: str
    trace: list[Step]
    labels: frozenset[str] = field(repr=False)
    parents: dict[State, State | None] = field(repr=False)

    def names(self) -> list[str]:
        """The steps of the trace, without the states."""
        return [label for label, _ in self.trace]


class SearchTooLarge(Exception):
    """The model has more states than the caller was ready to visit; no verdict was reached."""


@contextmanager
def _no_collection() -> Iterator[None]:
    # Millions of small tuples, none in a cycle: the collector would only walk them over and over.
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def explore(model: Model, limit: int = 20_000_000) -> Found:
    """Visit states in order of distance until one is broken or none is left."""
    with _no_collection():
        return _explore(model, limit)


def _explore(model: Model, limit: int) -> Found:
    start = model.initial()
    parents: dict[State, State | None] = {start: None}
    labels: set[str] = set()
    layer = [start]
    while layer:
        following: list[State] = []
        for state in layer:
            for label, reached in model.steps(state):
                labels.add(label)
                if reached in parents:
                    continue
                parents[reached] = state
                following.append(reached)
                verdict = model.broken(reached)
                if verdict:
                    trace = trace_to(model, parents, reached)
                    return Found(len(parents), verdict, trace, frozenset(labels), parents)
        if len(parents) > limit:
            raise SearchTooLarge(f"more than {limit} states")
        layer = following
    return Found(len(parents), "", [], frozenset(labels), parents)


def trace_to(model: Model, parents: dict[State, State | None], state: State) -> list[Step]:
    """The steps from the start to `state`; names are found anew, storing them would cost memory."""
    trace: list[Step] = []
    parent = parents[state]
    while parent is not None:
        label = next(name for name, reached in model.steps(parent) if reached == state)
        trace.append((label, state))
        state, parent = parent, parents[parent]
    return trace[::-1]


def unable_to_reach(
    model: Model,
    found: Found,
    goal: Callable[[State], bool],
    allowed: Callable[[str], bool],
) -> list[State]:
    """Visited states from which no path of allowed steps leads to the goal, nearest first.

    This is the liveness question ("can it still?"), asked backwards from the goal over the whole
    graph. `allowed` says what still happens once the world is kind again.
    """
    before: dict[State, list[State]] = {}
    for state in found.parents:
        for label, reached in model.steps(state):
            if allowed(label):
                before.setdefault(reached, []).append(state)
    able = {state for state in found.parents if goal(state)}
    todo = list(able)
    while todo:
        for state in before.get(todo.pop(), ()):
            if state not in able:
                able.add(state)
                todo.append(state)
    return [state for state in found.parents if state not in able]
