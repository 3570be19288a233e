"""Goal: whatever is in a plan or in leases, a scan ends soon, with a finding, a page that can be
read and no traceback. Method: the command on the worst files of each kind, in this process, with
bounds that a slow machine keeps."""

from __future__ import annotations

import json
import resource
import time

import pytest
from click.testing import CliRunner

from leaseway.cli.main import leaseway

LEASES = '[worker.box]\nfor = "10m"\n'
SECONDS, PAGE_LINES, KIBIBYTES = 30, 120, 700_000


def task(name, **keys):
    keys = {"run": "true", "limit": "1s", "reads": [], "writes": [], **keys}
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    return "\n".join([f"[task.{name}]", *lines, ""])


def many(count):
    return json.dumps({"tasks": [{"id": f"t{at}", "run": "true"} for at in range(count)]})


def cycle(count):
    tasks = [
        {"id": f"t{at}", "run": "true", "reads": [], "needs": [f"t{(at + 1) % count}"]}
        for at in range(count)
    ]
    return json.dumps({"tasks": tasks})


GLOBS = task("a", writes=["a*" * 5_000]) + task("b", writes=["*a" * 5_000])
STARS = task("a", writes=["**/a/" * 2_000]) + task("b", writes=["*/a/" * 2_500])
TWICE = '[[tasks]]\nid = "a"\nrun = "x"\n[[tasks]]\nid = "a"\nrun = "y"\n'

NESTED = {
    "parentheses": "(" * 65_000 + ")" * 65_000,
    "closing ones": "))" * 65_000,
    "substitutions": "$(" * 43_000,
    "quotes": "'\"" * 65_000,
    "backticks": "`> b " * 26_000,
    "here-documents": "cat <<A\n" * 16_000,
    "semicolons": ";" * 130_000,
    "statements behind a mistake": ";a" * 65_000,
    "an open pipe": "a | " * 32_000,
    "one word": "x" * 130_000,
    "shells in shells": "sh -c '" * 18_000,
}

BAD = {
    "a plan of 100,000 tasks": (".json", many(100_000), "LW902", "100000 tasks, at most 20000"),
    "a cycle through 50,000": (".json", cycle(50_000), "LW902", "50000 tasks, at most 20000"),
    "a cycle through all that a plan may have": (".json", cycle(20_000), "LW101", "form a cycle"),
    "globs of 10,000 characters": (".toml", GLOBS, "LW201", "a*a*a*"),
    "globs of 2,000 folders": (".toml", STARS, "LW201", "**/a/**/a/"),
    "a command of 1 MB": (
        ".toml",
        task("a", run="echo hi; " * 120_000),
        "LW902",
        "at most 128 KiB",
    ),
    "a path above the root": (".toml", task("a", writes=["/a/../../b"]), "LW209", "taken as /b"),
    "two tasks of one name": (".toml", TWICE, "LW901", "more than one task"),
}


@pytest.fixture
def scan(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def call(suffix, text, leases=LEASES, *words):
        (tmp_path / f"plan{suffix}").write_text(text)
        (tmp_path / "leases.toml").write_text(leases)
        began = time.monotonic()
        line = ["scan", f"plan{suffix}", "--leases", "leases.toml", *words]
        done = CliRunner().invoke(leaseway, line)
        took = time.monotonic() - began
        assert not done.exception or isinstance(done.exception, SystemExit), done.exception
        assert took < SECONDS
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < KIBIBYTES
        return done

    return call


@pytest.mark.parametrize("kind", BAD)
def test_a_finding_and_an_end(scan, kind):
    suffix, text, code, words = BAD[kind]
    done = scan(suffix, text)
    assert done.exit_code in (1, 3)
    assert code in done.output
    assert words in " ".join(done.output.split())
    most = 2_500 if code == "LW101" else PAGE_LINES  # of a cycle the whole path is told
    assert len(done.output.splitlines()) < most
    assert "Traceback" not in done.output


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("size", ["as long as may be", "1 MB"])
def test_a_command_of_nothing_but(scan, kind, size):
    """Of one that is short enough nothing is known (LW206); a longer one is refused (LW902)."""
    text = NESTED[kind] if size != "1 MB" else NESTED[kind] * 8
    tasks = [{"id": "a", "run": text, "limit": "1s"}, {"id": "b", "run": "true", "limit": "1s"}]
    done = scan(".json", json.dumps({"tasks": tasks}))
    assert ("LW902" if size == "1 MB" else "LW206") in done.output
    assert len(done.output.splitlines()) < PAGE_LINES
    assert "Traceback" not in done.output


def test_what_is_cut_on_the_page_is_whole_for_machines(scan):
    told = json.loads(scan(".toml", GLOBS, LEASES, "--json").stdout)
    (found,) = [each for each in told["findings"] if each["code"] == "LW201"]
    assert len(found["numbers"]["over"]) == 10_000
    assert len(found["sentence"]) < 1_000


def test_an_unknown_language(tmp_path):
    done = CliRunner().invoke(leaseway, ["--lang", "tlh", "scan", str(tmp_path / "plan.toml")])
    assert done.exit_code == 2
    assert "There is no language tlh here." in done.output


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ('for = "10m"\nuntil = "09:00"', "for"),
        ('for = "10m"\nguard = { delivery = "20m" }', "LW309"),
        ('for = "10m"\ncapacity = { slots = 0 }', ""),
        ('for = "-3m"', "expected a duration"),
        ('for = "10m"\nmax_run_time = "0s"', ""),
        ('windows = ["daily 08:00-08:00"]\ntimezone = "UTC"', ""),
    ],
)
def test_leases_that_contradict_themselves(scan, said, words):
    done = scan(".toml", task("a"), f"[worker.box]\n{said}\n")
    assert done.exit_code == 3
    assert "LW" in done.output
    assert words in done.output
