"""How the keys or values of one topic are decoded: a format, and the schema that all of them are resolved to."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa

from kafkafmt.errors import CorruptError, DataError
from kafkafmt.values.avro import arrow
from kafkafmt.values.avro.resolution import Read, read_value, reading
from kafkafmt.values.avro.schema import Node, parse
from kafkafmt.values.framing import Framing, framing_of
from kafkafmt.values.primitives import PRIMITIVES, json_of, text_of

if TYPE_CHECKING:
    from kafkafmt.limits import Limits
    from kafkafmt.values.framing import Part
    from kafkafmt.values.registry import Schemas
    from kafkafmt.values.stored_schema import StoredSchema

Headers = Iterable[tuple[str, bytes | None]]

AVRO: Final = "AVRO"
JSON_SCHEMA: Final = "JSON"


class Decoded(NamedTuple):
    """A decoded key or value.

    Attributes:
        value: what `pyarrow.array` takes for the format's Arrow type.
        schema_id: id of the writer's schema, or None.
        bytes_left: number of bytes after the value.
    """

    value: object
    schema_id: int | None = None
    bytes_left: int = 0


class ValueFormat(ABC):
    """Decodes the keys or the values of a topic.

    Attributes:
        name: "avro", "json", "string", ..
        kind: Arrow type of what it decodes.
        reads_headers: whether it asks the headers of a record.
    """

    name: str
    kind: pa.DataType
    reads_headers: bool = False
    _arguments: tuple[object, ...] = ()

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as it was made: functions of schemas cannot be pickled."""
        return type(self), self._arguments

    @abstractmethod
    def decode(self, data: bytes, headers: Headers = ()) -> Decoded:
        """Decode a key or value that is not null.

        Args:
            data: the bytes as stored.
            headers: the headers of the record.

        Raises:
            DataError: the bytes are no value of the format, or cannot be resolved to its schema.
        """


class Primitive(ValueFormat):
    """A format without schemas: one of `PRIMITIVES`."""

    def __init__(self, name: str) -> None:
        self._arguments = (name,)
        self.name = name
        self.kind, self._decode = PRIMITIVES[name]

    def decode(self, data: bytes, headers: Headers = ()) -> Decoded:  # noqa: ARG002 - headers say nothing here
        """Decode a value, as described by `ValueFormat`."""
        return Decoded(self._decode(data))


class _Registered(ValueFormat):
    """A format whose values say which schema of a registry they were written with.

    Args:
        schemas: the registry's schemas.
        subject: subject of the topic's keys or values.
        part: "key" or "value".
        limits: bounds of what is decoded.
    """

    TYPE: str
    reads_headers = True

    def __init__(self, schemas: "Schemas", subject: str, part: "Part", limits: "Limits") -> None:
        self._arguments = (schemas, subject, part, limits)
        self._schemas, self._subject, self._part, self._limits = schemas, subject, part, limits
        self._found: dict[int | str, StoredSchema] = {}

    def _framed(self, data: bytes, headers: Headers) -> "tuple[Framing, StoredSchema]":
        """The framing of a value, and the schema that it names."""
        framing = framing_of(data, headers, self._part, self._limits)
        wanted = framing.schema_id if framing.schema_id is not None else framing.guid
        if wanted is None:
            raise CorruptError("the bytes are not framed: no schema id before them, and no header")
        if framing.name in ("apicurio-8", "apicurio-header", "glue"):
            raise DataError("the schema is of another registry, and not in _schemas", found=f"{framing.name} {wanted}")
        schema = self._found.get(wanted)
        if schema is None:
            schema = (
                self._schemas.by_id(wanted, self._subject) if isinstance(wanted, int) else self._schemas.by_guid(wanted)
            )
            if schema is None:
                raise DataError("no schema on the disks has this id", found=wanted)
            if schema.type != self.TYPE:
                raise DataError(
                    "the schema is of another type", expected=self.TYPE, found=f"{schema.type}, id {wanted}"
                )
            self._found[wanted] = schema
        return framing, schema


class Avro(_Registered):
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

    def decode(self, data: bytes, headers: Headers = ()) -> Decoded:
        """Decode a value, as described by `ValueFormat`."""
        framing, schema = self._framed(data, headers)
        read, node = self._read(schema)
        if node.type == "bytes" and self._node(schema).type == "bytes":
            # Confluent's serializers write bytes at the top without their length.
            value, left = framing.payload, 0
        else:
            value, left = read_value(read, framing.payload)
        made = arrow.as_json(node, value) if self._convert is None else self._convert(value)
        return Decoded(made, schema.schema_id, left)

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


class JsonSchema(_Registered):
    """JSON with the id of a schema before it; the text as it is, since JSON Schema has no rules of resolution."""

    TYPE = JSON_SCHEMA
    name = "json-schema"
    kind = pa.string()

    def decode(self, data: bytes, headers: Headers = ()) -> Decoded:
        """Decode a value, as described by `ValueFormat`."""
        framing, schema = self._framed(data, headers)
        json_of(framing.payload)
        return Decoded(text_of(framing.payload), schema.schema_id)
