"""How the keys or values of one topic are decoded: a format, and the schema that all of them are resolved to."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.errors import CorruptError, DataError
from kafkafmt.values.avro import arrow
from kafkafmt.values.avro.resolution import Read, read_value, reading
from kafkafmt.values.avro.schema import Node, parse
from kafkafmt.values.framing import CONFLUENT_BYTES, Framing, confluent_ids, framing_of
from kafkafmt.values.primitives import PRIMITIVES, json_of, text_of

if TYPE_CHECKING:
    from kafkafmt.limits import Limits
    from kafkafmt.values.framing import Part
    from kafkafmt.values.registry import Schemas
    from kafkafmt.values.stored_schema import StoredSchema

Headers = Iterable[tuple[str, bytes | None]]

AVRO: Final = "AVRO"
JSON_SCHEMA: Final = "JSON"

_OF_OTHERS: Final = ("apicurio-8", "apicurio-header", "glue")
"""Framings of registries that keep nothing in `_schemas`."""


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


class DecodedColumn(NamedTuple):
    """Decoded keys or values of many records.

    Attributes:
        values: of the format's Arrow type; null where nothing is stored, and where it cannot be decoded.
        schema_ids: ids of the writers' schemas, int32.
        errors: why a row cannot be decoded, by its number, in rising order.
        bytes_left: number of values with bytes after them.
    """

    values: pa.Array
    schema_ids: pa.Array
    errors: Mapping[int, DataError]
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

    def decode_all(self, stored: pa.Array, headers: pa.Array) -> DecodedColumn:
        """Decode the keys or values of many records; a bad one costs no other one.

        Args:
            stored: binary, as stored.
            headers: the headers of the records, as the column `headers` has them; may be null if the format does not
                read them.
        """
        values: list[object] = []
        ids: list[int | None] = []
        errors: dict[int, DataError] = {}
        bytes_left = 0
        beside = pairs_of(headers) if self.reads_headers else repeat(())
        for row, (data, of_record) in enumerate(zip(stored.to_pylist(), beside, strict=False)):
            decoded, error = (_NOTHING, None) if data is None else self._attempt(data, of_record)
            if error is not None:
                errors[row] = error
            values.append(decoded.value)
            ids.append(decoded.schema_id)
            bytes_left += decoded.bytes_left > 0
        return DecodedColumn(pa.array(values, self.kind), pa.array(ids, pa.int32()), errors, bytes_left)

    def _attempt(self, data: bytes, headers: Headers) -> tuple[Decoded, DataError | None]:
        """Decode a value; of one that cannot be decoded what is known of it, and why."""
        try:
            return self.decode(data, headers), None
        except DataError as error:
            return _NOTHING, error


_NULL: Final = -1
Rows: TypeAlias = npt.NDArray[np.int64]


def rows_of_each(values: pa.Array) -> Iterator[tuple[Any, Rows]]:
    """Each different value of an array, and the rows that have it."""
    encoded = values.dictionary_encode()
    numbers = encoded.indices.fill_null(_NULL).to_numpy(zero_copy_only=False)
    for number in np.unique(numbers).tolist():
        yield None if number == _NULL else encoded.dictionary[number].as_py(), np.flatnonzero(numbers == number)


def together(parts: Iterable[tuple[Rows, DecodedColumn]]) -> DecodedColumn:
    """One column of the parts that were decoded apart.

    Args:
        parts: the numbers of the rows, and their decoded column; all rows are in one of them.
    """
    rows, columns = zip(*parts, strict=True)
    if len(columns) == 1:
        return columns[0]  # type: ignore[no-any-return]
    every = np.concatenate(rows)
    order = np.empty(len(every), np.int64)
    order[every] = np.arange(len(every))
    errors = {
        int(of[row]): error for of, column in zip(rows, columns, strict=True) for row, error in column.errors.items()
    }
    return DecodedColumn(
        pa.concat_arrays([column.values for column in columns]).take(order),
        pa.concat_arrays([column.schema_ids for column in columns]).take(order),
        dict(sorted(errors.items())),
        sum(column.bytes_left for column in columns),
    )


def pairs_of(headers: pa.Array) -> list[list[tuple[str, bytes | None]]]:
    """The headers of records, of the column `headers`, as pairs."""
    return [[(each["key"], each["value"]) for each in of_record or ()] for of_record in headers.to_pylist()]


_NOTHING: Final = Decoded(None)


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

    @abstractmethod
    def _value(self, schema: "StoredSchema", payload: bytes, indexes: bytes | None = None) -> tuple[object, int]:
        """Decode what follows the id: the value for Arrow, and how many bytes follow it.

        Args:
            schema: the writer's schema.
            payload: the bytes.
            indexes: Protobuf's message indexes, if a header has them.

        Raises:
            DataError: as for `decode`.
        """

    def decode(self, data: bytes, headers: Headers = ()) -> Decoded:
        """Decode a value, as described by `ValueFormat`."""
        decoded, error = self._attempt(data, headers)
        if error is not None:
            raise error
        return decoded

    def _attempt(self, data: bytes, headers: Headers) -> tuple[Decoded, DataError | None]:
        schema_id = None
        try:
            framing = framing_of(data, headers, self._part, self._limits)
            schema_id = framing.schema_id if framing.name not in _OF_OTHERS else None
            schema = self._schema_of(framing)
            schema_id = schema.schema_id
            value, left = self._value(schema, framing.payload, framing.indexes)
        except DataError as error:
            return Decoded(None, schema_id), error
        return Decoded(value, schema_id, left), None

    def decode_all(self, stored: pa.Array, headers: pa.Array) -> DecodedColumn:
        """Decode many values, those of each schema together; see `ValueFormat`."""
        ids = confluent_ids(stored, headers, self._part)
        parts: list[tuple[Rows, DecodedColumn]] = []
        for schema_id, rows in rows_of_each(ids):
            some = len(rows) < len(stored)
            values = stored.take(rows) if some else stored
            if schema_id:
                parts.append((rows, self._of_id(schema_id, values)))
            else:
                parts.append((rows, super().decode_all(values, headers.take(rows) if some else headers)))
        return together(parts) if parts else super().decode_all(stored, headers)

    def _of_id(self, schema_id: int, stored: pa.Array) -> DecodedColumn:
        """Values that have the same id before them."""
        ids = pa.array(np.full(len(stored), schema_id, np.int32))
        try:
            return self._decode_framed(self._schema(schema_id), stored)._replace(schema_ids=ids)
        except DataError as error:
            return DecodedColumn(pa.nulls(len(stored), self.kind), ids, dict.fromkeys(range(len(stored)), error))

    def _decode_framed(self, schema: "StoredSchema", stored: pa.Array) -> DecodedColumn:
        """Decode many values of one schema; formats that are faster in bulk override it.

        Args:
            schema: the writer's schema.
            stored: binary, none null, each with `CONFLUENT_BYTES` before the value.

        Returns:
            The column; its ids say nothing.

        Raises:
            DataError: none of them can be decoded: the schema is broken, or cannot be resolved.
        """
        values: list[object] = []
        errors: dict[int, DataError] = {}
        bytes_left = 0
        for row, data in enumerate(stored.to_pylist()):
            value, left = None, 0
            try:
                value, left = self._value(schema, data[CONFLUENT_BYTES:])
            except DataError as error:
                errors[row] = error
            values.append(value)
            bytes_left += left > 0
        return DecodedColumn(pa.array(values, self.kind), pa.nulls(len(values), pa.int32()), errors, bytes_left)

    def _schema_of(self, framing: Framing) -> "StoredSchema":
        """The schema that a framing names."""
        wanted = framing.schema_id if framing.schema_id is not None else framing.guid
        if wanted is None:
            raise CorruptError("the bytes are not framed: no schema id before them, and no header")
        if framing.name in _OF_OTHERS:
            raise DataError("the schema is of another registry, and not in _schemas", found=f"{framing.name} {wanted}")
        return self._schema(wanted)

    def _schema(self, wanted: int | str) -> "StoredSchema":
        """The schema of an id or a GUID."""
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
        return schema


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


class JsonSchema(_Registered):
    """JSON with the id of a schema before it; the text as it is, since JSON Schema has no rules of resolution."""

    TYPE = JSON_SCHEMA
    name = "json-schema"
    kind = pa.string()

    def _value(self, schema: "StoredSchema", payload: bytes, indexes: bytes | None = None) -> tuple[object, int]:  # noqa: ARG002
        json_of(payload)
        return text_of(payload), 0
