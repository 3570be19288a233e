"""Goal: a right plan file gives exactly the plan it says, in every format.
Method: values known beforehand; the three formats against each other."""

from __future__ import annotations

import json

import pytest

from leaseway.core.model.capacity import Uses
from leaseway.core.model.plan import PlanSpec, Repeat, Selector, TaskSpec
from leaseway.core.model.units import DAY, HOUR, MINUTE, SECOND
from leaseway.planfile.plan import plan_from_object, plan_from_text, read_plan
from leaseway.planfile.report import MOST_FINDINGS, PlanFileError

NIGHTLY = """
name = "nightly"
workdir = "."
max_parallel = 4
by = "in 2h"
workers = ["box", "mini"]
not_on = ["lamp"]
ask = ["LW305"]

[defaults]
limit = "10m"
env = { LANG = "C", SEED = "1" }
uses = { memory = "1GiB" }

[task.read-config]
run = "python tools/read_config.py"
reads = ["conf/app.toml"]
writes = []
estimate = "20s"

[task.edit-config]
run = ["python", "tools/edit_config.py", ""]
needs = ["read-config", "read-config"]
writes = ["conf/app.toml"]
limit = "3m"

[task.train]
run = "make train"
needs = ["edit-config"]
uses = { cpus = 0.5, gpus = 1, disk = "2GB", processes = 8, slots = 2 }
holds = ["gpu-room"]
on = { labels = ["gpu"], tools = ["make"] }
outputs = ["model/*.bin"]
workdir = "sub"
limit = "unlimited"
estimate = ["5m", "PT8M"]
promise = "none"
repeat = "if-not-started"
cut_off = "stop after 2m"
on_withdrawn = "end"
give_up = "1h30m"
parallel = true
env = { SEED = "7" }
"""
DEFAULT_ENV = {"LANG": "C", "SEED": "1"}
GIB = 1 << 30
EXPECTED = PlanSpec(
    name="nightly",
    workdir=".",
    max_parallel=4,
    by_ms=2 * HOUR,
    workers=("box", "mini"),
    not_on=("lamp",),
    ask=("LW305",),
    tasks=(
        TaskSpec(
            name="read-config",
            run="python tools/read_config.py",
            reads=("conf/app.toml",),
            writes=(),
            estimate_ms=20 * SECOND,
            limit_ms=10 * MINUTE,
            env=DEFAULT_ENV,
            uses=Uses(memory_bytes=GIB),
        ),
        TaskSpec(
            name="edit-config",
            run=("python", "tools/edit_config.py", ""),
            needs=("read-config",),
            writes=("conf/app.toml",),
            limit_ms=3 * MINUTE,
            env=DEFAULT_ENV,
            uses=Uses(memory_bytes=GIB),
        ),
        TaskSpec(
            name="train",
            run="make train",
            needs=("edit-config",),
            uses=Uses(
                cpus_milli=500,
                memory_bytes=GIB,
                gpus=1,
                disk_bytes=2_000_000_000,
                processes=8,
                slots=2,
            ),
            holds=("gpu-room",),
            on=Selector(labels=("gpu",), tools=("make",)),
            outputs=("model/*.bin",),
            workdir="sub",
            limit_ms=None,
            estimate_low_ms=5 * MINUTE,
            estimate_ms=8 * MINUTE,
            promise="none",
            repeat=Repeat.IF_NOT_STARTED,
            cut_off_ms=2 * MINUTE,
            on_withdrawn="end",
            give_up_ms=90 * MINUTE,
            parallel=True,
            env={"LANG": "C", "SEED": "7"},
        ),
    ),
)


def findings_of(text, format="toml", **options):
    with pytest.raises(PlanFileError) as raised:
        plan_from_text(text, format, f"plan.{format}", **options)
    return raised.value.findings


def one_task(line, format="toml"):
    return plan_from_text(f'[task.a]\nrun = "true"\n{line}\n', "toml", "plan.toml").tasks[0]


def test_a_whole_plan(tmp_path):
    path = tmp_path / "nightly.toml"
    path.write_text(NIGHTLY)
    assert read_plan(path) == EXPECTED


def test_windows_line_ends_and_byte_order_mark(tmp_path):
    path = tmp_path / "nightly.toml"
    path.write_bytes(b"\xef\xbb\xbf" + NIGHTLY.replace("\n", "\r\n").encode())
    assert read_plan(path) == EXPECTED


def test_absent_is_neither_zero_nor_unlimited():
    assert one_task("") == TaskSpec(name="a", run="true")
    assert one_task("reads = []").reads == ()
    assert one_task("uses = { cpus = 0, slots = 0 }").uses == Uses(cpus_milli=0, slots=0)


@pytest.mark.parametrize(
    ("written", "cpus_milli"), [("0.5", 500), ("4", 4000), ("2.0", 2000), ("0.001", 1)]
)
def test_cpus_may_be_fractions(written, cpus_milli):
    assert one_task(f"uses = {{ cpus = {written} }}").uses.cpus_milli == cpus_milli


@pytest.mark.parametrize("written", ["0.0001", '"4"', '"unlimited"', "true", "-0.5", "1e9"])
def test_these_are_no_cpus(written):
    (finding,) = findings_of(f'[task.a]\nrun = "x"\nuses = {{ cpus = {written} }}')
    assert finding.numbers["expected"] == "a number of cpus such as 4 or 0.5"


@pytest.mark.parametrize(
    ("written", "limit_ms"),
    [
        ("90", 90 * SECOND),
        ("0.5", 500),
        ('"90"', 90 * SECOND),
        ('"1h 30m"', 90 * MINUTE),
        ('"PT8M"', 8 * MINUTE),
        ('"36500d"', 36_500 * DAY),
        ('"unlimited"', None),
    ],
)
def test_durations(written, limit_ms):
    assert one_task(f"limit = {written}").limit_ms == limit_ms


@pytest.mark.parametrize(
    "written", ["true", '"ten"', '"-1m"', '"36501d"', '"Unlimited"', '""', "[1]", "07:00:00"]
)
def test_these_are_no_durations(written):
    (finding,) = findings_of(f'[task.a]\nrun = "x"\nlimit = {written}')
    assert finding.numbers["expected"] == (
        'a duration above 0 such as 90s, 8m or 1h30m, or "unlimited"'
    )
    assert finding.tasks == ("a",)


def test_unlimited_overrides_a_default_and_absent_takes_it():
    plan = plan_from_text(
        '[defaults]\nlimit = "1m"\nrun = "true"\n[task.a]\n[task.b]\nlimit = "unlimited"',
        "toml",
        "p.toml",
    )
    assert [(task.name, task.run, task.limit_ms) for task in plan.tasks] == [
        ("a", "true", MINUTE),
        ("b", "true", None),
    ]


def test_max_parallel_unlimited_is_no_bound():
    text = 'max_parallel = "unlimited"\n[task.a]\nrun = "x"'
    assert plan_from_text(text, "toml", "p.toml").max_parallel is None


def test_the_file_names_a_plan_that_has_no_name(tmp_path):
    path = tmp_path / "weekly.yml"
    path.write_text("tasks: [{id: a, run: x}]")
    assert read_plan(path).name == "weekly"


def test_formats_agree():
    listed = {"name": "n", "tasks": [{"id": "b", "run": ["x", "y"]}, {"id": "a", "run": "z"}]}
    as_toml = 'name = "n"\n[[tasks]]\nid = "b"\nrun = ["x", "y"]\n[[tasks]]\nid = "a"\nrun = "z"'
    as_yaml = "name: n\ntasks:\n- id: b\n  run: [x, y]\n- id: a\n  run: z\n"
    expected = plan_from_object(listed)
    assert [task.name for task in expected.tasks] == ["b", "a"]
    assert expected.ordered
    assert plan_from_text(json.dumps(listed, indent="\t"), "json", "p.json") == expected
    assert plan_from_text(as_toml, "toml", "p.toml") == expected
    assert plan_from_text(as_yaml, "yaml", "p.yaml") == expected


def test_only_a_json_map_has_no_order():
    mapped = {"task": {"b": {"run": "x"}, "a": {"run": "y"}}}
    assert not plan_from_object(mapped).ordered
    assert not plan_from_text(json.dumps(mapped), "json", "p.json").ordered
    for text, format in (
        ('[task.b]\nrun = "x"\n[task.a]\nrun = "y"', "toml"),
        ("task: {b: {run: x}, a: {run: y}}", "yaml"),
    ):
        plan = plan_from_text(text, format, "p")
        assert plan.ordered
        assert [task.name for task in plan.tasks] == ["b", "a"]


def test_yaml_words_stay_words():
    plan = plan_from_text(
        "task:\n  yes:\n    run: on\n    on: {labels: [no, 0x, 1:30]}\n    env: {A: off}\n",
        "yaml",
        "p.yaml",
    )
    assert plan.tasks == (
        TaskSpec(name="yes", run="on", on=Selector(labels=("no", "0x", "1:30")), env={"A": "off"}),
    )


def test_findings_of_an_object_name_the_key():
    with pytest.raises(PlanFileError) as raised:
        plan_from_object({"tasks": [{"id": "a", "run": "x"}, {"id": "b", "run": "x", "limit": 0}]})
    (finding,) = raised.value.findings
    assert finding.tasks == ("b",)
    assert finding.numbers == {
        "file": "plan",
        "where": "plan, tasks[1].limit",
        "key": "tasks[1].limit",
        "expected": 'a duration above 0 such as 90s, 8m or 1h30m, or "unlimited"',
        "got": "0",
    }


@pytest.mark.parametrize("value", [None, [], "plan", 3, {}, {"tasks": None}, {"task": []}])
def test_an_object_that_is_no_plan(value):
    with pytest.raises(PlanFileError):
        plan_from_object(value)


def test_by_a_clock_time_needs_the_clock():
    text = 'by = "07:00"\n[task.a]\nrun = "x"'
    (finding,) = findings_of(text)
    assert finding.numbers["expected"] == 'a duration above 0 such as "in 2h"'
    plan = plan_from_text(text, "toml", "p.toml", wall_ms=1_700_000_000_000)
    assert plan.by_ms is not None
    assert 0 < plan.by_ms <= DAY


def test_twenty_findings_and_the_count_of_all():
    text = "".join(f'[task.t{at}]\nrun = "x"\nlimit = 0\n' for at in range(50))
    with pytest.raises(PlanFileError) as raised:
        plan_from_text(text, "toml", "p.toml")
    assert len(raised.value.findings) == MOST_FINDINGS
    assert raised.value.total == 50
    assert str(raised.value) == "p.toml:3:1: 50 mistake(s)"
