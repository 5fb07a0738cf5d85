"""The result of `LogSegment.recover` for a segment: its end, new indexes, leader epochs and transactions."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafkafmt.columnar.headers import Batches
from kafkafmt.errors import CorruptError, DataError
from kafkafmt.files import leader_epoch_checkpoint, producer_snapshot
from kafkafmt.files.index_file import INDEX_MAX_BYTES
from kafkafmt.files.kinds import LAYOUTS
from kafkafmt.libraries import np
from kafkafmt.logdir.producer_states import ProducerStates, marker_of
from kafkafmt.reference.control import InvalidRecordError
from kafkafmt.reference.header import INT32_MAX, to_int64
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.startup.outcome import BrokerError, CorruptRecordError, InvalidOffsetError
from kafkafmt.survey.refused import LEAVE_IT_OUT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkafmt.files.transaction_index import AbortedTransaction
    from kafkafmt.io.base import Location
    from kafkafmt.startup.batch import Batch, BatchSource

OFFSET_ENTRY_BYTES, TIME_ENTRY_BYTES = (LAYOUTS[kind].size for kind in ("index", "timeindex"))

LARGER_INDEXES = (
    "set segment.index.bytes of the topic back to what it was: kafka-configs.sh on another broker, or with "
    "--bootstrap-controller; a node that is also the controller starts with process.roles=controller for that"
)

_NO_TIMESTAMP = -1
_NO_PRODUCER = -1
_NO_SEQUENCE = -1


@dataclass
class Recovered:
    """The recovery of a segment, one batch at a time or in bulk.

    Attributes:
        name: path of the log file, for errors.
        base_offset: base offset of the segment.
        index_interval_bytes: the topic's `index.interval.bytes`.
        index_bytes: the topic's `segment.index.bytes`: a full index ends the start.
        size: bytes of the log that are kept.
        truncated: bytes cut at its end.
        reason: why it was cut, or "".
        index: entries of the new offset index: offset and position.
        time_index: entries of the new time index: timestamp and offset.
    """

    name: str
    base_offset: int
    index_interval_bytes: int
    index_bytes: int = INDEX_MAX_BYTES
    size: int = 0
    truncated: int = 0
    reason: str = ""
    index: list[tuple[int, int]] = field(default_factory=list)
    time_index: list[tuple[int, int]] = field(default_factory=list)
    _indexed: int = 0
    _last_aborted: int | None = None
    _highest_offset: int = -1
    _max_timestamp: int = _NO_TIMESTAMP
    _offset_of_max: int = _NO_TIMESTAMP

    @property
    def completes_aborted(self) -> bool:
        """Whether an aborted transaction ends in the segment, so that a transaction index is written."""
        return self._last_aborted is not None

    def add(self, last_offset: int, max_timestamp: int, size: int) -> None:
        """Keep the next batch.

        Raises:
            BrokerError: an index is full.
            InvalidOffsetError: the offsets do not rise as an index demands.
        """
        if max_timestamp > self._max_timestamp:
            self._max_timestamp, self._offset_of_max = max_timestamp, last_offset
        self._highest_offset = max(self._highest_offset, last_offset)
        if self.size - self._indexed > self.index_interval_bytes:
            self._require_room(len(self.index))
            if self.index and last_offset <= self.index[-1][0]:
                raise InvalidOffsetError(
                    f"Attempt to append an offset ({last_offset}) to position {len(self.index)} no "
                    f"larger than the last offset appended ({self.index[-1][0]}) to {self.name}.",
                    self.name,
                    self.size,
                )
            self.index.append((last_offset, self.size))
            self.append_time()
            self._indexed = self.size
        self.size += size

    def add_aborted(self, transactions: "Iterable[AbortedTransaction]") -> None:
        """Append entries to the transaction index (`TransactionIndex.append`).

        Raises:
            BrokerError: the offsets of the transactions' markers do not rise.
        """
        for each in transactions:
            last = self._last_aborted
            if last is not None and last >= each.last_offset:
                raise BrokerError(
                    "java.lang.IllegalArgumentException: The last offset of appended transactions must increase "
                    f"sequentially, but {each.last_offset} is not greater than current last offset {last}",
                    self.name,
                    advice=LEAVE_IT_OUT,
                )
            self._last_aborted = each.last_offset

    def takes(self, batches: Batches) -> bool:
        """Whether the offsets of the next batches rise and fit the segment, as `add_all` requires."""
        lasts = batches.last_offsets
        return (
            int(lasts[0]) > max(self._highest_offset, self.base_offset - 1)
            and int(lasts[-1]) - self.base_offset <= INT32_MAX
            and bool((lasts[1:] > lasts[:-1]).all())
        )

    def add_all(self, batches: Batches) -> None:
        """Keep the next batches, for which `takes` must be true; the same as `add` for each batch.

        Raises:
            BrokerError: an index is full.
        """
        lasts, timestamps = batches.last_offsets, batches.headers["max_timestamp"]
        latest = np.maximum.accumulate(np.maximum(timestamps, self._max_timestamp))
        before = np.concatenate([np.array([self._max_timestamp], np.int64), latest[:-1]])
        newest = np.maximum.accumulate(np.where(timestamps > before, np.arange(len(lasts)), -1))
        offsets_of_max = np.where(newest >= 0, lasts[newest], self._offset_of_max)
        begins = (batches.starts + batches.position).tolist()
        chosen = []
        for number, begin in enumerate(begins):
            if begin - self._indexed > self.index_interval_bytes:
                chosen.append(number)
                self._indexed = begin
        entries = len(self.index)
        self.index += [(offset, begins[number]) for offset, number in zip(lasts[chosen].tolist(), chosen, strict=True)]
        times = zip(latest[chosen].tolist(), offsets_of_max[chosen].tolist(), strict=True)
        for before_this, (timestamp, offset) in enumerate(times, entries):
            self._require_room(before_this)
            if timestamp > (self.time_index[-1][0] if self.time_index else _NO_TIMESTAMP):
                self.time_index.append((timestamp, offset))
        self._highest_offset = int(lasts[-1])
        self._max_timestamp, self._offset_of_max = int(latest[-1]), int(offsets_of_max[-1])
        self.size = int(batches.ends[-1]) + batches.position

    def _require_room(self, entries: int) -> None:
        """Refuse another entry if an index is full: Kafka reserves one time index entry for the end of the segment."""
        for name, known, most in (
            ("index", entries, self.index_bytes // OFFSET_ENTRY_BYTES),
            ("time index", len(self.time_index), self.index_bytes // TIME_ENTRY_BYTES - 1),
        ):
            if known >= most:
                raise BrokerError(
                    f"java.lang.IllegalArgumentException: Attempt to append to a full {name} (size = {known}). "
                    f"[{self.name}]",
                    self.name,
                    advice=LARGER_INDEXES,
                )

    def append_time(self) -> None:
        """`TimeIndex.maybeAppend`: adds an entry only if it is later than the last one.

        Raises:
            BrokerError: the index has no place, not even the one that is kept for the end of the segment.
            InvalidOffsetError: its offset is below that of the last entry.
        """
        last_timestamp, last_offset = self.time_index[-1] if self.time_index else (_NO_TIMESTAMP, None)
        if last_offset is not None and self._offset_of_max < last_offset:
            raise InvalidOffsetError(
                f"Attempt to append an offset ({self._offset_of_max}) to slot {len(self.time_index)} no larger than "
                f"the last offset appended ({last_offset}) to {self.name}.",
                self.name,
                None,
            )
        if self._max_timestamp > last_timestamp:
            if len(self.time_index) >= self.index_bytes // TIME_ENTRY_BYTES:
                message = f"java.nio.BufferOverflowException: the time index has {self.index_bytes} bytes [{self.name}]"
                raise BrokerError(message, self.name, advice=LARGER_INDEXES)
            self.time_index.append((self._max_timestamp, self._offset_of_max))


class EpochCache:
    """The latest leader epoch of a log, as in Kafka's `LeaderEpochFileCache` while segments are recovered.

    Attributes:
        latest: the latest leader epoch; -1 for none.
        added: epoch and start offset of each entry that recovery adds from batches.
    """

    def __init__(self) -> None:
        self.latest = -1
        self.added: list[tuple[int, int]] = []

    def load(self, location: "Location") -> None:
        """Read leader-epoch-checkpoint.

        Raises:
            BrokerError: an entry is negative.
            DataError: the file is malformed.
            SourceError: the file cannot be read.
        """
        found = leader_epoch_checkpoint.read(location)
        if found.refused is not None:
            entry = next(each for each in found.entries if each.is_refused)
            raise BrokerError(_refused_epoch(entry.epoch, entry.start_offset), str(location), found.refused)
        if found.entries:
            self.latest = found.entries[-1].epoch

    def see(self, segment: "BatchSource", batch: "Batch") -> None:
        """Take the epoch of a batch if it is later than the latest one.

        Raises:
            BrokerError: its base offset is negative.
        """
        if batch.leader_epoch > self.latest:
            if batch.base_offset < 0:
                message = _refused_epoch(batch.leader_epoch, batch.base_offset)
                raise BrokerError(message, segment.name, segment.origin + batch.position, advice=LEAVE_IT_OUT)
            self._add(batch.leader_epoch, batch.base_offset)

    def see_batches(self, batches: Batches) -> None:
        """Take the epochs of batches, whose base offsets must be valid; the same as `see` for each batch."""
        epochs = batches.headers["partition_leader_epoch"]
        rises = epochs > np.maximum.accumulate(np.append(self.latest, epochs))[:-1]
        for epoch, start in zip(epochs[rises].tolist(), batches.headers["base_offset"][rises].tolist(), strict=True):
            self._add(epoch, start)

    def _add(self, epoch: int, start: int) -> None:
        self.latest = epoch
        self.added.append((epoch, start))


def _refused_epoch(epoch: int, start_offset: int) -> str:
    return (
        "java.lang.IllegalArgumentException: Received invalid partition leader epoch entry "
        f"EpochEntry[epoch={epoch}, startOffset={start_offset}]"
    )


class ReplayedProducers:
    """The producers with an open transaction at an offset of a log: the state on which a start depends.

    Args:
        offset: log start offset.

    Attributes:
        offset: offset up to which the log has been replayed.
    """

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self._states = ProducerStates(only_open=True)

    def __bool__(self) -> bool:
        return bool(self._states.ongoing)

    @property
    def producer_ids(self) -> Collection[int]:
        """Producers with an open transaction."""
        return self._states.ongoing.values()

    def load(self, snapshots: "Mapping[int, Location]", after: int, end: int) -> None:
        """Begin with the newest readable snapshot: Kafka sets broken ones aside.

        Args:
            snapshots: producer snapshots by their offsets.
            after: the log start offset; only snapshots above it are used.
            end: highest offset of a snapshot that may be used.

        Raises:
            SourceError: a snapshot cannot be read.
        """
        for offset in sorted((each for each in snapshots if after < each <= end), reverse=True):
            try:
                found = producer_snapshot.read(snapshots[offset])
            except DataError:
                continue
            self.offset = offset
            self._states = ProducerStates(found.entries, only_open=True)
            return

    def replay(self, segment: "BatchSource", batches: "Iterable[Batch]") -> "list[AbortedTransaction]":
        """Replay batches that Kafka appends together; returns the aborted transactions that end in them.

        Raises:
            CorruptRecordError: Kafka throws an InvalidRecordException.
            BrokerError: Kafka throws another exception.
        """
        append = self._states.prepare()
        batch: Batch | None = None
        try:
            for batch in batches:
                if batch.magic >= CURRENT_MAGIC and batch.producer_id > _NO_PRODUCER:
                    if batch.is_control:
                        marker = marker_of(segment.data(batch))
                        append.marker(batch.producer_id, batch.producer_epoch, batch.base_offset, marker)
                    else:
                        append.data(
                            batch.producer_id,
                            batch.producer_epoch,
                            _NO_SEQUENCE,
                            (batch.base_offset, batch.last_offset),
                            batch.max_timestamp,
                            is_transactional=batch.is_transactional,
                        )
            aborted = append.commit()
        except CorruptError as error:
            kind = CorruptRecordError if isinstance(error, InvalidRecordError) else BrokerError
            position = None if batch is None else segment.origin + batch.position
            raise kind(error.message, segment.name, position, advice=LEAVE_IT_OUT) from None
        if batch is not None:
            self.offset = to_int64(batch.last_offset + 1)
        return aborted
