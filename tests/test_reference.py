"""Goal: the reference says what the program does. Method: compare its pages with the tables that
read files and with the catalogue, and read its examples."""

from __future__ import annotations

import importlib.util
import re
from types import ModuleType

import pytest

from leaseway.core.policy.soundness import JUDGED, contradictions
from leaseway.core.wording.rules import RULES
from leaseway.planfile.kinds import Kind
from leaseway.planfile.lease_keys import CAPACITY, GUARD, LEASE, SCOPE, SINGLE
from leaseway.planfile.leases import leases_from_text
from leaseway.planfile.plan import plan_from_text
from leaseway.planfile.plan_keys import PLAN, SELECTOR, TASK, USES
from leaseway.planfile.policy import policy_from_text
from leaseway.planfile.policy_keys import APPROVE, POLICY
from leaseway.planfile.tables import NotOffered, Table
from tests.checkout import ROOT


def read(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def tables(page: str) -> list[list[str]]:
    """The keys of each table, in order."""
    blocks = re.findall(r"(?:^\|.*\n)+", page, flags=re.MULTILINE)
    return [re.findall(r"^\| `(\w+)` \|", block, flags=re.MULTILINE) for block in blocks]


def example(page: str) -> str:
    found = re.search(r"```toml\n(.*?)```", page, flags=re.DOTALL)
    assert found is not None
    return found[1]


def offered(keys: dict[str, Kind]) -> set[str]:
    return set(Table(keys).offered())


def left_out(keys: dict[str, Kind]) -> set[str]:
    return {key for key, kind in keys.items() if isinstance(kind, NotOffered)}


@pytest.mark.parametrize(
    ("page", "at", "keys"),
    [
        ("plan-file.md", 0, offered(PLAN)),
        ("plan-file.md", 1, offered(TASK) | {"id"}),
        ("plan-file.md", 2, offered(USES)),
        ("plan-file.md", 3, offered(SELECTOR)),
        ("policy.md", 0, offered(POLICY)),
        ("policy.md", 1, offered(APPROVE)),
        ("lease-file.md", 0, offered(SINGLE)),
        ("lease-file.md", 1, offered(CAPACITY)),
        ("lease-file.md", 2, offered(GUARD)),
        ("lease-file.md", 3, offered(SCOPE)),
    ],
)
def test_every_key_stands_in_its_table_once(page, at, keys):
    told = tables(read(page))[at]
    assert sorted(told) == sorted(keys)


@pytest.mark.parametrize(("page", "keys"), [("plan-file.md", TASK), ("lease-file.md", LEASE)])
def test_what_is_not_offered_is_said(page, keys):
    last = read(page).split("belong to the format")[0].rpartition("\n\n")[2]
    assert set(re.findall(r"`(\w+)`", last)) == left_out(keys)


def test_the_examples_are_read_whole():
    plan = plan_from_text(example(read("plan-file.md")), "toml", "plan.toml")
    assert [task.name for task in plan.tasks] == ["read-config", "train"]
    assert contradictions(policy_from_text(example(read("policy.md")), "toml", "policy.toml")) == []
    assert list(leases_from_text(example(read("lease-file.md")), "toml", "leases.toml")) == ["box"]


def test_the_page_of_the_policy_names_what_may_be_weighed():
    """The sentence of the page has ranges: LW201 to LW207 is every code of the rules between."""
    said = read("policy.md").split("can be weighed:")[1].split(". Errors")[0]
    first, last = re.findall(r"(LW\d+) to\s+(LW\d+)", said)[0]
    named = set(re.findall(r"LW\d+", said)) | {code for code in RULES if first <= code <= last}
    assert named == set(JUDGED)


def rule_pages() -> ModuleType:
    place = ROOT / "tools" / "rule_pages.py"
    spec = importlib.util.spec_from_file_location("rule_pages", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_code_has_its_page():
    wanted = rule_pages().pages()
    assert {f"{code}.md" for code in RULES} <= wanted.keys()
    folder = ROOT / "docs" / "rules"
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    assert there == wanted, "run: python tools/rule_pages.py"
