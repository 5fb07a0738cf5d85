"""The format of Avro values."""

import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.columnar.outcomes import REFUSED, WITH_MORE
from kafkafmt.errors import DataError
from kafkafmt.values.avro import arrow
from kafkafmt.values.avro.bulk import NULL, BulkAvro
from kafkafmt.values.avro.datum import Datum
from kafkafmt.values.avro.json_encoding import binary_of_json
from kafkafmt.values.avro.reading import Read, function_of, read_datum
from kafkafmt.values.avro.resolution import ResolvedType, resolve
from kafkafmt.values.avro.schema import Node, parse
from kafkafmt.values.decoded import NOTHING, Decoded, DecodedColumn, in_pieces, replaced
from kafkafmt.values.framing import CONFLUENT_BYTES
from kafkafmt.values.registered import RegisteredFormat, remembered

if TYPE_CHECKING:
    from kafkafmt.limits import Limits
    from kafkafmt.values.framing import Framing, Part
    from kafkafmt.values.registry import Schemas
    from kafkafmt.values.stored_schema import StoredSchema

AVRO: Final = "AVRO"
"""The registry's name of the type."""

_Key = tuple[str, str]

_MAY_BE_JSON: Final = ("confluent", "apicurio-8")
"""Framings that do not tell whether Apicurio's serializer wrote Avro's JSON encoding."""


def may_be_json(framing: "Framing") -> bool:
    """Whether a value that is not complete binary Avro may be Avro's JSON encoding, which its framing does not tell."""
    return framing.name in _MAY_BE_JSON and framing.payload.startswith(b"{")


# In values of a topic: a loaded kernel takes as long as decoding 30 one by one, loading it as 2,000, and compiling it,
# once on a machine, as 600,000.
_WORTH_LOADED: Final = 100
_WORTH_LOADING: Final = 5000


class Avro(RegisteredFormat):
    """Avro values, resolved to one schema; or as JSON text by the schema of each writer.

    Args:
        schemas: the registry's schemas.
        subject: subject of the topic's keys or values.
        part: "key" or "value".
        limits: bounds of decoded data.
        reader: the schema to which values are resolved; None for JSON text by the writers' schemas.

    Raises:
        DataError: the reader's schema is invalid.
    """

    TYPE = AVRO
    name = "avro"

    def __init__(
        self, schemas: "Schemas", subject: str, part: "Part", limits: "Limits", reader: "StoredSchema | None"
    ) -> None:
        super().__init__(schemas, subject, part, limits)
        self._arguments += (reader,)
        self._nodes: dict[_Key, Node | DataError] = {}
        self._of_schemas: dict[_Key, ResolvedType | DataError] = {}
        self._reads: dict[_Key, Read] = {}
        # State per decoding thread.
        self._local = threading.local()
        # The kernel numbers bytes from the lowest one on.
        self._has_kernels = sys.byteorder == "little"
        self._met = 0
        self._reader = None if reader is None else self._node(reader)
        if self._reader is None:
            self.kind, self._convert = arrow.JSON, None
        else:
            bulk = self._local.bulk = BulkAvro(self._reader, self._limits.max_fields_per_value)
            self.kind, self._convert = bulk.kind, arrow.converter(self._reader)
            self.most_rows, self.most_bytes = bulk.most_rows, bulk.most_bytes

    def _value(self, schema: "StoredSchema", framing: "Framing") -> Decoded:
        key, resolved = self._resolved(schema)
        if key not in self._reads:
            self._reads[key] = function_of(resolved)
        read, payload = self._reads[key], framing.payload
        if framing.is_json:
            return self._of_json(resolved, read, payload)
        decoded = NOTHING
        failed: DataError | None = None
        try:
            datum = Datum(payload, self._limits.max_fields_per_value)
            value = datum.take(len(payload)) if resolved.is_rest else read_datum(read, datum)
            decoded = self._decoded(resolved, datum, value)
        except DataError as error:
            failed = error
        if (failed or decoded.bytes_left) and may_be_json(framing):
            with suppress(DataError):
                return self._of_json(resolved, read, payload)
        if failed is not None:
            raise failed
        return decoded

    def _of_json(self, resolved: ResolvedType, read: Read, payload: bytes) -> Decoded:
        """Decode a value in Avro's JSON encoding."""
        datum = Datum(binary_of_json(resolved.writer, payload), self._limits.max_fields_per_value)
        return self._decoded(resolved, datum, read_datum(read, datum))

    def _decoded(self, resolved: ResolvedType, datum: Datum, value: object) -> Decoded:
        value = arrow.as_json(resolved.reader, value) if self._convert is None else self._convert(value)
        return Decoded(value, None, datum.bytes_left, datum.fields)

    def prefer_kernels(self) -> None:
        """Load kernels for the next values, however few there are."""
        self._met = _WORTH_LOADING

    def decode_all(self, stored: pa.Array, headers: pa.Array) -> DecodedColumn:
        """Decode many values by a kernel, once there are enough, and those that the kernel refuses one by one."""
        self._met += len(stored)
        worth = _WORTH_LOADED if BulkAvro.is_loaded else _WORTH_LOADING
        if self._reader is None or not self._has_kernels or self._met < worth:
            return self._one_by_one(stored, headers)
        try:
            self._local.bulk = getattr(self._local, "bulk", None) or BulkAvro(
                self._reader, self._limits.max_fields_per_value
            )
            return self._in_bulk(stored, headers, self._local.bulk)
        except ImportError:
            # No compiler, or one that does not work here: kernels are only needed for speed.
            self._has_kernels = False
            return self._one_by_one(stored, headers)

    def _one_by_one(self, stored: pa.Array, headers: pa.Array) -> DecodedColumn:
        return in_pieces(super().decode_all, stored, headers)

    def _in_bulk(self, stored: pa.Array, headers: pa.Array, bulk: BulkAvro) -> DecodedColumn:
        programs, skipped = np.full(len(stored), NULL, np.int64), np.zeros(len(stored), np.int32)
        one_by_one = stored.is_valid().to_numpy(zero_copy_only=False)
        ids = np.zeros(len(stored), np.int32)
        errors: dict[int, DataError] = {}
        for each in self.schemas_of(stored, headers):
            ids[each.rows] = each.schema_id
            try:
                program = bulk.program(*self._resolved(each.schema()))
            except DataError as error:
                errors |= dict.fromkeys(each.rows.tolist(), error)
            else:
                if program is None:
                    continue
                programs[each.rows], skipped[each.rows] = program, each.skipped
            one_by_one[each.rows] = False
        values, outcomes = bulk.read(stored, skipped, programs)
        one_by_one |= outcomes == REFUSED
        has_more = outcomes == WITH_MORE
        if has_more.any():
            # The beginning of JSON may happen to be a complete value, such as a long or a double.
            first = pc.binary_slice(stored, CONFLUENT_BYTES, CONFLUENT_BYTES + 1).fill_null(b"")
            may_be_json = pc.equal(first, b"{").to_numpy(zero_copy_only=False)
            one_by_one |= has_more & (skipped == CONFLUENT_BYTES) & may_be_json
        with_more = int(np.count_nonzero(has_more & ~one_by_one))
        in_bulk = DecodedColumn(values, pa.array(ids, mask=ids == 0), dict(sorted(errors.items())), with_more)
        rows = np.flatnonzero(one_by_one)
        return (
            replaced(in_bulk, rows, self._one_by_one(stored.take(rows), headers.take(rows))) if len(rows) else in_bulk
        )

    def _resolved(self, schema: "StoredSchema") -> tuple[_Key, ResolvedType]:
        key = (schema.subject, schema.guid)

        def resolved() -> ResolvedType:
            writer = self._node(schema)
            return resolve(writer, self._reader or writer)

        return key, remembered(self._of_schemas, key, resolved)

    def _node(self, schema: "StoredSchema") -> Node:
        def parsed() -> Node:
            return parse(schema.schema, [each.schema for each in self._schemas.references(schema)])

        return remembered(self._nodes, (schema.subject, schema.guid), parsed)
