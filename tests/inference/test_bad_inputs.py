"""Goal: nothing that stands in a command makes it fail, take long or be taken for understood.
Method: junk of several kinds, with a bound on the time it takes."""

from __future__ import annotations

import random
import resource
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.inference.command import read_command
from leaseway.inference.reading import MOST, SHOWN

MEGABYTE = 1 << 20
JUNK = random.Random(7).randbytes(100_000).decode("latin-1")
BOUND_S = 5.0
KIBIBYTES = 700_000


@pytest.mark.parametrize(
    "command",
    [
        "touch a; " * (MEGABYTE // 9),
        ("touch", *("a" * 10 for _ in range(MEGABYTE // 10))),
        JUNK,
        JUNK.replace("\0", ""),
        "touch 'a",
        'touch "a',
        "touch a)",
        "if touch a",
        "cat <<EOF > a",
        "(" * 60_000,
        "$(" * 40_000 + ")" * 40_000,
        "( " * 3_000 + "touch a" + " )" * 3_000,
        "if true; then " * 3_000 + "touch a; " + "fi; " * 3_000,
        "f() { f; f; }; f",
        "touch a; " * 10_000,
        "touch " + " ".join(f"f{at}" for at in range(15_000)),
        "v=1; " * 10_000 + "(true); " * 6_000,
        "gcc " + "-I x " * 20_000 + '"$X"',
        "eval " * 200 + "touch a",
        "touch a\0b",
        "a | " * 32_000,
        "))" * 60_000,
        "`> b " * 25_000,
        "a=(" * 40_000,
        "<<A " * 30_000,
        ";a" * 60_000,
        ";a" * 1_999,
        ")\n" + "a\n" * 60_000,
        "`> b " * 300,
        "))" * 499,
        "a | " * 999,
    ],
    ids=lambda command: str(command)[:20],
)
def test_junk_is_said_to_be_unread_in_bounded_time(command):
    started = time.process_time()
    found = read_command(command)
    assert time.process_time() - started < BOUND_S
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < KIBIBYTES
    assert found.unread
    assert len(found.accesses) <= MOST
    assert all(len(each.text) <= SHOWN and each.text.isprintable() for each in found.unread)


def test_a_text_that_is_not_closed_is_not_read_at_all():
    for command in ("rm a; echo 'b", 'rm a; echo "b', "rm a; (echo b"):
        assert read_command(command).accesses == ()


@given(st.text(max_size=60))
def test_any_text_is_read_without_failing(text):
    read_command(text)
    read_command((text, text))


WORDS = "git cd rm -C -o -f -- x /y '$Z' $(pwd) && ; | > < docker run -p 80:80 make uv pip -c"
PIECES = st.sampled_from(WORDS.split())


@given(st.lists(PIECES, max_size=12))
def test_any_row_of_known_words_is_read_without_failing(pieces):
    read_command(" ".join(pieces))
    read_command(tuple(pieces))
