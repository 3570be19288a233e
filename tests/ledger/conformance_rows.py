"""The part of the common suite about current rows."""

from __future__ import annotations

import pytest

from leaseway.ledger.errors import TermLost
from leaseway.ledger.port import Batch, Ledger
from leaseway.ledger.rows import PlanQuery, Row, TaskQuery, inbox_of
from tests.ledger.batches import anchor, batch, plan, task, worker


def put(ledger: Ledger, *rows: Row) -> None:
    ledger.append(batch(rows=rows))


def ids(rows: list) -> list[str]:
    return [row.id for row in rows]


class RowConformance:
    """Current rows."""

    def test_rows_are_found_by_key(self, ledger):
        put(ledger, task("t1"), plan("p1", key="k"), worker("anna"))
        assert ledger.task("t1") == task("t1")
        assert ledger.plan("p1") == plan("p1", key="k")
        assert ledger.worker("anna") == worker("anna")
        assert ledger.task("p1") is None
        assert ledger.plan("t1") is None
        assert ledger.worker("t1") is None

    def test_the_last_of_two_rows_counts(self, ledger):
        put(ledger, task("t1"), task("t1", state="granted"))
        assert ledger.task("t1") == task("t1", state="granted")
        put(ledger, task("t1", state="ended", ended_at=9, acknowledged=True, doc=b"\0\xff"))
        assert ledger.tasks(TaskQuery()) == [
            task("t1", state="ended", ended_at=9, acknowledged=True, doc=b"\0\xff")
        ]

    def test_newest_first_and_a_change_does_not_make_new(self, ledger):
        put(ledger, task("t1"), task("t2"), plan("p1"), plan("p2"))
        put(ledger, task("t3"), task("t1", state="ended", ended_at=3), plan("p1", ended_at=3))
        assert ids(ledger.tasks(TaskQuery())) == ["t3", "t2", "t1"]
        assert ids(ledger.plans(PlanQuery())) == ["p2", "p1"]

    def test_pages_follow_one_another(self, ledger):
        put(ledger, *(task(f"t{n}", plan=f"p{n % 2}") for n in range(10)))
        assert ids(ledger.tasks(TaskQuery(limit=3))) == ["t9", "t8", "t7"]
        assert ids(ledger.tasks(TaskQuery(limit=3, before="t7"))) == ["t6", "t5", "t4"]
        assert ids(ledger.tasks(TaskQuery(plan="p1", limit=2, before="t7"))) == ["t5", "t3"]
        assert ledger.tasks(TaskQuery(before="t0")) == []
        assert ledger.tasks(TaskQuery(before="nowhere")) == []
        assert ledger.tasks(TaskQuery(limit=0)) == []

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            (TaskQuery(plan="p1"), ["t4", "t2", "t1"]),
            (TaskQuery(state="running"), ["t2"]),
            (TaskQuery(principal="bo"), ["t3"]),
            (TaskQuery(acknowledged=True), ["t4"]),
            (TaskQuery(acknowledged=False), ["t3", "t2", "t1"]),
            (TaskQuery(ended=True), ["t4", "t3", "t1"]),
            (TaskQuery(ended=False), ["t2"]),
            (TaskQuery(state="ended", plan="p1", principal="kim", acknowledged=False), ["t1"]),
            (TaskQuery(plan="p9"), []),
            (TaskQuery(state=""), []),
            (inbox_of("kim"), ["t1"]),
            (inbox_of("bo"), ["t3"]),
            (inbox_of("nobody"), []),
        ],
    )
    def test_tasks_by_what_is_asked(self, ledger, query, found):
        put(
            ledger,
            task("t1", state="ended", ended_at=0),
            task("t2", state="running"),
            task("t3", plan="p2", state="ended", principal="bo", ended_at=2),
            task("t4", state="ended", ended_at=3, acknowledged=True),
        )
        assert ids(ledger.tasks(query)) == found

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            (PlanQuery(principal="kim"), ["p3", "p2", "p1"]),
            (PlanQuery(principal="kim", key="k1", limit=1), ["p2"]),
            (PlanQuery(principal="bo", key="k1"), ["p4"]),
            (PlanQuery(key=""), ["p3"]),
            (PlanQuery(ended=True), ["p1"]),
            (PlanQuery(ended=False, before="p4"), ["p3", "p2"]),
        ],
    )
    def test_plans_by_what_is_asked(self, ledger, query, found):
        put(
            ledger,
            plan("p1", key="k1", ended_at=0),
            plan("p2", key="k1"),
            plan("p3"),
            plan("p4", principal="bo", key="k1"),
        )
        assert ids(ledger.plans(query)) == found

    def test_workers_by_name(self, ledger):
        put(ledger, worker("ben"), worker("anna"), worker("Zoë"), worker("ä"))
        assert [row.name for row in ledger.workers()] == ["Zoë", "anna", "ben", "ä"]

    @pytest.mark.parametrize("odd", ["", "a'b\"c", "x\0y", "né", "日本", "%_", "x" * 10_000])
    def test_odd_names_are_names(self, ledger, odd):
        put(ledger, task(odd, plan=odd, principal=odd), plan(odd, key=odd), worker(odd))
        assert ledger.task(odd) == task(odd, plan=odd, principal=odd)
        assert ids(ledger.tasks(TaskQuery(plan=odd))) == [odd]
        assert ids(ledger.plans(PlanQuery(key=odd))) == [odd]
        assert ledger.worker(odd) == worker(odd)

    def test_rows_of_a_refused_batch_are_not_there(self, store, ledger):
        put(ledger, task("t1"))
        store.open().take_term("second")
        with pytest.raises(TermLost):
            ledger.append(Batch((), (task("t1", state="ended"), task("t2")), anchor(5)))
        assert ledger.tasks(TaskQuery()) == [task("t1")]
