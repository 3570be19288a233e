"""Reading strictly what a person or a program of theirs asked for.

The records of the model pass over fields that they do not know, since coordinator and worker may be
of different age. In a request such a field is a slip (`slot` for `slots`) and would be left out
silently; so requests are read through a twin of their type that takes no unknown field anywhere.
"""

from __future__ import annotations

import functools
import operator
import types
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

Kind = TypeVar("Kind")


def read(raw: bytes, kind: type[Kind]) -> Kind:
    """The message. A request (a type that forbids unknown fields) forbids them in all its parts.
    msgspec.DecodeError, UnicodeDecodeError, RecursionError: it is none."""
    plain: type = kind
    if is_request(plain):
        msgspec.json.decode(raw, type=twin(plain))
    return msgspec.json.decode(raw, type=kind)


def is_request(kind: type) -> bool:
    """Whether this type is read strictly."""
    return issubclass(kind, Struct) and kind.__struct_config__.forbid_unknown_fields


@functools.cache
def twin(kind: type) -> type[Struct]:
    """A type with the same fields that takes no others, in no part."""
    assert issubclass(kind, Struct)
    config = kind.__struct_config__
    hints = get_type_hints(kind, include_extras=True)
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    for each in msgspec.structs.fields(kind):
        of = _twin_of(hints[each.name])
        if each.required:
            fields.append((each.encode_name, of))
        else:
            fields.append((each.encode_name, of, None))  # only there or not; never looked at
    return msgspec.defstruct(
        kind.__name__,
        fields,
        forbid_unknown_fields=True,
        kw_only=True,
        tag=config.tag,
        tag_field=config.tag_field,
    )


def _twin_of(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, Struct):
        return twin(annotation)
    within = get_args(annotation)
    origin = get_origin(annotation)
    if not within or origin is None:
        return annotation
    made = tuple(each if each is Ellipsis else _twin_of(each) for each in within)
    if origin in (Union, types.UnionType):
        return functools.reduce(operator.or_, made)
    return origin[made]
