"""Goal: what an owner says on the command line is what is offered or changed. Method: values known
beforehand."""

from __future__ import annotations

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from leaseway.cli import kinds
from leaseway.cli.paint import Paint
from leaseway.cli.terms_given import TermsGiven
from leaseway.cli.workers_table import lease_lines, recurring_text, worker_lines
from leaseway.core.model.lease import Mode, Scope, WindowOffer
from leaseway.core.model.units import HOUR
from leaseway.planfile.recurring import read_rule
from tests.cli.samples import NOON, worker

NIGHT, BERLIN = "daily 22:00-07:00", "Europe/Berlin"


@pytest.fixture
def offers(monkeypatch):
    """What would have been run."""
    made = []

    def keep(options):
        made.append(options)
        return 0

    monkeypatch.setattr("leaseway.worker.daemon.run_worker", keep)
    return made


def join(run, tmp_path, *words):
    state = str(tmp_path / "own")
    given = ("--name", "box", "--credential", "secret", "--state", state)
    return run("worker", "join", "http://box:1", *given, *words)


def said(done):
    return " ".join((done.stdout + done.stderr).split())


def test_recurring_windows(run, offers, tmp_path):
    words = ("--window", NIGHT, "--window", "sat,sun 00:00-24:00", "--timezone", BERLIN)
    done = join(run, tmp_path, *words)
    assert done.exit_code == 0, said(done)
    (options,) = offers
    told = f"{NIGHT} and sat,sun 00:00-24:00 {BERLIN}"
    assert (options.offer.recurring, options.recurring.words) == (told, told)
    assert f"open {told}" in said(done)
    assert len(options.offer.windows) > 5


def test_windows_of_a_file_and_options_that_win(run, offers, tmp_path):
    file = tmp_path / "w.toml"
    file.write_text(f'[worker.box]\nwindows = ["{NIGHT}"]\ntimezone = "{BERLIN}"\n')
    join(run, tmp_path, "--lease", str(file))
    join(run, tmp_path, "--lease", str(file), "--for", "1h")
    join(run, tmp_path, "--lease", str(file), "--window", "sat 10:00-12:00", "--timezone", "UTC")
    kept, short, other = offers
    assert kept.recurring.words == kept.offer.recurring == f"{NIGHT} {BERLIN}"
    assert kept.lease_file == file
    assert (short.recurring, short.offer.recurring) == (None, "")
    assert short.offer.windows[0].closes_in_ms == HOUR
    assert other.recurring.words == "sat 10:00-12:00 UTC"
    assert len({each.offer.digest for each in offers}) == 3


def test_a_daemon_reads_its_file_again(run, offers, tmp_path):
    file = tmp_path / "w.toml"
    file.write_text("[worker.box]\nmax_run_time = '8m'\n")
    join(run, tmp_path, "--lease", str(file), "--for", "1h")
    (options,) = offers
    same, _ = options.read_again()
    assert same == options.offer
    file.write_text("[worker.box]\nmax_run_time = '5m'\n")
    offer, recurring = options.read_again()
    assert (offer.max_run_ms, offer.windows, recurring) == (300_000, options.offer.windows, None)
    assert offer.digest != options.offer.digest
    file.write_text("[worker.box]\nfor = 'soon'\n")
    assert "2:1: expected a duration" in " ".join(" ".join(options.read_again()).split())
    file.write_text("[worker.box]\nguard = '2h'\n")
    assert "nothing could ever run there" in " ".join(" ".join(options.read_again()).split())
    file.write_text("[worker.bix]\n")
    assert "has no lease for box" in " ".join(options.read_again())


def test_scope_and_share(run, offers, tmp_path):
    join(
        run,
        tmp_path,
        *("--scope-read", "/data", "--scope-read", "/ref", "--scope-write", "/out"),
        *("--allow-command", "python*", "--network", "lan", "--share", "agents=50%"),
    )
    (options,) = offers
    assert options.offer.scope == Scope(("python*",), ("/data", "/ref"), ("/out",), "lan")
    assert options.offer.share == {"agent": 50}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--window", "daily 25:00-07:00"), "a time from 00:00 to 23:59"),
        (("--window", "mon-fry 18:00-08:00"), "such as mon-fri"),
        (("--window", "daily 00:00-00:00"), "longer than nothing"),
        (("--window", NIGHT, "--timezone", "Europe/Berln"), "nearest: Europe/Berlin"),
        (("--timezone", BERLIN), "--timezone belongs to --window"),
        (("--window", NIGHT, "--for", "1h"), "One of --for, --until and --window"),
        (("--until", "18:00", "--for", "1h"), "One of --for, --until and --window"),
        (("--share", "agents=0%"), "expected agents=50%"),
        (("--share", "agents=101%"), "expected agents=50%"),
        (("--share", "robots=50%"), "expected agents=50%"),
        (("--share", "agents"), "expected agents=50%"),
        (("--network", "wlan"), "'all', 'lan', 'none'"),
    ],
)
def test_what_makes_no_sense_is_refused(run, offers, tmp_path, words, told):
    done = join(run, tmp_path, *words)
    assert done.exit_code == 2
    assert told in said(done)
    assert offers == []


def test_lease_set_of_scope_and_share(run, fake):
    fake.workers_there = (worker("box"),)
    done = run("lease", "set", "box", "--network", "none", "--share", "agents=30%")
    assert done.exit_code == 0, said(done)
    ((_, change),) = fake.named("change_lease")
    assert (change.scope.network, change.share) == ("none", {"agent": 30})
    assert run("lease", "set", "box", "--window", NIGHT).exit_code == 2


def test_lease_set_of_a_shared_lease_that_may_be_kept_open(run, fake, monkeypatch):
    monkeypatch.setattr("leaseway.cli.terms_given.kinds.until_ms", {"23:00": 11 * HOUR}.get)
    fake.workers_there = (worker("box"),)
    words = ("--mode", "shared", "--stretch", "2", "--extendable-until", "23:00")
    done = run("lease", "set", "box", *words)
    assert done.exit_code == 0, said(done)
    ((_, change),) = fake.named("change_lease")
    assert (change.mode, change.stretch_percent) == (Mode.SHARED, 200)
    assert change.extendable_ms == 11 * HOUR
    assert (change.windows, change.max_run_ms, change.capacity) == (UNSET, UNSET, UNSET)


def test_unlimited_can_be_said(run, fake, offers, tmp_path):
    fake.workers_there = (worker("box"),)
    assert run("lease", "set", "box", "--max-run-time", "unlimited").exit_code == 0
    assert run("lease", "set", "box", "--for", "unlimited").exit_code == 0
    (_, longest), (_, window) = fake.named("change_lease")
    assert (longest.max_run_ms, longest.windows) == (None, UNSET)
    assert (window.max_run_ms, window.windows) == (UNSET, (WindowOffer(),))
    join(run, tmp_path, "--max-run-time", "unlimited", "--for", "unlimited")
    (options,) = offers
    assert (options.offer.max_run_ms, options.offer.windows) == (None, (WindowOffer(),))
    wrong = run("lease", "set", "box", "--max-run-time", "soon")
    assert "90s, 8m, 1h30m or unlimited" in said(wrong)
    assert kinds.limit("unlimited") is None
    assert kinds.limit("8m") == 480_000


@pytest.mark.parametrize("words", [("drain",), ("undrain",), ("revoke",), ("lease", "show")])
@pytest.mark.parametrize(("name", "told"), [("", "got nothing"), ("a/b", "called 'a/b'")])
def test_a_name_that_no_worker_can_have_is_asked_of_nobody(run, fake, words, name, told):
    done = run(*words, name)
    assert done.exit_code == 2
    assert told in said(done)
    assert fake.calls == []


def test_nothing_is_brought_of_an_empty_name(run, fake):
    assert "An empty name was given." in said(run("bring", ""))
    assert fake.calls == []


def test_the_same_words_have_the_same_digest():
    one = TermsGiven(until="18:00", window=(read_rule(NIGHT),))
    assert one.digest("{}") == TermsGiven(until="18:00", window=(read_rule(NIGHT),)).digest("{}")
    assert one.digest("{}") != one.digest("{ }")
    assert one.digest("{}") != TermsGiven(until="18:01", window=one.window).digest("{}")


def shown(**more):
    found = worker("box", **more)
    terms = replace(found.terms, recurring=f"{NIGHT} {BERLIN}", share={"agent": 50})
    return replace(found, terms=terms)


def test_recurring_windows_are_shown_in_the_owners_words(monkeypatch):
    monkeypatch.setattr("leaseway.cli.workers_table.local_moment", lambda at, _: f"+{at - NOON}")
    closed = shown(open=False, opens_in_ms=10 * HOUR, remaining_ms=None)
    assert recurring_text(closed) == f"{NIGHT} {BERLIN}; next opens +{10 * HOUR}"
    assert recurring_text(shown(remaining_ms=5)) == f"{NIGHT} {BERLIN}; closes +5"
    page = "\n".join(lease_lines(closed, Paint(False)))
    assert f"{NIGHT} {BERLIN}; next opens" in " ".join(page.split())
    assert "agents 50%" in page
    assert NIGHT in " ".join(" ".join(worker_lines([closed], Paint(False))).split())


def test_what_a_command_set_is_shown(monkeypatch):
    monkeypatch.setattr("leaseway.cli.workers_table.local_moment", lambda at, _: "11:59")
    found = worker("box", set_terms=("max_run_ms", "windows"), set_at=NOON)
    page = " ".join(" ".join(lease_lines(found, Paint(False))).split())
    assert "set by command longest task, windows, at 11:59; until the lease file" in page
