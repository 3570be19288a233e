"""The description of the interface (OpenAPI 3.1): paths from the table of routes, components from
the messages themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from leaseway import __version__
from leaseway.coordinator.endpoint import BYTES, Endpoint
from leaseway.wire.problems import MEDIA_TYPE, Problem

Doc = dict[str, Any]
_PART = re.compile(r"\{(\w+)(?::\w+)?\}")
_REF = "#/components/schemas/{name}"


def openapi(endpoints: Iterable[Endpoint]) -> bytes:
    """The whole description as JSON."""
    table = list(endpoints)
    kinds = [each.reply for each in table] + [each.body for each in table if each.body]
    messages = [Problem, *(kind for kind in kinds if kind is not BYTES)]
    schemas, components = msgspec.json.schema_components(
        list(dict.fromkeys(messages)), ref_template=_REF
    )
    schema_of = dict(zip(dict.fromkeys(messages), schemas, strict=True))
    documented: dict[str, Doc] = {}
    for each in table:
        path = _PART.sub(r"{\1}", each.path)
        documented.setdefault(path, {})[each.method.lower()] = _operation(each, schema_of)
    doc = {
        "openapi": "3.1.0",
        "info": {"title": "Leaseway", "version": __version__},
        "paths": documented,
        "components": {
            "schemas": components,
            "securitySchemes": {"credential": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"credential": []}],
    }
    return msgspec.json.encode(doc)


def _operation(endpoint: Endpoint, schema_of: dict[Any, Doc]) -> Doc:
    named = sorted(role.value for role in endpoint.roles)
    roles = "anybody, without a credential" if endpoint.is_open else ", ".join(named)
    operation: Doc = {
        "operationId": endpoint.handler.__name__,
        "summary": endpoint.does.capitalize(),
        "description": f"{(endpoint.handler.__doc__ or '').strip()} Roles: {roles}.",
        "parameters": _parameters(endpoint),
        "responses": {
            "200": {"description": "Done.", "content": _content(endpoint.reply, schema_of)},
            "default": {
                "description": "A problem document: why not. Nothing ran because of it.",
                "content": {MEDIA_TYPE: {"schema": schema_of[Problem]}},
            },
        },
    }
    if endpoint.body is not None:
        content = _content(endpoint.body, schema_of)
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _content(kind: Any, schema_of: dict[Any, Doc]) -> Doc:
    if kind is BYTES:
        return {"application/octet-stream": {}}
    return {"application/json": {"schema": schema_of[kind]}}


def _parameters(endpoint: Endpoint) -> list[Doc]:
    text = {"type": "string"}
    return [
        {"name": name, "in": "path", "required": True, "schema": text}
        for name in _PART.findall(endpoint.path)
    ] + [{"name": name, "in": "query", "schema": text} for name in endpoint.query]
