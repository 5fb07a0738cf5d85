"""The types of JSON values that matter for Arrow types, and how two of them combine."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import pyarrow as pa

Kind = Literal["null", "text", "boolean", "integer", "number", "string", "array", "map", "object"]


@dataclass(frozen=True, slots=True)
class JsonType:
    """A type of JSON values; null is a value of every type.

    Attributes:
        kind: "text" is any JSON, kept as text; "null" only null; "map" an object whose names are unknown.
        fields: fields of an object, by name, in order.
        inner: type of an array's items, or of a map's values.
    """

    kind: Kind
    fields: Mapping[str, "JsonType"] = field(default_factory=dict)
    inner: "JsonType | None" = None


ANY: Final = JsonType("text")
"""Any JSON."""

_OBJECT: Final = JsonType("object")

_NUMBERS: Final = {"integer", "number"}
_SCALARS: Final[Mapping[str, pa.DataType]] = {
    "null": pa.string(),
    "text": pa.string(),
    "boolean": pa.bool_(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "string": pa.string(),
}


def arrow_type(json_type: JsonType) -> pa.DataType:
    """The Arrow type of a type's values."""
    if json_type.kind == "array" and json_type.inner is not None:
        return pa.list_(pa.field("element", arrow_type(json_type.inner)))
    if json_type.kind == "map" and json_type.inner is not None:
        return pa.map_(pa.string(), arrow_type(json_type.inner))
    if json_type.kind == "object":
        return pa.struct([pa.field(name, arrow_type(each)) for name, each in json_type.fields.items()])
    return _SCALARS[json_type.kind]


def object_of(fields: Mapping[str, JsonType]) -> JsonType:
    """An object with fields; any JSON if a name has a lone surrogate, which Arrow's names cannot have."""
    try:
        "".join(fields).encode()
    except UnicodeEncodeError:
        return ANY
    return JsonType("object", fields)


def count(json_type: JsonType) -> int:
    """The number of types of which a type consists."""
    inner = 0 if json_type.inner is None else count(json_type.inner) + (json_type.kind == "map")
    return 1 + inner + sum(map(count, json_type.fields.values()))


def texts_in(json_type: JsonType, path: str = "") -> Iterator[str]:
    """The fields of a type that are JSON text."""
    if json_type.kind == "text":
        yield path
    if json_type.inner is not None:
        yield from texts_in(json_type.inner, f"{path}[]")
    for name, each in json_type.fields.items():
        yield from texts_in(each, f"{path}.{name}" if path else name)


def all_of(types: Sequence[JsonType]) -> JsonType:
    """The type of values that several schemas, at least one, describe together (`allOf`)."""
    if len(types) == 1:
        return types[0]
    half = len(types) // 2  # in halves, as each merge copies its fields
    return both(all_of(types[:half]), all_of(types[half:]))


def both(first: JsonType, second: JsonType) -> JsonType:
    """The type of values that two schemas describe together."""
    for one, other in ((first, second), (second, first)):
        if one == _OBJECT and other.kind in ("object", "map"):
            return other
    if first.kind == "object" and second.kind == "object":
        names = [*first.fields, *(name for name in second.fields if name not in first.fields)]
        fields = {name: _both_of(first.fields.get(name), second.fields.get(name)) for name in names}
        return JsonType("object", fields)
    if {first.kind, second.kind} == _NUMBERS:
        return JsonType("integer")
    return first if first == second else ANY


def _both_of(first: JsonType | None, second: JsonType | None) -> JsonType:
    if first is None or first == ANY:
        return second or ANY
    if second is None or second == ANY:
        return first
    return both(first, second)


def one_of(types: Iterable[JsonType]) -> JsonType:
    """The type of values that one of several schemas describes (`oneOf`, `anyOf`, a list of types)."""
    found: list[JsonType] = []
    for each in types:
        if each not in found:
            found.append(each)
        if len(found) > len(_NUMBERS):
            return ANY
    if len(found) == 1:
        return found[0]
    return JsonType("number") if {each.kind for each in found} == _NUMBERS else ANY


def within(base: JsonType, other: JsonType) -> bool:
    """Whether a type adds no restriction to another type, `base`."""
    if other == _OBJECT:
        return base.kind in ("object", "map")
    if other.kind == "object" and base.kind == "object":
        return all(name in base.fields and within(base.fields[name], each) for name, each in other.fields.items())
    return base == other
