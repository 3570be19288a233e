"""How earlier runs read: one line for a bound, a table of histories, a plot and bars for one."""

from __future__ import annotations

from leaseway.cli.history_plot import plot_lines
from leaseway.cli.paint import Paint, Tone
from leaseway.cli.standing import plural
from leaseway.cli.table import Cell, Column, Row, details, table_lines
from leaseway.core.model.estimate import Likeness
from leaseway.core.model.units import show_ms
from leaseway.runtime import local_clock
from leaseway.wire.history import EstimateInfo, HistoryInfo, HistoryList, RunInfo

HISTORIES = (
    Column("key"),
    Column("command", most=36),
    Column("runs", right=True),
    Column("last", right=True),
    Column("next", wraps=True),
)
_OF: dict[str, str] = {
    Likeness.COMMAND: "",
    Likeness.SHAPE: " of commands of its shape",
    Likeness.TEMPLATE: " of commands like it",
    Likeness.ANYWHERE: " of commands like it on any worker",
}
_WHAT: dict[str, str] = {
    Likeness.COMMAND: "this very command",
    Likeness.SHAPE: "commands whose numbers have as many digits (#)",
    Likeness.TEMPLATE: "commands that differ in numbers only (#)",
    Likeness.ANYWHERE: "such commands, on any worker",
}
_BAR = 40
_TABLE = 12  # runs with all their numbers: the last; the plot and --json have more


def learned_text(learned: EstimateInfo) -> str:
    """`8m: 90 % bound from 23 runs, achieved 94 %`."""
    runs = plural(learned.runs, "run") + _OF.get(learned.likeness, "")
    said = f"{show_ms(learned.bound_ms)}: {learned.level_ppm // 10_000} % bound from {runs}"
    return said + _achieved(learned.covered, learned.judged)


def next_text(history: HistoryInfo) -> str:
    """What the next run is given, or why nothing."""
    if not history.sound:
        return "no estimate: this row makes no sense and is passed over"
    if history.bound_ms is not None:
        return f"{show_ms(history.bound_ms)}{_achieved(history.covered, history.judged)}"
    if history.ended < history.needed:
        return f"no estimate yet: {history.ended} of {history.needed} runs"
    return f"no estimate: {plural(history.stopped, 'run')} stopped before the end"


def history_lines(found: HistoryList, paint: Paint) -> list[str]:
    """The table."""
    if not found.histories:
        return ["Nothing has run to its end yet: nothing is known of how long anything takes."]
    rows = [
        [each.key, each.command, str(each.ended), local_clock(each.last_at), next_text(each)]
        for each in found.histories
    ]
    lines = table_lines(HISTORIES, rows, paint)
    more = found.total - len(found.histories)
    return [*lines, paint(f"and {more} more (--limit)", Tone.QUIET)] if more > 0 else lines


def one_lines(history: HistoryInfo, paint: Paint) -> list[str]:
    """One history: what it is of, what it says, and its runs as bars of one measure."""
    pairs = [
        ("history", history.key),
        ("of", _WHAT.get(history.likeness, history.likeness)),
        ("command", history.command),
        ("in", history.place),
        ("workers", f"labels {history.labels}" if history.labels else ""),
        ("next run", next_text(history)),
        ("confidence", f"{history.level_ppm // 10_000} %, needs {plural(history.needed, 'run')}"),
        ("19 of 20", _tolerance(history)),
    ]
    last = history.runs[-_TABLE:]
    longest = max((run.ran_ms for run in last), default=0)
    columns = [
        Column("ended"),
        Column("worker", most=16),
        Column("ran", right=True),
        Column("", most=2 * _BAR),
    ]
    rows: list[Row] = [
        [
            local_clock(run.at),
            run.worker,
            show_ms(run.ran_ms),
            Cell(_bar(run, longest), Tone.PLAIN if run.ended else Tone.UNSURE),
        ]
        for run in last
    ]
    plot = plot_lines(history.runs, history.bound_ms)
    return [*details(pairs, paint), "", *plot, "", *table_lines(columns, rows, paint)]


def _tolerance(history: HistoryInfo) -> str:
    if history.tolerance_ms is None:
        return ""
    return f"stay below {show_ms(history.tolerance_ms)}, with 95 % certainty"


def _bar(run: RunInfo, longest: int) -> str:
    """As long as the run in parts of the longest; what was stopped would go on."""
    full = -(-_BAR * run.ran_ms // longest) if longest else 0
    return "█" * full + ("" if run.ended else "▷ stopped")


def _achieved(covered: int, judged: int) -> str:
    return f", achieved {covered * 100 // judged} %" if judged else ""
