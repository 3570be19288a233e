"""Goal: what is too big is refused with what and how much, in bounded time and before it is read.
Method: limits made small, and one plan made very large in each format."""

from __future__ import annotations

import time

import pytest

from leaseway.core.model.plan import Limits
from leaseway.planfile.plan import plan_from_object, plan_from_text, read_plan
from leaseway.planfile.report import PlanFileError


def findings_of(text, format, **options):
    with pytest.raises(PlanFileError) as raised:
        plan_from_text(text, format, f"plan.{format}", **options)
    return raised.value.findings


@pytest.mark.parametrize(
    ("limits", "variant", "numbers"),
    [
        (Limits(tasks=2), "tasks", {"cap": 2, "have": 3}),
        (Limits(edges=3), "edges", {"cap": 3, "have": 4, "own": 2}),
        (Limits(text_bytes=100), "text", {"cap_bytes": 100, "have_bytes": 119}),
        (Limits(command_bytes=9), "command", {"cap_bytes": 9, "have_bytes": 10}),
        (Limits(command_bytes=9), "env", {"cap_bytes": 9, "have_bytes": 10}),
    ],
)
def test_size_limits(limits, variant, numbers):
    text = (
        '{"defaults": {"needs": ["x"]}, "task": {"a": {"run": ["make", "a b c"]},\n'
        '"b": {"run": "x"}, "c": {"run": "x", "needs": ["a", "b"], "env": {"A": "1234567"}}}}'
    )
    if variant == "text":
        text = text[:81].ljust(119)
    elif variant == "env":
        text = text.replace("make", "mak")
    else:
        text = text.replace("1234567", "")
    (finding,) = findings_of(text, "json", limits=limits)
    assert (finding.code, finding.variant) == ("LW902", variant)
    assert {key: finding.numbers[key] for key in numbers} == numbers


MANY = 1_000_000


@pytest.mark.parametrize("format", ["toml", "yaml", "json"])
def test_a_task_with_a_million_dependencies(format):
    needs = ",".join(["a"] * MANY if format == "yaml" else ['"a"'] * MANY)
    text = {
        "toml": f'[task.big]\nrun = "x"\nneeds = [{needs}]',
        "yaml": f"task:\n big:\n  run: x\n  needs: [{needs}]",
        "json": f'{{"task": {{"big":\n{{"run": "x",\n "needs": [{needs}]}}}}}}',
    }[format]
    start = time.process_time()
    (finding,) = findings_of(text, format)
    assert time.process_time() - start < 30
    assert (finding.code, finding.variant, finding.tasks) == ("LW902", "edges", ("big",))
    assert finding.numbers["have"] == finding.numbers["own"] == MANY
    assert finding.numbers["line"] == {"toml": 3, "yaml": 4, "json": 3}[format]


def test_defaults_that_multiply_needs_are_counted():
    value = {
        "defaults": {"run": "x", "needs": [f"n{at}" for at in range(11)]},
        "task": {f"t{at}": {} for at in range(20_000)},
    }
    with pytest.raises(PlanFileError) as raised:
        plan_from_object(value)
    assert raised.value.findings[0].numbers["have"] == 220_000


def test_aliases_that_multiply_are_counted_not_walked():
    levels = "".join(f"  k{at}: &k{at} [{', '.join([f'*k{at - 1}'] * 9)}]\n" for at in range(1, 12))
    (finding,) = findings_of(f"task:\n  k0: &k0 [x]\n{levels}", "yaml")
    assert (finding.code, finding.variant) == ("LW902", "nodes")


def test_a_file_over_the_limit_is_not_read_whole(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_bytes(b"#" * 5000)
    with pytest.raises(PlanFileError) as raised:
        read_plan(path, limits=Limits(text_bytes=1000))
    numbers = raised.value.findings[0].numbers
    assert (numbers["cap_bytes"], numbers["have_bytes"]) == (1000, 5000)
