"""One log in two places: the newer part on a broker's disk, and the older part in remote storage."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from kafkafmt.cached import cached_property
from kafkafmt.errors import CorruptError, DataError
from kafkafmt.files.damage import Note
from kafkafmt.files.names import LEADER_EPOCHS, PartitionName
from kafkafmt.internal_topics import CLUSTER_METADATA, INTERNAL_TOPICS
from kafkafmt.logdir import tier_log
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.remote_log import FINISHED, LazyRemoteLog, RemotePartition
from kafkafmt.logdir.tier import TierDir, TierPartition, entries_of
from kafkafmt.logdir.tier_log import TierLog
from kafkafmt.logdir.tier_segment import Upload

if TYPE_CHECKING:
    from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
    from kafkafmt.io.base import DirectoryEntry, Location
    from kafkafmt.logdir.segment import Segment


class TieredPartition(Partition):
    """A partition directory whose log begins in remote storage.

    Local segments are read as usual. Below them come complete uploads of the topic id whose leader epochs are in the
    lineage of the partition's leader-epoch-checkpoint.

    Args:
        local: the partition directory.
        tier: the part in remote storage.
        remote: returns the partition's entries in `__remote_log_metadata`; None if unknown.
    """

    def __init__(self, local: Partition, tier: TierPartition, remote: "Callable[[], RemotePartition | None]") -> None:
        super().__init__(local.location, prefix=local.prefix, listing=local.listing, checkpoints=local.checkpoints)
        self._local = local
        self._tier = tier
        self._remote = remote

    @property
    def notes(self) -> Sequence[Note]:
        """Notes on the segments in remote storage."""
        return self._below.notes

    @cached_property
    def listing(self) -> "Sequence[DirectoryEntry]":
        """The files of the directory, and the files of the remote segments to read.

        Raises:
            SourceError: a directory or an object cannot be read.
        """
        below = [
            entry
            for upload in self._below.segments
            for entry in entries_of(upload)
            if not entry.name.endswith(".snapshot")
        ]
        return sorted([*self._local.listing, *below], key=lambda entry: entry.name)

    @property
    def remote_snapshot_files(self) -> "list[tuple[int, Location]]":
        """Offset and location of each remote segment's snapshot, in order of their offsets; the files are not read."""
        with_snapshot = [upload for upload in self._below.segments if upload.has("snapshot")]
        return [
            (upload.end_offset + 1, upload.file("snapshot"))
            for upload in with_snapshot
            if upload.end_offset is not None
        ]

    @cached_property
    def _below(self) -> TierLog:
        if not self._tier.uploads and self._remote() is None:
            return TierLog((), (), (), ())
        segments = self._local.segments
        start = segments[0].base_offset if segments else None
        try:
            lineage: Sequence[EpochEntry] = self._local.leader_epochs
        except DataError:
            lineage = ()  # the reader of the checkpoint reports the fault
        whole = [
            upload
            for upload in self._tier.uploads
            if upload.is_complete and (start is None or upload.base_offset < start)
        ]
        described = tier_log.describe(whole)
        if not lineage:
            lineage = self._tier.log.lineage
        chosen, overlapped = tier_log.chain([*described, *self._missing(start)], lineage, start)
        notes = tier_log.gaps(chosen, self.name, self._log_start())
        end = chosen[-1].end_offset if chosen else None
        if end is not None and start is not None and end + 1 < start and (self._log_start() or 0) < start:
            text = f"{self.name}: neither the tier nor the disk has offsets {end + 1} to {start - 1}"
            notes.append(Note(text, path=self.path, topic=self.topic, partition=self.partition))
        beside = self.location.child(LEADER_EPOCHS)
        chosen = [upload.with_epochs(beside) for upload in chosen] if beside.is_file() else chosen
        return TierLog(chosen, (), overlapped, lineage, notes=notes)

    def _missing(self, start: int | None) -> list[Upload]:
        """Uploads that Kafka counts on although some of their objects are missing."""
        remote = self._remote()
        if remote is None:
            return []
        known = {upload.id: upload for upload in self._tier.uploads}
        log_start = self._log_start() or 0
        missing = []
        for segment in remote.segments.values():
            upload = known.get(segment.id)
            if (
                segment.state != FINISHED
                or (upload is not None and upload.is_complete)
                or segment.end_offset < log_start
            ):
                continue
            if start is not None and segment.start_offset >= start:
                continue
            objects = {} if upload is None else upload.objects
            error = CorruptError(
                f"objects of the segment with offsets {segment.start_offset} to {segment.end_offset} are missing,"
                " but __remote_log_metadata lists them",
                file=f"{self._tier}/{segment.start_offset:020d}-{segment.id}.log",
                position=0,
                found=", ".join(sorted(objects)) or "none",
            )
            missing.append(
                Upload(
                    self._tier,
                    self._tier.topic_id,
                    segment.start_offset,
                    segment.id,
                    self._tier.layout,
                    {},
                    end_offset=segment.end_offset,
                    leader_epochs=segment.leader_epochs or None,
                    error=error,
                    size=max(segment.size_in_bytes, 1),
                )
            )
        return missing

    def _log_start(self) -> int | None:
        with suppress(DataError):  # reported by the reader of the checkpoint
            return self.checkpointed_log_start_offset
        return None


def with_tiers(
    partitions: Iterable[Partition], dirs: Sequence[TierDir], remote: LazyRemoteLog
) -> tuple[list[Partition], list[Note]]:
    """Join partition directories with their parts in remote storage.

    Args:
        partitions: partitions of log directories and of tiers.
        dirs: the tiers.
        remote: the metadata log of remote storage.

    Returns:
        Partitions of log directories, joined with their topic id's part of a tier, if there is or could be one;
        partitions of tiers that no log directory has; and notes on partitions that were left out.
    """
    partitions = _named(partitions)
    by_id: dict[tuple[str, int | None], TierPartition] = {}
    names: dict[tuple[str | None, int | None], list[TierPartition]] = defaultdict(list)
    for tier in (each for one in dirs for each in one.partitions):
        by_id[tier.topic_id, tier.partition_name.partition] = tier
        names[tier.partition_name.topic, tier.partition_name.partition].append(tier)
    joined: list[Partition] = []
    used: set[str] = set()
    local_names = set()
    for partition in partitions:
        if isinstance(partition.location, TierPartition):
            continue
        tier_found = None
        if partition.state == "live" and partition.topic is not None and partition.partition is not None:
            local_names.add((partition.topic, partition.partition))
            topic_id = _topic_id(partition)
            of_name = names[partition.topic, partition.partition]
            if topic_id is not None:
                tier_found = by_id.get((topic_id, partition.partition)) or _lost(partition, topic_id, dirs)
            elif len(of_name) == 1:
                tier_found = of_name[0]
        if tier_found is None:
            joined.append(partition)
            continue
        used.add(tier_found.identity)
        known = partial(remote.partition, tier_found.topic_id, partition.partition)
        joined.append(TieredPartition(partition, tier_found, known))
    notes = []
    for partition in partitions:
        tier = partition.location  # type: ignore[assignment]
        if not isinstance(tier, TierPartition) or tier.identity in used:
            continue
        if (partition.topic, partition.partition) in local_names:
            notes.append(
                Note(
                    f"{partition.name}: the tier's segments belong to another topic with this name, {tier.topic_id},"
                    " and are not read",
                    is_finding=False,
                    path=partition.path,
                    topic=partition.topic,
                    partition=partition.partition,
                )
            )
        else:
            joined.append(partition)
    return joined, notes


def _lost(partition: Partition, topic_id: str, dirs: Iterable[TierDir]) -> TierPartition | None:
    """A tier's partition without objects; `__remote_log_metadata` may list some that should exist."""
    if partition.topic in INTERNAL_TOPICS:
        return None  # Kafka does not put internal topics into remote storage
    name = PartitionName(partition.topic, partition.partition, "live")
    return next(filter(None, (each.without_objects(name, topic_id) for each in dirs)), None)


def _named(partitions: Iterable[Partition]) -> list[Partition]:
    """The partitions, in which tiers that know only topic ids get the topic names that others know."""
    given = list(partitions)
    places = [each.location for each in given]
    if not any(isinstance(each, TierPartition) and each.partition_name.topic is None for each in places):
        return given
    names = topic_names(each for each in given if not isinstance(each.location, TierPartition))
    named = []
    for each in given:
        tier = each.location
        topic = names.get(tier.topic_id) if isinstance(tier, TierPartition) else None
        if isinstance(tier, TierPartition) and tier.partition_name.topic is None and topic is not None:
            each = Partition(tier.renamed(PartitionName(topic, tier.partition_name.partition, "live")))  # noqa: PLW2901
        named.append(each)
    return named


def topic_names(partitions: Iterable[Partition]) -> dict[str, str]:
    """Read partition.metadata of each partition directory, and the topics of each metadata log and its snapshots.

    Damaged parts yield no names; their readers report them.

    Returns:
        Names by topic id, as Kafka prints it.

    Raises:
        SourceError: a file cannot be read.
    """
    names: dict[str, str] = {}
    for partition in partitions:
        if partition.topic == CLUSTER_METADATA:
            snapshots = [each for each in partition.other_segments if each.name.endswith(".checkpoint")]
            for segment in [*snapshots, *partition.segments]:
                with suppress(DataError):
                    _read_topics(segment, names)
        elif partition.topic is not None and partition.state == "live":
            with suppress(DataError):
                topic_id = partition.topic_id
                if topic_id is not None:
                    names[topic_id] = partition.topic
    return names


def _read_topics(segment: "Segment", names: dict[str, str]) -> None:
    from kafkafmt.reference.messages import framed_records  # noqa: PLC0415 - the specs of all messages

    for record in segment.records():
        if not record.batch.is_control_batch and record.value is not None:
            read = framed_records.decode(CLUSTER_METADATA, bytes(record.value))
            if read.type == "TOPIC_RECORD":
                names[read.message.data["topicId"]] = read.message.data["name"]


def _topic_id(partition: Partition) -> str | None:
    with suppress(DataError):
        return partition.topic_id
    return None
