"""The format of Avro values."""

from typing import TYPE_CHECKING, Final

from kafkafmt.values.avro import arrow
from kafkafmt.values.avro.reading import Read, read_value, reading
from kafkafmt.values.avro.schema import Node, parse
from kafkafmt.values.registered import RegisteredFormat

if TYPE_CHECKING:
    from kafkafmt.limits import Limits
    from kafkafmt.values.framing import Part
    from kafkafmt.values.registry import Schemas
    from kafkafmt.values.stored_schema import StoredSchema

AVRO: Final = "AVRO"
"""The registry's name of the type."""


class Avro(RegisteredFormat):
    """Avro values, resolved to one schema; or each as its writer's schema has it, as JSON text.

    Args:
        schemas: the registry's schemas.
        subject: subject of the topic's keys or values.
        part: "key" or "value".
        limits: bounds of what is decoded.
        reader: the schema that values are resolved to; None for JSON text by the writer's.

    Raises:
        DataError: the reader's schema is none.
    """

    TYPE = AVRO
    name = "avro"

    def __init__(
        self, schemas: "Schemas", subject: str, part: "Part", limits: "Limits", reader: "StoredSchema | None"
    ) -> None:
        super().__init__(schemas, subject, part, limits)
        self._arguments += (reader,)
        self._nodes: dict[tuple[str, str], Node] = {}
        self._reads: dict[tuple[str, str], tuple[Read, Node]] = {}
        self._reader = None if reader is None else self._node(reader)
        if self._reader is None:
            self.kind, self._convert = arrow.JSON, None
        else:
            self.kind, self._convert = arrow.arrow_type(self._reader), arrow.converter(self._reader)

    def _value(self, schema: "StoredSchema", payload: bytes, indexes: bytes | None = None) -> tuple[object, int]:  # noqa: ARG002
        read, node = self._read(schema)
        if node.type == "bytes" and self._node(schema).type == "bytes":
            # Confluent's serializers write bytes at the top without their length.
            value, left = payload, 0
        else:
            value, left = read_value(read, payload)
        return arrow.as_json(node, value) if self._convert is None else self._convert(value), left

    def _read(self, schema: "StoredSchema") -> tuple[Read, Node]:
        key = (schema.subject, schema.guid)
        if key not in self._reads:
            writer = self._node(schema)
            self._reads[key] = reading(writer, self._reader), self._reader or writer
        return self._reads[key]

    def _node(self, schema: "StoredSchema") -> Node:
        key = (schema.subject, schema.guid)
        if key not in self._nodes:
            references = [each.schema for each in self._schemas.references(schema)]
            self._nodes[key] = parse(schema.schema, references)
        return self._nodes[key]
