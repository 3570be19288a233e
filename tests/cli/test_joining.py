"""Goal: options win over a lease file, and that over the machine. Method: look at the offer."""

from __future__ import annotations

import pytest

from leaseway.worker.meter import capacity_here

LEASES = """
[worker.box]
for = "10m"
max_run_time = "8m"
labels = ["gpu"]
capacity = { cpus = 3 }
[worker.mini]
"""


@pytest.fixture
def offers(monkeypatch):
    """What would have been run."""
    made = []

    def keep(options):
        made.append(options)
        return 0

    monkeypatch.setattr("leaseway.worker.daemon.run_worker", keep)
    return made


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "leases.toml"
    path.write_text(LEASES)
    return path


def join(run, tmp_path, *words):
    return run("worker", "join", "http://box:1", "--state", str(tmp_path / "own"), *words)


def test_what_is_not_said_is_read_from_the_machine(run, offers, tmp_path):
    assert join(run, tmp_path, "--name", "box", "--credential", "secret").exit_code == 0
    (options,) = offers
    assert (options.name, options.url, options.credential) == ("box", "http://box:1", "secret")
    assert options.state_dir == tmp_path / "own"
    assert options.offer.capacity.cpus_milli == capacity_here(tmp_path).cpus_milli
    assert options.offer.windows[0].closes_in_ms is None


def test_a_lease_file(run, offers, file, tmp_path):
    join(run, tmp_path, "--name", "box", "--lease", str(file))
    (options,) = offers
    offer = options.offer
    assert (offer.max_run_ms, offer.labels) == (480_000, ("gpu",))
    assert (offer.capacity.cpus_milli, offer.capacity.slots) == (3_000, 3)
    assert offer.capacity.memory_bytes == capacity_here(tmp_path).memory_bytes


def test_options_win(run, offers, file, tmp_path):
    join(
        run,
        tmp_path,
        *("--name", "box", "--lease", str(file), "--for", "1h", "--cpus", "1", "--label", "disk"),
        *("--memory", "1GiB", "--guard", "10s", "--token", "lab", "--tool", "make"),
    )
    (options,) = offers
    offer = options.offer
    assert offer.windows[0].closes_in_ms == 3_600_000
    assert (offer.capacity.cpus_milli, offer.capacity.slots) == (1_000, 1)
    assert offer.capacity.memory_bytes == 1 << 30
    assert (offer.labels, offer.tokens, offer.tools) == (("disk",), ("lab",), ("make",))
    assert (offer.max_run_ms, offer.guard.total_ms) == (480_000, 10_000)


def test_a_name_that_the_file_does_not_have(run, offers, file, tmp_path):
    done = join(run, tmp_path, "--name", "bix", "--lease", str(file))
    assert done.exit_code == 2
    assert "no lease for bix; nearest: box" in " ".join(done.stderr.split())
    assert offers == []


def test_a_wrong_file(run, offers, file, tmp_path):
    file.write_text('[worker.box]\nfor = "soon"\n')
    done = join(run, tmp_path, "--name", "box", "--lease", str(file))
    assert done.exit_code == 3
    assert ":2:1: expected a duration" in " ".join(done.stderr.split())
    assert offers == []


def test_what_is_offered_is_said(run, offers, tmp_path):
    done = join(run, tmp_path, "--name", "box", "--for", "1h", "--cpus", "2")
    assert done.stdout.startswith(
        "Offering box to http://box:1: open for 1h, longest task no cap\n"
    )
    assert "confinement: absent" in done.stdout


def test_what_cannot_be_printed_ends_nothing(run, offers, tmp_path, monkeypatch):
    """A full disk below the output, or nobody at the other end of a pipe."""
    join(run, tmp_path, "--name", "box")

    def broken(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("click.echo", broken)
    offers[0].tell("one more line")


def test_address_from_the_state_of_a_coordinator_here(run, offers, tmp_path, monkeypatch):
    home = tmp_path / "coordinator"
    home.mkdir()
    (home / "worker.credential").write_text(
        '{"name":"worker","role":"worker","secret":"s3","url":"http://here:9"}'
    )
    monkeypatch.setenv("LEASEWAY_STATE", str(home))
    from click.testing import CliRunner

    from leaseway.cli.main import leaseway

    words = ["worker", "join", "--name", "box", "--state", str(tmp_path / "own")]
    done = CliRunner().invoke(leaseway, words)
    assert done.exit_code == 0, done.output
    assert (offers[0].url, offers[0].credential) == ("http://here:9", "s3")


@pytest.mark.parametrize("name", ["../../../../esc", "bad/name", "..", "a b", ""])
def test_a_name_that_cannot_be_is_refused_before_a_path_is_made_of_it(
    run, offers, tmp_path, monkeypatch, name
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "a" / "b" / "c"))
    done = run("worker", "join", "http://box:1", "--name", name, "--for", "1h")
    assert done.exit_code == 3
    assert "cannot be the name of a worker" in done.stderr
    assert offers == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words", [("--cpus", "0"), ("--slots", "0"), ("--max-run-time", "0s"), ("--for", "5s")]
)
def test_terms_under_which_nothing_could_run(run, offers, tmp_path, words):
    done = join(run, tmp_path, "--name", "box", *words)
    assert done.exit_code == 3
    assert "nothing could ever run there" in " ".join(done.stderr.split())
    assert offers == []
    assert not (tmp_path / "own").exists()


def test_no_patience_is_a_usage_error(run, tmp_path):
    done = run("up", "--patience", "0s", "--state", str(tmp_path / "there"))
    assert done.exit_code == 2
    assert not (tmp_path / "there").exists()


def test_an_address_that_is_refused_leaves_nothing_behind(run, tmp_path):
    done = run("up", "--host", "", "--state", str(tmp_path / "there"))
    assert done.exit_code == 2
    assert not (tmp_path / "there").exists()
