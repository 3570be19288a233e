"""As much of a JSON Schema validator as the generated schemas need; an unknown keyword fails."""

from __future__ import annotations

import re
from typing import Any

TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "number": (int, float),
    "integer": int,
}
CHECKS: dict[str, Any] = {
    "type": lambda value, wanted, _: (
        isinstance(value, TYPES[wanted]) and (wanted == "boolean") == isinstance(value, bool)
    ),
    "enum": lambda value, words, _: value in words,
    "const": lambda value, word, _: value == word,
    "minLength": lambda value, least, _: len(value) >= least,
    "pattern": lambda value, pattern, _: re.search(pattern, value) is not None,
    "minimum": lambda value, least, _: value >= least,
    "exclusiveMinimum": lambda value, least, _: value > least,
    "minItems": lambda value, least, _: len(value) >= least,
    "maxItems": lambda value, most, _: len(value) <= most,
    "items": lambda value, inner, _: all(valid(item, inner) for item in value),
    "required": lambda value, keys, _: all(key in value for key in keys),
    "anyOf": lambda value, inner, _: any(valid(value, each) for each in inner),
    "oneOf": lambda value, inner, _: sum(valid(value, each) for each in inner) == 1,
    "properties": lambda value, inner, _: all(
        valid(value[key], inner[key]) for key in inner if key in value
    ),
    "additionalProperties": lambda value, inner, schema: all(
        inner is not False and valid(value[key], inner)
        for key in value
        if key not in schema.get("properties", {})
    ),
    "$schema": lambda value, *_: True,
    "title": lambda value, *_: True,
}


def valid(value: Any, schema: dict[str, Any]) -> bool:
    """Whether a value is as the schema says; `type` is checked before what depends on it."""
    keywords = sorted(schema, key=lambda keyword: keyword != "type")
    return all(CHECKS[keyword](value, schema[keyword], schema) for keyword in keywords)
