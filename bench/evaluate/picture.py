"""The trade-off as SVG: broken starts against mean wait. Readable on light and on dark."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from msgspec import Struct

from bench.evaluate.measures import Measures

MOST_BROKEN = 4.0
"""Percent, the right edge; what breaks more is not drawn."""

_LEAST, _MOST = 25.0, 49.0  # minutes
_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 760, 460, 58, 44, 20, 52
_LINES = (
    ("c", "a bound from last-two average and conformal scores; the request"),
    ("s", "the bound of core/estimates"),
    ("f", "the risk of the start, against one number"),
    ("r", "the risk of the start, against what an hour of waiting is worth"),
)
_END = ("start", "end")
_COLOURS = {"r": "ours", "f": "fixed", "s": "shipped", "c": "reference", "": "reference"}
_STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600; font-size: 15px }
.axis { stroke: #6e7781 } .grid { stroke: #8c959f; stroke-opacity: .3 }
.goal { fill: #2da44e; fill-opacity: .14 }
path { fill: none; stroke-width: 2 }
.reference { stroke: #6e7781; fill: #6e7781 } .shipped { stroke: #9a6700; fill: #9a6700 }
.fixed { stroke: #0969da; fill: #0969da } .ours { stroke: #1a7f37; fill: #1a7f37 }
path.reference, path.shipped, path.fixed, path.ours { fill: none }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .axis { stroke: #8b949e }
.reference { stroke: #9ea7b3; fill: #9ea7b3 } .shipped { stroke: #d29922; fill: #d29922 }
.fixed { stroke: #58a6ff; fill: #58a6ff } .ours { stroke: #3fb950; fill: #3fb950 } }
"""


class Point(Struct, frozen=True):
    """One row. `line`: points of one line are joined."""

    name: str
    line: str
    broken: float
    wait: float


def point(name: str, line: str, seen: Measures) -> Point:
    """Of what was measured."""
    return Point(name, line, seen.broken, seen.mean_wait / 60)


def draw(points: Iterable[Point]) -> str:
    """The picture; the same points give the same bytes."""
    found = sorted(points, key=lambda each: (each.line, each.broken, each.wait))
    parts = [*_frame()]
    for line, _ in _LINES:
        joined = " L ".join(
            f"{_x(each.broken):.1f} {_y(each.wait):.1f}" for each in found if each.line == line
        )
        if " L " in joined:
            parts.append(f'<path class="{_COLOURS[line]}" d="M {joined}"/>')
    for each in found:
        parts.append(_mark(each))
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">\n'
        f"<title>Broken starts and mean wait</title>\n<style>{_STYLE}</style>\n{body}\n</svg>\n"
    )


def _mark(each: Point) -> str:
    x, y = _x(each.broken), _y(each.wait)
    colour = _COLOURS[each.line]
    dot = f'<circle class="{colour}" cx="{x:.1f}" cy="{y:.1f}" r="{4 if each.name else 2.5}"/>'
    if not each.name:
        return dot
    far = x > _WIDTH * 3 / 4
    left = far or each.line == "f"
    words = _text(x + (-8 if left else 8), y + (4 if left else -7), each.name, _END[left])
    return f"{dot}\n{words}"


def _frame() -> Iterable[str]:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    yield _text(_LEFT, 24, "Broken starts against mean wait, leases of 4 h", kind="title")
    yield (
        f'<rect class="goal" x="{_LEFT}" y="{_y(42):.1f}" width="{_x(0.5) - _LEFT:.1f}"'
        f' height="{bottom - _y(42):.1f}"/>'
    )
    yield _text(_LEFT + 6, bottom - 8, "goal")
    for wait in range(30, int(_MOST) + 1, 5):
        y = _y(wait)
        yield f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield _text(_LEFT - 8, y + 4, str(wait), "end")
    for percent in range(int(MOST_BROKEN) + 1):
        x = _x(percent)
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{bottom}"/>'
        yield _text(x, bottom + 18, f"{percent} %", "middle")
    yield f'<path class="axis" d="M {_LEFT} {_TOP} V {bottom} H {right}"/>'
    yield _text(right, _HEIGHT - 12, "starts that the lease's end breaks", "end")
    yield _text(_LEFT + 6, _TOP - 4, "mean wait, minutes")
    for at, (line, words) in enumerate(_LINES):
        y = _y(36.5) + 22 * at
        yield f'<path class="{_COLOURS[line]}" d="M {_x(1.45):.1f} {y:.1f} h 26"/>'
        yield _text(_x(1.45) + 34, y + 4, words)


def _x(broken: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * broken / MOST_BROKEN


def _y(wait: float) -> float:
    return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (_MOST - wait) / (_MOST - _LEAST)


def _text(x: float, y: float, words: str, anchor: str = "start", *, kind: str = "") -> str:
    shown = f' class="{kind}"' if kind else ""
    return f'<text{shown} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
