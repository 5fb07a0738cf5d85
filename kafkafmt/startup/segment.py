"""A segment as a starting broker reads it: Kafka's `LogSegment`, `FileRecords` and `OffsetIndex`, without writing.

Kafka trusts a log more than the rest of this package does: it checks no CRC unless the segment is recovered, it
trusts index entries, and bytes that look like the beginning of an incomplete batch end the log. A broker's view of
damaged files follows from these rules, so they are followed to the letter. Checked against Kafka 4.3.1.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kafkafmt.columnar.headers import OTHER_MARKER, Batches, first_wrong, marker_types
from kafkafmt.errors import ChecksumError
from kafkafmt.files.index_file import INDEX_INTERVAL_BYTES, INDEX_MAX_BYTES
from kafkafmt.files.kinds import LAYOUTS
from kafkafmt.files.read_window import ReadWindow, ReusedBuffer, WindowSizes
from kafkafmt.libraries import np
from kafkafmt.limits import Limits
from kafkafmt.reference.header import INT32_MAX, to_int64
from kafkafmt.reference.layout import (
    CONTROL,
    CURRENT_MAGIC,
    HEADER_SIZE_UP_TO_MAGIC,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    RECORD_BATCH_OVERHEAD,
    RECORD_OVERHEAD_V0,
    TRANSACTIONAL,
    smallest_size,
    verify_checksum,
)
from kafkafmt.startup.batch import Batch, described
from kafkafmt.startup.outcome import BrokerError, CorruptRecordError
from kafkafmt.startup.overflow import SegmentOverflowError, SplitPart
from kafkafmt.startup.recovered import EpochCache, Recovered, ReplayedProducers

if TYPE_CHECKING:
    from kafkafmt.io.base import DirectoryEntry, File

_INDEX_ENTRY = LAYOUTS["index"]
_WINDOW = 1024 * 1024
_FIRST_WINDOW = 4 * 1024
_RECOVERY_WINDOW = 4 * 1024 * 1024
# Segments up to this size are read batch by batch, as numpy costs more: in some logs each batch has its own segment.
_FEW_BYTES = 512
# Bytes at the end of an index that Kafka's binary search looks at first (`AbstractIndex.warmEntries`).
_WARM_BYTES = 8192
_NO_PRODUCER = -1
_NOTHING = memoryview(b"")


class LoadedSegment:
    """A segment whose files are opened when they are read.

    Args:
        base_offset: the base offset in the file's name.
        log: the log file.
        index: the offset index file; None if it is missing or empty.
        part: the part of the log file that is this segment, if the file was split; None for the whole file.

    Attributes:
        base_offset: base offset, as given.
        log: log file, as given.
        size: size of the log in bytes.
        origin: start of the segment in the log file, in bytes.
    """

    __slots__ = (
        *("_begin", "_buffer", "_end", "_index", "_opened_index", "_opened_log", "_recovered", "_window"),
        *("base_offset", "log", "origin", "size"),
    )

    def __init__(
        self, base_offset: int, log: "DirectoryEntry", index: "DirectoryEntry | None", part: SplitPart | None = None
    ) -> None:
        self.base_offset = base_offset
        self.size = (log.size or 0) if part is None else part.size
        self.origin = 0 if part is None else part.position
        self.log = log
        self._index = index
        self._recovered = None if part is None else part.index
        self._window = _NOTHING
        self._begin = 0
        self._end = self.size
        self._buffer: ReusedBuffer | None = None
        self._opened_log: File | None = None
        self._opened_index: File | None = None

    @property
    def name(self) -> str:
        """Path of the log file."""
        return self.log.path

    def close(self) -> None:
        """Close its files; they are opened again when they are read."""
        self._window, self._buffer = _NOTHING, None
        opened = self._opened_log, self._opened_index
        self._opened_log = self._opened_index = None
        for file in opened:
            if file is not None:
                file.close()

    @property
    def _log_file(self) -> "File":
        if self._opened_log is None:
            self._opened_log = self.log.location.open()
        return self._opened_log

    @property
    def _index_file(self) -> "File | None":
        if self._opened_index is None and self._index is not None:
            self._opened_index = self._index.location.open()
        return self._opened_index

    def batches(self, position: int = 0, end: int | None = None) -> Iterator[Batch]:
        """Yield batches from a position on, by their headers, as `FileLogInputStream` does.

        Args:
            position: start of a batch, in bytes.
            end: position at which to stop; None for the end of the log.

        Raises:
            CorruptRecordError: a batch claims to be smaller than any batch can be.
            SourceError: the file cannot be read.
        """
        end = self.size if end is None else min(end, self.size)
        window = _FIRST_WINDOW
        while position < end - HEADER_SIZE_UP_TO_MAGIC:
            head = self._bytes(position, RECORD_BATCH_OVERHEAD, window)
            size = int.from_bytes(head[8:12], "big", signed=True)
            if size < RECORD_OVERHEAD_V0:
                raise CorruptRecordError(
                    f"Found record size {size} smaller than minimum record overhead ({RECORD_OVERHEAD_V0}) in file "
                    f"{self.name}.",
                    self.name,
                    self.origin + position,
                )
            if position > end - LOG_OVERHEAD - size:
                return
            yield described(head, position)
            position += LOG_OVERHEAD + size
            window = _WINDOW

    def data(self, batch: Batch) -> memoryview:
        """Read all bytes of a batch."""
        return self._bytes(batch.position, batch.size_in_bytes, _RECOVERY_WINDOW)

    def _index_entry(self, number: int) -> tuple[int, int]:
        """Offset and position of an entry of the offset index, unchecked."""
        if self._recovered is not None:
            return self._recovered[number]
        if self._index_file is None:
            raise IndexError(number)
        data = self._index_file.read_at(number * _INDEX_ENTRY.size, _INDEX_ENTRY.size)
        relative, position = _INDEX_ENTRY.unpack(data)
        return to_int64(self.base_offset + relative), position

    @property
    def index_count(self) -> int:
        """Number of entries of the offset index as Kafka counts them, including the padding of a preallocated index."""
        if self._recovered is not None:
            return len(self._recovered)
        return 0 if self._index is None else (self._index.size or 0) // _INDEX_ENTRY.size

    @property
    def last_indexed(self) -> int:
        """Offset of the last entry of the offset index; -1 if it is empty."""
        return self._index_entry(self.index_count - 1)[0] if self.index_count else -1

    def _lower_bound(self, offset: int) -> int:
        """Position of the last index entry at or below an offset: `OffsetIndex.lookup`."""
        count = self.index_count
        if not count:
            return 0

        def search(low: int, high: int) -> int:
            while low < high:
                middle = (low + high + 1) // 2
                found = self._index_entry(middle)[0]
                if found > offset:
                    high = middle - 1
                elif found < offset:
                    low = middle
                else:
                    return middle
            return low

        hot = max(0, count - 1 - _WARM_BYTES // _INDEX_ENTRY.size)
        if self._index_entry(hot)[0] < offset:
            return self._index_entry(search(hot, count - 1))[1]
        if self._index_entry(0)[0] > offset:
            return 0
        return self._index_entry(search(0, hot))[1]

    def is_zero_from(self, position: int) -> bool:
        """Whether the file has only zeros from a position on."""
        at, end = self.origin + position, self.origin + self._end
        while (at := self._log_file.next_data(at)) < end:
            if any(self._log_file.read_at(at, min(_WINDOW, end - at))):
                return False
            at += _WINDOW
        return True

    def translate_offset(self, offset: int) -> int | None:
        """Position of the batch with which a read at an offset begins; None past the end of the log.

        Raises:
            CorruptRecordError: as in `batches`.
        """
        before: Batch | None = None
        for batch in self.batches(max(0, self._lower_bound(offset))):
            if batch.base_offset == offset:
                return batch.position
            if batch.base_offset > offset:
                return before.position if before is not None and before.last_offset >= offset else batch.position
            before = batch
        return before.position if before is not None and before.last_offset >= offset else None

    def next_offset(self) -> int:
        """Offset after the last batch, as `LogSegment.readNextOffset` finds it, starting at the last index entry.

        The result is the base offset if no batch is found from there.

        Raises:
            CorruptRecordError: as in `batches`.
        """
        position = self.translate_offset(self.last_indexed if self.index_count else self.base_offset)
        last = None
        for batch in () if position is None else self.batches(position):
            last = batch
        return self.base_offset if last is None else to_int64(last.last_offset + 1)

    def recover(
        self,
        producers: ReplayedProducers | None = None,
        epochs: EpochCache | None = None,
        index_interval_bytes: int = INDEX_INTERVAL_BYTES,
        index_bytes: int = INDEX_MAX_BYTES,
    ) -> Recovered:
        """Walk all batches with their CRCs, cut the log and rebuild the index: `LogSegment.recover`.

        This object is then as the broker leaves the segment; the files do not change.

        Args:
            producers: producer state at the base offset, updated up to the end; None for a file without producers.
            epochs: leader epochs so far; None for a file without leader epochs.
            index_interval_bytes: the topic's `index.interval.bytes`.
            index_bytes: the topic's `segment.index.bytes`.

        Raises:
            BrokerError: the broker does not start.
            InvalidOffsetError: the offsets do not rise as an index demands.
            SegmentOverflowError: the segment must be split first.
            SourceError: the file cannot be read.
        """
        found = Recovered(self.name, self.base_offset, index_interval_bytes, index_bytes)
        self._recovered = found.index
        sizes, is_little = WindowSizes(self.size), self.size <= _FEW_BYTES
        try:
            while True:
                window = None if is_little or sizes.visits() else self._window_at(found.size, sizes.offered)
                if window is not None:
                    run = window.batches()
                    run = run[: first_wrong(run)]
                    run = run if producers is None else run[: _first_odd_marker(run)]
                    if len(run) and found.takes(run):
                        found.add_all(run)
                        window.take(run)
                        if epochs is not None:
                            epochs.see_batches(run)
                        if producers is not None:
                            self._show(run, producers, found)
                    sizes.see(window)
                    if window.taken:
                        continue
                batch = next(self.batches(found.size), None)
                if batch is None:
                    break
                self._ensure_valid(batch)
                self._ensure_offset_in_range(batch)
                found.add(batch.last_offset, batch.max_timestamp, batch.size_in_bytes)
                if batch.magic >= CURRENT_MAGIC and epochs is not None:
                    epochs.see(self, batch)
                if batch.magic >= CURRENT_MAGIC and producers is not None:
                    found.add_aborted(producers.replay(self, (batch,)))
        except CorruptRecordError as error:
            found.reason = error.message
        found.truncated = self.size - found.size
        self.size = found.size
        found.append_time()
        return found

    def _window_at(self, position: int, most: int) -> ReadWindow | None:
        """Bytes from a v2 batch on, at most `most`; None if no batch or a batch of another format is there."""
        left = self.size - position
        if left < RECORD_BATCH_OVERHEAD:
            return None
        if self._bytes(position, RECORD_BATCH_OVERHEAD, _RECOVERY_WINDOW)[MAGIC_OFFSET] != CURRENT_MAGIC:
            return None
        begin = position - self._begin
        data = self._window[begin : begin + min(left, most)]
        return ReadWindow(data, position, data, Limits())

    def _show(self, run: Batches, producers: ReplayedProducers, found: Recovered) -> None:
        """Replay the batches that matter: of transactions, others of producers that have one, and the last batch."""
        headers = run.headers
        ids = headers["producer_id"]
        shown = (ids > _NO_PRODUCER) & ((headers["attributes"] & (TRANSACTIONAL | CONTROL)) != 0)
        open_ids = {*producers.producer_ids, *ids[shown].tolist()}
        if open_ids:
            shown |= np.isin(ids, np.fromiter(open_ids, np.int64))
        shown[-1] = True
        for start in run.starts[shown].tolist():
            batch = described(run.data[start : start + RECORD_BATCH_OVERHEAD], run.position + start)
            found.add_aborted(producers.replay(self, (batch,)))

    def truncate_to(self, offset: int) -> int:
        """Cut the log at an offset, and empty the index; returns the number of bytes cut: `LogSegment.truncateTo`."""
        position = self.translate_offset(offset)
        self._recovered = []
        cut = 0 if position is None else self.size - position
        self.size -= cut
        return cut

    def _ensure_valid(self, batch: Batch) -> None:
        smallest = smallest_size(batch.magic) + LOG_OVERHEAD
        if batch.size_in_bytes < smallest:
            raise CorruptRecordError(
                f"Record batch is corrupted (the size {batch.size_in_bytes} is smaller than the minimum allowed "
                f"overhead {smallest})",
                self.name,
                self.origin + batch.position,
            )
        try:
            verify_checksum(self.data(batch), batch.magic)
        except ChecksumError as error:
            raise CorruptRecordError(
                f"Record is corrupt (stored crc = {error.expected}, computed crc = {error.found})",
                self.name,
                self.origin + batch.position,
            ) from None

    def _ensure_offset_in_range(self, batch: Batch) -> None:
        if 0 <= batch.last_offset - self.base_offset <= INT32_MAX:
            return
        # Kafka splits a segment whose last offset is too high; for any other offset out of range it gives up.
        following = self.next_offset()
        if following > self.base_offset and following - 1 - self.base_offset > INT32_MAX:
            raise SegmentOverflowError(self)
        raise BrokerError(
            f"java.lang.IllegalArgumentException: Split operation is only permitted for segments with overflow, "
            f"and the problem path is {self.name}",
            self.name,
            self.origin + batch.position,
            advice=f"the batch at position {self.origin + batch.position} has last offset {batch.last_offset}, which "
            f"does not fit a segment that begins at {self.base_offset}: repair the partition, or move it away",
        )

    def _bytes(self, position: int, length: int, window: int) -> memoryview:
        at = position - self._begin
        if at < 0 or at + length > len(self._window):
            self._begin, at = position, 0
            self._window = _NOTHING  # lets the buffer be reused
            self._buffer = self._buffer or ReusedBuffer()
            memory = self._buffer(min(max(length, window), max(0, self._end - position)))
            self._window = memory[: self._log_file.readinto_at(self.origin + position, memory)].toreadonly()
        return self._window[at : at + length]


def _first_odd_marker(run: Batches) -> int:
    """Number of batches before the first control batch that is not an ordinary transaction marker."""
    control = np.flatnonzero((run.headers["attributes"] & CONTROL) != 0)
    odd = control[marker_types(run[control]) == OTHER_MARKER] if len(control) else control
    return int(odd[0]) if len(odd) else len(run)
