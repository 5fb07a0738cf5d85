"""Lanes: pairs of a partition of the source and a partition of the target, and a lane's records as batches."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from struct import Struct
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.moments import milliseconds
from kafkafmt.reference.header import CREATE_TIME, INT32_MAX
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.replaying.cluster import Position
from kafkafmt.replaying.producer import Place
from kafkafmt.replaying.skipped_records import SkippedRecords
from kafkafmt.writing.row_encoder import PartitionRows, RowEncoder, RowProducers

if TYPE_CHECKING:
    from kafkafmt.disks import Disks
    from kafkafmt.errors import OnDamage
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.abort_index import AbortedRange
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.scanning import Scan
    from kafkafmt.scanning.arguments import Time

Int64s = npt.NDArray[np.int64]

BATCH_BYTES: Final = 512 * 1024
"""Most bytes of records in a batch: fewer requests than with a producer's batches, less memory than with more."""

COLUMNS: Final = ("key", "value", "offset", "timestamp", "headers", "compression")
"""Columns of the scan in `pieces`, with stored names of headers."""

_LEVELS: Final = {"gzip": 1, "zstd": 1}
"""Fast levels of codecs: the default level of gzip takes three times as long, for a sixth less."""

_BASE_OFFSET: Final = Struct(">q")
_SIZE: Final = Struct(">i")
_COUNT: Final = Struct(">i")
_SIZE_AT, _COUNT_AT, _OVERHEAD = 8, 57, 12


@dataclass(frozen=True, slots=True)
class Progress:
    """The position of a lane as committed in the target: an offset, with the other fields as its metadata.

    Attributes:
        offset: offset of the next source record.
        topic: topic of the source.
        partition: partition of the source.
        source: id of the source's topic, or empty.
        records: number of records sent so far, by all starts.
        target: offset in the target after the last sent record; before the first record, where the lane began.
        start: offset in the target where the lane began.
        has_groups: whether a start has committed offsets of groups.
        groups: digest of the group offsets that were committed with the records (`GroupOffsets.digest`); empty if some
            of the records were sent without them.
        is_complete: whether the source had no more records.
        chosen: bounds of the timestamps that were chosen when the lane began, as `WantedRecords.bounds`.
        aborted_until: log end of the source when a start with `Lane.aborted` began; 0 for none.
        owner: name of the start that has committed the position.
    """

    offset: int
    topic: str
    partition: int
    source: str
    records: int = 0
    target: int = 0
    start: int = 0
    has_groups: bool = False
    groups: str = ""
    is_complete: bool = False
    chosen: str = ""
    aborted_until: int = 0
    owner: str = ""

    @property
    def position(self) -> Position:
        """The position to commit."""
        texts = {name: getattr(self, name) for name in self.__slots__ if name != "offset"}
        return Position(self.offset, json.dumps(texts, separators=(",", ":")))

    @classmethod
    def of(cls, position: Position) -> "Progress | None":
        """Read a committed position; None if it was not committed by a replay."""
        try:
            texts = json.loads(position.metadata)
            return cls(position.offset, **{name: texts[name] for name in cls.__slots__[1:] if name in texts})
        except (ValueError, TypeError):
            return None


@dataclass(frozen=True, slots=True)
class Lane:
    """A partition of the source with its partition of the target.

    Attributes:
        source: the best replica.
        topic: topic of the source.
        partition: partition number in the source.
        topic_id: id of the source's topic; empty if unknown.
        target: topic and partition of the target.
        aborted: aborted and open transactions to leave out; None if read_committed finds them.
    """

    source: "Partition" = field(compare=False)
    topic: str
    partition: int
    topic_id: str
    target: Place
    aborted: "Sequence[AbortedRange] | None" = field(default=None, compare=False)

    @property
    def start(self) -> int:
        """Log start offset of the source."""
        return self.source.log_start_offset or 0

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


@dataclass(frozen=True, slots=True)
class WantedRecords:
    """The choice of the source's records, and how they are read.

    Attributes:
        start_timestamp: as for `kafkafmt.scan`.
        end_timestamp: as for `kafkafmt.scan`.
        on_damage: as for `kafkafmt.scan`.
        limits: as for `kafkafmt.scan`.
        threads: as for `kafkafmt.scan`.
        skipped: collects ranges that are not read because of damage.
    """

    start_timestamp: "Time | None" = None
    end_timestamp: "Time | None" = None
    on_damage: "OnDamage" = "raise"
    limits: "Limits | None" = None
    threads: int | None = 1
    skipped: SkippedRecords = field(default_factory=SkippedRecords, compare=False)

    @property
    def bounds(self) -> str:
        """The bounds of timestamps in ms, as "from 1795812345000 to 1795898745000"; empty without any."""
        begin, end = milliseconds(self.start_timestamp, "start"), milliseconds(self.end_timestamp, "end")
        parts = (*(() if begin is None else (f"from {begin}",)), *(() if end is None else (f"to {end}",)))
        return " ".join(parts)

    def scan(self, disks: "Disks", starts: "Mapping[Lane, int]", columns: Sequence[str] | None = None) -> "Scan":
        """Scan the committed records of lanes from offsets on.

        Args:
            disks: the source.
            starts: first offset of each lane.
            columns: as for `kafkafmt.scan`.

        Returns:
            A scan that includes the records of aborted transactions of lanes with `Lane.aborted`.
        """
        topics: dict[str, list[int]] = {}
        for lane in starts:
            topics.setdefault(lane.topic, []).append(lane.partition)
        return disks.scan(
            topics=topics,
            start_offset={(lane.topic, lane.partition): start for lane, start in starts.items()},
            start_timestamp=self.start_timestamp,
            end_timestamp=self.end_timestamp,
            columns=columns,
            isolation_level="read_committed" if all(lane.aborted is None for lane in starts) else "read_uncommitted",
            on_damage=self.on_damage,
            limits=self.limits,
            threads=self.threads,
        )


@dataclass(frozen=True, slots=True)
class LaneRecords:
    """Consecutive records of a lane.

    Attributes:
        rows: the records, with offsets of the source.
        compression: name of the records' codec in the source.
    """

    rows: PartitionRows
    compression: str

    def __len__(self) -> int:
        return len(self.rows)

    def part(self, begin: int, end: int) -> "LaneRecords":
        """The records between two indexes."""
        return LaneRecords(self.rows.part(begin, end), self.compression)

    def batches(self, producer: tuple[int, int], sequence: int, size_limit: int) -> Iterator[tuple[memoryview, int]]:
        """Encode the records as batches of a transaction.

        Args:
            producer: producer id and epoch.
            sequence: sequence of the first record.
            size_limit: upper bound of a batch in bytes.

        Yields:
            A batch and the number of its records.
        """
        encoder = RowEncoder(
            message_format=CURRENT_MAGIC,
            compression=self.compression,
            compression_level=_LEVELS.get(self.compression),
            batch_bytes=size_limit,
            timestamp_type=CREATE_TIME,
            leader_epoch=-1,
        )
        count = len(self)
        numbers: Int64s = np.arange(count, dtype=np.int64)
        yes, no = np.ones(count, np.bool_), np.zeros(count, np.bool_)
        ids, epochs = (np.full(count, number, np.int64) for number in producer)
        rows = PartitionRows(
            numbers,
            self.rows.timestamps,
            self.rows.keys,
            self.rows.values,
            self.rows.headers,
            RowProducers(ids, epochs, (numbers + sequence) & INT32_MAX, yes, no),
        )
        for data in (*encoder.add(rows), *encoder.finish()):
            yield from _divided(memoryview(data).cast("B"))


def pieces(
    disks: "Disks", choice: WantedRecords, lane: Lane, start: int, end: int | None = None
) -> Iterator[LaneRecords]:
    """The records of a lane.

    Args:
        disks: the source.
        choice: the wanted records.
        lane: the lane.
        start: first offset.
        end: offset after the last one; None for all records.

    Raises:
        KafkafmtError: the source is damaged, or a file cannot be read.
    """
    columns = COLUMNS if lane.aborted is None else (*COLUMNS, "producerId", "isTransactional")
    scan = choice.scan(disks, {lane: start}, columns).with_stored_names().without_warnings()
    if end is not None:
        scan = scan.narrowed({lane.topic: [lane.partition]}, start, end)
    try:
        with scan.to_reader() as reader:
            for batch in reader:
                kept = batch if lane.aborted is None else _without(batch, lane.aborted)
                if kept.num_rows:
                    yield _piece_of(kept)
    finally:
        choice.skipped.take(scan)


def _without(batch: pa.RecordBatch, aborted: "Sequence[AbortedRange]") -> pa.RecordBatch:
    """Leave out records of aborted transactions."""
    offsets, ids = batch.column("offset").to_numpy(), batch.column("producerId").to_numpy()
    is_aborted = np.zeros(len(offsets), np.bool_)
    for each in aborted if len(offsets) else ():
        if each.first_offset <= offsets[-1] and each.last_offset >= offsets[0]:
            is_aborted |= (ids == each.producer_id) & (offsets >= each.first_offset) & (offsets <= each.last_offset)
    is_aborted &= batch.column("isTransactional").to_numpy(zero_copy_only=False)
    return batch.filter(pa.array(~is_aborted)) if is_aborted.any() else batch


def _piece_of(batch: pa.RecordBatch) -> LaneRecords:
    column: Any = batch.column
    rows = PartitionRows(
        column("offset").to_numpy(),
        column("timestamp").cast(pa.int64()).to_numpy(),
        column("key"),
        column("value"),
        column("headers"),
        None,
    )
    # A piece is sent with one codec: if producers used several, with that of most of its records.
    counted = column("compression").value_counts().to_pylist()
    return LaneRecords(rows, max(counted, key=lambda each: int(each["counts"]))["values"] or "none")


def _divided(data: memoryview) -> Iterator[tuple[memoryview, int]]:
    """The batches of a buffer, each with base offset 0 as a producer sends it, since the broker assigns offsets."""
    position = 0
    while position < len(data):
        size = _SIZE.unpack_from(data, position + _SIZE_AT)[0] + _OVERHEAD
        batch = data[position : position + size]
        if batch.readonly:
            batch = memoryview(bytearray(batch))
        _BASE_OFFSET.pack_into(batch, 0, 0)
        yield batch, _COUNT.unpack_from(batch, _COUNT_AT)[0]
        position += size
