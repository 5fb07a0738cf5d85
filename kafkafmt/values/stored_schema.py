"""A schema as stored in a registry: its text under a subject and a version, with an id."""

import hashlib
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

State = Literal["active", "soft-deleted", "hard-deleted"]

DEFAULT_CONTEXT: Final = "."
"""Context of the subjects whose names have none."""

_REFERENCE: Final = "struct<name: string, subject: string, version: int32>"


@dataclass(frozen=True, slots=True)
class Reference:
    """Another schema that a schema needs.

    Attributes:
        name: the referring schema's name for it: a full name (Avro), the file of an import (Protobuf), a URL (JSON).
        subject: subject of the referenced schema.
        version: version in that subject.
    """

    name: str
    subject: str
    version: int


def _as_structs(references: Sequence[Reference]) -> list[dict[str, Any]]:
    return [{"name": each.name, "subject": each.subject, "version": each.version} for each in references]


def as_json(value: Mapping[str, Any]) -> str:
    """JSON text of an object."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def printable(value: Any) -> Any:  # noqa: ANN401 - a cell of a table
    """The same value with escapes in place of lone surrogates, which JSON may contain but a column cannot."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, (list, tuple)):
        return [printable(each) for each in value]
    if isinstance(value, dict):
        return {name: printable(each) for name, each in value.items()}
    return value


@dataclass(frozen=True, slots=True, eq=False)
class StoredSchema:
    """One text that was registered under a subject and a version.

    Attributes:
        subject: the subject, with its context, as in `:.east:orders-value`.
        version: the version in the subject.
        schema_id: the id, signed; ids count in each context by themselves. None for a file whose name has none.
        type: "AVRO", "PROTOBUF", "JSON", or what the registry calls it.
        state: "active"; "soft-deleted", if the registry lists it among the deleted ones; or "hard-deleted", if it does
            not know it any more.
        is_superseded: whether the registry has another text or id for this subject and version now.
        references: the other schemas that it needs.
        metadata: its metadata (tags, properties, sensitive ones), or None.
        rule_set: its rules, or None.
        offsets: the records of `_schemas` with this subject and version, in order.
        schema: the text.
    """

    subject: Annotated[str, "string"]
    version: Annotated[int, "int32"]
    schema_id: Annotated[int | None, "int32"]
    type: Annotated[str, "string"]
    state: Annotated[State, "string"]
    is_superseded: Annotated[bool, "bool"]
    references: Annotated[tuple[Reference, ...], f"list<{_REFERENCE}>", _as_structs]
    metadata: Annotated[Mapping[str, Any] | None, "string", as_json]
    rule_set: Annotated[Mapping[str, Any] | None, "string", as_json]
    offsets: Annotated[tuple[int, ...], "list<int64>", list]
    schema: Annotated[str, "string"]

    @property
    def guid(self) -> Annotated[str, "string"]:
        """The GUID that serializers put into headers: the MD5 of text, references, metadata and rules, as a UUID.

        No record has it; the registry computes it in the same way (Confluent's `Schema.updateHash`).
        """
        digest = hashlib.md5(_utf8(self.schema), usedforsecurity=False)
        for each in self.references:
            digest.update(_utf8(each.name) + _utf8(each.subject) + each.version.to_bytes(4, "big", signed=True))
        for text in (*_of_metadata(self.metadata or {}), *_of_rule_set(self.rule_set or {})):
            digest.update(_utf8(text))
        return str(uuid.UUID(bytes=digest.digest()))

    @property
    def context(self) -> str:
        """The context of the subject; "." is the default one."""
        return split_context(self.subject)[0]


def split_context(subject: str) -> tuple[str, str]:
    """Split the name of a subject, such as ":.east:orders-value", into its context and the name without it."""
    if subject.startswith(":."):
        context, colon, rest = subject[1:].partition(":")
        if colon:
            return context, rest
    return DEFAULT_CONTEXT, subject


def in_context_of(subject: str, parent: str) -> str:
    """A subject's name in the context of another subject, unless it has its own (`qualifySubjectWithParent`).

    Args:
        subject: the subject as named in a reference or an alias.
        parent: the subject that has the reference or alias.
    """
    context = split_context(parent)[0]
    is_whole = context == DEFAULT_CONTEXT or split_context(subject)[0] != DEFAULT_CONTEXT
    return subject if is_whole else f":{context}:{subject}"


def _utf8(text: str) -> bytes:
    """The bytes of a text; JSON may contain lone surrogates."""
    return text.encode("utf-8", "surrogatepass")


def _of_metadata(metadata: Mapping[str, Any]) -> Iterator[str]:
    """The texts of metadata in the order in which they are hashed (Confluent's `Metadata.updateHash`)."""
    for name, values in _sorted(metadata.get("tags")):
        yield name
        yield from sorted(map(str, values)) if isinstance(values, list) else ()
    for name, value in _sorted(metadata.get("properties")):
        yield from (name, str(value))
    sensitive = metadata.get("sensitive")
    yield from sorted(map(str, sensitive)) if isinstance(sensitive, list) else ()


def _of_rule_set(rules: Mapping[str, Any]) -> Iterator[str]:
    """The texts of rules in the order in which they are hashed (Confluent's `RuleSet.updateHash`)."""
    for kind in ("migrationRules", "domainRules"):
        listed = rules.get(kind)
        for rule in listed if isinstance(listed, list) else ():
            if not isinstance(rule, dict):
                continue
            filled = {"kind": "TRANSFORM", "mode": "WRITEREAD", **rule}
            yield from (str(filled[name]) for name in ("name", "doc", "kind", "mode", "type") if filled.get(name))
            tags = rule.get("tags")
            yield from sorted(map(str, tags)) if isinstance(tags, list) else ()
            for name, value in _sorted(rule.get("params")):
                yield from (name, str(value))
            yield from (str(rule[name]) for name in ("expr", "onSuccess", "onFailure") if rule.get(name))
            if rule.get("disabled") is True:
                yield "\x01"


def _sorted(mapping: object) -> list[tuple[str, Any]]:
    return sorted(mapping.items()) if isinstance(mapping, dict) else []
