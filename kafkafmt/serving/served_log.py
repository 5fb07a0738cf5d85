"""ServedLog: one partition as a broker answers about it. Methods read files, so they block."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kafkafmt.errors import DataError, KafkafmtError
from kafkafmt.files.damage import Damage
from kafkafmt.files.read_window import ReusedBuffer
from kafkafmt.limits import Limits
from kafkafmt.logdir.leader_epochs import EpochHistory
from kafkafmt.logdir.partition_transactions import PartitionTransactions
from kafkafmt.logdir.recovery import loaded_history
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import ABSENT, ServeOptions
from kafkafmt.serving.sound_batches import SoundBatches, Wanted

if TYPE_CHECKING:
    from kafkafmt.logdir.lookup import RecordTime
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment

_MOST_PLACES = 64
"""Most readers of a partition that go on without a look-up."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Batches of a log that follow each other in one segment.

    Attributes:
        parts: their bytes.
        end: offset after the last one.
        taken: bytes that they count for: a broker fills a limit with a part of the next batch.
        place: number of the segment, and position in it, in bytes, from which they were read.
    """

    parts: Sequence[memoryview]
    end: int
    taken: int
    place: tuple[int, int]


class ServedLog:
    """The best replica of a partition.

    Args:
        partition: the replica.
        options: how it is served.
        report: takes each fault of its files once, as a line.

    Attributes:
        topic: name of the topic.
        number: number of the partition.
    """

    def __init__(self, partition: "Partition", options: ServeOptions, report: Callable[[str], None]) -> None:
        self.partition = partition
        self.topic = partition.topic or partition.name
        self.number = partition.partition or 0
        self.known_leader_epoch = ABSENT
        self._options = options
        self._report = report
        self._told: set[str] = set()
        self._lock = threading.Lock()
        self._buffer = ReusedBuffer()
        self._places: OrderedDict[int, tuple[int, int]] = OrderedDict()

    @cached_property
    def segments(self) -> "Sequence[Segment]":
        """Its segments in order."""
        return self.partition.segments

    @cached_property
    def start(self) -> int:
        """Log start offset."""
        return self.partition.log_start_offset or 0

    @cached_property
    def log_end(self) -> int:
        """Log end offset."""
        return self.partition.log_end_offset or self.start

    @cached_property
    def end(self) -> int:
        """Offset up to which it is served: the high watermark of its only replica.

        It is never inside a batch: a batch is served whole, and a client would go on past the end. So as of a time it
        is where the batch of the first record after that time begins.
        """
        end = self.log_end
        if self._options.end == "high-watermark":
            mark = self.partition.high_watermark
            end = end if mark is None else min(self._batch_start(mark), end)
        if self._options.at_time is not None:
            found = self.partition.find_timestamp(self._options.at_time + 1, report=self._skip())
            end = end if found is None else min(self._batch_start(found.offset), end)
        return max(self.start, end)

    def _batch_start(self, offset: int) -> int:
        """First offset of the batch that holds an offset; the offset itself if none does."""
        place = self._place(offset)
        if place is None:
            return offset
        segment = self.segments[place[0]]
        with segment.open() as file:
            reader = segment.reader(file, None, limits=Limits(), on_damage="skip", report=self._damage)
            header = next(reader.walk(lambda entry: entry.describe(deep=True), place[1]), None)
        return offset if header is None or header.base_offset is None else min(offset, header.base_offset)

    @cached_property
    def epochs(self) -> EpochHistory:
        """Leader epochs and their start offsets, by leader-epoch-checkpoint: no other file is read for Metadata."""
        try:
            return EpochHistory(self.partition.leader_epochs)
        except KafkafmtError as fault:
            self.tell(fault)
            return EpochHistory(())

    @cached_property
    def leader_epoch(self) -> int:
        """The highest leader epoch that the checkpoint, the metadata log or, without both, the last batch knows."""
        latest = self.epochs.latest
        known = max(self.known_leader_epoch, ABSENT if latest is None else latest)
        if known >= 0:
            return known
        try:
            last = self.partition.last_entry()
        except KafkafmtError as fault:
            self.tell(fault)
            last = None
        return 0 if last is None else max(0, last.partition_leader_epoch)

    def epoch_error(self, epoch: int) -> ErrorCode:
        """The error of a request whose client knows another leader epoch (KIP-320); NONE without one."""
        if epoch < 0 or epoch == self.leader_epoch:
            return ErrorCode.NONE
        return ErrorCode.FENCED_LEADER_EPOCH if epoch < self.leader_epoch else ErrorCode.UNKNOWN_LEADER_EPOCH

    def end_of_epoch(self, epoch: int) -> tuple[int, int]:
        """The largest epoch up to one, and the offset after it, as `EpochHistory.end_of`; -1 if none.

        Args:
            epoch: the wanted epoch.
        """
        return self.loaded_epochs.end_of(epoch, self.end)

    @cached_property
    def loaded_epochs(self) -> EpochHistory:
        """Leader epochs as the leader has them once it has loaded the log."""
        try:
            history = loaded_history(self.partition, self.start, self.end)
        except DataError:
            history = self.epochs
        return history.led_in(self.leader_epoch, self.end)

    @cached_property
    def transactions(self) -> PartitionTransactions:
        """Its transactions and producers as of the end."""
        aborts_open = self._options.open_transactions == "abort"
        return PartitionTransactions(self.partition, self.start, self.end, aborts_open=aborts_open)

    @property
    def last_stable_offset(self) -> int:
        """First offset of the earliest open transaction; without one the end."""
        return self.transactions.last_stable_offset()

    def aborted(self, begin: int, stretch: Stretch) -> list[tuple[int, int]]:
        """Producer ids and first offsets of the aborted transactions in batches, in the order of their markers.

        As in a broker's answer those are among them that begin up to the next entry of the offset index
        (`LocalLog.addAbortedTransactions`).

        Args:
            begin: the offset that was asked for.
            stretch: the batches.
        """
        if not self.transactions.may_have_aborted:
            return []
        number, position = stretch.place
        bound = max(stretch.end, self._offset_from(number, position + stretch.taken))
        return [(each.producer_id, each.first_offset) for each in self.transactions.aborted(begin, bound)]

    def _offset_from(self, number: int, position: int) -> int:
        """Offset of the first entry of an offset index at or after a position; 0 without an index.

        Without such an entry it is where the next segment begins, or the end.
        """
        with self.segments[number].ranged_offset_index() as index:
            if index is None:
                return 0
            entry = index.count_up_to_position(position - 1)
            if entry < len(index):
                return index.base_offset + index.slot(entry)[0]
        following = self.segments[number + 1].base_offset if number + 1 < len(self.segments) else None
        return self.end if following is None else following

    def at_time(self, timestamp: int) -> "RecordTime | None":
        """The first record at or after a time in ms."""
        return self.partition.find_timestamp(timestamp, report=self._skip())

    def largest_timestamp(self) -> "RecordTime | None":
        """The first record with the largest timestamp."""
        return self.partition.find_max_timestamp(report=self._skip())

    def read(self, offset: int, most: int, *, end: int, is_first: bool) -> Stretch | None:
        """Batches from the one with an offset on; None if there is none.

        Args:
            offset: from the start to the end of the log.
            most: bytes.
            end: offset before which they begin: the last stable one, or the end.
            is_first: whether the first batch is given though it is larger.

        Raises:
            KafkafmtError: damage, if it is not skipped; a file cannot be read.
        """
        if offset >= end:
            return None
        place = self._place(offset)
        if place is None:
            return None
        number, position = place
        wanted = Wanted(offset, end, most, is_first)
        while number < len(self.segments):
            found = self._read_segment(number, position, wanted)
            if found.parts:
                self._remember(found.next_offset, (number, found.position))
                return Stretch(found.parts, found.next_offset, found.taken, (number, position))
            if found.is_full:
                return None
            number, position = number + 1, 0
        return None

    def _place(self, offset: int) -> tuple[int, int] | None:
        with self._lock:
            place = self._places.pop(offset, None)
        if place is not None:
            return place
        found = self.partition.find_offset(offset, report=self._skip())
        if found is None:
            return None
        return self._numbers[found.file], found.position

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {segment.file: number for number, segment in enumerate(self.segments)}

    def _remember(self, offset: int, place: tuple[int, int]) -> None:
        with self._lock:
            self._places[offset] = place
            while len(self._places) > _MOST_PLACES:
                self._places.popitem(last=False)

    def _read_segment(self, number: int, position: int, wanted: Wanted) -> SoundBatches:
        segment = self.segments[number]
        following = self.segments[number + 1] if number + 1 < len(self.segments) else None
        with segment.open() as file:
            found = SoundBatches(segment, file, following, self.log_end, wanted, self._skip())
            found.read(position, self._buffer)
            return found

    def _skip(self) -> Callable[[Damage], None] | None:
        return None if self._options.on_damage == "stop" else self._damage

    def _damage(self, damage: Damage) -> None:
        if not damage.is_open_end:
            self._tell(f"{damage}: skipped")

    def tell(self, fault: KafkafmtError) -> None:
        """Report a fault, once."""
        self._tell(str(fault))

    def _tell(self, line: str) -> None:
        if line not in self._told:
            self._told.add(line)
            self._report(line)
