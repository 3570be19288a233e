"""Every key path of a value, for tests that look each of them up."""

from __future__ import annotations

from collections.abc import Iterator

from leaseway.planfile.report import KeyPath


def key_paths(value: object, path: KeyPath = ()) -> Iterator[tuple[KeyPath, object]]:
    """Path and value of everything inside."""
    inside: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inside = list(value.items())
    elif isinstance(value, list):
        inside = list(enumerate(value))
    for step, inner in inside:
        yield (*path, step), inner
        yield from key_paths(inner, (*path, step))
