"""The format of Protobuf values."""

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from kafkafmt.errors import DataError
from kafkafmt.values.chosen import ChosenSchemas, OtherRecordError
from kafkafmt.values.decoded import MANY_BYTES, NOTHING, Decoded, DecodedColumn, together
from kafkafmt.values.formats import Remark
from kafkafmt.values.framing import CONFLUENT_BYTES, Framing
from kafkafmt.values.protobuf.arrow import JSON, UNKNOWN_FIELDS, ToArrow, shape_of, texts_in
from kafkafmt.values.protobuf.bulk import BulkProtobuf
from kafkafmt.values.protobuf.descriptors import parse_schema
from kafkafmt.values.protobuf.json_form import JsonForm
from kafkafmt.values.protobuf.message_indexes import message_of
from kafkafmt.values.protobuf.message_names import beginnings, split_message
from kafkafmt.values.protobuf.schema import ProtoMessage, ProtoSchema, link
from kafkafmt.values.protobuf.wire import read_message
from kafkafmt.values.registered import RegisteredFormat, remembered

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from kafkafmt.columnar.figures import Int64s
    from kafkafmt.columnar.headers import UInt8s
    from kafkafmt.limits import Limits
    from kafkafmt.values.framing import Part
    from kafkafmt.values.registry import Schemas
    from kafkafmt.values.stored_schema import StoredSchema

PROTOBUF: Final = "PROTOBUF"
"""The registry's name of the type."""


class Protobuf(RegisteredFormat):
    """Protobuf values of one message, resolved to one schema; or as JSON text by the schema of each writer.

    Args:
        schemas: the registry's schemas.
        subject: subject of the topic's keys or values.
        part: "key" or "value".
        limits: bounds of decoded data.
        reader: the schema to which values are resolved; None for JSON text by the writers' schemas.
        message: full name of the message; None for the first one of the reader's schema.

    Raises:
        DataError: the reader's schema is invalid, or has no such message.
    """

    TYPE = PROTOBUF
    name = "protobuf"

    def __init__(
        self,
        schemas: "Schemas",
        subject: str,
        part: "Part",
        limits: "Limits",
        reader: "StoredSchema | None",
        message: str | None = None,
    ) -> None:
        super().__init__(schemas, subject, part, limits)
        self._arguments += (reader, message)
        chosen = schemas if isinstance(schemas, ChosenSchemas) else None
        self._record = None if chosen is None else chosen.record
        self._is_unframed = chosen is not None and chosen.is_unframed
        self._linked: dict[tuple[str, str], ProtoSchema | DataError] = {}
        self._reader: ProtoMessage | None = None
        self._to_arrow: ToArrow | None = None
        self._bulk: BulkProtobuf | None = None
        self.kind = JSON
        if reader is not None:
            schema = self._schema_by_text(reader)
            self._reader = schema.by_name.get(message) if message is not None else next(iter(schema.messages), None)
            if self._reader is None:
                raise DataError(f"the schema {reader.subject} version {reader.version} has no message {message or ''}")
            shape = shape_of(self._reader)
            self.kind = shape.type
            self.as_text = tuple(texts_in(shape))
            json_form = JsonForm(schema.by_name)
            self._to_arrow = ToArrow(shape, json_form)
            self._bulk = (
                BulkProtobuf(shape, json_form, self._read, limits.max_fields_per_value)
                if shape.form == "struct"
                else None
            )
            if self._bulk is not None and not self.as_text:
                self.most_rows, self.most_bytes = self._bulk.most_rows, MANY_BYTES

    def message_name(self, schema: "StoredSchema", framing: "Framing") -> str:
        """The full name of a value's message.

        Args:
            schema: the writer's schema.
            framing: the framing of the value.

        Raises:
            DataError: the schema is invalid, or nothing names one of its messages.
        """
        return self._message(schema, framing)[0].name

    def messages_of(self, schema: "StoredSchema") -> "Collection[str]":
        """Full names of the messages that a schema can reach.

        Raises:
            DataError: the schema is invalid.
        """
        return self._schema_by_text(schema).by_name

    def _value(self, schema: "StoredSchema", framing: "Framing") -> Decoded:
        message, data = self._message(schema, framing)
        self._check(message)
        if self._reader is None:
            read = read_message(message, data, most_fields=self._limits.max_fields_per_value)
            text = JsonForm(self._schema_by_text(schema).by_name).text(read)
            if read.unknown_fields:
                self.remark(Remark(UNKNOWN_FIELDS, 1))
            return Decoded(text, fields=read.fields)
        return self._read(data)

    def _decode_framed(self, schema: "StoredSchema", stored: pa.Array) -> DecodedColumn:
        """Decode many values, those of each message together."""
        if self._bulk is None:
            return super()._decode_framed(schema, stored)
        offsets = np.frombuffer(stored.buffers()[1], np.int32)[stored.offset : stored.offset + len(stored) + 1]
        source = np.frombuffer(stored.buffers()[2], np.uint8)
        begins, ends = offsets[:-1].astype(np.int64) + CONFLUENT_BYTES, offsets[1:].astype(np.int64)
        if self._is_unframed:
            return self._of_message(self._bulk, schema, None, source, begins, ends)
        parts = []
        for before, rows in beginnings(source, begins, ends):
            if before is None:
                parts.append((rows, super()._decode_framed(schema, stored.take(rows))))
            else:
                parts.append((rows, self._of_message(self._bulk, schema, before, source, begins[rows], ends[rows])))
        return together(parts) if parts else super()._decode_framed(schema, stored)

    def _of_message(
        self,
        bulk: BulkProtobuf,
        schema: "StoredSchema",
        before: bytes | None,
        source: "UInt8s",
        begins: "Int64s",
        ends: "Int64s",
    ) -> DecodedColumn:
        """Decode values with the same message indexes or Ref before the message; None for values without them."""
        ids = pa.nulls(len(begins), pa.int32())
        try:
            if before is None:
                message, size = self._unframed(schema), 0
            else:
                message, size = split_message(self._schema_by_text(schema), Framing("confluent", before))
            self._check(message)
        except DataError as error:
            return DecodedColumn(pa.nulls(len(begins), self.kind), ids, dict.fromkeys(range(len(begins)), error))
        decoded = bulk.read(source, begins + size, ends)
        for remark in decoded.remarks:
            self.remark(remark)
        return decoded.column

    def _check(self, message: ProtoMessage) -> None:
        if self._record is not None and message.name != self._record:
            raise OtherRecordError(f"a value of another type: {message.name}")
        if self._reader is not None and message.name != self._reader.name:
            advised = self._schemas.advised
            show_all = f", or show all by {advised.written}" if advised.written else ""
            raise DataError(
                f"a value of another message; choose one by {advised.record}{show_all}",
                expected=self._reader.name,
                found=message.name,
            )

    def _read(self, data: bytes) -> Decoded:
        """Decode a message to the reader's schema."""
        if self._reader is None or self._to_arrow is None:
            return NOTHING
        read = read_message(self._reader, data, most_fields=self._limits.max_fields_per_value)
        value = self._to_arrow.value(read)
        for remark in self._to_arrow.remarks:
            self.remark(Remark(remark, 1))
        return Decoded(value, fields=read.fields)

    def _message(self, schema: "StoredSchema", framing: "Framing") -> tuple[ProtoMessage, bytes]:
        """The message of a value, and its bytes."""
        if self._is_unframed:
            return self._unframed(schema), framing.payload
        message, start = split_message(self._schema_by_text(schema), framing)
        return message, framing.payload[start:]

    def _unframed(self, schema: "StoredSchema") -> ProtoMessage:
        """The message of values that name none: the chosen one, or the first of the file."""
        linked = self._schema_by_text(schema)
        return linked.by_name.get(self._record or "") or message_of(linked, (0,))

    def _schema_by_text(self, schema: "StoredSchema") -> ProtoSchema:
        def linked() -> ProtoSchema:
            references = [parse_schema(each.schema) for each in self._schemas.references(schema)]
            return link(parse_schema(schema.schema), references)

        return remembered(self._linked, (schema.subject, schema.guid), linked)


def most_frequent_message(
    of: Protobuf, written: "Iterable[tuple[StoredSchema, Framing]]", reader: "StoredSchema"
) -> str | None:
    """The full name of the most frequent message of values, among those of a schema; None if there is none.

    Args:
        of: the format.
        written: schema and framing of the values.
        reader: the schema.

    Raises:
        DataError: the schema is invalid.
    """
    names = Counter[str]()
    for schema, framing in written:
        if schema.type == PROTOBUF:
            with suppress(DataError):
                names[of.message_name(schema, framing)] += 1
    known = of.messages_of(reader)
    return next((name for name, _ in names.most_common() if name in known), None)
