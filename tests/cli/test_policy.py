"""Goal: a policy and what would change read well, bad ones are told one by one by the real command,
and requests say what a person needs to know. Method: known records as lines; the command in this
process without a coordinator."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from leaseway.cli.approval_page import answered_lines, approval_lines, one_approval
from leaseway.cli.main import leaseway
from leaseway.cli.paint import Paint
from leaseway.cli.policy_page import change_lines, changes, policy_lines
from leaseway.core.model.approvals import AskedTask
from leaseway.core.model.policy import Approve, Policy, Weight
from leaseway.wire.policy import ApprovalInfo, ApprovalList, PolicyInfo, PolicyLine
from tests.planfile.test_policy import MISTAKES, WHOLE

NOW = 1_800_000_000_000  # 2027-01-15 08:00:00 UTC
HOUR = 3_600_000
PAINT = Paint(False, 100)
POLICY = Policy(
    {"LW206": Weight.ASK},
    share={"agent": 50},
    approve=Approve(longer_than_ms=2 * HOUR),
)


def lines_of(lines):
    return [line.rstrip() for line in lines]


def test_a_policy_whole():
    info = PolicyInfo(
        2,
        POLICY,
        NOW,
        "eve",
        NOW - 5_000,
        in_force=2,
        versions=(
            PolicyLine(1, "up --policy", NOW - HOUR, True),
            PolicyLine(2, "eve", NOW - 5_000),
        ),
    )
    assert lines_of(policy_lines(info, PAINT)) == [
        "Policy 2, set by eve at 2027-01-15 07:59:55.",
        "KEY                  VALUE  MEANING",
        "confidence           90%    how often bounds of promises are meant to hold",
        "guard                0s     kept free at the end of windows, beside each lease's own",
        "findings.LW206       ask    what it touches is unknown",
        "share.agent          50%    of each lease's time ahead, at most",
        "approve.roles        agent  have to ask for a person's yes",
        "approve.longer_than  2h     needs a person's yes",
        "approval_valid_for   1h     a yes, and a no, counts for so long",
        "",
        "VERSION  SET BY       WHEN                 NOTE",
        "      2  eve          2027-01-15 07:59:55  in force",
        "      1  up --policy  2027-01-15 07:00:00",
    ]


def test_an_older_policy_says_that_it_is_one():
    info = PolicyInfo(1, POLICY, NOW, "eve", NOW, in_force=2)
    assert next(policy_lines(info, PAINT)).endswith("It is not in force: policy 2 is.")


def test_nobody_has_set_one():
    first, *_ = policy_lines(PolicyInfo(0, Policy(), NOW), PAINT)
    assert first == "Nobody has set a policy: every rule is as it is by itself."


def test_what_would_change():
    after = Policy({"LW308": Weight.REFUSE}, guard_ms=30_000)
    against = PolicyInfo(3, POLICY, NOW, in_force=3)
    assert lines_of(change_lines(changes(POLICY, after), against, PAINT)) == [
        "What would be different from policy 3:",
        "KEY                  BEFORE  AFTER THAT",
        "guard                0s      30s",
        "findings.LW308       tell    refuse",
        "findings.LW206       ask     tell",
        "share.agent          50%     not said",
        "approve.longer_than  2h      not said",
    ]
    assert lines_of(change_lines([], against, PAINT)) == ["It says what policy 3, in force, says."]


def request(**more):
    given = {
        "id": "A-3",
        "state": "open",
        "principal": "bot",
        "role": "agent",
        "plan": "nightly",
        "asked_at": NOW - HOUR,
        "until": NOW + HOUR,
        "policy_version": 2,
        "reasons": ("LW206", "LW314/longer"),
        "tasks": (AskedTask("train", "make train", 3 * HOUR, 4_000), AskedTask("b", "true")),
        "count": 5,
        "decision": "declined-7",
        **more,
    }
    return ApprovalInfo(**given)


def test_requests_as_a_table_and_what_to_type():
    found = ApprovalList((request(), request(id="A-4", state="denied")), NOW)
    assert lines_of(approval_lines(found, PAINT)) == [
        "REQUEST  STATE   ASKED BY  PLAN     WHY                  TIME LEFT",
        "A-3      open    bot       nightly  LW206, LW314/longer         1h",
        "A-4      denied  bot       nightly  LW206, LW314/longer         1h",
        "",
        "Look: leaseway approve A-3 --show. Say yes: leaseway approve A-3; no: with --deny.",
    ]
    assert approval_lines(ApprovalList((), NOW), PAINT) == ["Nothing waits for a person's yes."]


def test_one_request_whole():
    assert lines_of(one_approval(request(), PAINT)) == [
        "A-3  open",
        "  plan       nightly, 5 tasks",
        "  asked by   bot (agent)",
        "  since      2027-01-15 07:00:00",
        "  until      2027-01-15 09:00:00",
        "  by policy  2",
        "  decision   declined-7",
        "",
        "TASK   LONGEST  CPUS  COMMAND",
        "train       3h     4  make train",
        "b      unknown     1  true",
        "  and 3 more",
        "",
    ]


def test_what_an_answer_means():
    (yes,) = answered_lines(request(state="given"), NOW, PAINT)
    assert yes == "A-3 is approved: bot may hand nightly in once within 1h."
    (no,) = answered_lines(request(state="denied"), NOW, PAINT)
    assert no.startswith("A-3 is denied: nightly of bot is refused, and not asked about again")


def test_a_command_in_a_request_moves_no_cursor():
    evil = request(tasks=(AskedTask("a", "echo \x1b[2Jx"),), plan="p\x1b[1m", count=1)
    assert "\x1b" not in "\n".join(one_approval(evil, PAINT))
    assert "\x1b" not in "\n".join(approval_lines(ApprovalList((evil,), NOW), PAINT))


@dataclass(frozen=True)
class Call:
    """The command where no coordinator is known, and a file to write."""

    folder: Path

    @property
    def file(self):
        return self.folder / "policy.toml"

    def __call__(self, *words):
        return CliRunner().invoke(leaseway, ["--state", str(self.folder / "state"), *words])


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("LEASEWAY_URL", "LEASEWAY_CREDENTIAL", "LEASEWAY_STATE"):
        monkeypatch.delenv(name, raising=False)

    return Call(tmp_path)


@pytest.mark.parametrize("verb", ["check", "set"])
@pytest.mark.parametrize(("text", "code", "place", "expected"), MISTAKES)
def test_bad_policies_one_by_one(call, verb, text, code, place, expected):
    call.file.write_text(text)
    done = call("policy", verb, str(call.file))
    assert done.exit_code == 3
    assert code.partition("/")[0] in done.stderr
    assert "1 mistake in the policy:" in done.stderr
    assert "→" in done.stderr  # what would mend it
    assert done.stderr.rstrip().endswith("Nothing was changed.")
    assert "Traceback" not in done.output
    assert f":{place}" in done.stderr.replace("\n", "").replace(" ", "")


def test_check_needs_no_coordinator(call):
    call.file.write_text(WHOLE)
    done = call("policy", "check", str(call.file))
    assert done.exit_code == 0
    assert "can be the pool's policy." in done.stdout.replace("\n", " ")
    assert "Not compared: no coordinator is known." in done.stdout
    document = json.loads(call("policy", "check", "--json", str(call.file)).stdout)
    assert document["policy"]["findings"]["LW308"] == "refuse"
    assert (document["in_force"], document["changes"]) == (None, [])


def test_set_needs_one(call):
    call.file.write_text(WHOLE)
    done = call("policy", "set", str(call.file))
    assert done.exit_code == 5
    assert "leaseway up" in done.stderr


def test_a_file_that_is_not_there(call):
    done = call("policy", "check", str(call.file))
    assert done.exit_code == 3
    assert "LW901" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("approve", "--deny"),
        ("approve", "--reason", "x"),
        ("approve", "--show"),
        ("approve", "A-1", "--all"),
        ("approve", "A-1", "--show", "--deny"),
        ("policy", "show", "--version", "-1"),
        ("policy", "set"),
    ],
)
def test_calls_that_say_too_little_or_too_much(call, words):
    assert call(*words).exit_code == 2
