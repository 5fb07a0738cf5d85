"""Typed relations: `topic.orders`, the records of a topic with typed keys and values."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from kafkafmt.cached import cached_property
from kafkafmt.querying.pushdown import ROWS, LazyDataset, Read, with_zone
from kafkafmt.scanning.decoded_filter import bounded, fits, mentioned
from kafkafmt.values.decoding import STORED_BYTES
from kafkafmt.values.typed import decode

if TYPE_CHECKING:
    from pyarrow.compute import Expression

    from kafkafmt.scanning import Scan
    from kafkafmt.scanning.decoded_scan import DecodedScan
    from kafkafmt.values.decode_arguments import DecodeArguments

Begun = Callable[[Any], None]
ReadRecords = Callable[["Scan", Sequence[str], "Expression | None", Begun], Iterator[pa.RecordBatch]]
"""Reads columns of a scan that are not decoded."""


class TypedRelation:
    """The typed records of a topic.

    Args:
        scan: the records of the topic.
        arguments: arguments of decoding.
        read_records: reads columns that need no decoding.
        begun: called with each scan before it is read.

    Raises:
        KafkafmtError, ValueError: as for `Scan.decode`.
    """

    def __init__(self, scan: "Scan", arguments: "DecodeArguments", read_records: ReadRecords, begun: Begun) -> None:
        self._scan, self._read_records, self._begun = scan, read_records, begun
        decoded: DecodedScan[Any] = decode(scan, arguments._replace(on_damage="skip"))
        columns = (*decoded.schema.names, *STORED_BYTES)
        self._decoded = replace(decoded, decoder=decoded.decoder.with_columns(columns))

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns as DuckDB gets them."""
        return pa.schema([each.with_type(shown_type(each.type)) for each in self._decoded.schema])

    def read(self, columns: Sequence[str], expression: "Expression | None") -> Iterator[pa.RecordBatch]:
        """Read some columns of the rows for which an expression is true.

        Args:
            columns: names of the columns; `ROWS` among them is left out.
            expression: condition on the columns of `schema`; None for all rows.

        Raises:
            KafkafmtError: as for a pass of the scan.
        """
        names = [name for name in columns if name != ROWS]
        stored = None if expression is None else with_zone(expression)
        stored_columns = self._decoded.decoder.stored
        is_of_stored = stored is None or fits(stored, stored_columns)
        keeps_rows = self._decoded.decoder.keeps_rows
        if keeps_rows and is_of_stored and set(names) <= set(stored_columns.names):
            yield from self._read_records(self._scan, names, stored, self._begun)
            return
        scan, rest = self._scan, None
        if stored is not None:
            scan = scan.filter(stored) if is_of_stored else bounded(scan, stored, self._decoded.schema)
            rest = None if is_of_stored else expression
        # An Arrow batch without columns loses its number of rows, so one column is always read.
        needed = {*names, *mentioned(rest, self.schema.names)} or {"offset"}
        wanted = [name for name in self.schema.names if name in needed]
        decoder = self._decoded.decoder.with_schema(pa.schema([self._decoded.schema.field(name) for name in wanted]))
        decoded = type(self._decoded)(scan.select(decoder.scanned), decoder)
        self._begun(decoded)
        schema = pa.schema([self.schema.field(name) for name in wanted])
        for batch in decoded.to_reader():
            made = pa.Table.from_batches([_shown(batch, schema)])
            for rows in (made if rest is None else made.filter(rest)).to_batches():
                yield rows.select(names)


class TypedDataset(LazyDataset):
    """A typed relation as DuckDB reads it; its filters keep their times without a zone, like its columns."""

    @staticmethod
    def zoned(expression: "Expression") -> "Expression":
        """The same filter."""
        return expression


def shown_type(kind: pa.DataType) -> pa.DataType:
    """The type that DuckDB gets for a type of Arrow's: times in UTC without a zone, very long decimals as text."""
    if pa.types.is_timestamp(kind):
        return pa.timestamp(kind.unit)
    if pa.types.is_decimal256(kind):
        return pa.string()
    if pa.types.is_struct(kind):
        names = _apart([each.name for each in kind])
        return pa.struct([pa.field(name, shown_type(each.type)) for name, each in zip(names, kind, strict=True)])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(shown_type(kind.value_type)))
    if pa.types.is_map(kind):
        return pa.map_(
            kind.key_field.with_type(shown_type(kind.key_type)), kind.item_field.with_type(shown_type(kind.item_type))
        )
    return kind


def _apart(names: Sequence[str]) -> list[str]:
    """Names made unique case-insensitively, as SQL treats `value.ID` and `value.id` as the same."""
    found: dict[str, str] = {}
    others = {name.lower() for name in names}
    for name in names:
        apart, number = name, 0
        while apart.lower() in found or (number and apart.lower() in others):
            number += 1
            apart = f"{name}_{number}"
        found[apart.lower()] = apart
    return list(found.values())


def _as_type(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """The same values as another type with other field names, as Arrow's cast matches fields by name."""
    if pa.types.is_struct(kind):
        # Not `flatten`, which would make fields null; `field` leaves out what is before a slice.
        parts = [_as_type(column.field(number), each.type) for number, each in enumerate(kind)]
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=column.is_null())
    if pa.types.is_list(kind) or pa.types.is_map(kind):
        whole = pa.concat_arrays([column])  # without an offset
        if pa.types.is_list(kind):
            values = _as_type(whole.values, kind.value_type)
            return pa.ListArray.from_arrays(whole.offsets, values, type=kind, mask=whole.is_null())
        keys, items = _as_type(whole.keys, kind.key_type), _as_type(whole.items, kind.item_type)
        entries = pa.StructArray.from_arrays([keys, items], fields=[kind.key_field, kind.item_field])
        return pa.Array.from_buffers(kind, len(whole), whole.buffers()[:2], whole.null_count, 0, [entries])
    return column.cast(kind)


def _shown(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    arrays = [
        column if column.type == kind else _as_type(column, kind)
        for column, kind in zip(batch.columns, schema.types, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def typed_dataset(
    scan: "Scan",
    topic: str,
    arguments: "DecodeArguments",
    read_records: ReadRecords,
    begun: Begun,
    noting: Callable[[Read], Read],
) -> TypedDataset:
    """The typed relation of a topic, as DuckDB reads it.

    Args:
        scan: the records of all topics.
        topic: name of the topic.
        arguments: arguments of decoding.
        read_records: reads columns that need no decoding.
        begun: called with each scan before it is read.
        noting: wraps the reading, to keep its errors.

    Raises:
        KafkafmtError, ValueError: as for `Scan.decode`.
    """
    relation = TypedRelation(scan.of_topic(topic), arguments, read_records, begun)
    return TypedDataset(relation.schema, noting(relation.read))
