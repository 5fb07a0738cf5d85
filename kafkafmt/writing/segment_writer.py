"""The segment being written: a log and its indexes, as Kafka's `LogSegment` maintains them while it appends."""

import os
from collections.abc import Sequence
from pathlib import Path

from kafkafmt.errors import SourceError, UnsupportedError
from kafkafmt.files.kinds import LAYOUTS
from kafkafmt.files.names import segment_file_name
from kafkafmt.files.transaction_index import AbortedTransaction
from kafkafmt.reference.header import INT32_MAX, BatchHeader
from kafkafmt.writing.target import PRIVATE_FILE

INDEX, TIME_INDEX, TRANSACTION_INDEX = LAYOUTS["index"], LAYOUTS["timeindex"], LAYOUTS["txnindex"]
_NO_TIMESTAMP = -1


class IndexWriter:
    """An index of an open segment, whose file has its largest possible size and is cut when the segment is closed.

    `make` creates the file before its first use, as Kafka's `LazyIndex` does.

    Args:
        path: path of the file.
        entry_size: size of an entry in bytes.
        max_bytes: the topic's `segment.index.bytes`, rounded down to whole entries.
        count: number of present entries.
    """

    def __init__(self, path: Path, entry_size: int, max_bytes: int, count: int = 0) -> None:
        self.count = count
        self.most = max_bytes // entry_size
        self._size = entry_size
        self._path = path
        self._is_made = False

    def make(self) -> None:
        """Create the file, or extend it to its largest possible size, unless that was done."""
        if not self._is_made:
            resize(self._path, self.most * self._size)
            self._is_made = True

    def append(self, entries: Sequence[bytes]) -> None:
        """Append entries, which must fit."""
        if entries:
            self.make()
            write_at(self._path, b"".join(entries), self.count * self._size)
            self.count += len(entries)

    def close(self) -> None:
        """Cut off the unused part."""
        resize(self._path, self.count * self._size)


class SegmentWriter:
    """A segment that is appended to.

    Args:
        directory: directory of the partition.
        base_offset: base offset of the segment.
        index_interval_bytes: the topic's `index.interval.bytes`.
        index_max_bytes: the topic's `segment.index.bytes`.
        preallocate: initial size of the log file in bytes; 0 for none.
        opened_ms: time of opening, ms since the epoch.
        size: present bytes of the log.
        index_count: entries of the offset index.
        last_time: last entry of the time index: timestamp and offset; None for none.
        time_count: entries of the time index.
        first_timestamp: largest timestamp of the first batch, if there is one.
    """

    def __init__(
        self,
        directory: Path,
        base_offset: int,
        *,
        index_interval_bytes: int,
        index_max_bytes: int,
        preallocate: int,
        opened_ms: int,
        size: int = 0,
        index_count: int = 0,
        last_time: tuple[int, int] | None = None,
        time_count: int = 0,
        first_timestamp: int | None = None,
    ) -> None:
        self.base_offset = base_offset
        self.size = size
        self.opened_ms = opened_ms
        self._interval = index_interval_bytes
        self._since_entry = 0
        self._first_timestamp = first_timestamp
        self._last_time = last_time
        # Largest timestamp and its offset; None until something is appended: until then the last entry of the index
        # counts.
        self._latest: tuple[int, int] | None = None
        self._transactions = directory / segment_file_name(base_offset, "txnindex")
        self._log = directory / segment_file_name(base_offset, "log")
        resize(self._log, max(preallocate, size))
        index, times = (directory / segment_file_name(base_offset, kind) for kind in ("index", "timeindex"))
        self._index = IndexWriter(index, INDEX.size, index_max_bytes, index_count)
        self._times = IndexWriter(times, TIME_INDEX.size, index_max_bytes, time_count)

    def open_indexes(self) -> None:
        """Create the index files, or extend them to their largest possible size."""
        self._index.make()
        self._times.make()

    def should_roll(
        self, size: int, max_timestamp: int, last_offset: int, limits: tuple[int, int], now_ms: int
    ) -> bool:
        """Whether a new segment is due before an append (`LogSegment.shouldRoll`).

        Args:
            size: size of the append in bytes.
            max_timestamp: its largest timestamp, -1 for none.
            last_offset: its last offset.
            limits: `segment.bytes` and `segment.ms`.
            now_ms: the clock.
        """
        self.open_indexes()
        segment_bytes, segment_ms = limits
        first = self._first_timestamp
        waited = max_timestamp - first if first is not None and first >= 0 else now_ms - self.opened_ms
        return (
            self.size > segment_bytes - size
            or (self.size > 0 and waited > segment_ms)
            or self._index.count >= self._index.most
            or self._times.count >= self._times.most - 1
            or not 0 <= last_offset - self.base_offset <= INT32_MAX
        )

    def fitting(self, headers: Sequence[BatchHeader], limits: tuple[int, int], now_ms: int) -> int:
        """Number of batches that, appended one by one, surely need neither a new segment nor a check for a full index.

        Args:
            headers: headers of the batches.
            limits: `segment.bytes` and `segment.ms`.
            now_ms: the clock.
        """
        first, size = self._first_timestamp, self.size
        room = min(self._index.most - self._index.count, self._times.most - 1 - self._times.count)
        for number, header in enumerate(headers[: max(room, 0)]):
            timestamp = _timestamp(header)
            waited = timestamp - first if first is not None and first >= 0 else now_ms - self.opened_ms
            if (
                size > limits[0] - header.size_in_bytes
                or (size > 0 and waited > limits[1])
                or not 0 <= (header.last_offset or 0) - self.base_offset <= INT32_MAX
            ):
                return number
            first = timestamp if first is None else first
            size += header.size_in_bytes
        return min(len(headers), max(room, 0))

    def append(self, headers: Sequence[BatchHeader], data: bytes | memoryview) -> None:
        """Append whole batches whose offsets fit the segment (`LogSegment.append`).

        Raises:
            UnsupportedError: an index cannot hold all entries of this append; nothing is written.
            SourceError: the file system refuses the data.
        """
        index, times, state = self._planned(headers)
        self.open_indexes()
        write_at(self._log, data, self.size)
        self._index.append(index)
        self._times.append(times)
        self._latest, self._last_time, self._since_entry = state
        if self._first_timestamp is None:
            self._first_timestamp = _timestamp(headers[0])
        self.size += len(data)

    def append_aborted(self, transactions: Sequence[AbortedTransaction]) -> None:
        """Append to the transaction index, which is created at the first aborted transaction."""
        if transactions:
            with open(self._transactions, "ab", opener=_private) as file:
                for each in transactions:
                    values = (each.producer_id, each.first_offset, each.last_offset, each.last_stable_offset)
                    file.write(TRANSACTION_INDEX.pack(each.version, *values))

    def close(self) -> None:
        """Close the files as at a roll or a clean shutdown: with a last time entry, and without preallocated space."""
        if self._latest is not None and self._latest[0] > self._last_timestamp(self._last_time):
            self._times.append([self._time_entry(self._latest)])
            self._last_time = self._latest
        resize(self._log, self.size)
        self._index.close()
        self._times.close()

    def _planned(
        self, headers: Sequence[BatchHeader]
    ) -> tuple[list[bytes], list[bytes], tuple[tuple[int, int], tuple[int, int] | None, int]]:
        """Compute the entries that an append adds, and the state after it."""
        latest = self._latest or self._last_time or (_NO_TIMESTAMP, self.base_offset)
        last_time, since, position = self._last_time, self._since_entry, self.size
        index: list[bytes] = []
        times: list[bytes] = []
        # The last place of the time index is kept for the entry at a roll.
        room, time_room = self._index.most - self._index.count, self._times.most - 1 - self._times.count
        for header in headers:
            last_offset = header.last_offset or 0
            timestamp = _timestamp(header)
            if timestamp > latest[0]:
                latest = (timestamp, last_offset)
            if since > self._interval:
                if len(index) >= room or len(times) >= time_room:
                    raise UnsupportedError("the append needs more index entries than segment.index.bytes has room for")
                index.append(INDEX.pack(last_offset - self.base_offset, position))
                if latest[0] > self._last_timestamp(last_time):
                    times.append(self._time_entry(latest))
                    last_time = latest
                since = 0
            position += header.size_in_bytes
            since += header.size_in_bytes
        return index, times, (latest, last_time, since)

    def _last_timestamp(self, entry: tuple[int, int] | None) -> int:
        return _NO_TIMESTAMP if entry is None else entry[0]

    def _time_entry(self, entry: tuple[int, int]) -> bytes:
        timestamp, offset = entry
        return TIME_INDEX.pack(timestamp, offset - self.base_offset)


def _timestamp(header: BatchHeader) -> int:
    return _NO_TIMESTAMP if header.max_timestamp is None else header.max_timestamp


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, PRIVATE_FILE)


def write_at(path: Path, data: bytes | memoryview, position: int) -> None:
    """Write all of the data at a position of a file. No file stays open: a writer may have thousands of partitions.

    Raises:
        SourceError: the file system refuses the data.
    """
    view = memoryview(data).cast("B")
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
        try:
            while view:
                written = os.pwrite(file, view, position)
                position += written
                view = view[written:]
        finally:
            os.close(file)
    except OSError as error:
        raise SourceError(f"cannot be written: {error.strerror}", file=str(path)) from error


def resize(path: Path, size: int) -> None:
    """Create a file of this size, or cut it or extend it with zeros.

    Raises:
        SourceError: the file system refuses.
    """
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
        try:
            os.ftruncate(file, size)
        finally:
            os.close(file)
    except OSError as error:
        raise SourceError(f"cannot be written: {error.strerror}", file=str(path)) from error
