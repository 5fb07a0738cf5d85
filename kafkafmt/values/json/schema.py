"""The types that JSON Schemas of drafts 4 to 2020-12 describe.

A schema is a list of conditions; only those that decide about a type are read. A part for which several types fit, a
part without properties, a recursive part and an unresolved reference are any JSON.
Source: https://json-schema.org/specification.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urldefrag, urljoin

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.values.json.types import ANY, JsonType, all_of, both, object_of, one_of, within

_MOST_NODES: Final = 10_000
"""Most nodes of a type: a definition that is used in several places is expanded in each."""

_MOST_DEPTH: Final = 100
_SCALARS: Final = ("null", "boolean", "integer", "number", "string")
_IDS: Final = ("$id", "id")
_DYNAMIC: Final = ("$recursiveRef", "$dynamicRef")


@dataclass(eq=False)
class Document:
    """A schema's text, with the documents for its references.

    Attributes:
        content: the schema.
        references: the documents that it refers to, by the names that the registry has for them.
    """

    content: object
    references: dict[str, "Document"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Find the schemas that have an id or an anchor of their own."""
        self.base = _own_id(self.content, "")
        self._named: dict[str, _Place] = {}
        waiting: list[tuple[object, object, str]] = [(self.content, self.content, "")]
        while waiting:
            each, root, base = waiting.pop()
            if isinstance(each, dict):
                own = _own_id(each, base)
                if own != base:
                    root, base = (root if "#" in own else each), urldefrag(own)[0]
                    self._named.setdefault(own.removesuffix("#"), _Place(self, each, root, base))
                for name in ("$anchor", "$dynamicAnchor"):
                    if isinstance(anchor := each.get(name), str):
                        self._named.setdefault(f"{base}#{anchor}", _Place(self, each, root, base))
                waiting += [(below, root, base) for name, below in each.items() if name not in ("enum", "const")]
            elif isinstance(each, list):
                waiting += [(below, root, base) for below in each]

    @property
    def place(self) -> "_Place":
        """The schema itself."""
        return _Place(self, self.content, self.content, urldefrag(self.base)[0])

    def found(self, reference: str, root: object, base: str) -> "_Place | None":
        """The schema that a `$ref` refers to; None if it is not here.

        Args:
            reference: the text of the `$ref`.
            root: the enclosing schema with an id.
            base: that id.
        """
        name, fragment = urldefrag(reference)
        whole = _joined(base, name)
        place = _Place(self, root, root, base) if not name else self._whole(name, whole)
        if place is None or not fragment:
            return place
        if fragment.startswith("/"):
            return place.pointed(unquote(fragment))
        return place.document._named.get(f"{place.base}#{fragment}")  # noqa: SLF001 - of the same class

    def _whole(self, name: str, whole: str) -> "_Place | None":
        for each in (name, whole):
            if each in self._named:
                return self._named[each]
            if each in self.references:
                return self.references[each].place
        for other in self.references.values():
            if other.base in (name, whole):
                return other.place
        return None


class _Place(NamedTuple):
    """A schema inside a document, with the enclosing schema that has an id, and that id."""

    document: Document
    schema: object
    root: object
    base: str

    def at(self, schema: object) -> "_Place":
        if isinstance(schema, dict) and (own := _own_id(schema, self.base)) != self.base and "#" not in own:
            return _Place(self.document, schema, schema, own)
        return self._replace(schema=schema)

    def pointed(self, pointer: str) -> "_Place | None":
        place = self
        for step in pointer.split("/")[1:]:
            name, below = step.replace("~1", "/").replace("~0", "~"), place.schema
            if isinstance(below, dict) and name in below:
                place = place.at(below[name])
            elif isinstance(below, list) and name.isascii() and name.isdecimal() and int(name[:9]) < len(below):
                place = place.at(below[int(name[:9])])
            else:
                return None
        return place


def parse(text: str, references: dict[str, Document] | None = None) -> Document:
    """Parse a schema.

    Args:
        text: JSON.
        references: the documents that it refers to, by name.

    Raises:
        CorruptError: the text is not a schema.
        LimitExceededError: the JSON is nested too deeply.
    """
    try:
        content: object = json.loads(text)
    except RecursionError as error:
        raise LimitExceededError("the JSON Schema is nested too deeply") from error
    except ValueError as error:
        raise CorruptError("the JSON Schema is not JSON") from error
    if not isinstance(content, (dict, bool)):
        raise CorruptError("the JSON Schema is neither an object nor a boolean", found=json.dumps(content)[:80])
    return Document(content, references or {})


def type_of(document: Document) -> JsonType:
    """The type of a schema's values; any JSON if it has too many parts for columns."""
    try:
        return _closed(_Types().of(document.place, ()))
    except _TooLargeError:
        return ANY


class _TooLargeError(Exception):
    """Raised for a type with too many parts."""


class _Types:
    def __init__(self) -> None:
        self._count = 0

    def of(self, place: _Place, path: tuple[int, ...]) -> JsonType | None:
        """The type of a schema; None if it does not restrict the type.

        Args:
            place: the schema.
            path: the enclosing schemas, including those reached by references; its length is the depth.
        """
        self._count += 1
        if self._count > _MOST_NODES or len(path) > _MOST_DEPTH:
            raise _TooLargeError
        schema = place.schema
        if not isinstance(schema, dict):
            return None
        path = (*path, id(schema))
        found = [self._own(place, schema, path), *(self.of(place.at(each), path) for each in _schemas(schema, "allOf"))]
        if any(isinstance(schema.get(name), str) for name in _DYNAMIC):
            found.append(ANY)
        if isinstance(reference := schema.get("$ref"), str):
            target = place.document.found(reference, place.root, place.base)
            is_inside = target is None or id(target.schema) in path
            found.append(ANY if target is None or is_inside else self.of(target, path))
        said = [each for each in found if each is not None]
        own = all_of(said) if said else None
        for name in ("anyOf", "oneOf"):
            if alternatives := [self.of(place.at(each), path) for each in _schemas(schema, name)]:
                own = _among(own, alternatives)
        conditional = [schema[name] for name in ("then", "else") if name in schema and "if" in schema]
        return _among(own, [None, *(self.of(place.at(each), path) for each in conditional)]) if conditional else own

    def _own(self, place: _Place, schema: Mapping[str, Any], path: tuple[int, ...]) -> JsonType | None:
        """The type that the schema's own conditions describe."""
        kind = schema.get("type")
        if isinstance(kind, list):
            kinds = [each for each in kind if each != "null"]
            return one_of(self._of_kind(each, place, schema, path) for each in kinds) if kinds else JsonType("null")
        if kind is not None:
            return self._of_kind(kind, place, schema, path)
        values = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if isinstance(values, list):
            return _of_values(values)
        if isinstance(schema.get("properties"), dict):
            return self._of_kind("object", place, schema, path)
        return self._of_kind("array", place, schema, path) if "items" in schema or "prefixItems" in schema else None

    def _of_kind(self, kind: object, place: _Place, schema: Mapping[str, Any], path: tuple[int, ...]) -> JsonType:
        if kind == "array":
            items = schema.get("items")
            if not (isinstance(items, dict) or items is True) or _schemas(schema, "prefixItems"):
                return ANY
            return JsonType("array", inner=_closed(self.of(place.at(items), path)))
        if kind == "object":
            return self._of_object(place, schema, path)
        return JsonType(kind) if kind in _SCALARS else ANY

    def _of_object(self, place: _Place, schema: Mapping[str, Any], path: tuple[int, ...]) -> JsonType:
        properties = schema.get("properties")
        if isinstance(properties, dict) and properties:
            return object_of({name: _closed(self.of(place.at(each), path)) for name, each in properties.items()})
        others = schema.get("additionalProperties")
        if isinstance(others, dict) and not schema.get("patternProperties"):
            value = self.of(place.at(others), path)
            return JsonType("object") if value is None else JsonType("map", inner=_closed(value))
        return JsonType("object")


def _among(base: JsonType | None, alternatives: Iterable[JsonType | None]) -> JsonType | None:
    """The type of values that a schema and one of its alternatives describe."""
    found = [each for each in alternatives if each is None or each.kind != "null"]
    if not found:
        return base or JsonType("null")
    said = [each for each in found if each is not None]
    if base is None:
        return (one_of(said) if len(said) == len(found) else ANY) if said else None
    if all(within(base, each) for each in said):
        return base
    return one_of(both(base, each) for each in said) if len(said) == len(found) else ANY


def _closed(found: JsonType | None) -> JsonType:
    """The type for a column: types with unknown fields or items become any JSON."""
    return ANY if found is None or found.kind == "null" or found == JsonType("object") else found


def _of_values(values: Iterable[object]) -> JsonType:
    """The type of the values that a schema lists."""
    kinds: Mapping[type, Callable[[], JsonType]] = {
        bool: lambda: JsonType("boolean"),
        int: lambda: JsonType("integer"),
        float: lambda: JsonType("number"),
        str: lambda: JsonType("string"),
    }
    types = {type(each) for each in values if each is not None}
    if not types:
        return JsonType("null")
    return one_of(kinds[each]() if each in kinds else ANY for each in types)


def _schemas(schema: Mapping[str, Any], name: str) -> Iterator[object] | list[object]:
    found = schema.get(name)
    return found if isinstance(found, list) else []


def _own_id(schema: object, base: str) -> str:
    """The schema's own id if it has one, else that of the enclosing schema."""
    if isinstance(schema, dict):
        for name in _IDS:
            if isinstance(own := schema.get(name), str):
                return _joined(base, own)
    return base


def _joined(base: str, name: str) -> str:
    try:
        return urljoin(base, name)
    except ValueError:  # not a URL
        return name
