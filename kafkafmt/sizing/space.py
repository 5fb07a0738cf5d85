"""`space`: sizes by topic, segment, codec, producer, hour, key and more."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, NamedTuple

from kafkafmt.answer_columns import TIME, TableColumns, columns_of, record_batches
from kafkafmt.choices import check_choice
from kafkafmt.columnar.figures import RECORDS
from kafkafmt.files.damage import Note
from kafkafmt.libraries import pa
from kafkafmt.limits import Limits
from kafkafmt.notebook import ShownAnswer
from kafkafmt.scanning import scan
from kafkafmt.sizing.grouping import Grouping
from kafkafmt.sizing.meter import Meter
from kafkafmt.sizing.sums import Sums
from kafkafmt.sizing.value_fields import FieldReader
from kafkafmt.values.decode_arguments import DecodeArguments

if TYPE_CHECKING:
    import re

    from kafkafmt.errors import OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning import Scan
    from kafkafmt.values.registry import Schemas
    from kafkafmt.values.stored_schema import StoredSchema


class Figures(NamedTuple):
    """Sums of the records of a group.

    Attributes:
        records: number of records, control records included (`--no-control`: without).
        batches: batches with a record of the group; in formats 0 and 1 messages and wrappers.
        record_bytes: sizes of the records, uncompressed: in format 2 with the length field, in formats 0 and 1 with
            offset and size of the message.
        stored_bytes: bytes on disk: a batch with its header is divided among its records by their uncompressed sizes.
            The shares add up to the batch exactly, and all groups to the log files.
        min_offset: lowest offset of the records; None without any.
        max_offset: highest offset of the records; None without any.
        min_timestamp: smallest timestamp of the records; None without any.
        max_timestamp: largest timestamp of the records; None without any.
        records_error: how many more records the group may have; 0 if all groups fit into memory.
        stored_bytes_error: how many more stored bytes the group may have; 0 if all groups fit into memory.
    """

    records: Annotated[int, "int64"]
    batches: Annotated[int, "int64"]
    record_bytes: Annotated[int, "int64"]
    stored_bytes: Annotated[int, "int64"]
    min_offset: Annotated[int | None, "int64"]
    max_offset: Annotated[int | None, "int64"]
    min_timestamp: Annotated[int | None, TIME]
    max_timestamp: Annotated[int | None, TIME]
    records_error: Annotated[int, "int64"]
    stored_bytes_error: Annotated[int, "int64"]


FIGURES: Final = TableColumns(*columns_of(Figures))
"""Columns of an answer after those of its grouping."""

_RANGES: Final = slice(4, 8)


@dataclass(frozen=True, repr=False)
class SpaceUse(ShownAnswer):
    """The answer of `space`.

    Attributes:
        grouping: the dimensions of the rows.
        schema: columns of the rows.
        damage: skipped ranges of logs, and incomplete last batches.
        notes: the pass's reports that are not damage.
        skipped_replicas: partition directories skipped in favour of a better replica.
        verified: whether CRCs were checked; False if only headers were read.
    """

    grouping: Grouping
    schema: "pa.Schema"
    damage: "Sequence[Damage]"
    notes: Sequence[Note]
    skipped_replicas: "Sequence[Partition]"
    verified: bool
    _sums: Sums
    _top: int | None

    findings: ClassVar[tuple[()]] = ()
    """Empty: faults are damage or notes."""

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables: "space"."""
        return ("space",)

    @property
    def is_estimate(self) -> bool:
        """Whether there were more groups than memory allows, so that rows have errors."""
        return self._sums.dropped > 0

    @property
    def shown(self) -> int:
        """Number of rows."""
        count = len(self._sums)
        return count if self._top is None else min(count, self._top)

    @property
    def totals(self) -> tuple[int, int, int]:
        """Number of groups that are held, and records and stored bytes of all groups, held or not."""
        return len(self._sums), self._sums.records, self._sums.stored_bytes

    def to_batches(self, name: str | None = None) -> "Iterator[pa.RecordBatch]":
        """The rows in batches, by descending stored bytes.

        Raises:
            ValueError: the table does not exist.
        """
        if name not in (None, *self.tables):
            raise ValueError(f"there is no table {name!r}; there are: {', '.join(self.tables)}")
        return record_batches(rows_of(self._sums, self.schema, self._top), self.schema)

    def to_table(self, name: str | None = None) -> "pa.Table":
        """The rows as a table, by descending stored bytes.

        Raises:
            ValueError: the table does not exist.
        """
        return pa.Table.from_batches(self.to_batches(name), schema=self.schema)


def rows_of(sums: Sums, schema: "pa.Schema", top: int | None) -> Iterator[Sequence[Any]]:
    """Rows of an answer, by descending stored bytes.

    Args:
        sums: the measures.
        schema: columns of the rows, from `schema_of`.
        top: number of rows; None for all.
    """
    names = (*sums.grouping.columns, *FIGURES.schema.names)
    for values, figures, records_error, stored_error in sums.rows(top):
        # Minimum and maximum are null without a record.
        ranges = figures[_RANGES] if figures[RECORDS] else [None] * 4
        row = [*values, *figures[: _RANGES.start], *ranges, records_error, stored_error]
        by_name = dict(zip(names, row, strict=True))
        yield [by_name[name] for name in schema.names]


def schema_of(grouping: Grouping, columns: Sequence[str] | None = None) -> "pa.Schema":
    """Columns of the answer for a grouping.

    Args:
        grouping: the dimensions.
        columns: names of the wanted figures, in any order, possibly with other names; None for all.

    Raises:
        ValueError: an unknown name.
    """
    fields = [*grouping.fields, *FIGURES.schema]
    unknown = set(columns or ()) - {field.name for field in fields}
    if unknown:
        raise ValueError(f"unknown columns {sorted(unknown)}; known are {[field.name for field in fields]}")
    figures = [field for field in FIGURES.schema if columns is None or field.name in columns]
    return pa.schema([*grouping.fields, *figures])


def space(
    source: "Searchable",
    by: str | Iterable[str] = "topic",
    *,
    top: int | None = None,
    columns: Sequence[str] | None = None,
    topics: "str | Iterable[str] | Mapping[str, int | Iterable[int]] | re.Pattern[str] | None" = None,
    control_records: bool = True,
    on_damage: "OnDamage" = "skip",
    verify_checksums: bool = True,
    limits: Limits | None = None,
    progress: Callable[[int], None] | None = None,
    value_format: str = "auto",
    key_format: str = "auto",
    schemas: "Schemas | None" = None,
    schema: "StoredSchema | str | None" = None,
    record: str | None = None,
    resolve: bool = True,
    unwrap: Literal["debezium"] | None = None,
    **selection: Any,  # noqa: ANN401 - the other arguments of `kafkafmt.scan`
) -> SpaceUse:
    """Measure the space of log directories by one or more dimensions.

        >>> disks = kafkafmt.open("/var/lib/kafka/data")
        >>> disks.space(by=["topic", "codec"]).to_table()

    The stored bytes of a batch are divided among its records by their uncompressed sizes, so that `storedBytes` of all
    groups add up to the size of the log files. `recordBytes` are the uncompressed sizes of records: in format 2 with
    the length field, in formats 0 and 1 with offset and size of the message.

    By topic, partition, segment, codec, format, batch size and producer, only batch headers are read, unless a column
    needs more: `recordBytes` of compressed batches, and `minTimestamp`. Omit these from `columns` if files are
    large. Batches from which compaction has removed records are read for `minOffset` and `maxOffset`. The other
    dimensions read all records. An empty batch, as compaction leaves it, has no key, and the hour of its maximum
    timestamp.

    Args:
        source: as for `kafkafmt.scan`.
        by: one or more of `kafkafmt.sizing.DIMENSIONS`: "topic", "partition", "segment", "codec", "format",
            "batch-size" (rounded down to a power of two), "producer", "hour", "day", "key", "key-prefix:N" (the first N
            bytes), "header:NAME" (the value of the last header of that name), "value:FIELD" and "key:FIELD" (a field of
            the decoded value or key, as in "value:customer.city"). `disk_use` adds up files by kind.
        top: number of groups, by descending stored bytes; None for all that are held.
        columns: figures to measure; None for all.
        topics: as for `kafkafmt.scan`.
        control_records: whether transaction markers and other control records count.
        on_damage: as for `kafkafmt.scan`.
        verify_checksums: whether CRCs are checked, if not only headers are read.
        limits: bounds on memory. Groups by key, header or producer take at most `max_state_bytes`: if there are more
            groups, the lightest are dropped, and `recordsError` and `storedBytesError` say how much a group may have
            beyond the values of its row; 0 if these are exact.
        progress: called with the size of each range of a file that was read.
        value_format: format of values whose fields are grouped by, as for `Scan.decode`.
        key_format: format of keys whose fields are grouped by.
        schemas: the answer of `kafkafmt.values.schemas`; None for the `_schemas` of the source.
        schema: schema of the values, as for `Scan.decode`.
        record: record type of the values; those of other types have no fields.
        resolve: whether fields are those of one schema, rather than of each value's own.
        unwrap: "debezium" for fields of the rows in change events.
        selection: other arguments of `kafkafmt.scan`, such as `partitions`, `start_timestamp` or `replica`.

    Raises:
        KafkafmtError: damage (`on_damage="raise"`), or a file cannot be read.
        TypeError, ValueError: an invalid argument.
    """
    if top is not None and (not isinstance(top, int) or isinstance(top, bool) or top < 0):
        raise ValueError(f"top must be an int from 0 on, not {top!r}")
    check_choice("unwrap", unwrap, (None, "debezium"))
    scanned = scan(
        source,
        topics=topics,
        control_records=control_records,
        on_damage=on_damage,
        verify_checksums=verify_checksums,
        limits=limits,
        **selection,
    )
    (answer,) = measure(
        scanned,
        [by],
        top=top,
        columns=columns,
        verify_checksums=verify_checksums,
        limits=limits,
        progress=progress,
        decoding=DecodeArguments(value_format, key_format, schemas, schema, record, resolve, unwrap, on_damage),
    )
    return answer


def _field_reader(
    scanned: "Scan", groupings: Sequence[Grouping], decoding: DecodeArguments | None
) -> FieldReader | None:
    """Make the reader of the groupings' fields; None if there are none.

    Raises:
        NotFoundError: there is no such schema or record type.
        ValueError: groupings have different fields, a format is unknown, or values are not change events.
    """
    fields = {each.value_fields for each in groupings if each.value_fields}
    if not fields:
        return None
    if len(fields) > 1:
        raise ValueError("groupings of one pass have the same fields of keys and values, or none")
    from kafkafmt.values.typed import change_events, chosen_formats  # noqa: PLC0415 - few groupings decode

    decoding = decoding or DecodeArguments()
    formats = chosen_formats(scanned, decoding)
    events = {}
    if decoding.unwrap is not None:
        for topic, (_, form) in formats.items():
            of_topic = scanned if topic is None else scanned.of_topic(topic)
            try:
                events[topic] = change_events(of_topic, form.kind, is_one_topic=True)
            except ValueError as error:
                raise ValueError(f"{topic or 'the records'}: {error}") from error
    return FieldReader(fields.pop(), formats, decoding.on_damage, events)


def measure(
    scanned: "Scan",
    groupings: "Sequence[str | Iterable[str] | Grouping]",
    *,
    top: int | None = None,
    columns: Sequence[str] | None = None,
    verify_checksums: bool = True,
    limits: Limits | None = None,
    progress: Callable[[int], None] | None = None,
    decoding: DecodeArguments | None = None,
) -> list[SpaceUse]:
    """Measure several groupings in one pass of a scan.

    Args:
        scanned: the scan to measure.
        groupings: the argument `by` of `space` for each grouping.
        top: as for `space`.
        columns: as for `space`.
        verify_checksums: as for `space`.
        limits: as for `space`.
        progress: as for `space`.
        decoding: how keys and values are decoded; None to decode those that identify their format.

    Raises:
        KafkafmtError, TypeError, ValueError: as in `space`.
    """
    limits = limits or Limits()
    parsed = [by if isinstance(by, Grouping) else Grouping.of(by) for by in groupings]
    schemas = [schema_of(grouping, columns) for grouping in parsed]
    sums = [Sums(grouping, limits.max_state_bytes) for grouping in parsed]
    wanted = {name for schema in schemas for name in schema.names}
    scanned = scanned.without_warnings()  # the answers have the scan's notes
    fields = _field_reader(scanned, parsed, decoding)
    meter = Meter(sums, wanted, limits, verify_checksums=verify_checksums, fields=fields)
    scanned.show(meter, reads_bytes=meter.reads_bytes, progress=progress)
    meter.close()
    return [
        SpaceUse(
            grouping,
            schema,
            scanned.damage,
            (*scanned.notes, *_notes(of_grouping), *(fields.notes() if fields is not None else ())),
            scanned.skipped_replicas,
            verify_checksums and meter.reads_bytes,
            of_grouping,
            top,
        )
        for grouping, schema, of_grouping in zip(parsed, schemas, sums, strict=True)
    ]


def _notes(sums: Sums) -> Iterator[Note]:
    if sums.dropped:
        yield Note(
            f"more groups than fit into max_state_bytes: the {len(sums):,} heaviest are held, and recordsError and "
            "storedBytesError say how much more each may have",
            is_finding=False,
        )
