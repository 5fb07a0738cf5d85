"""`tiers`: every upload of a segment that the metadata log or remote storage knows, and its state (KIP-405)."""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, NamedTuple, get_args

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.choices import check_choice
from kafkafmt.errors import KafkafmtError, Missing, SourceError
from kafkafmt.findings import FINDING, STATE, Finding, finding_of
from kafkafmt.internal_topics import REMOTE_LOG_METADATA
from kafkafmt.logdir import replicas
from kafkafmt.logdir.remote_log import DELETED, DELETING, FINISHED, RemotePartition, RemoteSegment, read_remote_log
from kafkafmt.logdir.sources import Sources
from kafkafmt.logdir.tier import TierDir, TierPartition
from kafkafmt.logdir.tiered_partition import topic_names
from kafkafmt.scanning import arguments
from kafkafmt.scanning.selection import Selection
from kafkafmt.topics.answers import TableAnswer

if TYPE_CHECKING:
    import re

    from pyarrow.fs import FileSystem

    from kafkafmt.files.damage import Damage
    from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
    from kafkafmt.io.source import Source
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.logdir.tier_segment import Upload

COMPLETE, INCOMPLETE, MISSING, OVERLAPPED, EXPIRED, DELETED_STATE, ORPHAN = STATES = (
    "complete",
    "incomplete upload",
    "missing",
    "overlapped",
    "expired",
    "deleted",
    "orphan",
)

_FREED: Final = frozenset({INCOMPLETE, OVERLAPPED, EXPIRED, DELETED_STATE, ORPHAN})
"""States whose records consumers do not read: deleting their objects would free space."""


@dataclass(frozen=True, slots=True)
class TieredSegment:
    """One upload of a segment.

    Attributes:
        topic: name of its topic, or None.
        topic_id: the topic's id as Kafka prints it.
        partition: number of the partition.
        segment_id: the segment id.
        base_offset: base offset of the segment.
        end_offset: its last offset; None without an event that has it.
        size_in_bytes: size of the segment; None without an event that has it.
        state: "complete", "missing", .. (`STATES`); None where there cannot be events, as Confluent keeps none.
        place: the prefix of its objects' keys, below the named path.
        names: the rest of the keys, in order.
        stored_bytes: size of its objects.
    """

    topic: Annotated[str | None, "string"]
    topic_id: Annotated[str, "string"]
    partition: Annotated[int | None, "int32"]
    segment_id: Annotated[str, "string"]
    base_offset: Annotated[int, "int64"]
    end_offset: Annotated[int | None, "int64"]
    size_in_bytes: Annotated[int | None, "int64"]
    state: Annotated[str | None, "string"]
    place: str
    names: tuple[str, ...]
    stored_bytes: Annotated[int, "int64"]

    @property
    def objects(self) -> Annotated[list[str], "list<string>"]:
        """Keys of its objects below the path that was named."""
        return [self.place + name for name in self.names]


class StateTotal(NamedTuple):
    """The segments in one state.

    Attributes:
        state: state of the segments; None where there cannot be events.
        segments: number of segments.
        objects: number of their objects.
        stored_bytes: size of their objects.
        freed_bytes: bytes of objects that a clean-up would free, as consumers do not read them.
    """

    state: Annotated[str | None, "string"]
    segments: Annotated[int, "int64"]
    objects: Annotated[int, "int64"]
    stored_bytes: Annotated[int, "int64"]
    freed_bytes: Annotated[int, "int64"]


class TieredSegments(TableAnswer):
    """The uploads of all segments.

    Attributes:
        segments: in order of topic, partition, base offset, segment id.
        notes: sentences for the user that are not damage.
        findings: referenced objects that do not exist.
        damage: always empty, as objects are not read.
        skipped_replicas: copies of partition directories whose leader epochs did not count.
    """

    _TABLES: ClassVar = {
        "segments": TableColumns(
            *columns_of(TieredSegment, to="state"), *columns_of(TieredSegment, only=("objects", "stored_bytes"))
        ),
        "totals": TableColumns(*columns_of(StateTotal)),
    }

    def __init__(
        self,
        segments: Sequence[TieredSegment],
        notes: Sequence[str],
        findings: Sequence[Finding],
        skipped_replicas: "Sequence[Partition]",
    ) -> None:
        self.segments = segments
        self.notes = notes
        self.findings = findings
        self.damage: Sequence[Damage] = ()
        self.skipped_replicas = skipped_replicas

    def _objects(self, name: str) -> Iterable[object]:
        return self.segments if name == "segments" else self._totals()

    @property
    def freed_bytes(self) -> int:
        """Bytes of objects from which consumers read no record."""
        return sum(each.stored_bytes for each in self.segments if each.state in _FREED)

    def _totals(self) -> Iterator[StateTotal]:
        counts: dict[str | None, list[int]] = defaultdict(lambda: [0, 0, 0])
        for each in self.segments:
            total = counts[each.state]
            total[0] += 1
            total[1] += len(each.names)
            total[2] += each.stored_bytes
        for state in (*STATES, None):
            if state in counts:
                segments, objects, stored = counts[state]
                yield StateTotal(state, segments, objects, stored, stored if state in _FREED else 0)


def tiers(
    source: "Searchable",
    *,
    metadata: "Source | Sequence[Source] | None" = None,
    topics: "str | Iterable[str] | re.Pattern[str] | None" = None,
    partitions: int | Iterable[int] | None = None,
    states: Iterable[str] | None = None,
    filesystem: "FileSystem | None" = None,
    missing: Missing = "raise",
) -> TieredSegments:
    """Compare the content of remote storage with `__remote_log_metadata`. No object is read.

    The leader-epoch-checkpoint and the log start offset of a partition decide which uploads Kafka would read from, so a
    log directory of the partition's last leader gives the best answer.

    Args:
        source: remote storage, and log directories that have `__remote_log_metadata`, as for `kafkafmt.scan`.
        metadata: more log directories with `__remote_log_metadata`, from which nothing else is read.
        topics: names, or a compiled pattern for the whole name; None for all.
        partitions: partition numbers; None for all.
        states: the states of `STATES` to return; None for all.
        filesystem: any pyarrow file system; `source` and `metadata` are then its paths.
        missing: "raise" an error if a named topic or partition does not exist, or "note" it.

    Raises:
        NotFoundError: a topic or partition does not exist.
        SourceError: a source is missing, unreadable or without remote storage, or the `__remote_log_metadata` that
            should list its uploads is missing.
        TypeError: a source is not a path, or an argument is invalid.
        ValueError: a state does not exist.
    """
    check_choice("missing", missing, get_args(Missing))
    for state in states or ():
        check_choice("states", state, STATES)
    wanted_states = None if states is None else set(states)
    wanted = Selection(topics=arguments.topics(topics), partitions=arguments.partitions(partitions))
    searched = source if isinstance(source, Sources) else Sources(source, filesystem).required()
    beside = None if metadata is None else Sources(metadata, filesystem)
    local = [one.partition for each in (searched, beside) if each is not None for one in each.found]
    local = [each for each in local if not isinstance(each.location, TierPartition)]
    dirs = [each.location for each in searched.log_dirs if isinstance(each.location, TierDir)]
    _require_both(searched, dirs, local)
    remote = read_remote_log([each for each in local if each.topic == REMOTE_LOG_METADATA])
    findings: list[Finding] = []
    lineages = _Lineages(local, findings.append)
    roots = [f"{str(place).rstrip('/')}/" for place in searched if place.is_directory()]
    is_nameless = any(each.partition_name.topic is None for tier in dirs for each in tier.partitions)
    topic_of_id = topic_names(local) if is_nameless else {}
    uploads = list(_uploads(dirs, remote.partitions, lineages, roots, topic_of_id))
    names = [*((each.topic, each.partition) for each in uploads), *searched.names]
    absent = searched.require_found(wanted.absent(names), missing)
    segments = [
        each
        for each in uploads
        if wanted.takes_named(each.topic, each.partition) and (wanted_states is None or each.state in wanted_states)
    ]
    segments.sort(
        key=lambda each: (each.topic or "", each.topic_id, each.partition or 0, each.base_offset, each.segment_id)
    )
    findings += [_finding_of_missing(each) for each in segments if each.state == MISSING]
    searched.was_read = True
    return TieredSegments(segments, (*absent, *remote.notes), findings, lineages.skipped)


def _require_both(searched: Sources, dirs: Sequence[TierDir], local: "Sequence[Partition]") -> None:
    """Check that there is remote storage, and the log of its uploads unless its layout has no such events.

    Raises:
        SourceError: one of them is missing.
    """
    if not dirs:
        raise SourceError(
            "no tiered segments found here: no file is named as a RemoteStorageManager names them",
            file=str(next(iter(searched))),
        )
    has_log = any(each.topic == REMOTE_LOG_METADATA for each in local)
    if not has_log and any(each.layout.is_counted for tier in dirs for each in tier.partitions):
        raise SourceError(
            f"no {REMOTE_LOG_METADATA} among the paths: name a log directory that has it with --metadata",
            file=str(next(iter(searched))),
        )


def _uploads(
    dirs: Sequence[TierDir],
    known: dict[tuple[str, int], RemotePartition],
    lineages: "_Lineages",
    roots: Sequence[str],
    topic_of_id: Mapping[str, str],
) -> Iterator[TieredSegment]:
    """Every upload: those of partitions in remote storage, then those that only events know.

    Args:
        dirs: the remote storage.
        known: partitions of the events by topic id and number; dropped once used, as a bucket may hold a million
            objects.
        lineages: leader epochs and log start offsets of the partitions on disks.
        roots: the given paths, above the objects.
        topic_of_id: topic names on the disks by id, for objects whose names lack the topic.
    """
    for tier in (partition for each in dirs for partition in each.partitions):
        key = tier.topic_id, tier.partition_name.partition or 0
        topic = tier.partition_name.topic or topic_of_id.get(tier.topic_id)
        yield from _of_partition(key, tier.list_uploads(), known.pop(key, None), lineages, roots, topic)
    for key, partition in known.items():
        yield from _of_partition(key, (), partition, lineages, roots, None)


def _finding_of_missing(segment: TieredSegment) -> Finding:
    there = f"there are only {', '.join(segment.objects)}" if segment.objects else "none of its objects exists"
    text = f"{segment.topic}-{segment.partition}: offsets {segment.base_offset} to {segment.end_offset} are missing"
    text += f", segment {segment.segment_id}: {there}"
    return Finding(FINDING, STATE, "", text, topic=segment.topic, partition=segment.partition)


class _Lineages:
    """Leader epochs and log start offset of each partition, from its best copy."""

    def __init__(self, local: "Sequence[Partition]", found: Callable[[Finding], None]) -> None:
        def broken(error: KafkafmtError) -> None:
            found(finding_of(error))

        self._report = broken
        self._by_id: dict[tuple[str, int], list[Partition]] = defaultdict(list)
        self.skipped: list[Partition] = []
        for each in local:
            try:
                topic_id = each.topic_id
            except KafkafmtError as error:
                broken(error)
                continue
            if topic_id is not None and each.partition is not None and each.state == "live":
                self._by_id[topic_id, each.partition].append(each)

    def of(self, key: tuple[str, int]) -> "tuple[Sequence[EpochEntry], int | None]":
        several = self._by_id.get(key)
        if not several:
            return (), None
        best = max(several, key=lambda each: replicas.standing(each, self._report)) if len(several) > 1 else several[0]
        self.skipped += [each for each in several if each is not best]
        try:
            return best.leader_epochs, best.checkpointed_log_start_offset
        except KafkafmtError as error:
            self._report(error)
            return (), None


def _of_partition(
    key: tuple[str, int],
    uploads: "Sequence[Upload]",
    known: RemotePartition | None,
    lineages: _Lineages,
    roots: Sequence[str],
    topic: str | None,
) -> Iterator[TieredSegment]:
    topic_id, partition = key
    topic = topic or (known.topic if known else None)
    events = {} if known is None else known.segments
    lineage, log_start = lineages.of(key) if known else ((), None)
    answering = known.answers(lineage, log_start) if known else {}
    by_id = {upload.id: upload for upload in uploads}
    for segment_id in dict.fromkeys([*events, *by_id]):
        event, upload = events.get(segment_id), by_id.get(segment_id)
        if upload is None and (event is None or event.state == DELETED):
            continue
        state = _state(event, upload, segment_id in answering, log_start)
        paths = [] if upload is None else sorted(entry.path for entry in upload.objects.values())
        common = {path.rpartition("/")[0] for path in paths}
        place = f"{common.pop()}/" if len(common) == 1 else ""
        base = event.start_offset if event is not None else upload.base_offset if upload is not None else 0
        yield TieredSegment(
            topic,
            topic_id,
            partition,
            segment_id,
            base,
            None if event is None else event.end_offset,
            None if event is None else event.size_in_bytes,
            None if upload is not None and not upload.layout.is_counted else state,
            sys.intern(_below(place, roots)),
            tuple(path.removeprefix(place) for path in paths),
            0 if upload is None else sum(entry.size or 0 for entry in upload.objects.values()),
        )


def _state(event: RemoteSegment | None, upload: "Upload | None", answers: bool, log_start: int | None) -> str:
    if event is None:
        return ORPHAN
    if event.state in (DELETING, DELETED):
        return DELETED_STATE
    if event.state != FINISHED:
        return INCOMPLETE
    if upload is None or not upload.is_complete:
        return MISSING
    if answers:
        return COMPLETE
    return EXPIRED if log_start is not None and event.end_offset < log_start else OVERLAPPED


def _below(path: str, roots: Sequence[str]) -> str:
    return next((path.removeprefix(root) for root in roots if path.startswith(root)), path)
