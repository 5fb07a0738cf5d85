"""Finds references between schema files by the means of their formats: names, imports, `$ref`.

A registry stores the references of a schema; a folder has only the texts. A full name in Avro, an import in Protobuf
and a `$ref` in JSON Schema refer to the file of the folder that defines it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from kafkafmt.values.protobuf.comments import without_comments
from kafkafmt.values.stored_schema import Reference, StoredSchema

_IMPORT: Final = re.compile(r"""(?:^|[;}])\s*import\s+(?:public\s+|weak\s+)?["']([^"'\n]+)["']\s*;?""")
_PRIMITIVES: Final = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
_COMPLEX: Final = frozenset({"record", "error", "enum", "fixed", "array", "map"})
_MOST_NODES: Final = 100_000

Files = Sequence[tuple[str, StoredSchema]]
"""Schemas with the paths of their files below the folder, with slashes."""


def linked(files: Files) -> list[StoredSchema]:
    """The same schemas with references to one another; a reference means the latest version of its subject."""
    by_type: dict[str, dict[str, StoredSchema]] = {}
    for path, schema in sorted(files, key=lambda each: each[1].version):
        names = by_type.setdefault(schema.type, {})
        names.update(dict.fromkeys(_names(path, schema), schema))
    return [_with_references(schema, by_type[schema.type]) for _, schema in files]


def _with_references(schema: StoredSchema, known: Mapping[str, StoredSchema]) -> StoredSchema:
    references = []
    for name in dict.fromkeys(_needed(schema)):
        other = known.get(name)
        if other is not None and other.subject != schema.subject:
            references.append(Reference(name, other.subject, other.version))
    return replace(schema, references=tuple(references)) if references else schema


def _names(path: str, schema: StoredSchema) -> Iterator[str]:
    """The names by which other files may refer to a schema."""
    if schema.type == "AVRO":
        yield from _avro_names(schema.schema)[0]
        return
    parts = path.split("/")
    yield from ("/".join(parts[number:]) for number in range(len(parts)))
    content = _json(schema.schema) if schema.type == "JSON" else None
    if isinstance(content, dict) and isinstance(content.get("$id"), str):
        yield content["$id"]


def _needed(schema: StoredSchema) -> Iterable[str]:
    """The names by which a schema refers to other files."""
    if schema.type == "AVRO":
        defined, used = _avro_names(schema.schema)
        return [name for name in used if name not in defined]
    if schema.type == "PROTOBUF":
        return _IMPORT.findall(without_comments(schema.schema, keeps_strings=True))
    return _json_references(schema.schema)


def _json_references(text: str) -> Iterator[str]:
    for node in _nodes(_json(text)):
        target = node.get("$ref")
        if isinstance(target, str) and not target.startswith("#"):
            name = target.partition("#")[0]
            yield name
            yield name.removeprefix("./")


def _avro_names(text: str) -> tuple[dict[str, None], dict[str, None]]:
    """The full names that an Avro schema defines, and those that it uses."""
    defined: dict[str, None] = {}
    used: dict[str, None] = {}
    waiting: list[tuple[Any, str]] = [(_json(text), "")]
    for _ in range(_MOST_NODES):
        if not waiting:
            break
        node, namespace = waiting.pop()
        if isinstance(node, str) and node not in _PRIMITIVES:
            used[node if "." in node or not namespace else f"{namespace}.{node}"] = None
            used[node] = None
        elif isinstance(node, list):
            waiting += [(each, namespace) for each in node]
        elif isinstance(node, dict):
            waiting += _inside(node, namespace, defined)
    return defined, used


def _inside(node: Mapping[str, Any], namespace: str, defined: dict[str, None]) -> list[tuple[Any, str]]:
    """The types inside a type, with the namespace of their names; a named type is added to `defined`."""
    kind, name, own = node.get("type"), node.get("name"), node.get("namespace")
    if isinstance(name, str) and kind in ("record", "error", "enum", "fixed"):
        space = own if isinstance(own, str) else namespace
        full = name if "." in name or not space else f"{space}.{name}"
        defined[full] = None
        namespace = full.rpartition(".")[0]
    fields = node.get("fields")
    inside = [each.get("type") for each in fields if isinstance(each, dict)] if isinstance(fields, list) else []
    inside += [node[part] for part in ("items", "values") if part in node]
    if isinstance(kind, (dict, list)) or (isinstance(kind, str) and kind not in _COMPLEX):
        inside.append(kind)
    return [(each, namespace) for each in inside]


def _nodes(content: object) -> Iterator[Mapping[str, Any]]:
    """All objects of a JSON value."""
    waiting = [content]
    for _ in range(_MOST_NODES):
        if not waiting:
            return
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
