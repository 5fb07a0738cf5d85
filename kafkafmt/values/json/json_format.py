"""The format of JSON values with a schema."""

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from kafkafmt.errors import DataError
from kafkafmt.values.decoded import MANY_BYTES, Decoded, DecodedColumn
from kafkafmt.values.framing import CONFLUENT_BYTES
from kafkafmt.values.json.columns import JsonColumns
from kafkafmt.values.json.schema import parse, type_of
from kafkafmt.values.json.types import ANY, JsonType, texts_in
from kafkafmt.values.registered import RegisteredFormat

if TYPE_CHECKING:
    import pyarrow as pa

    from kafkafmt.limits import Limits
    from kafkafmt.values.framing import Framing, Part
    from kafkafmt.values.registry import Schemas
    from kafkafmt.values.stored_schema import StoredSchema

JSON_SCHEMA: Final = "JSON"
"""The registry's name of the type."""

_MOST_DOCUMENTS: Final = 1_000
"""Most schemas that a schema may refer to, directly or indirectly."""


class JsonSchema(RegisteredFormat):
    """JSON values with the type of one schema, or as JSON text.

    Values are not resolved, as JSON Schema has no rules for that: they are read by names. The other conditions of a
    schema are not validated.

    Args:
        schemas: the registry's schemas.
        subject: subject of the topic's keys or values.
        part: "key" or "value".
        limits: bounds of decoded data.
        reader: the schema that gives the type; None for JSON text.

    Raises:
        DataError: the reader's schema is invalid.
    """

    TYPE = JSON_SCHEMA
    name = "json-schema"

    def __init__(
        self, schemas: "Schemas", subject: str, part: "Part", limits: "Limits", reader: "StoredSchema | None"
    ) -> None:
        super().__init__(schemas, subject, part, limits)
        self._arguments += (reader,)
        json_type = ANY if reader is None else type_of_schema(schemas, reader)
        self._columns = JsonColumns(json_type, limits.max_fields_per_value)
        self.kind = self._columns.kind
        self.most_rows, self.most_bytes = self._columns.most_rows, MANY_BYTES
        self.as_text = () if reader is None else tuple(texts_in(json_type))

    def _value(self, schema: "StoredSchema", framing: "Framing") -> Decoded:  # noqa: ARG002
        value, remarks = self._columns.one(framing.payload)
        for remark in remarks:
            self.remark(remark)
        return value

    def _decode_framed(self, schema: "StoredSchema", stored: "pa.Array") -> DecodedColumn:  # noqa: ARG002
        read = self._columns.read(stored, CONFLUENT_BYTES)
        for remark in read.remarks:
            self.remark(remark)
        return read.column


def type_of_schema(schemas: "Schemas", stored: "StoredSchema") -> JsonType:
    """The type that a registry's schema describes; where a reference is not found, any JSON.

    Args:
        schemas: the registry's schemas.
        stored: the schema.

    Raises:
        DataError: the schema is invalid.
    """
    made = {(stored.subject, stored.version): (stored, parse(stored.schema))}
    waiting = [stored]
    while waiting and len(made) < _MOST_DOCUMENTS:
        for each in _referred(schemas, waiting.pop()).values():
            if (each.subject, each.version) not in made:
                with suppress(DataError):  # an invalid schema counts as not found
                    made[each.subject, each.version] = each, parse(each.schema)
                    waiting.append(each)
    for schema, document in made.values():
        for name, each in _referred(schemas, schema).items():
            if (each.subject, each.version) in made:
                document.references[name] = made[each.subject, each.version][1]
    return type_of(made[stored.subject, stored.version][1])


def _referred(schemas: "Schemas", schema: "StoredSchema") -> "dict[str, StoredSchema]":
    """The schemas that a schema refers to, by their names in it; references may be circular."""
    found = {each.name: schemas.referred(schema, each) for each in schema.references}
    return {name: each for name, each in found.items() if each is not None}
