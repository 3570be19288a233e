"""How workers and their leases read: one row each, or one page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from leaseway.cli.findings import cause_text
from leaseway.cli.paint import Paint, Tone
from leaseway.cli.table import Cell, Column, Row, details, table_lines
from leaseway.core.model.units import show_bytes, show_cpus, show_ms
from leaseway.runtime import local_clock, local_moment
from leaseway.wire.workers import Amounts, HeldInfo, TermsInfo, WorkerInfo

COLUMNS = (
    Column("worker", most=20),
    Column("state"),
    Column("time left"),
    Column("longest"),
    Column("free cpus", right=True),
    Column("slots", right=True),
    Column("runs", right=True),
    Column("queued", right=True),
    Column("heard"),
    Column("version", most=12),
    Column("note", wraps=True),
)
_TERMS = {"max_run_ms": "longest task", "extendable_until": "extendable"}
_SHOW = {"cpus_milli": show_cpus, "memory_bytes": show_bytes, "disk_bytes": show_bytes}


def worker_lines(workers: Sequence[WorkerInfo], paint: Paint) -> list[str]:
    """The table of workers."""
    return table_lines(COLUMNS, [_row(each) for each in workers], paint)


def _early(worker: WorkerInfo) -> str:
    """What is kept free besides the guard."""
    if not worker.early_close_ms:
        return ""
    return f"{show_ms(worker.early_close_ms)} earlier than declared, before: as much is kept free"


def _sharing(terms: TermsInfo) -> str:
    """How they are promised, where they are not set aside task by task."""
    if terms.mode == "reserved":
        return ""
    times = f"{terms.stretch_percent / 100:g}"
    return f"shared: a task may take up to {times} times as long as alone"


def lease_lines(worker: WorkerInfo, paint: Paint) -> list[str]:
    """One worker's lease, whole."""
    terms = worker.terms
    state, tone = state_of(worker)
    head = f"{paint(worker.name, Tone.STRONG)}  {paint(state, tone)}  {time_left(worker)}"
    pairs = [
        ("windows", _windows(worker)),
        ("extendable", _extendable(worker)),
        ("longest task", _or_unlimited(terms.max_run_ms)),
        ("capacity", amounts_text(terms.capacity)),
        ("cpus", _sharing(terms)),
        ("free now", amounts_text(worker.free)),
        ("running", _named(held for held in worker.held if held not in queued(worker))),
        ("queued there", _named(queued(worker))),
        ("reserved", f"{worker.reserved_tasks} waiting" if worker.reserved_tasks else ""),
        ("guard", _guard(terms)),
        ("closes early", _early(worker)),
        ("tokens", ", ".join(terms.tokens)),
        ("labels", ", ".join(terms.labels)),
        ("tools", ", ".join(terms.tools)),
        ("scope", _scope(terms)),
        ("share", ", ".join(f"{role}s {part}%" for role, part in terms.share.items())),
        ("set by command", _set(worker)),
        ("confinement", "absent: memory, paths and network are not enforced yet"),
        ("last heard", heard(worker)),
        ("moved by", worker.moved_by),
        ("reason", worker.reason),
        ("cause", cause_text(worker.cause) if worker.cause else ""),
        ("terms", f"version {worker.terms_version}, incarnation {worker.incarnation}"),
        ("leaseway", worker.software),
    ]
    return [head, *details(pairs, paint)]


def queued(worker: WorkerInfo) -> list[HeldInfo]:
    """Granted ahead: it starts there as soon as there is room, and uses nothing until then."""
    return [held for held in worker.held if held.phase == "granted"]


def _named(held: Iterable[HeldInfo]) -> str:
    return ", ".join(f"{each.task} #{each.number}" for each in held)


def state_of(worker: WorkerInfo) -> tuple[str, Tone]:
    """One word for whether it takes work, boundary and presence included."""
    if worker.state != "active":
        return worker.state, Tone.UNSURE if worker.state == "draining" else Tone.BAD
    if not worker.present:
        return "not heard", Tone.BAD
    if worker.leaving:
        return "left", Tone.UNSURE
    return ("open", Tone.GOOD) if worker.open else ("closed", Tone.UNSURE)


def time_left(worker: WorkerInfo) -> str:
    """Left of the window that is open, or until the next one opens."""
    if worker.state == "ended":
        return ""
    if worker.open:
        return _or_unlimited(worker.remaining_ms, "no end set")
    if worker.opens_in_ms is not None:
        return f"opens in {show_ms(_seconds(worker.opens_in_ms))}"
    return "0s"


def heard(worker: WorkerInfo) -> str:
    """How long ago it was heard."""
    if worker.heard_ago_ms is None:
        return "not since start"
    if worker.heard_ago_ms < 1000:
        return "just now"
    return f"{show_ms(_seconds(worker.heard_ago_ms))} ago"


def amounts_text(amounts: Amounts) -> str:
    """`4 cpus, 16 GiB memory, 2 slots`; none is said of cpus and slots only."""
    parts = []
    for name, amount in amounts.items():
        word = name.rsplit("_", 1)[0] if name.endswith(("_milli", "_bytes")) else name
        if amount is None:
            parts.append(f"{word} unlimited")
        elif amount or word in ("cpus", "slots"):
            told = _SHOW.get(name, str)(amount)
            parts.append(f"{told} {word.removesuffix('s') if told == '1' else word}")
    return ", ".join(parts)


def _row(worker: WorkerInfo) -> Row:
    state, tone = state_of(worker)
    free = worker.free or worker.terms.capacity
    note = cause_text(worker.cause) if worker.cause else worker.reason
    if not note and worker.terms.recurring and worker.state != "ended":
        note = recurring_text(worker)
    return [
        worker.name,
        Cell(state, tone),
        time_left(worker),
        _or_unlimited(worker.terms.max_run_ms),
        _share(free, worker.terms.capacity, "cpus_milli"),
        _share(free, worker.terms.capacity, "slots"),
        str(len(worker.held) - len(queued(worker))),
        str(len(queued(worker)) or ""),
        heard(worker),
        worker.software,
        note,
    ]


def _share(free: Amounts, whole: Amounts, name: str) -> str:
    show = _SHOW.get(name, str)
    if whole.get(name) is None:
        return "unlimited"
    return f"{show(free.get(name) or 0)} of {show(whole[name] or 0)}"


def _windows(worker: WorkerInfo) -> str:
    if worker.terms.recurring:
        return recurring_text(worker)
    parts = []
    for window in worker.terms.windows:
        end = "no end set" if window.closes_at is None else local_clock(window.closes_at)
        opens = local_clock(window.opens_at)
        parts.append(f"from {opens}, {end}" if window.closes_at is None else f"{opens} to {end}")
    return ", ".join(parts) or "none"


def recurring_text(worker: WorkerInfo) -> str:
    """`daily 22:00-07:00 Europe/Berlin; next opens 22:00`, or when it closes while it is open."""
    words, now = worker.terms.recurring, worker.now
    if worker.open:
        left = worker.remaining_ms
        return words if left is None else f"{words}; closes {local_moment(now + left, now)}"
    if worker.opens_in_ms is None:
        return words
    return f"{words}; next opens {local_moment(now + worker.opens_in_ms, now)}"


def _set(worker: WorkerInfo) -> str:
    """Which terms a command set, and when."""
    if not worker.set_terms:
        return ""
    names = (_TERMS.get(name, name) for name in worker.set_terms)
    when = local_moment(worker.set_at, worker.now)
    return f"{', '.join(names)}, at {when}; until the lease file or the options of join change"


def _extendable(worker: WorkerInfo) -> str:
    until = worker.terms.extendable_until
    return "" if until is None else f"until {local_moment(until, worker.now)}, for who will be late"


def _guard(terms: TermsInfo) -> str:
    parts = ", ".join(
        f"{name.removesuffix('_ms').replace('_', ' ')} {show_ms(part)}"
        for name, part in terms.guard.items()
    )
    return f"{show_ms(terms.guard_ms)} kept free at the end ({parts})"


def _scope(terms: TermsInfo) -> str:
    scope = terms.scope
    parts = [
        f"{word} {', '.join(names)}"
        for word, names in (
            ("commands", scope.commands),
            ("read", scope.read),
            ("write", scope.write),
        )
        if names
    ]
    if scope.network != "all":
        parts.append(f"network {scope.network}")
    return "; ".join(parts) or "any command, any path, any network"


def _or_unlimited(length: int | None, word: str = "no cap") -> str:
    return word if length is None else show_ms(_seconds(length))


def _seconds(length: int) -> int:
    return length if length < 1000 else (length + 500) // 1000 * 1000
