"""The decoder of a scan's record batches, which makes typed columns of their keys and values."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Self

import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt import columns as record_columns
from kafkafmt.errors import DataError
from kafkafmt.files.damage import Note
from kafkafmt.phrases import counted
from kafkafmt.record_columns import COLUMNS
from kafkafmt.topics.record_rows import MOST_ROWS, slices
from kafkafmt.values.chosen import OtherRecordError
from kafkafmt.values.debezium import ChangeEvents, unwrapped_keys
from kafkafmt.values.decode_arguments import IN_PYTHON, AdvisedArguments
from kafkafmt.values.decoded import (
    DecodedColumn,
    TooManyTogetherError,
    in_bounds,
    in_pieces,
    rows_of_each,
    together,
)
from kafkafmt.values.formats import Remark, ValueFormat, with_remark
from kafkafmt.values.registered import RegisteredFormat

if TYPE_CHECKING:
    from kafkafmt.errors import OnDamage

PARTS: Final = ("key", "value")
"""The decoded parts of a record."""

_ADDED: Final = (
    pa.field("keySchemaId", pa.int32()),
    pa.field("valueSchemaId", pa.int32()),
    pa.field("keyError", pa.string()),
    pa.field("valueError", pa.string()),
)
_STORED: Final = pa.schema([each for each in record_columns.SCHEMA if each.name not in PARTS])
_NAMED: Final = 5
_SEVERAL: Final = "the topic has several record types: choose one by {record}"
STORED_BYTES: Final = tuple(f"{part}Bytes" for part in PARTS)
"""Columns of the stored keys and values, made only on request."""

_ON_REQUEST: Final = tuple(pa.field(name, pa.binary()) for name in STORED_BYTES)


@dataclass
class DecodingErrors:
    """Errors and doubts of the last pass.

    Attributes:
        errors: number of keys and values that cannot be decoded, by part ("key" or "value") and reason.
        bytes_left: number of values with bytes after them.
        doubt: the reason why schemas may be missing; "" if none are.
        remarks: remarks on decoded keys and values, by part and text.
        as_text: fields of keys and values whose columns are JSON text, by part.
        others: number of records of other types than the chosen one, which are left out, by the text that names them.
        internal: internal topics that are left out.
        unread: the reason why keys or values are decoded as bytes, by part.
        is_mixed: whether values that cannot be decoded are of a topic with several record types.
        advised: the names of arguments in advice.
    """

    errors: Counter[tuple[str, str]] = field(default_factory=Counter)
    bytes_left: int = 0
    doubt: str = ""
    remarks: dict[str, dict[str, Remark]] = field(default_factory=dict)
    as_text: dict[str, tuple[str, ...]] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)
    internal: tuple[str, ...] = ()
    unread: dict[str, str] = field(default_factory=dict)
    is_mixed: bool = False
    advised: AdvisedArguments = IN_PYTHON

    def notes(self, topic: str) -> list[Note]:
        """Sentences for the user, the most frequent reasons first."""
        notes: list[Note] = []
        for part in PARTS:
            reasons = [(count, reason) for (of, reason), count in self.errors.most_common() if of == part]
            if reasons:
                total = counted(sum(count for count, _ in reasons), part)
                named = "; ".join(f"{reason} ({count:,})" for count, reason in reasons[:3])
                advice = ""
                if self.is_mixed and part == "value":
                    several = _SEVERAL.format(record=self.advised.record)
                    advice = f'; {several}, in kafkafmt sql by topic."{topic}:TYPE"'
                text = f"{topic}: {total} cannot be decoded, see the column {part}Error: {named}{advice}"
                notes.append(Note(text, topic=topic))
        notes += [Note(f"{topic}: {text}", is_finding=False, topic=topic) for text in self._remarks()]
        if self.internal:
            text = f"internal topics are left out unless they are named: {', '.join(self.internal)}"
            notes.append(Note(text, is_finding=False))
        if self.doubt:
            notes.append(Note(self.doubt))
        return notes

    def _remarks(self) -> Iterator[str]:
        if self.bytes_left:
            yield f"{counted(self.bytes_left, 'value')} with bytes after the Avro value"
        for part, fields in self.as_text.items():
            named = ", ".join(fields[:_NAMED]) + (", .." if len(fields) > _NAMED else "")
            yield f"JSON text, as no single type fits: {named or f'each {part}'}"
        for part, remarks in self.remarks.items():
            for each in remarks.values():
                yield f"{counted(each.values, part)} with {each.said(self.advised.written)}"
        if self.others:
            named = "; ".join(f"{name} ({count:,})" for name, count in self.others.most_common(_NAMED))
            yield f"left out {counted(self.others.total(), 'record')} of other types: {named}"
        yield from self.unread.values()


@dataclass
class _Met:
    """Other record types and faults in the rows of a batch.

    Attributes:
        others: numbers of the rows of other record types.
        faults: if faults are raised, the first key and the first value that cannot be decoded: number of the part and
            reason, by row.
    """

    others: set[int] = field(default_factory=set)
    faults: dict[int, tuple[int, DataError]] = field(default_factory=dict)


@dataclass(frozen=True)
class ValueDecoder:
    """Decodes the keys and values of record batches; can be pickled, for workers in other processes.

    Attributes:
        topic: name of the topic, or names of several topics.
        formats: formats of keys and of values, by topic; None for any topic. All have the same Arrow types.
        schema: columns to build.
        on_damage: "raise" at a key or value that cannot be decoded, or "skip" to make it null and explain it in a
            column.
        doubt: as `Schemas.doubt`.
        events: unwraps the values if they are Debezium's change events; else None.
        record: the only record type of values to decode, others are left out; None for all.
        internal: internal topics that the scan leaves out.
        advised: the names of arguments in advice.
    """

    topic: str
    formats: Mapping[str | None, tuple[ValueFormat, ValueFormat]]
    schema: pa.Schema
    on_damage: "OnDamage"
    doubt: str = ""
    events: ChangeEvents | None = None
    record: str | None = None
    internal: tuple[str, ...] = ()
    advised: AdvisedArguments = IN_PYTHON

    @property
    def label(self) -> str:
        """Name of the decoded records, for the repr of the scan."""
        return f"typed records of {self.topic}"

    @property
    def scanned(self) -> list[str]:
        """Columns of `kafkafmt.scan` that `decode` needs."""
        needed = {"key", "value", "headers", "topic", "partition", "offset"}
        return [name for name in COLUMNS if name in needed or name in self.schema.names]

    @property
    def stored(self) -> pa.Schema:
        """Columns that can be taken from the scan unchanged."""
        return _STORED

    @property
    def on_request(self) -> pa.Schema:
        """Columns that are built only if they are selected: the stored bytes."""
        return pa.schema(_ON_REQUEST)

    @property
    def keeps_rows(self) -> bool:
        """Whether each record becomes a row."""
        return self.record is None and (self.events is None or not self.events.is_table)

    def with_schema(self, schema: pa.Schema) -> Self:
        """The same decoder for some of its columns."""
        return replace(self, schema=schema)

    def with_columns(self, columns: Sequence[str]) -> Self:
        """The same decoder for any of its columns, including the stored bytes.

        Raises:
            TypeError, ValueError: as for `decoded_schema`.
        """
        key, value = next(iter(self.formats.values()))
        if self.events is None:
            return self.with_schema(decoded_schema((key.kind, value.kind), columns))
        return self.with_schema(decoded_schema((key.kind, self.events.row_kind), columns, self.events.fields))

    def new_account(self) -> DecodingErrors:
        """An empty account."""
        account = DecodingErrors(doubt=self.doubt, internal=self.internal, advised=self.advised)
        for number, name in enumerate(PARTS):
            formats = [pair[number] for pair in self.formats.values() if name in self.schema.names]
            fields = tuple(dict.fromkeys(field for form in formats for field in form.as_text))
            if fields and self.events is None:
                account.as_text[name] = fields
            for text in filter(None, (form.unread for form in formats)):
                account.unread[name] = text
        return account

    def decode(self, batch: pa.RecordBatch, account: DecodingErrors) -> Iterator[pa.RecordBatch]:
        """Decode the keys and values of rows, in batches of bounded size.

        Args:
            batch: rows with the columns `scanned`.
            account: counts keys and values that cannot be decoded.

        Raises:
            DataError: a key or value cannot be decoded, with `on_damage="raise"`.
        """
        most_rows = max(each.most_rows for each in self._all_formats)
        most_bytes = max(each.most_bytes for each in self._all_formats)
        for some in slices(batch, most_rows, most_bytes):
            for part, decoded in in_bounds(self._decoded_parts, some):
                yield from self._typed(part, decoded, account)

    @property
    def _all_formats(self) -> list[ValueFormat]:
        return [each for pair in self.formats.values() for each in pair]

    def _decoded_parts(self, part: pa.RecordBatch) -> tuple[pa.RecordBatch, dict[int, DecodedColumn]]:
        """Rows, with their decoded keys (0) and values (1) if columns need them.

        Raises:
            TooManyTogetherError: they take too much memory.
        """
        decoded: dict[int, DecodedColumn] = {}
        try:
            for number, name in enumerate(PARTS):
                wanted = {name, f"{name}SchemaId", f"{name}Error"}
                needs_values = name == "value" and not (self.events is None and self.record is None)
                if needs_values or wanted.intersection(self.schema.names):
                    decoded[number] = self._decoded(number, part)
        except TooManyTogetherError:
            for each in self._all_formats:
                # Remarks are dropped, as decoding again in smaller parts repeats them; later rows are decoded in
                # smaller parts at once.
                each.take_remarks()
                each.most_rows = min(each.most_rows, max(len(part) // 2, MOST_ROWS))
            raise
        return part, decoded

    def _typed(
        self, part: pa.RecordBatch, decoded: Mapping[int, DecodedColumn], account: DecodingErrors
    ) -> Iterator[pa.RecordBatch]:
        """The columns of some rows up to the first fault, which is then raised."""
        made: dict[str, pa.Array] = {}
        met = _Met()
        is_row = None
        for number, column in decoded.items():
            name = PARTS[number]
            if self.events is not None and name == "value":
                is_row = self._add_rows(self.events, column, part, account, made, met)
                continue
            made.update(self._columns(number, column, part, account, met))
            if self.events is not None and self._is_json_key:
                made[name] = unwrapped_keys(made[name])
        columns = [
            made[name] if name in made else part.column(name.removesuffix("Bytes")) for name in self.schema.names
        ]
        rows = pa.RecordBatch.from_arrays(columns, schema=self.schema)
        if met.others:
            of_type = pa.array([row not in met.others for row in range(len(rows))])
            is_row = of_type if is_row is None else pc.and_(is_row, of_type)
        if met.faults:
            # Rows before the first fault are delivered.
            row, (number, fault) = min(met.faults.items())
            sound = rows.slice(0, row)
            yield sound if is_row is None else sound.filter(is_row.slice(0, row))
            raise self._at(fault, number, part, row) from fault
        yield rows if is_row is None else rows.filter(is_row)

    @property
    def _is_mixed(self) -> bool:
        """Whether values have several record types, and none is chosen."""
        formats = [value for _, value in self.formats.values()]
        return self.record is None and any(
            isinstance(form, RegisteredFormat) and len(form.record_types) > 1 for form in formats
        )

    @property
    def _is_json_key(self) -> bool:
        return all(key.name == "json" for key, _ in self.formats.values())

    def _add_rows(
        self,
        events: ChangeEvents,
        decoded: DecodedColumn,
        part: pa.RecordBatch,
        account: DecodingErrors,
        made: dict[str, pa.Array],
        met: "_Met",
    ) -> pa.Array | None:
        """Add the columns of unwrapped values to others; returns which rows are kept, or None for all."""
        unwrapped = events.unwrap(decoded.values)
        errors = dict(sorted({**unwrapped.errors, **decoded.errors}.items()))
        made.update(self._columns(1, decoded._replace(values=unwrapped.rows, errors=errors), part, account, met))
        made.update(unwrapped.beside)
        for remark in unwrapped.remarks:
            with_remark(account.remarks.setdefault("value", {}), remark)
        return events.is_row(part.column("value"), unwrapped) if events.is_table else None

    def _columns(
        self, number: int, decoded: DecodedColumn, part: pa.RecordBatch, account: DecodingErrors, met: "_Met"
    ) -> dict[str, pa.Array]:
        """The columns of the keys (0) or of the values (1)."""
        name = PARTS[number]
        errors: list[str | None] = [None] * len(part)
        for row, fault in decoded.errors.items():
            if isinstance(fault, OtherRecordError):
                met.others.add(row)
                account.others[fault.message.rpartition(": ")[2]] += 1
                continue
            if self.on_damage == "raise":
                met.faults.setdefault(row, (number, fault))
                break
            account.errors[name, _reason(fault)] += 1
            account.is_mixed |= name == "value" and self._is_mixed
            errors[row] = str(fault)
        account.bytes_left += decoded.bytes_left
        for pair in self.formats.values():
            for remark in pair[number].take_remarks():
                with_remark(account.remarks.setdefault(name, {}), remark)
        return {
            name: decoded.values,
            f"{name}SchemaId": decoded.schema_ids,
            f"{name}Error": pa.array(errors, pa.string()) if decoded.errors else pa.nulls(len(part), pa.string()),
        }

    def _decoded(self, number: int, part: pa.RecordBatch) -> DecodedColumn:
        """The keys (0) or the values (1), each decoded by the format of its topic."""
        stored, headers = part.column(PARTS[number]), part.column("headers")
        if len(self.formats) == 1:
            (pair,) = self.formats.values()
            return self._decoded_by(pair[number], stored, headers)
        topics = part.column("topic").dictionary_encode()
        if len(topics.dictionary) <= 1:
            topic = topics.dictionary[0].as_py() if len(topics.dictionary) and not topics.null_count else None
            return self._decoded_by(self._formats_of(topic)[number], stored, headers)
        return together(
            (rows, self._decoded_by(self._formats_of(topic)[number], stored.take(rows), headers.take(rows)))
            for topic, rows in rows_of_each(topics)
        )

    @staticmethod
    def _decoded_by(form: ValueFormat, stored: pa.Array, headers: pa.Array) -> DecodedColumn:
        return in_pieces(form.decode_all, stored, headers, form.most_rows, form.most_bytes)

    def _formats_of(self, topic: str | None) -> tuple[ValueFormat, ValueFormat]:
        return self.formats[topic] if topic in self.formats else self.formats[None]

    def _at(self, fault: DataError, number: int, part: pa.RecordBatch, row: int) -> DataError:
        topic, partition, offset = (part.column(each)[row].as_py() for each in ("topic", "partition", "offset"))
        advice = ""
        if number == PARTS.index("value") and self._is_mixed:
            advice = f"; {_SEVERAL.format(record=self.advised.record)}"
        place = f"{topic}-{partition}, offset {offset}"
        # The position is within the value, not in the file, so it goes into the message.
        at, fault.position = "" if fault.position is None else f", at its byte {fault.position}", None
        fault.message = f"{place}: the {PARTS[number]} cannot be decoded{at}: {fault.message}{advice}"
        return fault


def decoded_schema(
    kinds: tuple[pa.DataType, pa.DataType], columns: Sequence[str] | None, beside: Sequence[pa.Field] = ()
) -> pa.Schema:
    """Columns of decoded records: those of a scan with typed keys and values, followed by ids and errors.

    Args:
        kinds: types of the keys and of the values.
        columns: names of the columns to build, in this order; None for all but the stored bytes.
        beside: columns beside the values.

    Raises:
        TypeError, ValueError: as for `kafkafmt.scan`.
    """
    typed = dict(zip(PARTS, kinds, strict=True))
    fields = [pa.field(name, typed[name]) if name in typed else record_columns.SCHEMA.field(name) for name in COLUMNS]
    whole = pa.schema([*fields, *beside, *_ADDED, *_ON_REQUEST])
    if columns is None:
        return whole.empty_table().select([each.name for each in (*fields, *beside, *_ADDED)]).schema
    return record_columns.select(columns, whole)


def _reason(fault: DataError) -> str:
    """The reason without the numbers that differ from value to value."""
    return fault.message.partition(" (")[0].partition(": ")[0][:120]
