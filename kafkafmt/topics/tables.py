"""Records of internal topics as Arrow tables: `kafkafmt.topics.read`, and `decode` for an existing scan.

The struct of a message has the fields of all its versions, named as in Kafka's schemas; fields that a version lacks are
null. Times are numbers of ms, UUIDs are in Kafka's text form, and unsigned integers have the next larger signed type.
"""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, Self

import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt import columns as record_columns
from kafkafmt import scanning
from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.files.damage import Note
from kafkafmt.phrases import counted
from kafkafmt.record_columns import COLUMNS
from kafkafmt.reference.messages import Field, message
from kafkafmt.scanning.decoded_scan import DecodedScan
from kafkafmt.topics.decoding import DecodedRecord, Kind, control_record, decode_record, kind_by_prefix, kind_of
from kafkafmt.topics.internal_log import of_topic
from kafkafmt.topics.record_rows import slices

if TYPE_CHECKING:
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning import Scan

_TYPES: Final[dict[str, pa.DataType]] = {
    "bool": pa.bool_(),
    "int8": pa.int8(),
    "int16": pa.int16(),
    "uint16": pa.int32(),
    "int32": pa.int32(),
    "uint32": pa.int64(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "string": pa.string(),
    "bytes": pa.binary(),
    "uuid": pa.string(),
}

_WHERE = ("topic", "partition", "offset", "timestamp")
_OF_CONTENT = ("key", "value", "timestampType", "headers", "isControl", "controlType")
_PROVENANCE = tuple(name for name in COLUMNS if name not in (*_WHERE, *_OF_CONTENT))

OF_SCAN: Final = (*_WHERE, *_PROVENANCE)
"""Columns taken from `kafkafmt.scan` unchanged."""

DECODED_FROM: Final = ("key", "value", "controlType")
"""Columns of `kafkafmt.scan` from which the others are decoded."""


class DecodedColumns(NamedTuple):
    """Columns that are decoded from keys and values.

    Attributes:
        kind: only for all kinds of a topic: the kind; of a control record its type; None if unknown.
        type: only for all kinds of a topic: the number of the kind, or of the control record's type.
        key: fields of the key: a struct for one kind, which has none if it is without a key; JSON for all kinds of a
            topic.
        value_version: version of the value's layout; None for a tombstone.
        value: fields of the value in the same way; None for a tombstone.
        error: why the key or the value cannot be decoded; else None.
        key_bytes: the stored key if there is an "error"; else None.
        value_bytes: the stored value if there is an "error"; else None.
    """

    kind: Annotated[str | None, "string"]
    type: Annotated[int | None, "int16"]
    key: Annotated[str | None, "string"]
    value_version: Annotated[int | None, "int16"]
    value: Annotated[str | None, "string"]
    error: Annotated[str | None, "string"]
    key_bytes: Annotated[bytes | None, "binary"]
    value_bytes: Annotated[bytes | None, "binary"]


_COLUMNS: Final = list(TableColumns(*columns_of(DecodedColumns)).schema)
_AS_JSON: Final = _COLUMNS[:5]
_UNDECODED: Final = _COLUMNS[5:]


def read(
    source: "Searchable",
    kind: str,
    *,
    columns: Sequence[str] | None = None,
    **as_scan: Any,  # noqa: ANN401 - the arguments of kafkafmt.scan
) -> "DecodedScan[KindDecoder]":
    """Read the decoded records of one kind, or of all kinds in an internal topic.

        >>> import kafkafmt.topics
        >>> commits = kafkafmt.topics.read("/var/lib/kafka/data", "OffsetCommit").to_table()
        >>> everything = kafkafmt.topics.read("/var/lib/kafka/data", "__consumer_offsets").to_table()

    A kind has the columns `key` and `value`, structs with the fields of Kafka's messages; `value` is null for a
    tombstone. A topic has both as JSON, and the columns `kind` and `type`. `valueVersion` is the version of the value's
    layout. If a record cannot be decoded, `error` gives the reason, and `keyBytes` and `valueBytes` the stored bytes.
    Control records are rows of a topic if requested, and never of a kind.

    Args:
        source: as for `kafkafmt.scan`. Files given by name are read whatever the name of their directory.
        kind: name of a kind (`kafkafmt.topics.decoding.KINDS`), or of an internal topic.
        columns: names of the columns to build, in this order; None for all.
        **as_scan: other arguments of `kafkafmt.scan`, except `topics`, which follows from the kind.

    Raises:
        SourceError: as for `kafkafmt.scan`.
        TypeError, ValueError: an invalid argument, or an unknown kind.
    """
    if "topics" in as_scan:
        raise TypeError("topics: the kind determines the topic; for all records of a topic give its name as the kind")
    kind_of(kind)
    return decode(scanning.scan(source, **as_scan), kind, columns=columns)


def decode(scan: "Scan", kind: str, *, columns: Sequence[str] | None = None) -> "DecodedScan[KindDecoder]":
    """Decode a scan's records of one kind, or of all kinds of an internal topic, as `read` does.

    Args:
        scan: the records; its columns do not matter.
        kind: as for `read`.
        columns: as for `read`.

    Raises:
        TypeError, ValueError: an invalid argument, or an unknown kind.
    """
    wanted = kind_of(kind)
    decoder = KindDecoder(wanted, schema_of(wanted, columns))
    return DecodedScan(scan.of(partial(of_topic, topic=decoder.topic), decoder.scanned), decoder)


def message_type(name: str) -> pa.StructType:
    """The struct of a message, by its name in Kafka.

    Raises:
        ValueError: there is no such message.
    """
    return _struct(message(name).fields)


def schema_of(kind: Kind | str, columns: Sequence[str] | None, others: Sequence[pa.Field] = ()) -> pa.Schema:
    """Columns of one kind of record, or of all kinds of a topic.

    Args:
        kind: the kind, or the topic.
        columns: names of the columns to build, in this order; None for all.
        others: columns of the record batches besides those of a scan, taken unchanged.

    Raises:
        ValueError: a name is unknown or repeated, or there is none.
        TypeError: `columns` is a str.
    """
    content = _AS_JSON if isinstance(kind, str) else _as_structs(kind)
    fields = [*map(_of_scan, _WHERE), *content, *_UNDECODED, *map(_of_scan, _PROVENANCE), *others]
    return record_columns.select(columns, pa.schema(fields))


def _as_structs(kind: Kind) -> list[pa.Field]:
    """Columns of key and value; a message without fields has none, since Parquet does not support empty structs."""
    parts = [("key", kind.key), ("valueVersion", None), ("value", kind.value)]
    fields = []
    for column, name in parts:
        if column == "valueVersion":
            fields.append(pa.field(column, pa.int16()))
        elif name is not None and message(name).fields:
            fields.append(pa.field(column, message_type(name)))
    return fields


def _of_scan(name: str) -> pa.Field:
    return record_columns.SCHEMA.field(name)


def _struct(fields: Sequence[Field]) -> pa.StructType:
    return pa.struct([pa.field(field.name, _type(field)) for field in fields])


def _type(field: Field) -> pa.DataType:
    single = _struct(field.fields) if field.type == "struct" else _TYPES[field.type]
    return pa.list_(pa.field("element", single)) if field.is_array else single


@dataclass(frozen=True)
class KindDecoder:
    """Decodes record batches of a scan; can be pickled, for workers in other processes.

    Attributes:
        kind: the kind of records; or a topic, for all its records.
        schema: columns to build.
    """

    kind: Kind | str
    schema: pa.Schema

    @property
    def topic(self) -> str:
        """Name of the internal topic."""
        return self.kind if isinstance(self.kind, str) else self.kind.topic

    @property
    def label(self) -> str:
        """Name of the kind, or of the topic."""
        return self.kind if isinstance(self.kind, str) else self.kind.name

    @property
    def scanned(self) -> list[str]:
        """Columns of `kafkafmt.scan` that `decode` needs."""
        return [*DECODED_FROM, *(name for name in OF_SCAN if name in self.schema.names)]

    @property
    def stored(self) -> pa.Schema:
        """Columns that it can take from the scan unchanged."""
        return pa.schema(map(_of_scan, OF_SCAN))

    @property
    def on_request(self) -> pa.Schema:
        """Columns that it builds only when they are selected."""
        return pa.schema([])

    @property
    def keeps_rows(self) -> bool:
        """Whether each record becomes a row."""
        return isinstance(self.kind, str)

    def with_schema(self, schema: pa.Schema) -> Self:
        """The same decoder for some of its columns."""
        return replace(self, schema=schema)

    def new_account(self) -> "Account":
        """Make an empty account."""
        return Account()

    def decode(self, batch: pa.RecordBatch, account: "Account") -> Iterator[pa.RecordBatch]:
        """Decode the rows of this kind, in batches of bounded size.

        Args:
            batch: record batch with the columns `scanned`, and those of `schema` that are neither decoded nor of a
                scan.
            account: counts what cannot be decoded.
        """
        for part in slices(self._of_kind(batch, account)):
            rows = self._rows(part)
            account.undecoded += sum(1 for row in rows if row.error is not None)
            yield pa.RecordBatch.from_arrays(
                [self._column(each, part, rows) for each in self.schema], schema=self.schema
            )

    def _of_kind(self, batch: pa.RecordBatch, account: "Account") -> pa.RecordBatch:
        """The rows of this kind, by their first bytes."""
        if isinstance(self.kind, str):
            return batch
        batch = batch.filter(pc.is_null(batch.column("controlType")))
        prefixes = pc.binary_slice(batch.column("key" if self.kind.in_key else "value"), 0, 2)
        for each in pc.value_counts(prefixes):
            prefix = each["values"].as_py()
            if prefix is None or kind_by_prefix(self.topic, prefix) is None:
                account.unknown[prefix] += each["counts"].as_py()
        return batch.filter(pc.equal(prefixes, self.kind.prefix))

    def _rows(self, part: pa.RecordBatch) -> list[DecodedRecord]:
        """The decoded record of each row."""
        keys, values = (_as_bytes(part.column(name)) for name in ("key", "value"))
        control_types = part.column("controlType")
        if control_types.null_count == len(control_types):
            return [decode_record(self.topic, key, value) for key, value in zip(keys, values, strict=True)]
        return [
            decode_record(self.topic, key, value) if control_type is None else control_record(control_type, key, value)
            for control_type, key, value in zip(control_types.to_pylist(), keys, values, strict=True)
        ]

    def _column(self, column: pa.Field, part: pa.RecordBatch, rows: list[DecodedRecord]) -> pa.Array:
        if column.name not in DECODED_FROM and column.name in part.schema.names:
            return part.column(column.name)
        if column.name in ("keyBytes", "valueBytes"):
            stored = part.column(column.name.removesuffix("Bytes"))
            if all(row.error is None for row in rows):
                return pa.nulls(len(rows), pa.binary())
            return pc.if_else(pa.array([row.error is not None for row in rows]), stored, pa.scalar(None, pa.binary()))
        values = map(_JSON[column.name] if isinstance(self.kind, str) else _FIELDS[column.name], rows)
        return pa.array(list(values), column.type)


@dataclass
class Account:
    """Counts of records that could not be decoded.

    Attributes:
        undecoded: number of rows with an `error`.
        unknown: number of records of unknown kinds, by their first two bytes (None for null). They are rows of the
            topic, not of any kind.
    """

    undecoded: int = 0
    unknown: Counter[bytes | None] = field(default_factory=Counter)

    def notes(self, topic: str) -> list[Note]:
        """Notes for the user on records that cannot be decoded."""
        notes = []
        if self.undecoded:
            records = counted(self.undecoded, "record")
            notes.append(f"{records} cannot be decoded: see the columns error, keyBytes and valueBytes")
        if self.unknown:
            shown = sorted("null" if prefix is None else prefix.hex() or "empty" for prefix in self.unknown)
            notes.append(
                f"{counted(self.unknown.total(), 'record')} of {topic} of an unknown kind (first bytes: "
                f"{', '.join(shown[:10])}): read {topic} itself to see them"
            )
        return [Note(text, topic=topic) for text in notes]


def _as_bytes(column: pa.Array) -> list[bytes | None]:
    values: list[bytes | None] = column.to_numpy(zero_copy_only=False).tolist()
    return values


def _as_json(data: dict[str, Any] | None) -> str | None:
    return None if data is None else json.dumps(data, default=_base64, ensure_ascii=False, separators=(",", ":"))


def _base64(value: bytes) -> str:
    return b64encode(value).decode("ascii")


_FIELDS = {
    "key": lambda row: row.key,
    "valueVersion": lambda row: row.version,
    "value": lambda row: row.value,
    "error": lambda row: row.error,
}
_JSON = {
    **_FIELDS,
    "kind": lambda row: row.kind,
    "type": lambda row: row.type,
    "key": lambda row: _as_json(row.key),
    "value": lambda row: _as_json(row.value),
}
