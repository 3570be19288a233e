"""docs/faults.md names exactly the tests that carry a fault's number. Method: both are read."""

from __future__ import annotations

import re

from tests.checkout import ROOT, name_of, python_files

_ROW = re.compile(r"^\| (\d\d) \| .* \| (.*) \|$", re.MULTILINE)
_TEST = re.compile(r"def test_fault_(\d\d)_")


def test_the_page_and_the_tests_agree() -> None:
    told = {
        (number, file)
        for number, files in _ROW.findall((ROOT / "docs/faults.md").read_text())
        for file in re.findall(r"`([^`]+)`", files)
    }
    found = {
        (number, name_of(path))
        for path in python_files("tests")
        for number in _TEST.findall(path.read_text())
    }
    assert told == found
