"""Goal: nothing written is lost, nothing torn spoils the rest. Method: files, cut and limited."""

from __future__ import annotations

import os
import resource
import threading

import pytest

from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.sync import AttemptRef, Phase
from leaseway.core.model.worker import (
    LocalGrant,
    NoteEnded,
    NoteGranted,
    NoteLedger,
    NoteReturned,
    NoteSettled,
    NoteStarted,
)
from leaseway.worker.journal import START, Journal, lines_of, notes_of
from leaseway.worker.locks import JOURNAL, LockFile, place_of
from leaseway.worker.spool import Spool, safe_name
from leaseway.worker.started import was_started

A, B, C = (AttemptRef(name, 1) for name in "abc")


def granted(ref: AttemptRef) -> NoteGranted:
    return NoteGranted(LocalGrant(ref, "true", 1000, 0, 0, 0), "boot-1")


def started(ref: AttemptRef) -> NoteStarted:
    return NoteStarted(ref, "boot-1", 1, 1, 5)


def ended(ref: AttemptRef) -> NoteEnded:
    return NoteEnded(ref, Ending(EndKind.EXITED, 0), "boot-1", 9, 5)


@pytest.fixture
def spool(tmp_path):
    made = Spool(tmp_path / "spool")
    yield made
    made.close()


def test_fold_says_what_is_left_to_do(spool):
    spool.journal.append(NoteLedger("l", 3), granted(A), granted(B), granted(C), started(B))
    spool.journal.append(started(C), ended(C), NoteLedger("l", 7))
    folded = spool.fold()
    assert [(r.grant.ref, r.phase) for r in folded.records()] == [
        (A, Phase.GRANTED),
        (B, Phase.RUNNING),
        (C, Phase.ENDED),
    ]
    assert list(folded.running()) == [B]
    assert folded.ledger == NoteLedger("l", 7)
    assert folded.records()[2].ended == ended(C)
    spool.journal.append(NoteReturned(A), NoteSettled((C,)))
    assert [r.grant.ref for r in spool.fold().records()] == [B]


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_torn_last_line_is_passed_over_and_spoils_nothing(spool, cut):
    spool.journal.append(granted(A))
    whole = spool.journal.size()
    spool.journal.append(started(A))
    os.truncate(spool.journal.path, whole + cut)
    assert spool.fold().entry(A).started is None
    spool.journal.append(ended(A))
    entry = spool.fold().entry(A)
    assert (entry.granted, entry.started, entry.ended) == (granted(A), None, ended(A))


def test_a_line_torn_in_the_middle_costs_only_itself(spool):
    torn = lines_of([started(A)])[:30]
    with spool.journal.path.open("ab") as file:
        file.write(lines_of([granted(A)]) + torn + lines_of([ended(A), granted(B)]))
    notes = list(notes_of(spool.journal.read_from(START)[0]))
    assert notes == [granted(A), ended(A), granted(B)]


def test_reading_on_takes_only_whole_lines(spool):
    spool.journal.append(granted(A))
    _, position = spool.journal.read_from(START)
    line = lines_of([granted(B)])
    with spool.journal.path.open("ab") as file:
        file.write(line[:-5])
        file.flush()
        assert list(notes_of(spool.journal.read_from(position)[0])) == []
        position = spool.journal.read_from(position)[1]
        file.write(line[-5:])
    assert list(notes_of(spool.journal.read_from(position)[0])) == [granted(B)]


def test_a_full_disk_is_an_error_and_the_next_note_is_whole(spool):
    spool.journal.append(granted(A))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (spool.journal.size() + 10, hard))
    try:
        for _ in range(2):
            with pytest.raises(OSError, match=r"only part|too large|No space"):
                spool.journal.append(started(A))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    spool.journal.append(ended(A))
    assert spool.fold().entry(A).ended == ended(A)
    assert spool.fold().entry(A).started is None


def test_compaction_keeps_what_is_open_and_bounds_the_rest(spool):
    other = Journal(spool.journal.path, LockFile(spool.root / "lock"))
    spool.journal.append(NoteLedger("l", 1), granted(A), started(A), ended(A), granted(B))
    position = spool.journal.end()
    spool.journal.append(NoteSettled((A,)), started(B), granted(C), NoteReturned(C))
    before = spool.journal.size()
    unseen, folded = spool.compact(position)
    assert unseen == [NoteSettled((A,)), started(B), granted(C), NoteReturned(C)]
    assert list(folded.entries) == [B]
    assert spool.journal.size() < before
    other.append(ended(B))  # whoever had it open follows
    assert spool.fold().entry(B).ended == ended(B)
    assert spool.fold().ledger == NoteLedger("l", 1)
    assert list(notes_of(spool.journal.read_from(folded.end)[0])) == [ended(B)]


def test_settled_stays_while_its_outputs_are_here(spool):
    spool.journal.append(granted(A), started(A), ended(A), NoteSettled((A,)))
    spool.folder_of(A).mkdir()
    (spool.folder_of(A) / "stdout").write_bytes(b"x")
    assert spool.compact(START)[1].entry(A).settled
    assert spool.fold().entry(A).settled
    assert spool.fold().records() == ()
    spool.forget(A)
    assert list(spool.compact(START)[1].entries) == []


def test_no_compaction_under_a_writer_and_no_writing_under_compaction(spool):
    writer = LockFile(spool.root / "lock")
    writer.take(JOURNAL, shared=True)
    assert spool.compact(START) is None
    writer.free(JOURNAL)
    assert spool.locks.take(JOURNAL)
    done = threading.Event()
    journal = Journal(spool.journal.path, writer)

    def append() -> None:
        journal.append(granted(A))
        done.set()

    thread = threading.Thread(target=append)
    thread.start()
    assert not done.wait(0.1)
    spool.locks.free(JOURNAL)
    assert done.wait(5)
    thread.join()


def test_the_id_is_made_once(tmp_path):
    first = Spool(tmp_path / "spool")
    assert Spool(tmp_path / "spool").spool_id == first.spool_id
    assert Spool(tmp_path / "other").spool_id != first.spool_id
    (tmp_path / "spool" / "id").write_text("")  # torn by a power cut
    mended = Spool(tmp_path / "spool").spool_id
    assert mended
    assert Spool(tmp_path / "spool").spool_id == mended


def test_was_started(spool):
    spool.journal.append(granted(A), granted(B))
    seen = spool.journal.end()
    assert not was_started(spool.journal, A, seen)
    spool.journal.append(started(B))
    assert not was_started(spool.journal, A, seen)
    spool.journal.append(started(A))
    assert was_started(spool.journal, A, seen)
    spool.journal.append(ended(A), NoteSettled((A,)), ended(B))
    spool.compact(seen)
    assert was_started(spool.journal, A, seen), "compacted away: long past"
    assert was_started(spool.journal, B, seen)


@pytest.mark.parametrize("name", ["a/b", "..", ".", "", "ü b", "x" * 4000, "a%b", "plan/..\0"])
def test_safe_names(name, tmp_path):
    made = safe_name(AttemptRef(name, 2))
    assert "/" not in made
    assert made not in (".", "..")
    (tmp_path / made).mkdir()
    assert safe_name(AttemptRef(name, 3)) != made
    assert safe_name(AttemptRef(name + "'", 2)) != made


def test_locks_exclude_and_go_with_their_holder(tmp_path):
    first, second = LockFile(tmp_path / "lock"), LockFile(tmp_path / "lock")
    assert first.take(place_of(A))
    assert not second.take(place_of(A))
    assert second.is_taken(place_of(A))
    assert not first.is_taken(place_of(A))
    assert second.take(place_of(B))
    first.close()
    assert second.take(place_of(A))
