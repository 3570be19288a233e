"""Goal: a command is walked as a shell would walk it. Method: commands with what they write."""

from __future__ import annotations

import pytest

from leaseway.inference.command import read_command


def written(run, env=None):
    found = read_command(run, env)
    return {each.what for each in found.accesses if each.writes}, bool(found.unread)


@pytest.mark.parametrize(
    ("command", "expected", "unread"),
    [
        ("cd a && touch b", {"a/b"}, False),
        ("cd a; cd ..; touch b", {"b"}, False),
        ("(cd a && touch b); touch c", {"a/b", "c"}, False),
        ("cd a | touch b; touch c", {"b", "c"}, False),
        ("cd /srv && touch b", {"/srv/b"}, False),
        ("cd && touch b", {"~/b"}, False),
        ("cd a || exit 1; touch b", {"a/b"}, False),
        ('cd "$X" && touch b /c', {"/c"}, True),
        ("cd - && touch b", set(), True),
        ("A=x; touch $A.txt", {"x.txt"}, False),
        ('A=x; touch "${A}/y" "$A z"', {"x/y", "x z"}, False),
        ("A=x; touch '$A'", {"$A"}, False),
        ("A=x B=y; touch $A$B", {"xy"}, False),
        ("A=x touch $A", set(), True),  # expanded before it is set
        ("export A=x; touch $A", {"x"}, False),
        ("A=x; unset A; touch $A", set(), True),
        ("A=$(date); touch $A", set(), True),
        ("A=x; A+=y; touch $A", set(), True),
        ("read A; touch $A", set(), True),
        ("touch $(pwd)/a", {"a"}, False),
        ('cd s && touch "$PWD/a"', {"s/a"}, False),
        ("touch $HOME/a ~/b", {"~/a", "~/b"}, False),
        (r"touch a\ b", {"a b"}, False),
        ("touch a{1,2}", set(), True),
        ("touch build/*.o", {"build/*.o"}, False),
        ("if x=1; then touch a; else touch b; fi; touch c", {"a", "b", "c"}, False),
        ("if true; then cd a; fi; touch b /c", {"/c"}, True),
        ("if true; then cd a; else cd a; fi; touch b", {"a/b"}, False),
        ("if true; then A=1; else A=2; fi; touch $A", set(), True),
        ("case x in a) touch a;; *) touch b;; esac", {"a", "b"}, False),
        ("for f in a b; do touch x; touch $f; done", {"x"}, True),
        ("for f in a b; do cd d; touch x; done", {"d/x"}, True),
        ("while read l; do touch x; done < in", {"x"}, False),
        ("f() { touch x; }; f", {"x"}, False),
        ("f() { touch x; }", set(), False),
        ("f() { f; }; f", set(), True),
        ("{ touch a; touch b; } > log", {"a", "b", "log"}, False),
        ("! touch a", {"a"}, False),
        ("touch a & touch b", {"a", "b"}, False),
        ('echo $(touch a) "$(touch b)" `touch c`', {"a", "b", "c"}, False),
        ("cat <(touch a) > b", {"a", "b"}, True),
        ("cat <<EOF > out\ntouch a\nEOF\n", {"out"}, False),
        ("cat <<EOF\n$(touch a)\nEOF\n", {"a"}, False),
        ("cat <<EOF | tee out\ntouch a\nEOF\n", {"out"}, False),
        ("bash <<'EOF'\ntouch a\nEOF\n", set(), True),
        ("touch a # touch b", {"a"}, False),
        ("set -e\ntouch \\\n  a", {"a"}, False),
        ("$CC -o a b.c", set(), True),
        ("sh -c 'cd a; touch b'; touch c", {"a/b", "c"}, False),
        ("touch ../../x /../y a/../b", {"../../x", "/y", "b"}, False),
        ("touch nas:x", {"./nas:x"}, False),  # a file, and no named space
        ("touch ''", set(), True),
    ],
)
def test_walked(command, expected, unread):
    assert written(command) == (expected, unread)


def test_a_long_chain_is_read_to_its_end():
    command = " && ".join(f"touch f{at}" for at in range(150))
    assert written(command) == ({f"f{at}" for at in range(150)}, False)


def test_variables_of_the_task_are_known():
    assert written("touch $OUT/x", {"OUT": "o"}) == ({"o/x"}, False)


def test_a_list_is_a_program_and_its_arguments():
    assert written(("touch", "a b", "$C", "x;y")) == ({"a b", "$C", "x;y"}, False)
    assert written(("bash", "-c", "touch a && touch b")) == ({"a", "b"}, False)
    assert written(()) == (set(), False)


def test_the_rule_and_the_piece_of_text_are_told():
    (found,) = read_command("echo hi && git fetch origin\ntrue").accesses
    assert (found.what, found.rule, found.text) == ("git:.", "git", "git fetch origin")


def test_what_is_not_understood_is_said():
    (missed,) = read_command("touch a; frobnicate --all").unread
    assert (missed.text, missed.why) == ("frobnicate --all", "what this program touches")
