"""The one suite that every ledger passes: a subclass says how to get at a store, no more."""

from __future__ import annotations

from contextlib import AbstractContextManager
from threading import Event, Thread
from typing import Any, Protocol

import pytest

from leaseway.core.model.events import Heard, TaskRetried
from leaseway.core.model.findings import Finding
from leaseway.ledger.encoding import SNAPSHOT_SCHEMA
from leaseway.ledger.errors import LedgerUnavailable, TermLost
from leaseway.ledger.port import Ledger, Reader, Snapshot, Stored
from leaseway.ledger.rows import PlanQuery, TaskQuery
from tests.ledger.batches import anchor, batch, plan, slept, task, worker
from tests.ledger.samples import SAMPLES

EVERYTHING = 1_000_000


class Store(Protocol):
    """Something that outlives its handles."""

    def open(self) -> Ledger:
        """A new handle on the same content, as another process would get it."""
        ...

    def broken(self) -> AbstractContextManager[None]:
        """Within this no write reaches the disk."""
        ...


def contents(ledger: Reader) -> dict[str, Any]:
    """All that can be read, to be compared."""
    return {
        "head": ledger.head(),
        "anchor": ledger.anchor(),
        "events": ledger.read(0, EVERYTHING),
        "snapshot": ledger.latest_snapshot(),
        "tasks": ledger.tasks(TaskQuery(limit=EVERYTHING)),
        "plans": ledger.plans(PlanQuery(limit=EVERYTHING)),
        "workers": ledger.workers(),
    }


@pytest.fixture
def ledger(store: Store) -> Ledger:
    opened = store.open()
    opened.take_term("first")
    return opened


class EventConformance:
    """Events, terms, snapshots, failures; rows are in `conformance_rows`."""

    def test_a_new_ledger_is_empty(self, store):
        ledger = store.open()
        assert contents(ledger) == {
            "head": 0,
            "anchor": None,
            "events": [],
            "snapshot": None,
            "tasks": [],
            "plans": [],
            "workers": [],
        }

    def test_events_come_back_in_order_with_position_and_time(self, ledger):
        assert ledger.append(batch(*slept(1, 2), at=10)) == 2
        assert ledger.append(batch(*slept(3), at=20)) == 3
        assert ledger.read(0, 10) == [
            Stored(position, at, event)
            for position, at, event in zip((1, 2, 3), (10, 10, 20), slept(1, 2, 3), strict=True)
        ]

    def test_every_kind_of_event_is_kept(self, ledger):
        ledger.append(batch(*SAMPLES))
        assert tuple(stored.event for stored in ledger.read(0, 100)) == SAMPLES

    @pytest.mark.parametrize("size", [1, 2, 3, 100])
    def test_reading_in_chunks_gives_everything_once(self, ledger, size):
        for at in range(4):
            ledger.append(batch(*slept(at, at + 100), at=at))
        found, after = [], 0
        while chunk := ledger.read(after, size):
            assert len(chunk) <= size
            found += chunk
            after = chunk[-1].position
        assert found == ledger.read(0, 100)
        assert [stored.position for stored in found] == list(range(1, 9))

    @pytest.mark.parametrize(("after", "limit"), [(3, 10), (99, 10), (0, 0)])
    def test_reading_nothing(self, ledger, after, limit):
        ledger.append(batch(*slept(1, 2, 3)))
        assert ledger.read(after, limit) == []

    def test_a_negative_limit_is_not_none_at_all(self, ledger):
        for asked in (
            lambda: ledger.read(0, -1),
            lambda: ledger.tasks(TaskQuery(limit=-1)),
            lambda: ledger.plans(PlanQuery(limit=-1)),
        ):
            with pytest.raises(ValueError, match="not negative"):
                asked()

    def test_a_batch_without_events_keeps_rows_and_anchor(self, ledger):
        assert ledger.append(batch(rows=(worker("anna"),), at=7)) == 0
        assert ledger.anchor() == anchor(7)
        assert ledger.workers() == [worker("anna")]

    def test_the_anchor_is_that_of_the_last_batch(self, ledger):
        ledger.append(batch(*slept(1), at=10))
        ledger.append(batch(*slept(2), at=30))
        assert ledger.anchor() == anchor(30)

    def test_a_mark_is_refused_and_its_batch_with_it(self, ledger):
        before = contents(ledger)
        with pytest.raises(ValueError, match="mark, not a fact"):
            ledger.append(batch(*slept(1), Heard("anna", 1, 1), rows=(task("t1"),)))
        assert contents(ledger) == before

    def test_what_was_appended_is_not_shared_with_the_caller(self, ledger):
        cause = Finding("LW301", numbers={"short_ms": 1})
        retried = TaskRetried("t1", cause)
        ledger.append(batch(retried))
        cause.numbers["short_ms"] = 2
        read = ledger.read(0, 1)[0].event
        assert read.cause.numbers == {"short_ms": 1}
        read.cause.numbers.clear()
        assert ledger.read(0, 1)[0].event.cause.numbers == {"short_ms": 1}

    def test_everything_is_there_for_the_next_handle(self, store, ledger):
        ledger.append(batch(*slept(1, 2), rows=(task("t1"), plan("p1"), worker("anna")), at=5))
        ledger.save_snapshot(2, b"two")
        before = contents(ledger)
        ledger.close()
        again = store.open()
        assert contents(again) == before
        again.take_term("second")
        assert again.append(batch(*slept(3))) == 3

    def test_terms_rise(self, store):
        assert [store.open().take_term("a"), store.open().take_term("b")] == [1, 2]
        handle = store.open()
        assert [handle.take_term("c"), handle.take_term("c")] == [3, 4]

    def test_without_a_term_nothing_is_written(self, store):
        fresh = store.open()
        before = contents(fresh)
        with pytest.raises(TermLost, match="no term"):
            fresh.append(batch(*slept(1), rows=(task("t1"),)))
        with pytest.raises(TermLost, match="no term"):
            fresh.save_snapshot(0, b"")
        assert contents(fresh) == before

    def test_a_newer_term_deposes_the_older_for_good(self, store, ledger):
        ledger.append(batch(*slept(1)))
        newer = store.open()
        assert newer.take_term("second") == 2
        newer.append(batch(*slept(2)))
        before = contents(newer)
        for _ in range(2):
            with pytest.raises(TermLost, match="'second' holds term 2") as lost:
                ledger.append(batch(*slept(3), rows=(task("t1"),), at=99))
            assert (lost.value.mine, lost.value.current) == (1, 2)
        with pytest.raises(TermLost):
            ledger.save_snapshot(1, b"old")
        assert contents(newer) == contents(ledger) == before
        assert newer.append(batch(*slept(4))) == 3

    def test_a_deposed_handle_may_lead_again(self, store, ledger):
        newer = store.open()
        newer.take_term("second")
        newer.append(batch(*slept(1, 2)))
        ledger.take_term("first again")
        assert ledger.append(batch(*slept(3))) == 3
        with pytest.raises(TermLost, match="first again"):
            newer.append(batch(*slept(4)))

    def test_the_newest_snapshot_counts_and_two_are_kept(self, ledger):
        ledger.append(batch(*slept(1, 2, 3)))
        for position in (1, 3, 2):
            ledger.save_snapshot(position, b"at %d" % position)
        assert ledger.latest_snapshot() == Snapshot(3, SNAPSHOT_SCHEMA, b"at 3")
        ledger.save_snapshot(3, b"again")
        assert ledger.latest_snapshot() == Snapshot(3, SNAPSHOT_SCHEMA, b"again")

    @pytest.mark.parametrize("position", [-1, 2])
    def test_a_snapshot_of_what_did_not_happen_is_refused(self, ledger, position):
        ledger.append(batch(*slept(1)))
        with pytest.raises(ValueError, match="the head is 1"):
            ledger.save_snapshot(position, b"")
        assert ledger.latest_snapshot() is None

    def test_a_broken_disk_takes_nothing_and_then_everything(self, store, ledger):
        ledger.append(batch(*slept(1), rows=(task("t1"),), at=1))
        before = contents(ledger)
        for _ in range(2):
            with store.broken():
                with pytest.raises(LedgerUnavailable):
                    ledger.append(batch(*slept(2, 3), rows=(task("t1", state="ended"),), at=2))
                with pytest.raises(LedgerUnavailable):
                    ledger.save_snapshot(1, b"one")
                with pytest.raises(LedgerUnavailable):
                    ledger.take_term("nobody")
            assert contents(ledger) == before
        assert ledger.append(batch(*slept(4), at=3)) == 2
        assert [stored.event for stored in ledger.read(0, 9)] == list(slept(1, 4))
        assert store.open().take_term("second") == 2

    def test_a_closed_ledger_says_so(self, ledger):
        ledger.close()
        ledger.close()
        for asked in (
            ledger.head,
            ledger.workers,
            lambda: ledger.append(batch(*slept(1))),
            lambda: ledger.take_term("x"),
            lambda: ledger.save_snapshot(0, b""),
        ):
            with pytest.raises(LedgerUnavailable, match="closed"):
                asked()

    def test_readers_in_other_threads_see_whole_batches_only(self, store, ledger):
        """Each batch has three events and one row that counts them."""
        other, done, torn = store.open(), Event(), []

        def watch() -> None:
            while not done.is_set():
                row, head = other.task("t"), other.head()
                counted = int(row.doc) if row else 0
                events = len(other.read(0, EVERYTHING))
                if head % 3 or events % 3 or not counted <= head <= events:
                    torn.append((counted, head, events))

        watchers = [Thread(target=watch) for _ in range(2)]
        for watcher in watchers:
            watcher.start()
        for head in range(3, 100, 3):
            ledger.append(batch(*slept(1, 2, 3), rows=(task("t", doc=b"%d" % head),)))
        done.set()
        for watcher in watchers:
            watcher.join()
        assert torn == []
        assert ledger.head() == 99
