"""Goal: what contradicts itself, or names no key, is told with what is on offer. Method: small
texts, the words known beforehand."""

from __future__ import annotations

import pytest

from leaseway.core.wording.say import mend
from leaseway.planfile.plan import plan_from_text
from leaseway.planfile.report import PlanFileError


@pytest.mark.parametrize(
    "text",
    [
        '[task.a]\nrun = "x"\nlimit = "5s"\nestimate = "1m"\n',
        '[task.a]\nrun = "x"\nlimit = "5s"\nestimate = ["1s", "1m"]\n',
        '[defaults]\nlimit = "5s"\n[task.a]\nrun = "x"\nestimate = "1m"\n',
    ],
)
def test_an_estimate_is_not_over_the_limit(text):
    with pytest.raises(PlanFileError) as raised:
        plan_from_text(text, "toml", "plan.toml")
    (found,) = raised.value.findings
    assert found.numbers["expected"] == "an estimate of at most the limit, 5s"


def test_a_mistake_names_the_keys_on_offer():
    text = '[task.a]\nrun = "x"\non = ["box"]\n[task.b]\nrun = "x"\non = { workers = ["box"] }\n'
    with pytest.raises(PlanFileError) as raised:
        plan_from_text(text, "toml", "plan.toml")
    table, key = raised.value.findings
    assert table.numbers["expected"] == "a table of labels, tools"
    assert key.numbers["known"] == ["labels", "tools"]
    assert mend(key) == "Correct the key, or remove it; known here: labels, tools."
