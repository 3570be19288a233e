"""Goal: recurring windows are told anew when half is left or the clock was set, and a changed file
is taken over once it is written. Method: clocks that the test sets, a file that it writes."""

from __future__ import annotations

from dataclasses import dataclass, field

from leaseway.core.model.lease import TermsOffer, WindowOffer
from leaseway.core.model.units import DAY, HOUR
from leaseway.planfile.recurring import Recurring, read_rule
from leaseway.runtime import Clock
from leaseway.worker.options import WorkerOptions
from leaseway.worker.own_terms import OwnTerms

NOON = 1_773_057_600_000  # 2026-03-09 12:00Z, a Monday
NIGHTS = Recurring((read_rule("daily 22:00-07:00"),), "UTC")


@dataclass
class Clocks(Clock):
    boot: int = 5_000
    wall: int = NOON
    told: list[str] = field(default_factory=list)

    def boot_ms(self):
        return self.boot

    def wall_ms(self):
        return self.wall

    def pass_ms(self, length):
        self.boot += length
        self.wall += length


def own(clocks, tmp_path, offer, **fields):
    options = WorkerOptions("w", "http://x", "", tmp_path, offer, **fields)
    return OwnTerms(options, clocks, clocks.told.append)


def nightly(clocks, tmp_path, **fields):
    offer = TermsOffer(windows=NIGHTS.offers(clocks.wall), recurring=NIGHTS.words, digest="one")
    return own(clocks, tmp_path, offer, recurring=NIGHTS, **fields)


def register(terms, clocks):
    offer, ago = terms.offering()
    terms.told(offer.windows, clocks.boot)
    return offer, ago


def test_an_offer_without_recurring_windows_counts_from_its_beginning(tmp_path):
    clocks = Clocks()
    offer = TermsOffer(windows=(WindowOffer(0, HOUR),))
    terms = own(clocks, tmp_path, offer)
    clocks.pass_ms(7_000)
    assert register(terms, clocks) == (offer, 7_000)
    clocks.pass_ms(30 * DAY)
    assert terms.news() == ()


def test_windows_are_told_anew_when_half_of_what_is_known_is_left(tmp_path):
    """Known from noon of day 0 to 07:00 of day 14, 13 days and 19 hours; half is gone after 6 days,
    21 hours and 30 minutes."""
    clocks = Clocks()
    terms = nightly(clocks, tmp_path)
    offer, ago = register(terms, clocks)
    assert (offer.windows[0], ago) == (WindowOffer(10 * HOUR, 19 * HOUR), 0)
    assert offer.windows[-1].closes_in_ms == 13 * DAY + 19 * HOUR
    half = 6 * DAY + 21 * HOUR + HOUR // 2
    clocks.pass_ms(half - 1)
    assert terms.news() == ()
    clocks.pass_ms(1)
    told = terms.news()
    assert told == NIGHTS.offers(NOON + half)
    assert terms.news() == told, "until it was heard"
    terms.told(told, clocks.boot)
    assert terms.news() == ()


def test_a_clock_that_was_set_is_told_at_once_and_a_small_step_is_not(tmp_path):
    clocks = Clocks()
    terms = nightly(clocks, tmp_path)
    register(terms, clocks)
    clocks.wall += 2_000
    assert terms.news() == ()
    clocks.wall += HOUR
    told = terms.news()
    assert told[0] == WindowOffer(9 * HOUR - 2_000, 18 * HOUR - 2_000)
    terms.told(told, clocks.boot)
    assert terms.news() == ()
    clocks.wall -= 3 * HOUR
    assert terms.news()[0].opens_in_ms == 12 * HOUR - 2_000


def test_registering_again_tells_windows_of_that_moment(tmp_path):
    clocks = Clocks()
    terms = nightly(clocks, tmp_path)
    clocks.pass_ms(3 * DAY + HOUR)
    offer, ago = terms.offering()
    assert (offer.windows[0].opens_in_ms, ago) == (9 * HOUR, 0)


def test_a_file_that_changed_is_read_once_it_stays_as_it_is(tmp_path):
    clocks, file = Clocks(), tmp_path / "w.toml"
    file.write_text("one")
    answers = [(TermsOffer(digest="two", max_run_ms=5), None)]
    terms = nightly(clocks, tmp_path, lease_file=file, read_again=answers.pop)
    assert not terms.look()
    file.write_text("other")
    assert not terms.look(), "it may still be being written"
    file.write_text("other words")
    assert not terms.look()
    assert terms.look()
    assert answers == []
    assert terms.offer.max_run_ms == 5
    assert terms.news() == (), "its windows do not recur any more"
    assert not terms.look()


def test_a_file_with_a_mistake_is_told_once_and_changes_nothing(tmp_path):
    clocks, file = Clocks(), tmp_path / "w.toml"
    file.write_text("one")
    answers = [["w.toml:1:1: expected sense."]]
    terms = nightly(clocks, tmp_path, lease_file=file, read_again=answers.pop)
    file.write_text("nonsense")
    assert [terms.look() for _ in range(4)] == [False] * 4
    assert clocks.told[1:] == ["w.toml:1:1: expected sense."]
    assert terms.offer.digest == "one"


def test_a_file_that_says_the_same_or_is_gone_changes_nothing(tmp_path):
    clocks, file = Clocks(), tmp_path / "w.toml"
    file.write_text("one")
    terms = nightly(
        clocks,
        tmp_path,
        lease_file=file,
        read_again=lambda: (TermsOffer(digest="one"), None),
    )
    file.write_text("one  # a remark")
    assert [terms.look() for _ in range(3)] == [False] * 3
    file.unlink()
    assert [terms.look() for _ in range(3)] == [False] * 3
    assert clocks.told == []
