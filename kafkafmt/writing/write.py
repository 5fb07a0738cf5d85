"""`kafkafmt.write`: rows of an Arrow stream as a log directory that a broker starts on."""

import base64
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.reference.header import CREATE_TIME, LOG_APPEND_TIME
from kafkafmt.reference.layout import CURRENT_MAGIC, RECORD_BATCH_OVERHEAD
from kafkafmt.writing.log_dir import Written, WrittenPartition, close_log_dir, new_id
from kafkafmt.writing.log_writer import INDEX_INTERVAL_BYTES, INDEX_MAX_BYTES, SEGMENT_BYTES, LogWriter
from kafkafmt.writing.row_encoder import PartitionRows, RowEncoder, RowProducers
from kafkafmt.writing.rows import PRODUCER_NAMES, Int64s, Records, records_of
from kafkafmt.writing.target import new_directory

_NEVER = 1 << 62
# Rows of all partitions that wait for their batch to fill; above this all are written as they are.
_MOST_WAITING = 64 << 20
_PIECE_ROWS = 64 * 1024
_LONGEST_NAME = 249


class Stream(Protocol):
    """Anything that hands out Arrow data: a Scan, a Table, a DuckDB relation, a Polars frame."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give a capsule of the stream."""
        ...


def write(
    records: Stream,
    out: str | os.PathLike[str],
    *,
    topic: str | None = None,
    partitions: int | Mapping[str, int] | None = None,
    message_format: int = 2,
    compression: str = "none",
    compression_level: int | None = None,
    batch_bytes: int = 16384,
    segment_bytes: int = SEGMENT_BYTES,
    segment_ms: int | None = None,
    index_interval_bytes: int = INDEX_INTERVAL_BYTES,
    index_max_bytes: int = INDEX_MAX_BYTES,
    timestamp_type: str = CREATE_TIME,
    topic_ids: Mapping[str, str] | None = None,
    cluster_id: str | None = None,
    node_id: int | None = None,
    directory_id: str | None = None,
    leader_epoch: int = 0,
) -> Written:
    """Write rows as a log directory: batches, segments and all files that a broker needs to start on it.

    Columns are `value` and, as far as they are there, `key`, `headers`, `timestamp`, `topic`, `partition`, `offset`;
    others are left out. A row without `partition` gets that of its key, as Java's producer computes it; without key
    partition 0 first, and the next one whenever a batch is full. A scan with `control_records=True`, or a table of one,
    keeps the producers of its records and their transaction markers; any other source is written without producers.

    Args:
        records: anything with `__arrow_c_stream__`.
        out: the log directory, which must not exist, nor lie in the source; it appears when all is written.
        topic: of rows without a column `topic`.
        partitions: number of partitions, of all topics or by topic; each gets a directory. Needed for rows without a
            partition.
        message_format: 0, 1 or 2.
        compression: "none", "gzip", "snappy", "lz4" or "zstd".
        compression_level: of the codec; None for Kafka's default.
        batch_bytes: size at which a batch is full, as `batch.size`.
        segment_bytes: most bytes of a segment.
        segment_ms: a segment is closed so long after its first batch, by timestamps, ms; None for never.
        index_interval_bytes: bytes of log between index entries.
        index_max_bytes: most bytes of an index.
        timestamp_type: "CreateTime"; or "LogAppendTime": then a batch has rows of one timestamp.
        topic_ids: ids of topics, as Kafka prints them; random ones for the rest.
        cluster_id: for meta.properties; None for a random one.
        node_id: likewise; None for 0.
        directory_id: likewise; None for a random one.
        leader_epoch: of all batches.

    Raises:
        ValueError: an argument makes no sense, or a row: no partition or timestamp, or an offset that does not rise.
        KafkafmtError: the source is damaged, or the output cannot be written. After any error nothing is left.
    """
    if timestamp_type not in (CREATE_TIME, LOG_APPEND_TIME):
        raise ValueError(f"timestamp_type must be {CREATE_TIME!r} or {LOG_APPEND_TIME!r}, not {timestamp_type!r}")
    if batch_bytes < 1:
        raise ValueError(f"batch_bytes must be 1 or more, not {batch_bytes}")
    now = time.time_ns() // 1_000_000

    def encoder() -> RowEncoder:
        return RowEncoder(
            message_format=message_format,
            compression=compression,
            compression_level=compression_level,
            batch_bytes=batch_bytes,
            timestamp_type=timestamp_type,
            leader_epoch=leader_epoch,
        )

    def log(directory: Path, start_offset: int, topic_id: str) -> LogWriter:
        return LogWriter(
            directory,
            start_offset=start_offset,
            segment_bytes=segment_bytes,
            segment_ms=_NEVER if segment_ms is None else segment_ms,
            index_interval_bytes=index_interval_bytes,
            index_max_bytes=index_max_bytes,
            topic_id=topic_id,
            created_ms=now,
        )

    encoder()  # checks format, codec and level before anything is made
    cluster = cluster_id or new_id()
    directory = directory_id or new_id()
    node = 0 if node_id is None else node_id
    with new_directory(out, _sources(records)) as work:
        output = _LogDir(work, topic, partitions, topic_ids or {}, batch_bytes, now, encoder, log)
        for batch, keeps_producers in _batches(records):
            if keeps_producers and message_format < CURRENT_MAGIC:
                raise ValueError(f"message format {message_format} has no control records")
            output.add(records_of(batch, message_format, keeps_producers=keeps_producers))
        table = output.close(cluster, node, directory)
    return Written(os.fspath(out), cluster, node, directory, output.topic_ids, table)


@dataclass
class _Partition:
    """One partition that is written."""

    encoder: RowEncoder
    directory: Path
    log: LogWriter | None = None
    start_offset: int = 0
    next_offset: int = 0
    records: int = 0
    size: int = 0


@dataclass
class _LogDir:
    """The log directory that is written."""

    path: Path
    topic: str | None
    counts: int | Mapping[str, int] | None
    topic_ids: Mapping[str, str]
    batch_bytes: int
    now_ms: int
    new_encoder: Callable[[], RowEncoder]
    new_log: Callable[[Path, int, str], LogWriter]
    _written: dict[tuple[str, int], _Partition] = field(default_factory=dict)
    _sticky: dict[str, int] = field(default_factory=dict)
    _waiting: int = 0

    def __post_init__(self) -> None:
        """Make ready the partitions that are named."""
        self.topic_ids = dict(self.topic_ids)
        for topic, topic_id in self.topic_ids.items():
            _check_id(topic, topic_id)
        named = self.counts if isinstance(self.counts, Mapping) else {}
        if isinstance(self.counts, int) and self.topic is not None:
            named = {self.topic: self.counts}
        for topic, count in named.items():
            if count < 1:
                raise ValueError(f"partitions must be 1 or more, not {count}")
            for partition in range(count):
                self._partition(topic, partition)

    def add(self, rows: Records) -> None:
        """Write rows, in parts of one partition."""
        topics = rows.topics
        if topics is None:
            if self.topic is None:
                raise ValueError("the rows have no column 'topic': name the topic they are of")
            self._add_topic(self.topic, rows, None)
            return
        if self.topic is not None:
            raise ValueError("the rows have a column 'topic': do not name another topic")
        for name in pc.unique(topics).to_pylist():
            self._add_topic(name, rows, pc.indices_nonzero(pc.equal(topics, name)).to_numpy())

    def close(self, cluster_id: str, node_id: int, directory_id: str) -> pa.Table:
        """Write what waits, and the files of the directory; returns a row for each partition."""
        self._write_waiting()
        done = []
        for (topic, number), partition in sorted(self._written.items()):
            log = self._log(topic, partition, 0)
            log.close()
            start, end = partition.start_offset, log.log_end_offset
            done.append(WrittenPartition(topic, number, partition.records, partition.size, start, end))
        return close_log_dir(self.path, done, cluster_id=cluster_id, node_id=node_id, directory_id=directory_id)

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
        """Find the partition of each row: its own, that of its key, or one after the other."""
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
            from kafkafmt.columnar.encoder import partitions_of_keys  # noqa: PLC0415 - numba takes a while

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
        from kafkafmt.columnar import encoder  # noqa: PLC0415 - numba takes a while

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
            content, np.zeros(len(part), np.bool_), self.batch_bytes, RECORD_BATCH_OVERHEAD, partition.encoder.ratio
        )
        batches = np.searchsorted(begins, np.arange(held, len(part)), side="right") - 1
        self._sticky[topic] = (current + int(batches[-1])) % total
        found: Int64s = (current + batches) % total
        return found

    def _check_partitions(self, topic: str, found: Int64s) -> None:
        count = self.counts.get(topic) if isinstance(self.counts, Mapping) else self.counts
        lowest, highest = int(found.min()), int(found.max())
        if lowest < 0 or (count is not None and highest >= count):
            wrong = lowest if lowest < 0 else highest
            raise ValueError(f"no partition {wrong} of topic {topic!r}" + (f": it has {count}" if count else ""))

    def _count(self, topic: str) -> int:
        count = self.counts.get(topic) if isinstance(self.counts, Mapping) else self.counts
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
        falls = np.flatnonzero(np.diff(offsets, prepend=last) <= 0)
        if len(falls) or int(offsets[0]) < 0:
            at = int(falls[0]) if len(falls) else 0
            before = last if at == 0 else int(offsets[at - 1])
            raise ValueError(
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
            found = _Partition(self.new_encoder(), self.path / f"{topic}-{number}")
            self._written[topic, number] = found
        return found

    def _log(self, topic: str, partition: _Partition, start_offset: int) -> LogWriter:
        if partition.log is None:
            ids = self.topic_ids if isinstance(self.topic_ids, dict) else {}
            topic_id = ids.setdefault(topic, new_id())
            partition.log = self.new_log(partition.directory, start_offset, topic_id)
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


def _batches(records: Any) -> Iterator[tuple[pa.RecordBatch, bool]]:  # noqa: ANN401 - any source of Arrow data
    """Give the batches of a stream, in pieces, and whether their producers are kept."""
    keeps = bool(getattr(records, "control_records", False))
    if isinstance(records, pa.Table) and {"isControl", *PRODUCER_NAMES} <= set(records.schema.names):
        keeps = bool(pc.any(records["isControl"]).as_py())
    if not hasattr(records, "__arrow_c_stream__"):
        raise ValueError(f"records must have __arrow_c_stream__, as a Table or a Scan has it, not {type(records)}")
    # Our own reader gives its errors as they are; through the C interface they would be text.
    reader = records.to_reader() if hasattr(records, "to_reader") else pa.RecordBatchReader.from_stream(records)
    for batch in reader:
        if not keeps and "isControl" in batch.schema.names and pc.any(batch.column("isControl")).as_py():
            raise ValueError("the rows have control records: write a scan with control_records=True, or a table of one")
        for begin in range(0, batch.num_rows, _PIECE_ROWS):
            yield batch.slice(begin, _PIECE_ROWS), keeps


def _sources(records: object) -> list[str]:
    """Directories that a scan reads, as far as they are local: the target must not lie in one of them."""
    partitions = getattr(records, "source_partitions", ())
    paths = {os.path.dirname(str(each.location)) for each in partitions if os.path.isdir(str(each.location))}
    return sorted(paths)


def _check_topic(topic: str) -> None:
    allowed = all(each.isascii() and (each.isalnum() or each in "._-") for each in topic)
    if not topic or not allowed or topic in (".", "..") or len(topic) > _LONGEST_NAME:
        raise ValueError(f"{topic!r} is no name of a topic: letters, digits, '.', '_' and '-', at most {_LONGEST_NAME}")


def _check_id(topic: str, topic_id: str) -> None:
    try:
        is_id = len(topic_id) == 22 and len(base64.urlsafe_b64decode(topic_id + "==")) == 16
    except ValueError:
        is_id = False
    if not is_id:
        raise ValueError(f"the id of topic {topic!r} must be 22 characters of base64, not {topic_id!r}")
