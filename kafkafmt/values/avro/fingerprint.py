"""Fingerprints of Avro schemas: CRC-64-AVRO of the Parsing Canonical Form.

Source: "Transforming into Parsing Canonical Form" and "Schema Fingerprints" in Avro's specification. A referenced type
is written in full where it first occurs, as by Java's `SchemaNormalization`.
"""

import json
from collections.abc import Iterator
from typing import Final

from kafkafmt.errors import LimitExceededError
from kafkafmt.values.avro.schema import Node

# CRC-64-AVRO of Avro's specification: both its polynomial and the fingerprint of no bytes.
_EMPTY: Final = 0xC15D213AA4D7A795
_MOST_DEPTH: Final = 400


def _table() -> Iterator[int]:
    for number in range(256):
        entry = number
        for _ in range(8):
            entry = (entry >> 1) ^ (_EMPTY & -(entry & 1))
        yield entry


_TABLE: Final = tuple(_table())


def fingerprint(node: Node) -> int:
    """The fingerprint of a schema, unsigned.

    Raises:
        LimitExceededError: the schema is nested too deeply.
    """
    value = _EMPTY
    for byte in canonical_form(node).encode("utf-8", "surrogatepass"):
        value = (value >> 8) ^ _TABLE[(value ^ byte) & 0xFF]
    return value


def canonical_form(node: Node) -> str:
    """The Parsing Canonical Form of a schema.

    Raises:
        LimitExceededError: the schema is nested too deeply.
    """
    return "".join(_pieces(node, set(), 0))


def _pieces(node: Node, seen: set[str], depth: int) -> Iterator[str]:
    if depth > _MOST_DEPTH:
        raise LimitExceededError("the Avro schema is nested too deeply", expected=f"at most {_MOST_DEPTH}")
    if node.name is not None and node.name in seen:
        yield _quoted(node.name)
    elif node.name is not None:
        seen.add(node.name)
        yield f'{{"name":{_quoted(node.name)},"type":"{node.type}"'
        if node.type == "enum":
            yield f',"symbols":[{",".join(map(_quoted, node.symbols))}]'
        elif node.type == "fixed":
            yield f',"size":{node.size}'
        else:
            yield ',"fields":['
            for number, inside in enumerate(node.fields):
                yield f'{"," if number else ""}{{"name":{_quoted(inside.name)},"type":'
                yield from _pieces(inside.type, seen, depth + 1)
                yield "}"
            yield "]"
        yield "}"
    elif node.type == "union":
        yield "["
        for number, each in enumerate(node.inner):
            yield "," if number else ""
            yield from _pieces(each, seen, depth + 1)
        yield "]"
    elif node.type in ("array", "map"):
        yield f'{{"type":"{node.type}","{"items" if node.type == "array" else "values"}":'
        yield from _pieces(node.inner[0], seen, depth + 1)
        yield "}"
    else:
        yield f'"{node.type}"'


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)
