"""The one door for records: `scan(source, ...)` gives a `Scan`, an Arrow stream over all that the source holds."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Literal, TypeVar

import pyarrow as pa

from kafkafmt import columns as record_columns
from kafkafmt import selection
from kafkafmt.columns import Origin, RowBuffer
from kafkafmt.errors import KafkafmtError, SourceError, UnsupportedError
from kafkafmt.files.damage import Damage, reason_of
from kafkafmt.files.names import parse_partition_name
from kafkafmt.files.segment_reader import OnDamage, SegmentReader
from kafkafmt.files.source import MemoryFile
from kafkafmt.limits import Limits
from kafkafmt.logdir import replicas, sources
from kafkafmt.reference.entry import without_traceback
from kafkafmt.selection import EndOffset, OffsetBound, OffsetRange, Selection, Time

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.files.source import File
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Found, Source
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.record import Record

T = TypeVar("T")
Replica = Literal["best", "all"]

_ROWS = 8192
_PAYLOAD_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class _Piece:
    """One log file to read: where its records come from and which of them are wanted."""

    origin: Origin
    open: "Callable[[], File]"
    offsets: OffsetRange
    may_end_open: bool
    base_offset: int | None = None


@dataclass(frozen=True)
class _How:
    """How the records of a piece are read."""

    selection: Selection
    schema: pa.Schema
    on_damage: OnDamage
    verify_checksums: bool
    limits: Limits
    report: Callable[[Damage], None]
    _broken_files: set[str | None] = field(default_factory=set)

    def broken(self, error: KafkafmtError) -> None:
        """Raise what is wrong with a checkpoint, or report it once for all partitions that it is asked for."""
        if self.on_damage == "raise":
            raise error
        if error.file not in self._broken_files:
            self._broken_files.add(error.file)
            self.report(Damage(error.file, error.position or 0, 0, reason_of(error), without_traceback(error)))

    def walk(self, piece: _Piece, visit: "Callable[[Entry], T]") -> Iterator[T]:
        with piece.open() as file:
            reader = SegmentReader(
                file,
                name=piece.origin.file,
                limits=self.limits,
                on_damage=self.on_damage,
                may_end_open=piece.may_end_open,
                report=self.report,
            )
            yield from reader.walk(visit)

    def decode(self, piece: _Piece) -> "Iterator[Iterable[Record]]":
        """The wanted records of each batch of a piece."""

        def visit(entry: "Entry") -> "Iterable[Record]":
            if self.verify_checksums:
                entry.verify_checksum()
            header = entry.header()
            if self.selection.passes_over(header, piece.offsets):
                return ()
            records = entry.records(self.limits, header)
            if self.selection.keeps_all(header, piece.offsets):
                return records
            return self.selection.filter(records, piece.offsets)

        return self.walk(piece, visit)

    def count(self, piece: _Piece) -> Iterator[int]:
        """The number of wanted records in each batch of a piece, from its header where that tells."""

        def visit(entry: "Entry") -> int:
            if self.verify_checksums:
                entry.verify_checksum()
            header = entry.header()
            if self.selection.passes_over(header, piece.offsets):
                return 0
            if self.selection.keeps_all(header, piece.offsets):
                return entry.count(header, self.limits)
            return sum(1 for _ in self.selection.filter(entry.records(self.limits, header), piece.offsets))

        return self.walk(piece, visit)

    def tables(self, pieces: Iterable[_Piece]) -> Iterator[pa.RecordBatch]:
        """Arrow record batches of all pieces, each of a bounded number of rows and bytes."""
        buffer = RowBuffer(self.schema)
        for piece in pieces:
            for records in self.decode(piece):
                rest = iter(records)
                while buffer.take(piece.origin, rest, _ROWS, _PAYLOAD_BYTES):
                    yield buffer.flush()
        if buffer.rows:
            yield buffer.flush()


@dataclass(eq=False, repr=False)
class Scan:
    """Records of a source as an Arrow stream. Made by `kafkafmt.scan`, which says what the arguments mean.

    Each consumer starts a fresh pass over the files as they were listed when the scan was made: `to_reader()`,
    `to_table()`, `count()` and the Arrow C stream interface, by which DuckDB, Polars and pandas read a scan directly.

    Attributes:
        schema: Arrow schema of the stream.
        damage: what the last pass did not deliver, in reading order: with `on_damage="skip"` each damaged stretch;
            in both modes the partial last entry or the zeros that a running broker leaves at the end of a file.
        skipped_replicas: partition directories that the last pass left to a better replica.
    """

    _found: "list[Found]"
    _selection: Selection
    schema: pa.Schema
    _replica: Replica
    _on_damage: OnDamage
    _verify_checksums: bool
    _limits: Limits
    damage: list[Damage] = field(default_factory=list)
    skipped_replicas: "list[Partition]" = field(default_factory=list)

    def to_reader(self) -> pa.RecordBatchReader:
        """Start a pass and give its record batches one by one, in bounded memory.

        Raises:
            KafkafmtError: from the reader, at damage (`on_damage="raise"`) or when a file cannot be read.
        """
        return pa.RecordBatchReader.from_batches(self.schema, self._batches())

    def to_table(self) -> pa.Table:
        """Read everything into one table.

        Raises:
            KafkafmtError: at damage (`on_damage="raise"`), or when a file cannot be read.
        """
        return pa.Table.from_batches(self._batches(), schema=self.schema)

    def count(self, verify_checksums: bool = False) -> int:
        """Count the records, from batch headers alone where the filters and the formats allow.

        Compressed v0 and v1 wrappers, and batches that a filter may divide, are decoded. A batch with a wrong CRC
        counts unless CRCs are checked, so on damaged files the count can be higher than the rows of `to_table`.

        Args:
            verify_checksums: read all bytes and check CRCs too.

        Raises:
            KafkafmtError: at damage that the walk meets, as for `to_table`.
        """
        how, pieces = self._start(verify_checksums=verify_checksums)
        return sum(count for piece in pieces for count in how.count(piece))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export a fresh pass by the Arrow C stream interface; its consumer raises its own error with our text."""
        return self.to_reader().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<Scan of {len(self._found)} partitions or files: {', '.join(self.schema.names)}>"

    def _batches(self) -> Iterator[pa.RecordBatch]:
        how, pieces = self._start(verify_checksums=self._verify_checksums)
        yield from how.tables(pieces)

    def _start(self, *, verify_checksums: bool) -> tuple[_How, Iterator[_Piece]]:
        damage: list[Damage] = []
        self.damage = damage
        self.skipped_replicas = []
        how = _How(self._selection, self.schema, self._on_damage, verify_checksums, self._limits, damage.append)
        return how, self._pieces(how)

    def _pieces(self, how: _How) -> Iterator[_Piece]:
        found = [each for each in self._found if self._selection.takes(each.partition)]
        if self._replica == "best":
            found, self.skipped_replicas = replicas.best(found, how.broken)
        for _, group in groupby(sorted(found, key=_order), key=_order):
            pieces = [piece for each in group for piece in self._pieces_of(each, how)]
            yield from sorted(pieces, key=lambda piece: -1 if piece.base_offset is None else piece.base_offset)

    def _pieces_of(self, found: "Found", how: _How) -> Iterator[_Piece]:
        partition = found.partition
        segments = found.segments
        offsets = self._selection.offsets(partition, self._log_start_offset(found, how))
        for number, segment in enumerate(segments):
            last = number == len(segments) - 1
            if not last and offsets.start is not None and (segments[number + 1].base_offset or 0) <= offsets.start:
                continue
            if offsets.end is not None and segment.base_offset is not None and segment.base_offset >= offsets.end:
                continue
            origin = Origin(partition.topic, partition.partition, segment.file)
            yield _Piece(origin, segment.open, offsets, last, segment.base_offset)

    def _log_start_offset(self, found: "Found", how: _How) -> int | None:
        """Where to cut; None for no cut, as for a file that was named although it is no part of the log."""
        live = found.file is None or (found.file.base_offset is not None and found.file.suffix == "")
        if self._selection.below_log_start or not live:
            return None
        try:
            return found.partition.checkpointed_log_start_offset
        except SourceError:
            raise
        except KafkafmtError as error:
            how.broken(error)
            return None


def scan(
    source: "Source | Iterable[Source]",
    *,
    filesystem: "FileSystem | None" = None,
    topics: str | Iterable[str] | re.Pattern[str] | None = None,
    partitions: int | Iterable[int] | None = None,
    start_offset: OffsetBound | None = None,
    end_offset: EndOffset | None = None,
    start_timestamp: Time | None = None,
    end_timestamp: Time | None = None,
    key: bytes | None = None,
    columns: Sequence[str] | None = None,
    isolation_level: Literal["read_uncommitted"] = "read_uncommitted",
    control_records: bool = False,
    below_log_start: bool = False,
    replica: Replica = "best",
    on_damage: OnDamage = "raise",
    verify_checksums: bool = True,
    limits: Limits | None = None,
    engine: Literal["reference"] = "reference",
) -> Scan:
    """Read the records of a broker's files.

    What Kafka would take for the log is read: live partitions and segments, after finishing what an interrupted broker
    was doing, from the log start offset to the log end. Rows come by topic, partition, path of the replica, base offset
    of the segment and position; directories without a Kafka name last.

        >>> import kafkafmt
        >>> table = kafkafmt.scan("/var/lib/kafka/data", topics="orders", columns=["offset", "value"]).to_table()

    Args:
        source: a segment file, a partition directory, a log directory, any directory above, or a list of those; paths
            or `file://` URIs. A file or directory named itself is read whatever its name.
        filesystem: None or a local pyarrow file system.
        topics: names, or a compiled pattern for the whole name; None for all, internal topics too.
        partitions: numbers; None for all.
        start_offset: first offset wanted, for every partition or by (topic, partition).
        end_offset: first offset not wanted, likewise; or "high_watermark", from the replication-offset-checkpoint.
        start_timestamp: a record is kept if its timestamp is at or above this; ms since the epoch, or a datetime
            (UTC if it has no zone).
        end_timestamp: and below this.
        key: only records with this key.
        columns: names of the columns wanted, in this order; None for all. What is not asked for is not built.
        isolation_level: "read_uncommitted": records of open and aborted transactions too.
        control_records: deliver transaction markers and other control records too.
        below_log_start: deliver records below the log start offset too.
        replica: of a partition found more than once, the "best" copy or "all".
        on_damage: "raise" an error at the first damage, or "skip" and list it in `Scan.damage`.
        verify_checksums: compare each batch's CRC.
        limits: bounds of memory; `kafkafmt.Limits()` if None.
        engine: "reference".

    Raises:
        SourceError: a source is missing or unreadable, or nothing of Kafka's is there.
        UnsupportedError: a file system, engine or isolation level that this release does not have.
        TypeError, ValueError: an argument that makes no sense.
    """
    if engine != "reference":
        raise UnsupportedError("this release has one engine", expected="'reference'", found=repr(engine))
    if isolation_level != "read_uncommitted":
        raise UnsupportedError(
            "this release has one isolation level", expected="'read_uncommitted'", found=repr(isolation_level)
        )
    _require_one_of("replica", replica, ("best", "all"))
    _require_one_of("on_damage", on_damage, ("raise", "skip"))
    wanted = Selection(
        topics=selection.topics(topics),
        partitions=selection.partitions(partitions),
        start_offset=selection.offset_bound(start_offset, "start_offset"),
        end_offset=selection.end_bound(end_offset, "end_offset"),
        start_timestamp=selection.milliseconds(start_timestamp, "start_timestamp"),
        end_timestamp=selection.milliseconds(end_timestamp, "end_timestamp"),
        key=selection.record_key(key),
        control_records=control_records,
        below_log_start=below_log_start,
    )
    schema = record_columns.select(columns)
    found = sources.find(source, filesystem)
    return Scan(found, wanted, schema, replica, on_damage, verify_checksums, limits or Limits())


def scan_bytes(
    content: bytes,
    *,
    file: str,
    columns: Sequence[str] | None = None,
    on_damage: OnDamage = "raise",
    control_records: bool = False,
    limits: Limits | None = None,
) -> pa.Table:
    """Read the records of one segment file that is in memory.

    Topic and partition come from the parent directory's name in `file`; no log start offset is known.

    Args:
        content: the whole file.
        file: its path or name, which the `file` column and errors show.
        columns: as for `scan`.
        on_damage: as for `scan`.
        control_records: as for `scan`.
        limits: as for `scan`.

    Raises:
        KafkafmtError: at damage, with `on_damage="raise"`.
        TypeError, ValueError: an argument that makes no sense.
    """
    _require_one_of("on_damage", on_damage, ("raise", "skip"))
    schema = record_columns.select(columns)
    parent = parse_partition_name(os.path.basename(os.path.dirname(file)))
    origin = Origin(parent.topic, parent.partition, file)
    piece = _Piece(origin, lambda: MemoryFile(file, content), OffsetRange(), may_end_open=True)
    wanted = Selection(control_records=control_records)
    how = _How(wanted, schema, on_damage, verify_checksums=True, limits=limits or Limits(), report=lambda _: None)
    return pa.Table.from_batches(how.tables([piece]), schema=schema)


def _require_one_of(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name} must be one of {choices}, not {value!r}")


def _order(found: "Found") -> tuple[bool, str, int, str]:
    partition = found.partition
    # A directory and a file in it, both named, must meet.
    path = os.path.abspath(partition.path)
    return (partition.topic is None, partition.topic or "", partition.partition or 0, path)
