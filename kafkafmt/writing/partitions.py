"""PartitionWriters: writes rows of any partitions, in any order, to the partition directories of a log directory."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.files.index_file import INDEX_INTERVAL_BYTES, INDEX_MAX_BYTES
from kafkafmt.internal_topics import CLUSTER_METADATA, CLUSTER_METADATA_ID
from kafkafmt.reference.header import CREATE_TIME, INT64_MAX, LOG_APPEND_TIME
from kafkafmt.reference.layout import RECORD_BATCH_OVERHEAD
from kafkafmt.writing.log_dir import WrittenPartition, new_id
from kafkafmt.writing.log_writer import SEGMENT_BYTES, LogWriter
from kafkafmt.writing.row_encoder import PartitionRows, RowEncoder, RowProducers
from kafkafmt.writing.rows import Int64s, Records

# As `segment_ms`: segments roll by size alone.
_NEVER = 1 << 62
# Bytes of waiting rows of all partitions; above this all are written without waiting for their batches to fill.
_MOST_WAITING = 64 << 20
# Kafka's `QuorumController.MAX_RECORDS_PER_USER_OP`: a topic with more is not created. Each one is a directory here.
_MOST_PARTITIONS = 10_000
# Kafka's `Topic.MAX_NAME_LENGTH`.
_LONGEST_NAME = 249
# 22 characters of base64url for 16 bytes, so the last one holds only 2 bits. Brokers crash on + and / in an id.
_ID = re.compile("[A-Za-z0-9_-]{21}[AQgw]")


class OffsetOrderError(ValueError):
    """Raised for rows of a partition whose offsets do not rise."""


@dataclass(frozen=True, kw_only=True)
class WriteOptions:
    """How rows become batches and segments: the arguments of `kafkafmt.write` of the same names, and their defaults.

    Raises:
        ValueError: an argument is invalid.
    """

    topic: str | None = None
    partitions: int | Mapping[str, int] | None = None
    message_format: int = 2
    compression: str = "none"
    compression_level: int | None = None
    batch_bytes: int = 16384
    segment_bytes: int = SEGMENT_BYTES
    segment_ms: int | None = None
    index_interval_bytes: int = INDEX_INTERVAL_BYTES
    index_max_bytes: int = INDEX_MAX_BYTES
    timestamp_type: str = CREATE_TIME
    topic_ids: Mapping[str, str] | None = None
    leader_epoch: int = 0

    def __post_init__(self) -> None:
        """Check the options before anything is made."""
        if self.timestamp_type not in (CREATE_TIME, LOG_APPEND_TIME):
            raise ValueError(
                f"timestamp_type must be {CREATE_TIME!r} or {LOG_APPEND_TIME!r}, not {self.timestamp_type!r}"
            )
        if self.batch_bytes < 1:
            raise ValueError(f"batch_bytes must be 1 or more, not {self.batch_bytes}")
        for topic, topic_id in (self.topic_ids or {}).items():
            check_id(f"the id of topic {topic!r}", topic_id)
        for topic, count in self.named_partitions.items():
            _check_topic(topic)
            if not 1 <= count <= _MOST_PARTITIONS:
                raise ValueError(
                    f"partitions must be 1 to {_MOST_PARTITIONS}, the most that Kafka creates at once, not {count}: "
                    "rows of more need a column partition"
                )
        self.encoder()

    @property
    def named_partitions(self) -> Mapping[str, int]:
        """Number of partitions of each named topic."""
        if isinstance(self.partitions, Mapping):
            return self.partitions
        return {} if self.partitions is None or self.topic is None else {self.topic: self.partitions}

    def count(self, topic: str) -> int | None:
        """Number of partitions of a topic; None if it is not given."""
        return self.partitions.get(topic) if isinstance(self.partitions, Mapping) else self.partitions

    def check_topics(self, written: Collection[str]) -> None:
        """Check that each id belongs to a written topic.

        Raises:
            ValueError: an id does not.
        """
        unknown = sorted(set(self.topic_ids or {}) - set(written))
        if unknown:
            raise ValueError(f"topic_ids names {unknown[0]!r}: there are {', '.join(map(repr, sorted(written)))}")

    def encoder(self) -> RowEncoder:
        """Make the encoder for the rows of one partition."""
        return RowEncoder(
            message_format=self.message_format,
            compression=self.compression,
            compression_level=self.compression_level,
            batch_bytes=self.batch_bytes,
            timestamp_type=self.timestamp_type,
            leader_epoch=self.leader_epoch,
        )

    def log(self, directory: Path, start_offset: int, topic_id: str, now_ms: int) -> LogWriter:
        """Begin the log of a partition."""
        return LogWriter(
            directory,
            start_offset=start_offset,
            segment_bytes=self.segment_bytes,
            segment_ms=_NEVER if self.segment_ms is None else self.segment_ms,
            index_interval_bytes=self.index_interval_bytes,
            index_max_bytes=self.index_max_bytes,
            topic_id=topic_id,
            created_ms=now_ms,
        )


@dataclass
class _Partition:
    """One partition being written."""

    encoder: RowEncoder
    directory: Path
    log: LogWriter | None = None
    start_offset: int = 0
    next_offset: int = 0
    records: int = 0
    size: int = 0


@dataclass
class PartitionWriters:
    """Writes the partitions of one log directory.

    Attributes:
        path: the log directory.
        options: how it is written.
        now_ms: the clock, ms.
        topic_ids: id of each topic met so far.
    """

    path: Path
    options: WriteOptions
    now_ms: int
    topic_ids: dict[str, str] = field(default_factory=dict)
    _written: dict[tuple[str, int], _Partition] = field(default_factory=dict)
    _sticky: dict[str, int] = field(default_factory=dict)
    _renamed: dict[str, None] = field(default_factory=dict)
    _waiting: int = 0

    def __post_init__(self) -> None:
        """Take the given ids."""
        self.topic_ids.update(self.options.topic_ids or {})

    def make_named(self, done: Collection[tuple[str, int]] = ()) -> None:
        """Prepare the partitions that the options name, except some, so that those without rows exist, too."""
        for topic, count in self.options.named_partitions.items():
            for number in range(count):
                if (topic, number) not in done:
                    self._partition(topic, number)

    def add(self, rows: Records) -> None:
        """Write rows, in parts of one partition each.

        Raises:
            ValueError: a row has no partition, or one that does not exist, or an offset that does not rise.
            KafkafmtError: the rows cannot be written.
        """
        topics = rows.topics
        if topics is None:
            if self.options.topic is None:
                raise ValueError("the rows have no column 'topic': name their topic")
            self._add_topic(self.options.topic, rows, None)
            return
        names = pc.unique(topics).to_pylist()
        if self.options.topic is not None:
            self._renamed.update(dict.fromkeys(names))
            if len(self._renamed) > 1:
                known = " and ".join(map(repr, self._renamed))
                raise ValueError(f"the rows are of the topics {known}: name a topic only for rows of one topic")
            self._add_topic(self.options.topic, rows, None)
            return
        for name in names:
            self._add_topic(name, rows, pc.indices_nonzero(pc.equal(topics, name)).to_numpy())

    def close(self) -> list[WrittenPartition]:
        """Write the waiting rows; returns the result, by topic and partition."""
        self._write_waiting()
        done = []
        for (topic, number), partition in sorted(self._written.items()):
            log = self._log(topic, partition, 0)
            log.close()
            start, end = partition.start_offset, log.log_end_offset
            done.append(WrittenPartition(topic, number, partition.records, partition.size, start, end))
        return done

    def _add_topic(self, topic: str, rows: Records, chosen: Int64s | None) -> None:
        partitions = self._partitions(topic, rows, chosen)
        order = np.argsort(partitions, kind="stable")
        ordered = partitions[order]
        bounds = [0, *(np.flatnonzero(ordered[1:] != ordered[:-1]) + 1).tolist(), len(ordered)]
        taken = order if chosen is None else chosen[order]
        is_whole = len(bounds) == 2 and chosen is None
        for begin, end in pairwise(bounds):
            if end > begin:
                part = None if is_whole else taken[begin:end]
                self._add_rows(topic, int(ordered[begin]), rows, part)

    def _partitions(self, topic: str, rows: Records, chosen: Int64s | None) -> Int64s:
        """Find the partition of each row: its own, that of its key, or round robin."""
        count = len(rows.timestamps) if chosen is None else len(chosen)
        given = rows.partitions
        if given is not None:
            if chosen is not None:
                given = given.take(pa.array(chosen))
            if not given.null_count:
                found: Int64s = given.to_numpy().astype(np.int64)
                self._check_partitions(topic, found)
                return found
        total = self._count(topic)
        keys = rows.keys if chosen is None else rows.keys.take(pa.array(chosen))
        has_key = ~keys.is_null().to_numpy(zero_copy_only=False)
        found = np.zeros(count, np.int64)
        if has_key.any():
            from kafkafmt.columnar.encoder import partitions_of_keys  # noqa: PLC0415 - kernels take a while

            found[:] = partitions_of_keys(keys, total)
        needs = ~has_key
        if given is not None:
            is_given = ~given.is_null().to_numpy(zero_copy_only=False)
            found = np.where(is_given, given.fill_null(0).to_numpy(), found)
            needs &= ~is_given
        if needs.any():
            places = np.flatnonzero(needs)
            found[places] = self._one_after_the_other(topic, rows, places if chosen is None else chosen[places], total)
        self._check_partitions(topic, found)
        return found

    def _one_after_the_other(self, topic: str, rows: Records, chosen: Int64s, total: int) -> Int64s:
        """Give rows to a partition until its batch is full, then to the next one."""
        from kafkafmt.columnar import encoder  # noqa: PLC0415 - kernels take a while

        current = self._sticky.get(topic, 0)
        partition = self._partition(topic, current)
        part = _part(rows, chosen, np.arange(len(chosen), dtype=np.int64))
        waiting = partition.encoder.waiting
        held = 0
        if waiting is not None:
            held = len(waiting)
            part = _without_producers(waiting).joined(part)
        virtual = np.arange(len(part), dtype=np.int64)
        content = encoder.rows_of(virtual, part.timestamps, part.keys, part.values, part.headers)
        begins, _ = encoder.cut(
            content,
            np.zeros(len(part), np.bool_),
            self.options.batch_bytes,
            RECORD_BATCH_OVERHEAD,
            partition.encoder.ratio,
        )
        batches = np.searchsorted(begins, np.arange(held, len(part)), side="right") - 1
        self._sticky[topic] = (current + int(batches[-1])) % total
        found: Int64s = (current + batches) % total
        return found

    def _check_partitions(self, topic: str, found: Int64s) -> None:
        count = self.options.count(topic)
        lowest, highest = int(found.min()), int(found.max())
        if lowest < 0 or (count is not None and highest >= count):
            wrong = lowest if lowest < 0 else highest
            raise ValueError(f"no partition {wrong} of topic {topic!r}" + (f": it has {count}" if count else ""))

    def _count(self, topic: str) -> int:
        count = self.options.count(topic)
        if count is None:
            raise ValueError(f"rows of topic {topic!r} have no partition: say how many partitions it has")
        return count

    def _add_rows(self, topic: str, number: int, rows: Records, chosen: Int64s | None) -> None:
        partition = self._partition(topic, number)
        count = len(rows.timestamps) if chosen is None else len(chosen)
        if rows.offsets is None:
            offsets = np.arange(partition.next_offset, partition.next_offset + count, dtype=np.int64)
        else:
            offsets = rows.offsets if chosen is None else rows.offsets[chosen]
        part = _part(rows, chosen, offsets)
        last = partition.next_offset - 1
        if int(offsets.max()) == INT64_MAX:
            raise OffsetOrderError(f"{topic}-{number} has a row with offset {INT64_MAX}: no log end is above it")
        falls = np.flatnonzero(np.diff(offsets, prepend=last) <= 0)
        if len(falls) or int(offsets[0]) < 0:
            at = int(falls[0]) if len(falls) else 0
            before = last if at == 0 else int(offsets[at - 1])
            raise OffsetOrderError(
                f"offset {int(offsets[at])} of {topic}-{number} follows offset {before}: offsets must rise"
            )
        if partition.log is None:
            self._log(topic, partition, int(offsets[0]))
        self._waiting -= partition.encoder.waiting_bytes
        for data in partition.encoder.add(part):
            self._append(partition, data)
        self._waiting += partition.encoder.waiting_bytes
        partition.next_offset = int(offsets[-1]) + 1
        partition.records += count
        if self._waiting > _MOST_WAITING:
            self._write_waiting()

    def _write_waiting(self) -> None:
        for partition in self._written.values():
            for data in partition.encoder.finish():
                self._append(partition, data)
        self._waiting = 0

    def _append(self, partition: _Partition, data: bytes | memoryview) -> None:
        if partition.log is not None:
            partition.log.append_each(data, self.now_ms)
            partition.size += len(data)

    def _partition(self, topic: str, number: int) -> _Partition:
        found = self._written.get((topic, number))
        if found is None:
            _check_topic(topic)
            found = _Partition(self.options.encoder(), self.path / f"{topic}-{number}")
            self._written[topic, number] = found
        return found

    def _log(self, topic: str, partition: _Partition, start_offset: int) -> LogWriter:
        if partition.log is None:
            # A node does not start on a metadata log with another id.
            topic_id = self.topic_ids.setdefault(topic, CLUSTER_METADATA_ID if topic == CLUSTER_METADATA else new_id())
            partition.log = self.options.log(partition.directory, start_offset, topic_id, self.now_ms)
            partition.start_offset = start_offset
        return partition.log


def _part(rows: Records, chosen: Int64s | None, offsets: Int64s) -> PartitionRows:
    if chosen is None:
        return PartitionRows(offsets, rows.timestamps, rows.keys, rows.values, rows.headers, rows.producers)
    taken = pa.array(chosen)
    return PartitionRows(
        offsets,
        rows.timestamps[chosen],
        rows.keys.take(taken),
        rows.values.take(taken),
        rows.headers.take(taken),
        None if rows.producers is None else RowProducers._make(column[chosen] for column in rows.producers),
    )


def _without_producers(rows: PartitionRows) -> PartitionRows:
    return PartitionRows(rows.offsets, rows.timestamps, rows.keys, rows.values, rows.headers, None)


def _check_topic(topic: str) -> None:
    allowed = all(each.isascii() and (each.isalnum() or each in "._-") for each in topic)
    if not topic or not allowed or topic in (".", "..") or len(topic) > _LONGEST_NAME:
        raise ValueError(
            f"{topic!r} is not a valid topic name: letters, digits, '.', '_' and '-', at most {_LONGEST_NAME}"
        )


def check_id(what: str, given: str) -> None:
    """Check an id as Kafka prints it.

    Raises:
        ValueError: the text is not such an id.
    """
    if _ID.fullmatch(given) is None:
        raise ValueError(f"{what} must be 22 characters of base64url, as Kafka prints it, not {given!r}")
