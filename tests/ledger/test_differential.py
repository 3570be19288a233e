"""Goal: nobody can tell the SQLite ledger from the one in memory. Method: the same random
operations through both, from two handles each; replies, errors and contents are compared."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from leaseway.core.model.events import Stamped, TasksAcknowledged, WorkerSlept
from leaseway.ledger.errors import LedgerError
from leaseway.ledger.port import Batch, Ledger
from leaseway.ledger.rows import PlanQuery, PlanRow, TaskQuery, TaskRow, WorkerRow
from leaseway.runtime import Anchor
from tests.ledger.conformance import Store, contents
from tests.ledger.faulty_disk import faulty_disk
from tests.ledger.samples import SAMPLES
from tests.ledger.sqlite_store import SqliteStore
from tests.ledger.test_memory import MemoryStore

HANDLES = (0, 1)
handles = st.sampled_from(HANDLES)
numbers = st.integers(0, 2**53)
few = st.integers(-1, 12)
names = st.sampled_from(["a", "b", "c", "d", "é\0"])
states = st.sampled_from(["waiting", "running", "ended"])
moments = st.none() | st.integers(0, 3)
flags = st.booleans()
docs = st.binary(max_size=20)

events = (
    st.sampled_from(SAMPLES)
    | st.builds(WorkerSlept, st.text(max_size=5), numbers)
    | st.builds(TasksAcknowledged, st.lists(names).map(tuple), names)
)
rows = (
    st.builds(TaskRow, names, names, names, states, names, flags, moments, docs)
    | st.builds(PlanRow, names, names, names, numbers, moments, docs)
    | st.builds(WorkerRow, names, states, docs)
)
batches = st.builds(
    Batch,
    st.lists(st.builds(Stamped, numbers, events), max_size=4).map(tuple),
    st.lists(rows, max_size=5).map(tuple),
    st.builds(Anchor, numbers, numbers, numbers, names),
)
task_queries = st.builds(
    TaskQuery,
    plan=st.none() | names,
    state=st.none() | states,
    principal=st.none() | names,
    acknowledged=st.none() | flags,
    ended=st.none() | flags,
    before=st.none() | names,
    limit=few,
)
plan_queries = st.builds(
    PlanQuery,
    principal=st.none() | names,
    key=st.none() | names,
    ended=st.none() | flags,
    before=st.none() | names,
    limit=few,
)


class Differential(RuleBasedStateMachine):
    """Two stores, two handles on each."""

    def __init__(self) -> None:
        super().__init__()
        self.held = ExitStack()
        folder = self.held.enter_context(tempfile.TemporaryDirectory())
        disk = self.held.enter_context(faulty_disk())
        self.memory = MemoryStore()
        self.sqlite = SqliteStore(Path(folder), disk)
        self.held.callback(self.sqlite.close)
        self.stores: tuple[Store, Store] = (self.memory, self.sqlite)
        self.pairs: list[tuple[Ledger, ...]] = [self.opened() for _ in HANDLES]

    def opened(self) -> tuple[Ledger, ...]:
        return tuple(store.open() for store in self.stores)

    def teardown(self) -> None:
        self.held.close()

    def both(self, handle: int, ask: Callable[[Ledger], object]) -> None:
        first, second = (reply(ask, ledger) for ledger in self.pairs[handle])
        assert first == second

    @rule(handle=handles, holder=names)
    def take_term(self, handle, holder):
        self.both(handle, lambda ledger: ledger.take_term(holder))

    @rule(handle=handles, batch=batches)
    def append(self, handle, batch):
        self.both(handle, lambda ledger: ledger.append(batch))

    @rule(handle=handles, batch=batches)
    def append_to_a_broken_disk(self, handle, batch):
        with self.memory.broken(), self.sqlite.broken():
            self.both(handle, lambda ledger: ledger.append(batch))

    @rule(handle=handles, holder=names)
    def take_term_on_a_broken_disk(self, handle, holder):
        with self.memory.broken(), self.sqlite.broken():
            self.both(handle, lambda ledger: ledger.take_term(holder))

    @rule(handle=handles, position=few, data=docs, breaks=flags)
    def save_snapshot(self, handle, position, data, breaks):
        with ExitStack() as broken:
            if breaks:
                broken.enter_context(self.memory.broken())
                broken.enter_context(self.sqlite.broken())
            self.both(handle, lambda ledger: ledger.save_snapshot(position, data))

    @rule(handle=handles, after=few, limit=few)
    def read(self, handle, after, limit):
        self.both(handle, lambda ledger: ledger.read(after, limit))

    @rule(handle=handles, query=task_queries)
    def tasks(self, handle, query):
        self.both(handle, lambda ledger: ledger.tasks(query))

    @rule(handle=handles, query=plan_queries)
    def plans(self, handle, query):
        self.both(handle, lambda ledger: ledger.plans(query))

    @rule(handle=handles, key=names)
    def rows_by_key(self, handle, key):
        self.both(handle, lambda ledger: (ledger.task(key), ledger.plan(key), ledger.worker(key)))

    @rule(handle=handles)
    def close(self, handle):
        for ledger in self.pairs[handle]:
            ledger.close()

    @rule(handle=handles)
    def reopen(self, handle):
        for ledger in self.pairs[handle]:
            ledger.close()
        self.pairs[handle] = self.opened()

    @invariant()
    def contents_are_equal(self):
        for handle in HANDLES:
            self.both(handle, contents)


def reply(ask: Callable[[Ledger], object], ledger: Ledger) -> object:
    """The answer, or the kind of the refusal."""
    try:
        return ask(ledger)
    except (LedgerError, ValueError) as refused:
        return type(refused)


TestDifferential = Differential.TestCase
TestDifferential.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
