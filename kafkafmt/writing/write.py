"""`kafkafmt.write`: writes rows of an Arrow stream as a log directory on which a broker can start."""

import os
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.writing.log_dir import Written, close_log_dir, new_id
from kafkafmt.writing.partitions import PartitionWriters, WriteOptions, check_id
from kafkafmt.writing.rows import PRODUCER_NAMES, records_of
from kafkafmt.writing.target import left_of, new_directory, share

if TYPE_CHECKING:
    from kafkafmt.io.base import Location
    from kafkafmt.io.source import Source

_PIECE_ROWS = 64 * 1024


class Stream(Protocol):
    """A source of Arrow data: a Scan, a Table, a DuckDB relation, a Polars DataFrame."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give a capsule of the stream."""
        ...


def write(
    records: Stream,
    out: str | os.PathLike[str],
    *,
    topic: str | None = None,
    partitions: int | Mapping[str, int] | None = None,
    message_format: int = WriteOptions.message_format,
    compression: str = WriteOptions.compression,
    compression_level: int | None = None,
    batch_bytes: int = WriteOptions.batch_bytes,
    segment_bytes: int = WriteOptions.segment_bytes,
    segment_ms: int | None = None,
    index_interval_bytes: int = WriteOptions.index_interval_bytes,
    index_max_bytes: int = WriteOptions.index_max_bytes,
    timestamp_type: str = WriteOptions.timestamp_type,
    topic_ids: Mapping[str, str] | None = None,
    cluster_id: str | None = None,
    node_id: int | None = None,
    directory_id: str | None = None,
    leader_epoch: int = WriteOptions.leader_epoch,
) -> Written:
    """Write rows as a log directory: batches, segments and all files that a broker needs to start on it.

    Columns are `value` and optionally `key`, `headers`, `timestamp`, `topic`, `partition`, `offset`; others are left
    out. A row without `partition` gets that of its key, as Java's producer computes it; without key partition 0 first,
    and the next one whenever a batch is full. A scan with `control_records=True`, or a table of one, keeps the
    producers of its records and their transaction markers; any other source is written without producers.

    Args:
        records: anything with `__arrow_c_stream__`.
        out: the log directory, which must not exist, nor be inside the source; it appears when everything is written.
        topic: topic of rows without a column `topic`; or the new name for rows of one topic.
        partitions: number of partitions, of all topics or by topic; every partition gets a directory. Needed for rows
            without a partition.
        message_format: 0, 1 or 2.
        compression: "none", "gzip", "snappy", "lz4" or "zstd".
        compression_level: level of the codec; None for Kafka's default.
        batch_bytes: size at which a batch is full, as `batch.size`.
        segment_bytes: most bytes of a segment.
        segment_ms: time in ms, by timestamps, after its first batch at which a segment is closed; None for never.
        index_interval_bytes: bytes of log between index entries.
        index_max_bytes: most bytes of an index.
        timestamp_type: "CreateTime"; or "LogAppendTime", with rows of one timestamp in each batch.
        topic_ids: ids of topics, as Kafka prints them; random ones for the other topics.
        cluster_id: for meta.properties; None for a random one.
        node_id: for meta.properties; None for 0.
        directory_id: for meta.properties; None for a random one.
        leader_epoch: leader epoch of all batches.

    Raises:
        ValueError: an argument or row is invalid: it has no partition or timestamp, or an offset that does not rise.
        KafkafmtError: the source is damaged, or the output cannot be written. After any error nothing is left.
    """
    options = WriteOptions(
        topic=topic,
        partitions=partitions,
        message_format=message_format,
        compression=compression,
        compression_level=compression_level,
        batch_bytes=batch_bytes,
        segment_bytes=segment_bytes,
        segment_ms=segment_ms,
        index_interval_bytes=index_interval_bytes,
        index_max_bytes=index_max_bytes,
        timestamp_type=timestamp_type,
        topic_ids=topic_ids,
        leader_epoch=leader_epoch,
    )
    if directory_id is not None:
        check_id("directory_id", directory_id)
    cluster = cluster_id or new_id()
    directory = directory_id or new_id()
    node = 0 if node_id is None else node_id
    notes, sources = left_of(out), _sources(records)
    with new_directory(out, sources) as work:
        output = PartitionWriters(work, options, time.time_ns() // 1_000_000)
        output.make_named()
        for batch, keeps_producers in _batches(records):
            if keeps_producers and message_format < CURRENT_MAGIC:
                raise ValueError(f"message format {message_format} has no control records")
            output.add(records_of(batch, message_format, keeps_producers=keeps_producers))
        done = output.close()
        options.check_topics({each.topic for each in done})
        table = close_log_dir(work, done, cluster_id=cluster, node_id=node, directory_id=directory)
        notes += share(work, sources, below=True)
    return Written(os.fspath(out), cluster, node, directory, output.topic_ids, table, tuple(notes))


def _batches(records: Any) -> Iterator[tuple[pa.RecordBatch, bool]]:  # noqa: ANN401 - any source of Arrow data
    """The batches of a stream, in pieces, and whether their producers are kept."""
    keeps = bool(getattr(records, "control_records", False))
    if isinstance(records, pa.Table) and {"isControl", *PRODUCER_NAMES} <= set(records.schema.names):
        keeps = bool(pc.any(records["isControl"]).as_py())
    if not hasattr(records, "__arrow_c_stream__"):
        raise ValueError(f"records must have __arrow_c_stream__, as a Table or a Scan has it, not {type(records)}")
    # Our own streams are read directly, as the Arrow C interface would turn their errors into text.
    if hasattr(records, "to_stored_reader"):
        reader = records.to_stored_reader()  # a name of a header need not be UTF-8
    elif hasattr(records, "to_reader"):
        reader = records.to_reader()
    else:
        reader = pa.RecordBatchReader.from_stream(records)
    for batch in reader:
        for begin in range(0, batch.num_rows, _PIECE_ROWS):
            yield batch.slice(begin, _PIECE_ROWS), keeps


def _sources(records: object) -> "list[Source | Location]":
    """The sources of a scan, or of rows of files, as they were named; those of any other stream are unknown."""
    return list(getattr(records, "places", ()))
