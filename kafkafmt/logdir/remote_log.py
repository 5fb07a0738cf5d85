"""The segments in remote storage according to `__remote_log_metadata` (KIP-405), partition by partition.

Each upload passes through states. Kafka's RemoteLogMetadataCache decides which upload provides which offsets: a map of
first offsets for each leader epoch, updated in the order of events.
"""

import threading
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from kafkafmt.errors import CorruptError, DataError
from kafkafmt.files.damage import Note
from kafkafmt.internal_topics import REMOTE_LOG_METADATA

if TYPE_CHECKING:
    from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.reference.messages.framed_records import FramedRecord

STATES: Final = ("COPY_SEGMENT_STARTED", "COPY_SEGMENT_FINISHED", "DELETE_SEGMENT_STARTED", "DELETE_SEGMENT_FINISHED")
"""Kafka's RemoteLogSegmentState, by number."""

STARTED, FINISHED, DELETING, DELETED = range(4)

# Above every offset, which is an int64.
_INFINITY = 1 << 63


@dataclass(slots=True)
class RemoteSegment:
    """One upload of a segment.

    Attributes:
        id: the segment id, as Kafka prints it.
        start_offset: the base offset.
        end_offset: the last offset.
        size_in_bytes: size of the segment.
        leader_epochs: each leader epoch in the segment, and its first offset there; both rise.
        max_timestamp: largest timestamp, in ms since the epoch.
        event_timestamp: timestamp of the last event, in ms since the epoch.
        state: state after the last event, as an index of `STATES`.
    """

    id: str
    start_offset: int
    end_offset: int
    size_in_bytes: int
    leader_epochs: tuple[tuple[int, int], ...]
    max_timestamp: int
    event_timestamp: int
    state: int = STARTED

    def epoch_ranges(self) -> Iterator[tuple[int, int, int]]:
        """Each leader epoch with its first and last offset in the segment."""
        lasts = [offset - 1 for _, offset in self.leader_epochs[1:]]
        for (epoch, first), last in zip(self.leader_epochs, [*lasts, self.end_offset], strict=True):
            yield epoch, first, last


@dataclass(slots=True)
class _EpochState:
    """The uploads that provide the offsets of one leader epoch: Kafka's RemoteLogLeaderEpochState."""

    firsts: list[int] = field(default_factory=list)
    ids: dict[int, str] = field(default_factory=dict)
    highest: int = -1

    def finish(self, segment_id: str, first: int, last: int) -> None:
        if self.highest <= last:
            for dropped in self.firsts[bisect_left(self.firsts, first) :]:
                del self.ids[dropped]
            del self.firsts[bisect_left(self.firsts, first) :]
        if first not in self.ids:
            insort(self.firsts, first)
        self.ids[first] = segment_id
        self.highest = max(self.highest, last)

    def remove(self, segment_id: str, first: int) -> None:
        if self.ids.get(first) == segment_id:
            del self.ids[first]
            del self.firsts[bisect_left(self.firsts, first)]


@dataclass(slots=True)
class RemotePartition:
    """The remote segments of one partition.

    Attributes:
        topic: name of its topic.
        segments: the segments by segment id, in the order of their first events.
        is_deleted: whether the partition was marked as deleted.
    """

    topic: str
    segments: dict[str, RemoteSegment] = field(default_factory=dict)
    is_deleted: bool = False
    _epochs: defaultdict[int, _EpochState] = field(default_factory=lambda: defaultdict(_EpochState))

    def start(self, segment: RemoteSegment) -> None:
        """Apply the event that an upload has begun, or a snapshot of an upload."""
        self.segments[segment.id] = segment
        if segment.state != STARTED:
            self._move(segment, segment.state)

    def update(self, segment_id: str, state: int, event_timestamp: int) -> None:
        """Apply the event that an upload has reached a state; events of unknown uploads are ignored."""
        segment = self.segments.get(segment_id)
        if segment is not None:
            segment.event_timestamp = event_timestamp
            self._move(segment, state)

    def answers(
        self, lineage: "Sequence[EpochEntry]", log_start_offset: int | None = None
    ) -> dict[str, list[tuple[int, int]]]:
        """The offsets that Kafka would read from each upload: first and last of each range, by segment id.

        Args:
            lineage: leader epochs of the log, from its leader-epoch-checkpoint; empty if unknown.
            log_start_offset: offsets below it are left out.
        """
        found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        ends = [*(entry.start_offset for entry in lineage[1:]), _INFINITY]
        spans = [(entry.epoch, entry.start_offset, end) for entry, end in zip(lineage, ends, strict=False)]
        for epoch, begin, end in spans or [(epoch, 0, _INFINITY) for epoch in self._epochs]:
            state = self._epochs.get(epoch)
            if state is None:
                continue
            for number, first in enumerate(state.firsts):
                segment = self.segments[state.ids[first]]
                last = next(last for of, _, last in segment.epoch_ranges() if of == epoch)
                following = state.firsts[number + 1] if number + 1 < len(state.firsts) else _INFINITY
                low = max(first, begin, log_start_offset or 0)
                high = min(last, following - 1, end - 1)
                if low > high:
                    continue
                ranges = found[segment.id]
                if ranges and ranges[-1][1] + 1 == low:
                    low = ranges.pop()[0]
                ranges.append((low, high))
        return found

    def _move(self, segment: RemoteSegment, state: int) -> None:
        segment.state = state
        for epoch, first, last in segment.epoch_ranges():
            if state == FINISHED:
                self._epochs[epoch].finish(segment.id, first, last)
            elif state == DELETING:
                self._epochs[epoch].remove(segment.id, first)


@dataclass(frozen=True, slots=True)
class RemoteLog:
    """The remote segments of all partitions.

    Attributes:
        partitions: the partitions by topic id, as Kafka prints it, and number.
        notes: notes on the parts that could not be read.
    """

    partitions: dict[tuple[str, int], RemotePartition]
    notes: tuple[Note, ...] = ()


def read_remote_log(partitions: "Iterable[Partition]") -> RemoteLog:
    """Read the metadata log of remote storage.

    Args:
        partitions: partitions of `__remote_log_metadata`; if there are several copies of one, the longest counts.

    Raises:
        SourceError: a log cannot be read.
    """
    copies: dict[int, list[Partition]] = defaultdict(list)
    for each in partitions:
        if each.topic == REMOTE_LOG_METADATA and each.partition is not None and each.state == "live":
            copies[each.partition].append(each)
    known: dict[tuple[str, int], RemotePartition] = {}
    notes = []
    for _, several in sorted(copies.items()):
        best = several[0] if len(several) == 1 else max(several, key=lambda each: each.log_end_offset or 0)
        try:
            _read_partition(best, known)
        except DataError as error:
            text = f"the metadata of remote storage is damaged, so later events are unknown: {error}"
            notes.append(Note(text, path=error.file, topic=best.topic, partition=best.partition))
    return RemoteLog(known, tuple(notes))


class LazyRemoteLog:
    """The metadata log of remote storage, read once, when it is needed. It can be pickled.

    Args:
        partitions: as for `read_remote_log`.
        notes: extended by notes on the parts that could not be read.
    """

    def __init__(self, partitions: "Sequence[Partition]", notes: list[Note]) -> None:
        self._partitions = partitions
        self._notes = notes
        self._known: RemoteLog | None = None
        self._reading = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_reading"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._reading = threading.Lock()

    @property
    def _log(self) -> RemoteLog:
        # One thread for all partitions: the log may be large.
        with self._reading:
            if self._known is None:
                self._known = read_remote_log(self._partitions)
                self._notes += self._known.notes
            return self._known

    def partition(self, topic_id: str, number: int | None) -> RemotePartition | None:
        """The remote segments of a partition; None if it is unknown.

        Args:
            topic_id: topic id, as Kafka prints it.
            number: partition number.

        Raises:
            SourceError: a log cannot be read.
        """
        return None if number is None else self._log.partitions.get((topic_id, number))


def _read_partition(partition: "Partition", known: dict[tuple[str, int], RemotePartition]) -> None:
    # Imported here: few sources have this log, and the specs of all messages take a while to load.
    from kafkafmt.reference.messages import framed_records  # noqa: PLC0415

    for segment in partition.segments:
        for record in segment.records():
            if record.batch.is_control_batch or record.value is None:
                continue
            try:
                _take(framed_records.decode(REMOTE_LOG_METADATA, bytes(record.value)), known)
            except DataError as error:
                error.at(segment.file, record.position)
                raise


def _take(record: "FramedRecord", known: dict[tuple[str, int], RemotePartition]) -> None:
    data = record.message.data
    kind = record.type
    if kind == "REMOTE_PARTITION_DELETE_METADATA_RECORD":
        _partition_of(data["topicIdPartition"], known).is_deleted = True
        return
    ids: dict[str, Any] = data["remoteLogSegmentId"] if "remoteLogSegmentId" in data else {"id": data["segmentId"]}
    if "topicIdPartition" not in ids:
        return  # an event of a metadata snapshot, which this topic never held
    partition = _partition_of(ids["topicIdPartition"], known)
    state = data["remoteLogSegmentState"]
    if not 0 <= state < len(STATES):
        raise CorruptError("an unknown state of a remote segment", expected="0 to 3", found=state)
    if kind == "REMOTE_LOG_SEGMENT_METADATA_UPDATE_RECORD":
        partition.update(ids["id"], state, data["eventTimestampMs"])
        return
    epochs = sorted((each["leaderEpoch"], each["offset"]) for each in data["segmentLeaderEpochs"])
    partition.start(
        RemoteSegment(
            ids["id"],
            data["startOffset"],
            data["endOffset"],
            data["segmentSizeInBytes"],
            tuple(epochs),
            data["maxTimestampMs"],
            data["eventTimestampMs"],
            state,
        )
    )


def _partition_of(data: dict[str, Any], known: dict[tuple[str, int], RemotePartition]) -> RemotePartition:
    key = data["id"], data["partition"]
    if key not in known:
        known[key] = RemotePartition(data["name"])
    return known[key]
