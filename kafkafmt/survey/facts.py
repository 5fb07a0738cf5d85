"""The vocabulary of a survey: facts about log directories, partitions, segments and indexes.

Every fact is a plain frozen value; sizes are bytes, times ms since the epoch, offsets Kafka's. Facts that are unknown
or were not requested are None.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from kafkafmt.answer_columns import TIME, Named
from kafkafmt.errors import KafkafmtError
from kafkafmt.findings import FINDING, NOTE, Finding

IndexKind = Literal["index", "timeindex", "txnindex"]
IndexStatus = Literal["ok", "empty", "none", "missing", "padded", "broken", "mismatch", "unreadable"]
CheckpointStatus = Literal["ok", "empty", "missing", "broken", "unreadable"]


_WORDS = "list<string>"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A file, directory or range outside the log: `kafkafmt.scan` reads it only if it is named.

    Attributes:
        kind: "delete", "future", "stray" (directories); "deleted", "cleaned", "swap", "replaced", "checkpoint", "other"
            (files); "link" (a link that leads outside the surveyed paths); "below log start" (records, and whole
            segments of those).
        topic: topic of the partition, or None.
        partition: number of the partition, or None.
        size: bytes of the content, or None where it is only a part of a file.
        size_on_disk: bytes that the file system has given it; None where that is not known, or it is part of a file.
        first_offset: first offset of the records left out "below log start"; None for others.
        last_offset: last offset of those; None for others.
        reason: why it is left out.
        path: the file or directory.
    """

    kind: Annotated[str, "string"]
    topic: Annotated[str | None, "string"] = None
    partition: Annotated[int | None, "int32"] = None
    size: Annotated[int | None, Named("sizeInBytes", "int64")]
    size_on_disk: Annotated[int | None, "int64"] = None
    first_offset: Annotated[int | None, "int64"] = None
    last_offset: Annotated[int | None, "int64"] = None
    reason: Annotated[str, "string"]
    path: Annotated[str, "string"]


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """The state of one index file of a segment.

    Attributes:
        kind: "index", "timeindex" or "txnindex", as its name ends.
        status: "ok"; "empty" (0 bytes); "none" (an optional one); "missing"; "padded" (sound, then preallocated zeros);
            "broken" (its size or last entry cannot be right); "mismatch" (its entries contradict the segment);
            "unreadable".
        path: the file, or None if there is none.
        entries: number of entries, without padding.
        zero_padded_from: number of the first entry that is padding, or None.
        sanity_error: the error of Kafka's own sanityCheck of the whole file, padding included, or None.
        problem: the fault that makes it broken, a mismatch or unreadable, or None.
        beyond_end: whether the only fault of an offset or time index is that it extends past the end of its log.
    """

    kind: IndexKind
    status: Annotated[IndexStatus, "string"]
    path: str | None = None
    entries: Annotated[int | None, "int64"] = None
    zero_padded_from: Annotated[int | None, "int64"] = None
    sanity_error: KafkafmtError | None = None
    problem: KafkafmtError | None = None
    beyond_end: bool = False

    def __str__(self) -> str:
        """The status in one or two words, for tables."""
        return f"padded from {self.zero_padded_from}" if self.status == "padded" else self.status


@dataclass(frozen=True, slots=True)
class Share:
    """Entries of a segment or partition with one format and codec.

    Attributes:
        batches: number of entries.
        size: their bytes, as stored.
    """

    batches: int
    size: int


class Mixed:
    """A segment or partition, whose batches may differ in format and codec.

    Attributes:
        shares: entries by (format, codec).
    """

    __slots__ = ()

    shares: Mapping[tuple[int, str], Share]

    @property
    def codecs(self) -> Annotated[tuple[str, ...], _WORDS]:
        """Codecs that occur, sorted."""
        return tuple(sorted({codec for _, codec in self.shares}))

    @property
    def magics(self) -> Annotated[tuple[int, ...], "list<int8>"]:
        """Message formats that occur, sorted."""
        return tuple(sorted({magic for magic, _ in self.shares}))


def _faults(findings: tuple[Finding, ...]) -> int:
    return sum(finding.level == FINDING for finding in findings)


@dataclass(frozen=True, slots=True)
class SegmentFacts(Mixed):
    """One log file.

    Attributes:
        topic: topic of its partition, or None.
        partition: number of its partition, or None.
        state: "live", or why it is outside the log: "deleted", "cleaned", "swap", "replaced", "checkpoint", "other".
        base_offset: base offset in the file's name, or None.
        next_offset: offset after its last entry (for the last segment of a log: with a right CRC), or its base offset
            if empty.
        size: bytes of the file when it was listed.
        batches: entries in it: batches, messages and wrappers. None in a quick survey.
        records: records by their headers, control records included and unreadable entries not; None in a quick survey.
        decompressed: wrappers of formats 0 and 1 that were decompressed because only that shows their records.
        min_timestamp: smallest timestamp that a batch begins with (baseTimestamp), or None; a later record of a batch
            may have a smaller one.
        max_timestamp: largest timestamp, or None where no record has one.
        timestamp_types: sorted names of those that occur.
        shares: shares by (format, codec); the codec is "unknown" if the id is not one of Kafka's.
        min_leader_epoch: smallest leader epoch of a batch; None where the format has none.
        max_leader_epoch: largest leader epoch of a batch; None where the format has none.
        indexes: .index, .timeindex and .txnindex, in this order.
        has_producer_snapshot: whether a `.snapshot` file of the same base offset exists.
        findings: faults of the segment or its indexes. The column has their number.
        path: path of the file.
        name: its base name.
        has_holes: whether offsets are missing inside it, as compaction leaves it.
        earliest: smallest timestamp that a clock can have shown: from 1971 to a day after now; or None.
        latest: largest such timestamp, or None.
        impossible_times: batches with another timestamp, such as -1 or one in the far future; those of format 0, which
            has no timestamps, are not counted.
        last_position: start of its last entry, in bytes; None without entries.
        is_sparse: whether offsets are missing in its batches, as compaction alone leaves them, or before one of format
            0 or 1, whose first offset may be unknown.
        gaps: first and last of offsets that are missing between its batches, and not for damage; the first 100.
        end_by_order: if the last entry of a log's last segment has a wrong offset, the offset after it by the
            entries before it; or None.
    """

    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]
    state: Annotated[str, "string"]
    base_offset: Annotated[int | None, "int64"]
    next_offset: Annotated[int | None, "int64"]
    size: Annotated[int, Named("sizeInBytes", "int64")]
    batches: Annotated[int | None, "int64"]
    records: Annotated[int | None, "int64"]
    decompressed: Annotated[int, "int64"]
    min_timestamp: Annotated[int | None, TIME]
    max_timestamp: Annotated[int | None, TIME]
    timestamp_types: Annotated[tuple[str, ...], _WORDS]
    shares: Mapping[tuple[int, str], Share]
    min_leader_epoch: Annotated[int | None, "int32"]
    max_leader_epoch: Annotated[int | None, "int32"]
    indexes: tuple[IndexFacts, ...]
    has_producer_snapshot: Annotated[bool, Named("producerSnapshot", "bool")]
    findings: Annotated[tuple[Finding, ...], "int32", _faults]
    path: Annotated[str, "string"]
    name: str
    has_holes: bool
    earliest: int | None = None
    latest: int | None = None
    impossible_times: int = 0
    last_position: int | None = None
    is_sparse: bool = False
    gaps: tuple[tuple[int, int], ...] = ()
    end_by_order: int | None = None

    @property
    def is_unreadable(self) -> bool:
        """Whether the file could not be read to its end."""
        return any(finding.kind == "unreadable" and finding.path == self.path for finding in self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionFacts(Mixed):
    """One partition directory, or one file given on its own.

    Attributes:
        topic: topic by its name, or None.
        partition: number by its name, or None.
        state: "live", "delete", "future" or "stray".
        topic_id: topic id of its partition.metadata, or None.
        topic_of_id: name of the cluster's topic with that id; None if there is none, or no metadata.
        size: bytes of the content of all files in the directory, indexes (without preallocated tails) and left-out
            files included; in a partition directory that was left unread, too.
        size_on_disk: bytes that the file system has given these files; None where that is not known.
        log_size: bytes of its log files only.
        segments: number of segments; for a directory left unread, that of all its log files.
        batches: entries of all segments; None in a quick survey.
        records: records of all segments, those below the log start offset included; None in a quick survey.
        decompressed: wrappers decompressed to count them.
        log_start_offset: lowest offset of the log, or None without segments and checkpoint.
        log_end_offset: offset that the next record would get, or None without live segments.
        end_on_disk: offset after its last entry; where the offset of that one is too low, by the entries before it.
        high_watermark: high watermark by the replication-offset-checkpoint, or None.
        recovery_point: offset up to which the log was flushed, by the checkpoint, or None.
        min_timestamp: smallest of the segments', or None.
        max_timestamp: largest of the segments', or None.
        shares: shares by (format, codec).
        max_leader_epoch: newest epoch of a batch; None where the format has none.
        leader_epochs: (epoch, start offset) of its leader-epoch-checkpoint.
        producer_snapshots: number of live `.snapshot` files.
        findings: number of faults in it and its segments.
        log_dir: path of its log directory.
        path: path of the directory or file.
    """

    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]
    state: Annotated[str, "string"]
    topic_id: Annotated[str | None, "string"]
    topic_of_id: Annotated[str | None, "string"] = None
    size: Annotated[int, Named("sizeInBytes", "int64")]
    size_on_disk: Annotated[int | None, "int64"] = None
    log_size: Annotated[int, Named("logSizeInBytes", "int64")]
    segments: Annotated[int, "int32"]
    batches: Annotated[int | None, "int64"]
    records: Annotated[int | None, "int64"]
    decompressed: Annotated[int, "int64"]
    log_start_offset: Annotated[int | None, "int64"]
    log_end_offset: Annotated[int | None, "int64"]
    end_on_disk: int | None = None
    high_watermark: Annotated[int | None, "int64"]
    recovery_point: Annotated[int | None, "int64"]
    min_timestamp: Annotated[int | None, TIME]
    max_timestamp: Annotated[int | None, TIME]
    shares: Mapping[tuple[int, str], Share]
    max_leader_epoch: Annotated[int | None, "int32"]
    leader_epochs: Annotated[tuple[tuple[int, int], ...], "list<struct<epoch: int32, startOffset: int64>>"]
    producer_snapshots: Annotated[int, "int32"]
    findings: Annotated[int, "int32"]
    log_dir: Annotated[str, "string"]
    path: Annotated[str, "string"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogDirFacts:
    """One log directory, by its listing and its small files.

    Attributes:
        path: path of the directory.
        cluster_id: cluster id of meta.properties, or None.
        node_id: node.id or broker.id of meta.properties, or None.
        directory_id: directory id of meta.properties, or None.
        version: version of meta.properties; None without the file.
        clean_shutdown: whether the mark of a clean shutdown exists.
        broker_epoch: broker epoch in that mark, or None.
        checkpoints: status of each offset checkpoint, by file name.
        partitions: number of live partition directories.
        other_partitions: number of directories that were set aside.
        size: bytes of all partition directories, as of each partition.
        size_on_disk: bytes that the file system has given them; None where that is not known.
        is_tier: whether it is remote storage, which has no such files.
    """

    path: Annotated[str, "string"]
    cluster_id: Annotated[str | None, "string"]
    node_id: Annotated[int | None, "int32"]
    directory_id: Annotated[str | None, "string"]
    version: Annotated[int | None, Named("metaPropertiesVersion", "int32")]
    clean_shutdown: Annotated[bool, "bool"]
    broker_epoch: Annotated[int | None, "int64"]
    checkpoints: Mapping[str, CheckpointStatus]
    partitions: Annotated[int, "int32"]
    other_partitions: Annotated[int, "int32"]
    size: Annotated[int, Named("sizeInBytes", "int64")]
    size_on_disk: Annotated[int | None, "int64"] = None
    is_tier: bool = False


def unread_end(path: str, sound: int, end: int, *, is_kept: bool) -> Finding:
    """The finding or note on a log whose last batches have wrong CRCs.

    Args:
        path: path of the log's last segment.
        sound: offset at which the sound records end.
        end: log end offset by the headers.
        is_kept: whether a broker loads the log with these batches.
    """
    message = f"the last batches cannot be read, so sound records end at {sound}, not {end}"
    where = "--verify-checksums shows where and why"
    if is_kept:
        advice = f"after a clean shutdown Kafka keeps these batches, and consumers stop at {sound}; {where}"
        return Finding(FINDING, "checksum", path, message, advice)
    return Finding(NOTE, "checksum", path, message, f"Kafka truncates the log there in recovery; {where}")
