"""ServedLog: one partition as a broker answers about it. Its methods read files, so they block."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from kafkafmt.cached import cached_property, computed_once
from kafkafmt.errors import DataError, KafkafmtError, SourceError
from kafkafmt.io.local_file import is_shortage
from kafkafmt.limits import Limits
from kafkafmt.logdir.growth import ReadingPlace
from kafkafmt.logdir.leader_epochs import EpochHistory
from kafkafmt.logdir.partition_transactions import PartitionTransactions
from kafkafmt.logdir.recovery import loaded_history
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.serving.api import ABSENT, ServeOptions
from kafkafmt.serving.earlier_state import NOTHING, EarlierState, continues, last_whole_batch
from kafkafmt.serving.gap import GAP_SIZE, gap
from kafkafmt.serving.kept_batches import KeptBatches, ReaderPlaces
from kafkafmt.serving.listed_segments import ListedSegments
from kafkafmt.serving.log_reader import LogReader, Stretch
from kafkafmt.serving.sent_files import NotAtHandError

if TYPE_CHECKING:
    from kafkafmt.logdir.growth import Inode
    from kafkafmt.logdir.lookup import RecordTime
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment


class ServedLog:
    """The best replica of a partition.

    If the log is followed, this is one of its states, which `grown` or `seen_again` replaces after the files have
    changed; a change during a reading raises SourceError.

    Args:
        partition: the replica.
        options: how the partition is served.
        report: takes a line for each fault of the files; may be called repeatedly for the same fault.
        ahead: keeps batches that are read ahead.
        inodes: inodes of the segments if the log is followed, else None.

    Attributes:
        topic: name of the topic.
        number: number of the partition.
        is_listed_anew: whether the directory may have changed since the previous state.
        is_known: whether everything but records that an answer needs has been read, and will not change.
    """

    def __init__(
        self,
        partition: "Partition",
        options: ServeOptions,
        report: Callable[[str], None],
        ahead: KeptBatches,
        inodes: "Sequence[Inode] | None" = None,
        known: EarlierState | None = None,
    ) -> None:
        self.partition = partition
        self.topic = partition.topic or partition.name
        self.number = partition.partition or 0
        self.known_leader_epoch = ABSENT
        self.is_listed_anew = inodes is not None and (known is None or known.epochs is None)
        self.is_known = False
        self._options = options
        self._report = report
        self._ahead = ahead
        self._inodes = inodes
        self._known = known or NOTHING
        self._leader_epoch: int | None = None

    def seen_again(self, partition: "Partition", inodes: "Sequence[Inode]", *, is_other: bool) -> "ServedLog":
        """The next state after the directory has changed.

        Args:
            partition: the replica as listed now.
            inodes: inodes of its segments.
            is_other: whether the directory is another one, because the topic was deleted and created again.
        """
        self.forget_places()  # the numbers of segments have changed
        found = self._state(partition, inodes, replace(self._known_now, places=None, epochs=None))
        if is_other:
            found.known_leader_epoch = ABSENT
        return found

    def forget_places(self) -> None:
        """Free the batches read ahead of readers, which then look up where they continue."""
        places = self.__dict__.get("_places", self._known.places)
        if places is not None:
            places.close()

    def grown(self, partition: "Partition", inodes: "Sequence[Inode]") -> "ServedLog":
        """The next state after the active segment or a checkpoint, but not the directory, has changed."""
        return self._state(partition, inodes, self._known_now)

    def _state(self, partition: "Partition", inodes: "Sequence[Inode] | None", known: EarlierState) -> "ServedLog":
        found = ServedLog(partition, self._options, self._report, self._ahead, inodes, known)
        # Clients ignore Metadata with an earlier epoch than before, and keep asking with the later one.
        found.known_leader_epoch = max(
            self.known_leader_epoch, ABSENT if self._leader_epoch is None else self._leader_epoch
        )
        return found

    @property
    def _known_now(self) -> EarlierState:
        """The facts for the next state of this log."""
        found, known = self.__dict__, self._known
        return replace(
            known,
            places=self._places if "_continues" in found else known.places,
            end=found.get("_tail", known.end),
            transactions=found.get("transactions", known.transactions),
            epochs=found.get("epochs", known.epochs),
        )

    @property
    def is_followed(self) -> bool:
        """Whether the files may change."""
        return self._inodes is not None

    @cached_property
    def _listed(self) -> ListedSegments:
        # The reader holds them: if it held this log, each replaced state would wait for Python's cycle collector.
        return ListedSegments(
            self.partition, self._inodes, self._report, skips_damage=self._options.on_damage == "skip"
        )

    @property
    def segments(self) -> "Sequence[Segment]":
        """The segments in order."""
        return self._listed.segments

    @cached_property
    def start(self) -> int:
        """Log start offset."""
        return self.partition.log_start_offset or 0

    @computed_once
    def log_end(self) -> int:
        """Log end offset; if the log is followed, the end of the last whole batch with a correct CRC."""
        if self._inodes is None:
            return self.partition.log_end_offset or self.start
        tail = self._tail
        base_offset = self.segments[-1].base_offset if self.segments else None
        end = base_offset if tail is None or tail.next_offset is None else tail.next_offset
        return max(self.start, end or 0)

    @property
    def sound_size(self) -> int:
        """Size in bytes of the last segment of a followed log up to the log end; 0 without segments."""
        return 0 if self._tail is None else self._tail.position

    @cached_property
    def _continues(self) -> bool:
        return continues(self.segments, self._known.end)

    @cached_property
    def _places(self) -> ReaderPlaces:
        known = self._known.places
        if known is not None and (self._known.end is None or self._continues):
            return known
        if known is not None:
            known.close()
        return ReaderPlaces(self._ahead)

    @computed_once
    def _tail(self) -> ReadingPlace | None:
        """Where the last whole batch ends; None without segments."""
        return last_whole_batch(self.segments, self._known.end if self._continues else None)

    @computed_once
    def reach(self) -> int:
        """Largest offset at which clients may be: the log end, or as of a time the start of the batch after that time.

        It is never inside a batch: a batch is served whole, and a client would continue past the end.
        """
        end = self.log_end
        if self._options.at_time is not None:
            found = self.partition.first_at(self._options.at_time + 1, report=self._listed.skip)
            end = end if found is None else min(self._batch_start(found.offset), end)
        return max(self.start, end)

    @computed_once
    def end(self) -> int:
        """Offset at which serving ends, never inside a batch: the high watermark of the only replica."""
        mark = self.partition.high_watermark if self._options.end == "high-watermark" else None
        return self.reach if mark is None else max(self.start, min(self._batch_start(mark), self.reach))

    def _batch_start(self, offset: int) -> int:
        """First offset of the batch that has an offset; the offset itself if no batch has it."""
        place = self._reader.place(offset)
        if place is None:
            return offset
        segment = self.segments[place.number]
        with segment.open() as file:
            reader = segment.reader(file, None, limits=Limits(), on_damage="skip", report=self._listed.note)
            header = next(reader.walk(lambda entry: entry.describe(deep=True), place.position), None)
        return offset if header is None or header.base_offset is None else min(offset, header.base_offset)

    @cached_property
    def epochs(self) -> EpochHistory:
        """Leader epochs and their start offsets, from leader-epoch-checkpoint alone, as Metadata must not read more."""
        return self._read_epochs()

    def _read_epochs(self) -> EpochHistory:
        """The leader epochs; none if the file cannot be read, but a SourceError if descriptors are short."""
        if self._known.epochs is not None:
            return self._known.epochs
        try:
            return EpochHistory(self.partition.leader_epochs)
        except KafkafmtError as fault:
            if is_shortage(fault):
                raise
            self.tell(fault)
            return EpochHistory(())

    @property
    def leader_epoch(self) -> int:
        """The highest leader epoch of the checkpoint and the metadata log, or without both of the last batch.

        If descriptors are short, it is that of the metadata log, until a file can be opened.
        """
        try:
            return self._kept_leader_epoch()
        except SourceError as fault:
            self.tell(fault)
            return max(0, self.known_leader_epoch)

    def _kept_leader_epoch(self) -> int:
        if self._leader_epoch is None:
            self._leader_epoch = self._find_leader_epoch()
        return self._leader_epoch

    def _find_leader_epoch(self) -> int:
        # Metadata asks all partitions for it: for thousands that nobody reads, nothing else is kept.
        latest = (self.epochs if self.is_followed else self._read_epochs()).latest
        known = max(self.known_leader_epoch, ABSENT if latest is None else latest)
        if known >= 0:
            return known
        try:
            last = self.partition.last_entry()
        except KafkafmtError as fault:
            if is_shortage(fault):
                raise
            self.tell(fault)
            last = None
        return 0 if last is None else max(0, last.partition_leader_epoch)

    def epoch_error(self, epoch: int) -> ErrorCode:
        """The error for a client that knows another leader epoch (KIP-320); NONE if it is the same or not given."""
        if epoch < 0 or epoch == self.leader_epoch:
            return ErrorCode.NONE
        return ErrorCode.FENCED_LEADER_EPOCH if epoch < self.leader_epoch else ErrorCode.UNKNOWN_LEADER_EPOCH

    def answered_epoch(self, epoch: int | None) -> int:
        """A leader epoch for an answer, at most that in Metadata, where Kafka's consumers wait for it; -1 for None."""
        return ABSENT if epoch is None else min(epoch, self.leader_epoch)

    def end_of_epoch(self, epoch: int) -> tuple[int, int]:
        """The largest epoch up to a wanted one, and the offset after it, as of `EpochHistory.end_of`; -1 if none."""
        return self.loaded_epochs.end_of(epoch, self.reach)

    @computed_once
    def loaded_epochs(self) -> EpochHistory:
        """Leader epochs as the leader has them after loading the log."""
        try:
            history = loaded_history(self.partition, self.start, self.reach)
        except DataError:
            history = self.epochs
        return history.led_in(self._kept_leader_epoch(), self.reach)

    @computed_once
    def transactions(self) -> PartitionTransactions:
        """Transactions and producers as of the end."""
        end = self.end
        if self._known.transactions is not None and self._continues:
            return self._known.transactions.grown(self.partition, self.start, end)
        aborts_open = self._options.open_transactions == "abort"
        return PartitionTransactions(self.partition, self.start, end, aborts_open=aborts_open)

    @property
    def left_open(self) -> int:
        """Number of offsets from the last stable one to the end; computed on a copy, whose state is not kept."""
        log = self if self.is_known else self._state(copy(self.partition), self._inodes, self._known)
        return log.end - log.last_stable_offset

    @property
    def last_stable_offset(self) -> int:
        """First offset of the earliest open transaction, or the end without one."""
        return self.transactions.last_stable_offset()

    def aborted(self, begin: int, stretch: Stretch, *, waits: bool = True) -> list[tuple[int, int]]:
        """Producer ids and first offsets of the aborted transactions in batches, in the order of their markers.

        As in a broker's answer, they include those that begin up to the next entry of the offset index
        (`LocalLog.addAbortedTransactions`).

        Args:
            begin: the requested offset.
            stretch: the batches.
            waits: whether files may be waited for, as for `read`.

        Raises:
            NotAtHandError: a file has to be waited for, but `waits` is False.
            SourceError: a file cannot be read.
        """
        if (waits or self.transactions.knows_aborts) and not self.transactions.may_have_aborted:
            return []
        key = self, begin, stretch.end, stretch.place, stretch.taken
        known = None if self.is_followed else self._ahead.aborted.find(key)
        if known is not None:
            return known
        if not waits:
            raise NotAtHandError
        number, position = stretch.place
        bound = max(stretch.end, self._offset_from(number, position + stretch.taken))
        found = [(each.producer_id, each.first_offset) for each in self.transactions.aborted(begin, bound)]
        if not self.is_followed:
            self._ahead.aborted.keep(key, found)
        return found

    def _offset_from(self, number: int, position: int) -> int:
        """Offset of the first entry of an offset index at or after a position; 0 without an index.

        Without such an entry it is the base offset of the next segment, or the end.
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
        return self.partition.first_at(timestamp, report=self._listed.skip)

    def largest_timestamp(self) -> "RecordTime | None":
        """The first record with the largest timestamp, as of the served time."""
        end = INT64_MAX if self._options.at_time is None else self.reach
        return self.partition.find_max_timestamp(report=self._listed.skip, end=end)

    def read(self, offset: int, most: int, *, end: int, is_first: bool, waits: bool = True) -> Stretch | None:
        """Batches from the one with an offset on; None if none is left before the end.

        If damage is skipped and leaves no batch, a batch without records leads to the end. A followed log does not get
        one, as it may just have changed.

        Args and errors are those of `LogReader.read`, with an offset up to the reach of the log.
        """
        try:
            found = self._reader.read(offset, most, end, is_first=is_first, waits=waits)
        except DataError:
            self._listed.require_same(range(len(self.segments)))  # damage, or have the files changed?
            raise
        if found is not None:
            self._listed.require_same(range(found.place[0], found.last + 1))
        elif offset < end and self._listed.skip is not None and not self.is_followed and (is_first or most >= GAP_SIZE):
            found = gap(end)
        if waits:
            is_found = self.leader_epoch == self._leader_epoch
            self.is_known = not self.is_followed and is_found and self.transactions.knows_stable
        return found

    @cached_property
    def _reader(self) -> LogReader:
        return LogReader(self._listed, self.log_end, self._ahead, self._places, may_change=self.is_followed)

    def error_of(self, fault: KafkafmtError) -> ErrorCode:
        """The error code, outside Fetch, of an answer that a fault prevents; the fault is reported.

        A broker takes the directory of an unreadable log offline, and answers KAFKA_STORAGE_ERROR. At that code, as at
        CORRUPT_MESSAGE, clients retry until they time out. Retrying helps only if other files will be there in a
        moment, or if no file can be opened now: otherwise clients get UNKNOWN_SERVER_ERROR, at which AdminClient and
        librdkafka fail at once.
        """
        if self.is_followed and isinstance(fault, SourceError) and not is_shortage(fault):
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        self.tell(fault)
        return ErrorCode.KAFKA_STORAGE_ERROR if is_shortage(fault) else ErrorCode.UNKNOWN_SERVER_ERROR

    def tell(self, fault: KafkafmtError) -> None:
        """Report a fault, unless a file of a followed log vanished or was replaced: the next look handles that."""
        cause = fault.__cause__
        is_gone = isinstance(fault, SourceError) and (cause is None or isinstance(cause, FileNotFoundError))
        if not (self.is_followed and is_gone):
            self._report(str(fault))
