"""Names of the types that schemas describe: an Avro record, a Protobuf message, the title of a JSON Schema."""

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from kafkafmt.values.protobuf.comments import without_comments
from kafkafmt.values.stored_schema import StoredSchema, split_context

_MOST_DEPTH: Final = 64
_TOKEN: Final = re.compile(r"[{};]|\bpackage\s+([\w.]+)\s*;|\bmessage\s+(\w+)")


def record_name(schema: StoredSchema) -> str | None:
    """The full name of the type that a schema describes, as in RecordNameStrategy; None if it has no name.

    A Protobuf file may have several messages: this is the first one.
    """
    names = record_names(schema)
    return names[0] if names else None


def record_names(schema: StoredSchema) -> tuple[str, ...]:
    """The full names of all types that values of a schema may have; for Protobuf all messages, in order."""
    return _messages(schema.schema) if schema.type == "PROTOBUF" else _name(schema.type, schema.schema)


def record_types_of(schemas: Iterable[StoredSchema], topics: Iterable[str]) -> list[tuple[str, str]]:
    """The record types of topics that subjects name (TopicRecordNameStrategy), each with its topic, in order.

    Args:
        schemas: the schemas.
        topics: names of the topics.
    """
    there = set(topics)
    found = {
        (topic, name)
        for each in schemas
        for name in record_names(each)
        if (topic := split_context(each.subject)[1].removesuffix(f"-{name}")) in there
    }
    return sorted(found)


@lru_cache(maxsize=1024)
def _name(kind: str, text: str) -> tuple[str, ...]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    if not isinstance(content, dict):
        return ()
    name, namespace = content.get("title" if kind == "JSON" else "name"), content.get("namespace")
    if not isinstance(name, str):
        return ()
    is_whole = kind == "JSON" or "." in name or not isinstance(namespace, str) or not namespace
    return (name if is_whole else f"{namespace}.{name}",)


@lru_cache(maxsize=1024)
def _messages(text: str) -> tuple[str, ...]:
    package, names = "", []
    scopes: list[str | None] = []
    opened = None
    for found in _TOKEN.finditer(without_comments(text, keeps_strings=False)):
        if found[0] == "{":
            if len(scopes) == _MOST_DEPTH:  # deeper than any valid schema
                return ()
            scopes.append(opened)
            opened = None
        elif found[0] == "}":
            del scopes[-1:]
        elif found[1] and not scopes:
            package = f"{found[1]}."
        elif found[2] and all(scopes):
            opened = ".".join(filter(None, (*scopes[-1:], found[2])))
            names.append(opened)
    return tuple(f"{package}{name}" for name in names)
