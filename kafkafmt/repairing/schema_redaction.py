"""Redaction of fields of values that name a schema: of JSON, Avro and Protobuf, each in place."""

from contextlib import suppress
from typing import TYPE_CHECKING

from kafkafmt.errors import CorruptError, DataError, UnsupportedError
from kafkafmt.repairing.avro_json_redaction import masked_avro_json
from kafkafmt.repairing.avro_redaction import Names, masked_avro, names_of_fields
from kafkafmt.repairing.field_redaction import FieldMask
from kafkafmt.repairing.protobuf_redaction import Names as NamesOfNumbers
from kafkafmt.repairing.protobuf_redaction import masked_protobuf, names_of_numbers
from kafkafmt.values.avro.avro_format import AVRO, may_be_json
from kafkafmt.values.avro.json_encoding import binary_of_json
from kafkafmt.values.avro.schema import Node, parse
from kafkafmt.values.json.json_format import JSON_SCHEMA
from kafkafmt.values.protobuf.descriptors import parse_schema
from kafkafmt.values.protobuf.message_names import split_message
from kafkafmt.values.protobuf.protobuf_format import PROTOBUF
from kafkafmt.values.protobuf.schema import ProtoSchema, link

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkafmt.values.framing import Framing
    from kafkafmt.values.registry import Schemas
    from kafkafmt.values.stored_schema import StoredSchema


class SchemaRedaction:
    """Replaces fields of values by the schemas that they name.

    Paths may use the name of a field in any version of the topic's subject, and of the schema's: values are shown with
    the names of the latest version.

    Args:
        schemas: the known schemas.
    """

    def __init__(self, schemas: "Schemas") -> None:
        self._schemas = schemas
        self._nodes: dict[str, Node] = {}
        self._linked: dict[tuple[str, str], ProtoSchema] = {}
        self._names: dict[tuple[str, ...], Names] = {}
        self._numbers: dict[tuple[str, ...], NamesOfNumbers] = {}

    def masked(self, mask: FieldMask, framing: "Framing", subject: str) -> bytes:
        """The payload of a framing with its fields replaced; without a schema it is JSON.

        Args:
            mask: the fields.
            framing: the framing, which names the schema.
            subject: subject of the topic's keys or values.

        Raises:
            DataError: the payload is neither JSON nor of a known schema, or fits two encodings.
        """
        schema = None
        if framing.name.startswith("confluent"):
            wanted = framing.schema_id
            by_guid = self._schemas.by_guid
            schema = by_guid(framing.guid or "") if wanted is None else self._schemas.by_id(wanted, subject)
        if schema is None or schema.type == JSON_SCHEMA:
            # Apicurio's serializer may have written Avro's JSON encoding, in any of its framings, with its own ids.
            return mask.masked(framing.payload, has_branches=framing.name != "none")
        subjects = (schema.subject, subject)
        if schema.type == AVRO:
            return self._masked_avro(mask, self._node(schema), framing, self._names_of(subjects))
        if schema.type == PROTOBUF:
            return self._masked_protobuf(mask, schema, framing, subjects)
        raise UnsupportedError(f"it is {schema.type}")

    @staticmethod
    def _masked_avro(mask: FieldMask, node: Node, framing: "Framing", names: Names) -> bytes:
        payload = framing.payload
        if not may_be_json(framing) or not _is_json(node, payload):
            return masked_avro(mask, node, payload, names)
        if _is_binary(node, payload):
            raise CorruptError("the bytes are a value both in Avro's binary encoding and in its JSON encoding")
        made = masked_avro_json(mask, node, payload, names)
        if not _is_json(node, made) or _is_binary(node, made):
            raise CorruptError("the redacted bytes would not be a value only in Avro's JSON encoding")
        return made

    def _masked_protobuf(
        self, mask: FieldMask, schema: "StoredSchema", framing: "Framing", subjects: tuple[str, ...]
    ) -> bytes:
        linked, payload = self._linked_to(schema), framing.payload
        message, start = split_message(linked, framing)
        return payload[:start] + masked_protobuf(mask, linked, message, payload[start:], self._numbers_of(subjects))

    def _node(self, schema: "StoredSchema") -> Node:
        if (node := self._nodes.get(schema.guid)) is None:
            references = [each.schema for each in self._schemas.references(schema)]
            node = self._nodes[schema.guid] = parse(schema.schema, references)
        return node

    def _linked_to(self, schema: "StoredSchema") -> ProtoSchema:
        place = (schema.subject, schema.guid)
        if (linked := self._linked.get(place)) is None:
            references = [parse_schema(each.schema) for each in self._schemas.references(schema)]
            linked = self._linked[place] = link(parse_schema(schema.schema), references)
        return linked

    def _names_of(self, subjects: tuple[str, ...]) -> Names:
        if subjects not in self._names:
            nodes = []
            for each in self._versions(subjects, AVRO):
                with suppress(DataError):  # a version that is not a schema has no names
                    nodes.append(self._node(each))
            self._names[subjects] = names_of_fields(nodes)
        return self._names[subjects]

    def _numbers_of(self, subjects: tuple[str, ...]) -> NamesOfNumbers:
        if subjects not in self._numbers:
            linked = []
            for each in self._versions(subjects, PROTOBUF):
                with suppress(DataError):  # as above
                    linked.append(self._linked_to(each))
            self._numbers[subjects] = names_of_numbers(linked)
        return self._numbers[subjects]

    def _versions(self, subjects: tuple[str, ...], kind: str) -> "Iterator[StoredSchema]":
        return (each for each in self._schemas.all if each.subject in subjects and each.type == kind)


def _is_json(node: Node, payload: bytes) -> bool:
    """Whether bytes are a value in Avro's JSON encoding."""
    try:
        binary_of_json(node, payload)
    except DataError:
        return False
    return True


def _is_binary(node: Node, payload: bytes) -> bool:
    """Whether bytes are a whole value in Avro's binary encoding."""
    try:
        masked_avro(FieldMask((), lambda _, size: bytes(size), 0), node, payload, {})
    except DataError:
        return False
    return True
