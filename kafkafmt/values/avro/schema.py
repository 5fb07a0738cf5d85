"""Avro schemas: their JSON as nodes, with names resolved.

Source: https://avro.apache.org/docs/1.12.0/specification/. Schemas may be as hostile as any other input: the number of
their types and their depth are bounded.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log10
from typing import Any, Final, Literal

from kafkafmt.errors import CorruptError, LimitExceededError

Type = Literal[
    "null", "boolean", "int", "long", "float", "double", "bytes", "string",
    "record", "enum", "array", "map", "union", "fixed",
]  # fmt: skip
PRIMITIVES: Final = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})

_MOST_NODES: Final = 20_000
_MOST_DEPTH: Final = 200
_MOST_PRECISION: Final = 10_000
_MOST_NAME: Final = 1000
"""Most characters of a name: types inherit namespaces, and errors contain names of thousands of types."""
_NAMED: Final = 10
"""Most branches of a union that an error names."""

_LOGICAL: Final[Mapping[str, tuple[str, ...]]] = {
    "decimal": ("bytes", "fixed"),
    "uuid": ("string", "fixed"),
    "date": ("int",),
    "time-millis": ("int",),
    "time-micros": ("long",),
    "timestamp-millis": ("long",),
    "timestamp-micros": ("long",),
    "timestamp-nanos": ("long",),
    "local-timestamp-millis": ("long",),
    "local-timestamp-micros": ("long",),
    "local-timestamp-nanos": ("long",),
    "duration": ("fixed",),
}
_SIZES: Final = {"uuid": 16, "duration": 12}
"""Size in bytes of a fixed type with these logical types."""


class Missing:
    """Marks a field without a default, as None is the default null."""


MISSING: Final = Missing()


@dataclass(eq=False, slots=True)
class RecordField:
    """A field of a record.

    Attributes:
        name: name of the field.
        type: type of the field.
        default: default as JSON, or MISSING.
        aliases: names that writers may have used.
    """

    name: str
    type: "Node"
    default: Any = MISSING
    aliases: tuple[str, ...] = ()


@dataclass(eq=False, slots=True)
class Node:
    """One type of a schema; a named type is one object, wherever it is referred to.

    Attributes:
        type: kind of the type.
        name: full name of a record, enum or fixed type; else None.
        aliases: other full names.
        fields: fields of a record.
        symbols: symbols of an enum.
        default: symbol of an enum that replaces unknown ones, or None.
        inner: the type of an array's items or a map's values, or the branches of a union.
        size: size of a fixed type in bytes.
        logical: the logical type, if it is valid.
        precision, scale: those of a decimal.
    """

    type: Type
    name: str | None = None
    aliases: tuple[str, ...] = ()
    fields: list[RecordField] = field(default_factory=list)
    symbols: tuple[str, ...] = ()
    default: str | None = None
    inner: "list[Node]" = field(default_factory=list)
    size: int = 0
    logical: str | None = None
    precision: int = 0
    scale: int = 0

    @property
    def optional(self) -> "Node | None":
        """The other type of a union of null and one type, or the only type of a union."""
        if self.type != "union":
            return None
        others = [each for each in self.inner if each.type != "null"]
        return others[0] if len(others) == 1 else None

    @property
    def branch_name(self) -> str:
        """The name as a branch of a union: the full name, or the type."""
        return self.name or self.type

    @property
    def branch_names(self) -> str:
        """The names of a union's branches, for an error."""
        names = [each.branch_name for each in self.inner[:_NAMED]]
        return f"one of {', '.join(names)}{', ..' if len(self.inner) > _NAMED else ''}"


def parse(text: str, references: Sequence[str] = ()) -> Node:
    """Parse a schema.

    Args:
        text: JSON, or the bare name of a primitive type, as registries may store it.
        references: texts of referenced schemas, each after those that it needs itself.

    Raises:
        CorruptError: the text is not a schema.
        LimitExceededError: the schema has too many types, or is nested too deeply.
    """
    parser = _Parser()
    for each in references:
        parser.parse(_json(each))
    return parser.parse(_json(text))


def _json(text: str) -> object:
    try:
        content: object = json.loads(text)
        # A column cannot hold names and defaults that are not text.
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise CorruptError("the Avro schema has a lone surrogate") from error
    except RecursionError as error:
        raise LimitExceededError("the Avro schema is nested too deeply") from error
    except ValueError as error:
        if text.strip() in PRIMITIVES:
            return text.strip()
        raise CorruptError("the Avro schema is not JSON") from error
    return content


class _Parser:
    def __init__(self) -> None:
        self._names: dict[str, Node] = {}
        self._count = 0

    def parse(self, content: object) -> Node:
        return self._node(content, "", 0)

    def _node(self, content: object, namespace: str, depth: int) -> Node:
        self._count += 1
        if self._count > _MOST_NODES or depth > _MOST_DEPTH:
            raise LimitExceededError(
                "the Avro schema is too large", expected=f"at most {_MOST_NODES:,} types, {_MOST_DEPTH} deep"
            )
        if isinstance(content, str):
            return self._named(content, namespace)
        if isinstance(content, list):
            return self._union(content, namespace, depth)
        if not isinstance(content, dict):
            raise CorruptError(
                "a type of the Avro schema is not a name, list or object", found=json.dumps(content)[:80]
            )
        kind = content.get("type")
        if kind in ("record", "error"):
            return self._record(content, namespace, depth)
        if kind == "enum":
            return self._enum(content, namespace)
        if kind == "fixed":
            return self._fixed(content, namespace)
        if kind == "array":
            return Node("array", inner=[self._node(_required(content, "items"), namespace, depth + 1)])
        if kind == "map":
            return Node("map", inner=[self._node(_required(content, "values"), namespace, depth + 1)])
        if isinstance(kind, str) and kind in PRIMITIVES:
            node = Node(kind)  # type: ignore[arg-type]  # it is one of them
            _add_logical(node, content)
            return node
        if isinstance(kind, (str, dict, list)):
            return self._node(kind, namespace, depth + 1)
        raise CorruptError("a type of the Avro schema has no type", found=json.dumps(content)[:80])

    def _named(self, name: str, namespace: str) -> Node:
        if name in PRIMITIVES:
            return Node(name)  # type: ignore[arg-type]  # it is one of them
        for full in (_full_name(name, namespace), name):
            if full in self._names:
                return self._names[full]
        raise CorruptError(f"the Avro schema has no type {name[:200]!r}")

    def _union(self, content: list[object], namespace: str, depth: int) -> Node:
        branches = [self._node(each, namespace, depth + 1) for each in content]
        if any(each.type == "union" for each in branches):
            raise CorruptError("a union of the Avro schema holds a union")
        if len({each.branch_name for each in branches}) < len(branches):
            raise CorruptError("a union of the Avro schema has a type twice")
        return Node("union", inner=branches)

    def _record(self, content: Mapping[str, Any], namespace: str, depth: int) -> Node:
        node, inside = self._declare("record", content, namespace)
        fields = content.get("fields")
        if not isinstance(fields, list):
            raise CorruptError(f"the record {node.name} of the Avro schema has no fields")
        seen = set()
        for each in fields:
            if not isinstance(each, dict) or not isinstance(each.get("name"), str) or not each["name"]:
                raise CorruptError(f"the record {node.name} of the Avro schema has a field without a name")
            if each["name"] in seen:
                raise CorruptError(f"the record {node.name} of the Avro schema has the field {each['name']!r} twice")
            seen.add(_checked(each["name"]))
            kind = self._node(_required(each, "type"), inside, depth + 1)
            node.fields.append(
                RecordField(each["name"], kind, each.get("default", MISSING), _texts(each.get("aliases")))
            )
        return node

    def _enum(self, content: Mapping[str, Any], namespace: str) -> Node:
        node, _ = self._declare("enum", content, namespace)
        node.symbols = _texts(content.get("symbols"))
        default = content.get("default")
        node.default = default if isinstance(default, str) and default in node.symbols else None
        return node

    def _fixed(self, content: Mapping[str, Any], namespace: str) -> Node:
        node, _ = self._declare("fixed", content, namespace)
        size = content.get("size")
        if type(size) is not int or not 0 <= size < 2**31:
            raise CorruptError(f"the fixed {node.name} of the Avro schema has no size")
        node.size = size
        _add_logical(node, content)
        return node

    def _declare(self, kind: Type, content: Mapping[str, Any], namespace: str) -> tuple[Node, str]:
        """Register a named type; returns it, and the namespace of the names inside it."""
        name = content.get("name")
        if not isinstance(name, str) or not name:
            raise CorruptError(f"a {kind} of the Avro schema has no name")
        own = content.get("namespace")
        full = _checked(_full_name(name, own if isinstance(own, str) else namespace))
        inside = full.rpartition(".")[0]
        aliases = tuple(_full_name(each, inside) for each in _texts(content.get("aliases")))
        self._count += len(aliases)
        node = Node(kind, full, aliases)
        self._names[full] = node
        return node, inside


def _full_name(name: str, namespace: str) -> str:
    return name if "." in name or not namespace else f"{namespace}.{name}"


def _checked(name: str) -> str:
    if len(name) > _MOST_NAME:
        raise LimitExceededError(
            "a name of the Avro schema is too long", expected=f"at most {_MOST_NAME:,} characters", found=len(name)
        )
    return name


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


def _required(content: Mapping[str, Any], name: str) -> object:
    if name not in content:
        raise CorruptError(f"a type of the Avro schema has no {name!r}", found=json.dumps(content)[:80])
    return content[name]


def _add_logical(node: Node, content: Mapping[str, Any]) -> None:
    """Set the logical type of a node; an unknown or invalid one is ignored, as the specification requires."""
    logical = content.get("logicalType")
    if not isinstance(logical, str) or node.type not in _LOGICAL.get(logical, ()):
        return
    if node.type == "fixed" and _SIZES.get(logical, node.size) != node.size:
        return
    if logical == "decimal":
        precision, scale = content.get("precision"), content.get("scale", 0)
        if type(precision) is not int or type(scale) is not int or not 0 <= scale <= precision <= _MOST_PRECISION:
            return
        if precision == 0 or (node.type == "fixed" and precision > _most_digits(node.size)):
            return
        node.precision, node.scale = precision, scale
    node.logical = logical


def _most_digits(size: int) -> int:
    """Decimal digits that fit into a two's complement number of this size, whatever they are."""
    return int((8 * size - 1) * log10(2)) if size else 0
