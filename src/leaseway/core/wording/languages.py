"""The languages there are, and which of them a name or a locale means."""

from __future__ import annotations

import re

from leaseway.core.wording.catalogue import Catalogue
from leaseway.core.wording.english import ENGLISH

LANGUAGES: dict[str, str] = {"en": "English", "zh": "简体中文"}
"""By code, each in its own words."""

USUAL = "en"
_TRADITIONAL = {"hant", "tw", "hk", "mo"}
_PARTS = re.compile(r"[-_]")


def catalogue_of(language: str) -> Catalogue:
    """The catalogue of one of `LANGUAGES`."""
    if language != "zh":
        return ENGLISH
    from leaseway.core.wording.chinese import CHINESE

    return CHINESE


def language_of(named: str) -> str | None:
    """`zh`, `zh-CN`, `zh_CN.UTF-8@x` → `zh`; None: a language that there is no catalogue of, as
    Chinese in traditional characters."""
    first, *rest = _PARTS.split(re.split(r"[.@]", named.strip(), maxsplit=1)[0].lower())
    if first in ("c", "posix"):
        return USUAL
    if first not in LANGUAGES or (first == "zh" and _TRADITIONAL & set(rest)):
        return None
    return first
