"""SARIF 2.1.0: one run, a rule for each code that was found, a result for each finding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from urllib.parse import quote

from leaseway import __version__
from leaseway.cli.formats.placed import PlacedFinding
from leaseway.cli.rule_page import chapter_of
from leaseway.core.wording.languages import catalogue_of
from leaseway.core.wording.rules import RULES
from leaseway.planfile.report import Place

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_TAGS = {"en": "en-US", "zh": "zh-CN"}
_LEVELS = {"error": "error", "warning": "warning", "note": "note", "cause": "note"}
Json = dict[str, object]


def sarif_document(
    found: Sequence[PlacedFinding], file: str, exit_code: int, language: str = "en"
) -> Json:
    """The log. Columns count characters, as plan files are read; help of a rule is relative to
    where the documentation lies."""
    codes = sorted({each.finding.code for each in found})
    uri = _uri(file)
    run: Json = {
        "tool": {
            "driver": {
                "name": "leaseway",
                "version": __version__,
                "rules": [_rule(code, language) for code in codes],
            }
        },
        "language": _TAGS[language],
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "exitCode": exit_code}],
        "artifacts": [{"location": {"uri": uri}}],
        "results": [_result(each, codes.index(each.finding.code), uri) for each in found],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _uri(file: str) -> str:
    return f"file://{quote(file)}" if PurePosixPath(file).is_absolute() else quote(file, safe="/")


def _rule(code: str, language: str) -> Json:
    catalogue = catalogue_of(language)
    docs = f"docs/rules/{code}.md"
    rule: Json = {"id": code, "helpUri": docs}
    if code in RULES:
        severity, meaning = RULES[code]
        text = catalogue.words.meanings.get(code, meaning)
        rule |= {
            "shortDescription": {"text": text},
            "help": {
                "text": f"{text}: leaseway rule {code}",
                "markdown": f"[{code}]({docs}) {text}",
            },
            "defaultConfiguration": {"level": _LEVELS[severity.value]},
            "properties": {"tags": [chapter_of(code, catalogue)]},
        }
    return rule


def _result(each: PlacedFinding, rule: int, uri: str) -> Json:
    finding = each.finding
    text = f"{each.sentence}\n{each.mend}" if each.mend else each.sentence
    result: Json = {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": each.level,
        "message": {"text": text},
        "locations": [{"physicalLocation": _physical(uri, each.place)}],
        "properties": {
            "tasks": list(finding.tasks),
            "workers": list(finding.workers),
            "numbers": finding.numbers,
            "variant": finding.variant,
        },
    }
    if each.others:
        result["relatedLocations"] = [
            {"id": at, "message": {"text": task}, "physicalLocation": _physical(uri, place)}
            for at, (task, place) in enumerate(each.others, 1)
        ]
    return result


def _physical(uri: str, place: Place) -> Json:
    line, column = place
    return {
        "artifactLocation": {"uri": uri, "index": 0},
        "region": {"startLine": line, "startColumn": column},
    }
