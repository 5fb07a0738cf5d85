"""The rows of `kafkafmt ls --rows`, also as Arrow tables: log directories, partitions, segments, findings, ..."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from kafkafmt.columns import as_text
from kafkafmt.errors import KafkafmtError
from kafkafmt.findings import FINDING, NOTE, Finding
from kafkafmt.notebook import html
from kafkafmt.public import short
from kafkafmt.survey.belonging import clusters_in
from kafkafmt.survey.log_dirs import Options, survey
from kafkafmt.survey.side_files import diverged

if TYPE_CHECKING:
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.survey.facts import LeftOut, LogDirFacts, PartitionFacts, SegmentFacts
    from kafkafmt.survey.log_dirs import LogDirSurvey
    from kafkafmt.survey.partitions import PartitionSurvey
    from kafkafmt.survey.segments import Depth

Level = Literal["log-dirs", "partitions", "segments", "findings", "left-out"]
Row = dict[str, Any]

_TIME = pa.timestamp("ms", "UTC")
_WORDS = pa.list_(pa.string())

LOG_DIR_SCHEMA = pa.schema(
    [
        ("path", pa.string()),
        ("clusterId", pa.string()),
        ("nodeId", pa.int32()),
        ("directoryId", pa.string()),
        ("metaPropertiesVersion", pa.int32()),
        ("cleanShutdown", pa.bool_()),
        ("brokerEpoch", pa.int64()),
        ("recoveryPointCheckpoint", pa.string()),
        ("replicationCheckpoint", pa.string()),
        ("logStartOffsetCheckpoint", pa.string()),
        ("cleanerOffsetCheckpoint", pa.string()),
        ("partitions", pa.int32()),
        ("otherPartitions", pa.int32()),
        ("sizeInBytes", pa.int64()),
        ("sizeOnDisk", pa.int64()),
    ]
)
PARTITION_SCHEMA = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("state", pa.string()),
        ("topicId", pa.string()),
        ("topicOfId", pa.string()),
        ("sizeInBytes", pa.int64()),
        ("sizeOnDisk", pa.int64()),
        ("logSizeInBytes", pa.int64()),
        ("segments", pa.int32()),
        ("batches", pa.int64()),
        ("records", pa.int64()),
        ("decompressed", pa.int64()),
        ("logStartOffset", pa.int64()),
        ("logEndOffset", pa.int64()),
        ("highWatermark", pa.int64()),
        ("recoveryPoint", pa.int64()),
        ("minTimestamp", _TIME),
        ("maxTimestamp", _TIME),
        ("codecs", _WORDS),
        ("magics", pa.list_(pa.int8())),
        ("maxLeaderEpoch", pa.int32()),
        ("leaderEpochs", pa.list_(pa.struct([("epoch", pa.int32()), ("startOffset", pa.int64())]))),
        ("producerSnapshots", pa.int32()),
        ("findings", pa.int32()),
        ("logDir", pa.string()),
        ("path", pa.string()),
    ]
)
SEGMENT_SCHEMA = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("state", pa.string()),
        ("baseOffset", pa.int64()),
        ("nextOffset", pa.int64()),
        ("sizeInBytes", pa.int64()),
        ("batches", pa.int64()),
        ("records", pa.int64()),
        ("decompressed", pa.int64()),
        ("minTimestamp", _TIME),
        ("maxTimestamp", _TIME),
        ("timestampTypes", _WORDS),
        ("codecs", _WORDS),
        ("magics", pa.list_(pa.int8())),
        ("minLeaderEpoch", pa.int32()),
        ("maxLeaderEpoch", pa.int32()),
        ("index", pa.string()),
        ("indexEntries", pa.int64()),
        ("indexZeroPaddedFrom", pa.int64()),
        ("timeIndex", pa.string()),
        ("timeIndexEntries", pa.int64()),
        ("timeIndexZeroPaddedFrom", pa.int64()),
        ("transactionIndex", pa.string()),
        ("transactionIndexEntries", pa.int64()),
        ("producerSnapshot", pa.bool_()),
        ("findings", pa.int32()),
        ("path", pa.string()),
    ]
)
FINDING_SCHEMA = pa.schema(
    [
        ("level", pa.string()),
        ("kind", pa.string()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("path", pa.string()),
        ("position", pa.int64()),
        ("length", pa.int64()),
        ("firstOffset", pa.int64()),
        ("lastOffset", pa.int64()),
        ("records", pa.int64()),
        ("message", pa.string()),
        ("advice", pa.string()),
    ]
)
LEFT_OUT_SCHEMA = pa.schema(
    [
        ("kind", pa.string()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("sizeInBytes", pa.int64()),
        ("sizeOnDisk", pa.int64()),
        ("firstOffset", pa.int64()),
        ("lastOffset", pa.int64()),
        ("reason", pa.string()),
        ("path", pa.string()),
    ]
)
SCHEMAS = {
    "log-dirs": LOG_DIR_SCHEMA,
    "partitions": PARTITION_SCHEMA,
    "segments": SEGMENT_SCHEMA,
    "findings": FINDING_SCHEMA,
    "left-out": LEFT_OUT_SCHEMA,
}
"""Columns of the rows at each level. Times are ms, sizes bytes; null means unknown or not asked for.

`sizeInBytes` is the content, without the tails of indexes that a running broker preallocates; `sizeOnDisk` the bytes
that the file system allocated, as `du` counts them.
"""


def rows_of_log_dir(level: Level, found: "LogDirSurvey") -> Iterator[Row]:
    """The rows of a level for a log directory itself; `rows_of_partition` has its partitions."""
    if level == "log-dirs" and found.is_log_dir:
        yield log_dir_row(found.facts)
    yield from _remarks(level, found.findings, found.left_out)


def rows_of_partition(level: Level, found: "PartitionSurvey") -> Iterator[Row]:
    """The rows of a level for a partition."""
    if level == "partitions":
        yield partition_row(found.facts)
    elif level == "segments":
        yield from map(segment_row, found.segments)
    yield from _remarks(level, found.findings, found.left_out)


def rows_of_findings(level: Level, findings: "Iterable[Finding]") -> Iterator[Row]:
    """The rows of a level for findings outside single partitions."""
    return _remarks(level, findings, ())


def _remarks(level: Level, findings: "Iterable[Finding]", left_out: "Iterable[LeftOut]") -> Iterator[Row]:
    if level == "findings":
        yield from map(finding_row, findings)
    elif level == "left-out":
        yield from map(left_out_row, left_out)


def log_dir_row(facts: "LogDirFacts") -> Row:
    """A log directory as a row of `LOG_DIR_SCHEMA`."""
    return {
        "path": as_text(facts.path),
        "clusterId": facts.cluster_id,
        "nodeId": facts.node_id,
        "directoryId": facts.directory_id,
        "metaPropertiesVersion": facts.version,
        "cleanShutdown": facts.clean_shutdown,
        "brokerEpoch": facts.broker_epoch,
        "recoveryPointCheckpoint": facts.checkpoints.get("recovery-point-offset-checkpoint"),
        "replicationCheckpoint": facts.checkpoints.get("replication-offset-checkpoint"),
        "logStartOffsetCheckpoint": facts.checkpoints.get("log-start-offset-checkpoint"),
        "cleanerOffsetCheckpoint": facts.checkpoints.get("cleaner-offset-checkpoint"),
        "partitions": facts.partitions,
        "otherPartitions": facts.other_partitions,
        "sizeInBytes": facts.size,
        "sizeOnDisk": facts.size_on_disk,
    }


def partition_row(facts: "PartitionFacts") -> Row:
    """A partition as a row of `PARTITION_SCHEMA`."""
    return {
        "topic": as_text(facts.topic),
        "partition": facts.partition,
        "state": facts.state,
        "topicId": facts.topic_id,
        "topicOfId": as_text(facts.topic_of_id),
        "sizeInBytes": facts.size,
        "sizeOnDisk": facts.size_on_disk,
        "logSizeInBytes": facts.log_size,
        "segments": facts.segments,
        "batches": facts.batches,
        "records": facts.records,
        "decompressed": facts.decompressed,
        "logStartOffset": facts.log_start_offset,
        "logEndOffset": facts.log_end_offset,
        "highWatermark": facts.high_watermark,
        "recoveryPoint": facts.recovery_point,
        "minTimestamp": facts.min_timestamp,
        "maxTimestamp": facts.max_timestamp,
        **_shares(facts.shares),
        "maxLeaderEpoch": facts.max_leader_epoch,
        "leaderEpochs": [{"epoch": epoch, "startOffset": start} for epoch, start in facts.leader_epochs],
        "producerSnapshots": facts.producer_snapshots,
        "findings": facts.findings,
        "logDir": as_text(facts.log_dir),
        "path": as_text(facts.path),
    }


def segment_row(facts: "SegmentFacts") -> Row:
    """A segment as a row of `SEGMENT_SCHEMA`."""
    index, time_index, transaction_index = facts.indexes
    return {
        "topic": as_text(facts.topic),
        "partition": facts.partition,
        "state": facts.state,
        "baseOffset": facts.base_offset,
        "nextOffset": facts.next_offset,
        "sizeInBytes": facts.size,
        "batches": facts.batches,
        "records": facts.records,
        "decompressed": facts.decompressed,
        "minTimestamp": facts.min_timestamp,
        "maxTimestamp": facts.max_timestamp,
        "timestampTypes": list(facts.timestamp_types),
        **_shares(facts.shares),
        "minLeaderEpoch": facts.min_leader_epoch,
        "maxLeaderEpoch": facts.max_leader_epoch,
        "index": index.status,
        "indexEntries": index.entries,
        "indexZeroPaddedFrom": index.zero_padded_from,
        "timeIndex": time_index.status,
        "timeIndexEntries": time_index.entries,
        "timeIndexZeroPaddedFrom": time_index.zero_padded_from,
        "transactionIndex": transaction_index.status,
        "transactionIndexEntries": transaction_index.entries,
        "producerSnapshot": facts.has_producer_snapshot,
        "findings": sum(finding.level == FINDING for finding in facts.findings),
        "path": as_text(facts.path),
    }


def finding_row(finding: "Finding") -> Row:
    """A finding or note as a row of `FINDING_SCHEMA`."""
    return {
        "level": finding.level,
        "kind": finding.kind,
        "topic": as_text(finding.topic),
        "partition": finding.partition,
        "path": as_text(finding.path),
        "position": finding.position,
        "length": finding.length,
        "firstOffset": finding.first_offset,
        "lastOffset": finding.last_offset,
        "records": finding.records,
        "message": as_text(finding.message),
        "advice": finding.advice or None,
    }


def left_out_row(left_out: "LeftOut") -> Row:
    """A left-out file or range as a row of `LEFT_OUT_SCHEMA`."""
    return {
        "kind": left_out.kind,
        "topic": as_text(left_out.topic),
        "partition": left_out.partition,
        "sizeInBytes": left_out.size,
        "sizeOnDisk": left_out.size_on_disk,
        "firstOffset": left_out.first_offset,
        "lastOffset": left_out.last_offset,
        "reason": left_out.reason,
        "path": as_text(left_out.path),
    }


def _shares(shares: Mapping[tuple[int, str], object]) -> Row:
    return {
        "codecs": sorted({codec for _, codec in shares}),
        "magics": sorted({magic for magic, _ in shares}),
    }


_CALLS: "Mapping[str, Level]" = {
    "log_dirs": "log-dirs",
    "partitions": "partitions",
    "segments": "segments",
    "findings": "findings",
    "left_out": "left-out",
}


class Inspection:
    """The content of opened disks, and its faults, as Arrow tables. Made by `kafkafmt.open(...).inspect`.

    Each call reads headers again, from the files as they were listed. Nothing that is broken or unreadable ends it: it
    is a row of `findings()`. Times are ms, sizes bytes; null means unknown. A method takes `depth`, how much of a
    segment is read: "quick" (the first and the last header), "headers" (all), "checksums" (everything, with CRCs); and
    `everything`, which reads files outside the logs, too: `.deleted` files, directories set aside, ...
    """

    def __init__(self, sources: "Sources") -> None:
        self._sources = sources

    def __repr__(self) -> str:
        return short(f"<Inspection of {self._sources!r}>")

    def _repr_html_(self) -> str:
        rows = [{"call": f"{call}()", "columns": ", ".join(SCHEMAS[of].names)} for call, of in _CALLS.items()]
        return html(repr(self)[1:-1], pa.Table.from_pylist(rows))

    def log_dirs(self) -> pa.Table:
        """A row for each log directory: ids, checkpoints, clean shutdown, number of partitions, size.

        Raises:
            SourceError: nothing of Kafka's is in a source.
        """
        return self._table("log-dirs", Options())

    def partitions(self, *, depth: "Depth" = "headers", everything: bool = False) -> pa.Table:
        """A row for each partition directory: its offsets, sizes, counts, times, codecs, leader epochs.

        Raises:
            SourceError: as for `log_dirs`.
        """
        return self._table("partitions", Options(depth=depth, everything=everything))

    def segments(self, *, depth: "Depth" = "headers", everything: bool = False) -> pa.Table:
        """A row for each log file: its offsets, sizes, counts, times, codecs, and the state of its indexes.

        Raises:
            SourceError: as for `log_dirs`.
        """
        return self._table("segments", Options(depth=depth, everything=everything))

    def findings(self, *, depth: "Depth" = "headers", everything: bool = False) -> pa.Table:
        """A row for each finding and note: the fault, its place, the offsets concerned, and the advice.

        Where cluster metadata of at most 4 MiB are among the disks, directories that belong to no topic are noted.

        Raises:
            SourceError: as for `log_dirs`.
        """
        return self._table("findings", Options(depth=depth, everything=everything))

    def left_out(self, *, everything: bool = False) -> pa.Table:
        """A row for each file, directory or link outside the logs, with the reason.

        Args:
            everything: read directories that were set aside too.

        Raises:
            SourceError: as for `log_dirs`.
        """
        return self._table("left-out", Options(everything=everything))

    def _table(self, level: Level, options: Options) -> pa.Table:
        return pa.Table.from_pylist(list(self._rows(level, options)), schema=SCHEMAS[level])

    def _rows(self, level: Level, options: Options) -> Iterator[Row]:
        unread: list[Finding] = []

        def not_compared(error: KafkafmtError) -> None:
            message = f"partitions were not compared with the cluster metadata: {error.message}"
            unread.append(Finding(NOTE, "metadata", error.file or "", message))

        if level in ("partitions", "findings"):
            options = replace(options, clusters=clusters_in(self._sources, not_compared))
        yield from rows_of_findings(level, unread)
        live: list[Partition] = []
        for found in survey(self._sources, options):
            yield from rows_of_log_dir(level, found)
            for partition in () if level == "log-dirs" else found.partitions():
                yield from rows_of_partition(level, partition)
                if partition.directory is not None and partition.facts.state == "live":
                    live.append(partition.directory)
        yield from rows_of_findings(level, diverged(live))
