"""LogWriter: a partition directory that is appended to like a follower's log, Kafka's `UnifiedLog`."""

import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from kafkafmt.errors import CorruptError, SourceError
from kafkafmt.files import leader_epoch_checkpoint, partition_metadata, producer_snapshot
from kafkafmt.files.index_file import INDEX_INTERVAL_BYTES, INDEX_MAX_BYTES
from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
from kafkafmt.files.names import LEADER_EPOCHS, PARTITION_METADATA, parse_segment_file_name, segment_file_name
from kafkafmt.logdir.producer_states import ProducerStates
from kafkafmt.reference.header import INT32_MAX, BatchHeader
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.writing.appended_bytes import headers_of, size_of_whole_entries
from kafkafmt.writing.segment_writer import INDEX, TIME_INDEX, SegmentWriter, resize, write_at
from kafkafmt.writing.target import PRIVATE_DIRECTORY

SEGMENT_BYTES: Final = 1 << 30
SEGMENT_MS: Final = 7 * 24 * 60 * 60 * 1000
"""Kafka's defaults of `segment.bytes` and `segment.ms`."""

_CHUNK: Final = 4 << 20
_NO_PRODUCER: Final = -1


class LogWriter:
    """Creates a partition directory and appends batches to it, with all side files as a broker writes them.

    Offsets and leader epochs of the batches stay unchanged. Checked against Kafka 4.3's storage classes.

    Args:
        directory: directory of the partition, such as "orders-0"; it must not exist.
        start_offset: offset at which the log begins.
        segment_bytes: most bytes of a segment.
        segment_ms: time in ms, by timestamps, after its first batch at which a segment is closed.
        index_interval_bytes: bytes of log between index entries.
        index_max_bytes: most bytes of an index.
        preallocate: whether the open segment's file has `segment_bytes` at once.
        topic_id: topic id as Kafka prints it; None for no partition.metadata.
        created_ms: the clock; None for now.

    Attributes:
        log_end_offset: offset of the next record.

    Raises:
        SourceError: the directory cannot be created, or exists.
        ValueError: an argument is invalid.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        *,
        start_offset: int = 0,
        segment_bytes: int = SEGMENT_BYTES,
        segment_ms: int = SEGMENT_MS,
        index_interval_bytes: int = INDEX_INTERVAL_BYTES,
        index_max_bytes: int = INDEX_MAX_BYTES,
        preallocate: bool = False,
        topic_id: str | None = None,
        created_ms: int | None = None,
    ) -> None:
        self._configure(directory, segment_bytes, segment_ms, index_interval_bytes, index_max_bytes, preallocate)
        if start_offset < 0:
            raise ValueError(f"start_offset must be 0 or more, not {start_offset}")
        try:
            self.directory.mkdir(PRIVATE_DIRECTORY)
        except OSError as error:
            raise SourceError(f"cannot be created: {error.strerror}", file=str(self.directory)) from error
        self.log_end_offset = start_offset
        self._epochs: list[EpochEntry] = []
        self._producers = ProducerStates()
        self._snapshot_offset = 0
        self._segment = self._segment_at(start_offset, preallocate=self._preallocated, opened_ms=_now(created_ms))
        self._segment.open_indexes()
        self._write(LEADER_EPOCHS, b"")
        if topic_id is not None:
            self._write(PARTITION_METADATA, partition_metadata.encode(topic_id))
        self._take_snapshot()

    @classmethod
    def open(
        cls,
        directory: str | os.PathLike[str],
        *,
        opened_ms: int | None = None,
        segment_bytes: int = SEGMENT_BYTES,
        segment_ms: int = SEGMENT_MS,
        index_interval_bytes: int = INDEX_INTERVAL_BYTES,
        index_max_bytes: int = INDEX_MAX_BYTES,
        preallocate: bool = False,
    ) -> "LogWriter":
        """Continue a directory that was closed cleanly, as a broker does after a restart.

        Args:
            directory: directory of the partition.
            opened_ms: the clock; None for now.
            segment_bytes: as for `LogWriter`.
            segment_ms: as for `LogWriter`.
            index_interval_bytes: as for `LogWriter`.
            index_max_bytes: as for `LogWriter`.
            preallocate: as for `LogWriter`.

        Raises:
            SourceError: the directory cannot be read or written.
            DataError: a file in it is damaged.
            ValueError: the directory was not closed cleanly, or has no segment.
        """
        self = cls.__new__(cls)
        self._configure(directory, segment_bytes, segment_ms, index_interval_bytes, index_max_bytes, preallocate)
        self._reopen(_now(opened_ms))
        return self

    def append(self, batches: bytes | memoryview, now_ms: int | None = None) -> None:
        """Append whole batches at once, as a follower appends a fetch (`UnifiedLog.appendAsFollower`).

        Args:
            batches: bytes of one or more batches, with offsets and leader epochs.
            now_ms: the clock; None for now.

        Raises:
            ValueError: Kafka refuses them: offsets do not rise, or a segment cannot hold them.
            DataError: they are damaged. The writer can continue after both errors.
            SourceError: they cannot be written; the writer can no longer be used.
        """
        data = memoryview(batches).cast("B")
        headers = list(headers_of(data))
        if headers:
            self._append(headers, data, _now(now_ms))

    def append_each(self, batches: bytes | memoryview, now_ms: int | None = None) -> None:
        """Append whole batches one by one, as they come from producers: like as many calls of `append`, but faster.

        Args:
            batches: as for `append`.
            now_ms: as for `append`.

        Raises:
            ValueError, DataError, SourceError: as for `append`; earlier batches have been appended.
        """
        data = memoryview(batches).cast("B")
        headers = list(headers_of(data))
        now = _now(now_ms)
        begin = 0
        while begin < len(headers):
            end = begin + max(1, self._segment.fitting(headers[begin:], self._limits, now))
            # The transactions of one append depend on all its batches.
            stop = next((at for at in range(begin, end) if headers[at].producer_id != _NO_PRODUCER), end)
            end = max(begin + 1, stop)
            run = headers[begin:end]
            last = run[-1]
            self._append(run, data[run[0].position : last.position + last.size_in_bytes], now)
            begin = end

    def _append(self, headers: list[BatchHeader], data: memoryview, now: int) -> None:
        last_offset = self._check_offsets(headers)
        self._take_epochs(headers)
        if len(data) > self._limits[0]:
            raise ValueError(f"an append of {len(data)} bytes is larger than segment_bytes ({self._limits[0]})")
        latest = max(-1 if header.max_timestamp is None else header.max_timestamp for header in headers)
        if self._segment.should_roll(len(data), latest, last_offset, self._limits, now):
            first = headers[0].base_offset if headers[0].magic >= CURRENT_MAGIC else last_offset - INT32_MAX
            self._roll(max(self.log_end_offset, first or 0), now)
            if last_offset - self._segment.base_offset > INT32_MAX:
                raise ValueError(f"offset {last_offset} is out of reach of base offset {self._segment.base_offset}")
        begin = headers[0].position
        producers = self._producers.prepare()
        for header in headers:
            position = header.position - begin
            producers.add(header, data[position : position + header.size_in_bytes])
        self._segment.append(headers, data)
        self._segment.append_aborted(producers.commit())
        self.log_end_offset = last_offset + 1

    def roll(self, now_ms: int | None = None) -> None:
        """Begin a new segment at the log end.

        Args:
            now_ms: the clock; None for now.
        """
        self._roll(self.log_end_offset, _now(now_ms))

    def close(self) -> None:
        """Close the log as a clean shutdown does: with a producer snapshot at its end, without preallocated space."""
        self._take_snapshot()
        self._segment.close()

    def _configure(
        self,
        directory: str | os.PathLike[str],
        segment_bytes: int,
        segment_ms: int,
        index_interval_bytes: int,
        index_max_bytes: int,
        preallocate: bool,
    ) -> None:
        for name, value, least in (
            ("segment_bytes", segment_bytes, 1),
            ("segment_ms", segment_ms, 1),
            ("index_interval_bytes", index_interval_bytes, 0),
            ("index_max_bytes", index_max_bytes, 4),
        ):
            if not least <= value:
                raise ValueError(f"{name} must be {least} or more, not {value}")
        if segment_bytes > INT32_MAX:
            raise ValueError(f"segment_bytes must be {INT32_MAX} or less, not {segment_bytes}")
        self.directory = Path(directory)
        self._limits = (segment_bytes, segment_ms)
        self._segment_at = partial(
            SegmentWriter, self.directory, index_interval_bytes=index_interval_bytes, index_max_bytes=index_max_bytes
        )
        self._preallocated = segment_bytes if preallocate else 0

    def _reopen(self, opened_ms: int) -> None:
        names = [parse_segment_file_name(path.name) for path in self._listed()]
        offsets = [name.base_offset for name in names if name is not None and name.kind == "log"]
        if not offsets:
            raise ValueError(f"{self.directory} has no segment")
        base = max(offsets)
        index, times = (self._read(segment_file_name(base, kind)) for kind in ("index", "timeindex"))
        size = (self.directory / segment_file_name(base, "log")).stat().st_size
        headers = list(self._headers_of(segment_file_name(base, "log")))
        end = (headers[-1].last_offset or 0) + 1 if headers else base
        last_time = None
        if times:
            timestamp, relative = TIME_INDEX.unpack(times[-TIME_INDEX.size :])
            last_time = (timestamp, base + relative)
        self.log_end_offset = end
        self._load_snapshots(set(offsets), min(offsets), end)
        found = leader_epoch_checkpoint.parse(self._read(LEADER_EPOCHS), file=str(self.directory / LEADER_EPOCHS))
        self._epochs = list(found.entries)
        kept = [entry for entry in self._epochs if entry.start_offset < end]
        if kept != self._epochs:
            self._set_epochs(kept)
        self._segment = self._segment_at(
            base,
            preallocate=0,
            opened_ms=opened_ms,
            size=size,
            index_count=len(index) // INDEX.size,
            last_time=last_time,
            time_count=len(times) // TIME_INDEX.size,
            first_timestamp=headers[0].max_timestamp if headers else None,
        )
        self._segment.open_indexes()

    def _load_snapshots(self, base_offsets: set[int], start: int, end: int) -> None:
        """Load the newest snapshot; remove those that a start removes (`truncateAndReload`, `removeStraySnapshots`)."""
        names = {path: parse_segment_file_name(path.name) for path in self._listed()}
        snapshots = {
            name.base_offset: path for path, name in names.items() if name is not None and name.kind == "snapshot"
        }
        for offset, path in list(snapshots.items()):
            if not start < offset <= end or (offset not in base_offsets and offset != max(snapshots)):
                path.unlink()
                del snapshots[offset]
        newest = max(snapshots, default=None)
        if newest != (end if end > start else None):
            raise ValueError(f"{self.directory} was not closed cleanly: it has no producer snapshot at offset {end}")
        states = producer_snapshot.read(snapshots[newest]).entries if newest is not None else ()
        self._producers = ProducerStates(states)
        self._snapshot_offset = end

    def _roll(self, base_offset: int, now_ms: int) -> None:
        if self._segment.size == 0 and self._segment.base_offset == base_offset:
            self._segment.opened_ms = now_ms
            return
        self._segment.close()
        self._segment = self._segment_at(base_offset, preallocate=self._preallocated, opened_ms=now_ms)
        self.log_end_offset = base_offset
        self._take_snapshot()

    def _check_offsets(self, headers: list[BatchHeader]) -> int:
        """Check that the offsets rise from the log end on; returns the last one."""
        first = headers[0].base_offset if headers[0].magic >= CURRENT_MAGIC else headers[0].last_offset
        if (first or 0) < self.log_end_offset:
            raise ValueError(f"offset {first} is below the log end offset {self.log_end_offset}")
        last = -1
        for header in headers:
            offset = header.last_offset or 0
            if offset <= last:
                raise ValueError(f"last offset {offset} of a batch follows {last}: offsets must rise")
            last = offset
            if header.magic >= CURRENT_MAGIC and header.partition_leader_epoch < 0:
                raise ValueError(f"the batch at offset {header.base_offset} has no leader epoch")
        return last

    def _take_epochs(self, headers: list[BatchHeader]) -> None:
        """Record the leader epochs (`LeaderEpochFileCache.assign`); a batch of format 0 or 1 clears them."""
        epochs = self._epochs
        is_changed = False
        for header in headers:
            if header.magic < CURRENT_MAGIC:
                is_changed = is_changed or bool(epochs)
                epochs = []
                continue
            entry = EpochEntry(header.partition_leader_epoch, header.base_offset or 0)
            last = epochs[-1] if epochs else None
            if last is not None and entry.epoch == last.epoch and entry.start_offset >= last.start_offset:
                continue
            kept = len(epochs)
            while kept and (
                epochs[kept - 1].epoch >= entry.epoch or epochs[kept - 1].start_offset >= entry.start_offset
            ):
                kept -= 1
            epochs = [*epochs[:kept], entry]
            is_changed = True
        if is_changed:
            self._set_epochs(epochs)

    def _set_epochs(self, epochs: list[EpochEntry]) -> None:
        self._epochs = epochs
        self._write(LEADER_EPOCHS, leader_epoch_checkpoint.encode(epochs))

    def _take_snapshot(self) -> None:
        """Write a producer snapshot at the log end, if anything was appended since the last one."""
        if self.log_end_offset > self._snapshot_offset:
            self._write(segment_file_name(self.log_end_offset, "snapshot"), self._producers.snapshot())
            self._snapshot_offset = self.log_end_offset

    def _headers_of(self, name: str) -> Iterator[BatchHeader]:
        with (self.directory / name).open("rb") as file:
            rest = b""
            while chunk := file.read(_CHUNK):
                data = memoryview(rest + chunk)
                end = size_of_whole_entries(data)
                yield from headers_of(data[:end])
                rest = bytes(data[end:])
            if rest:
                raise CorruptError("the log ends within a batch", file=str(self.directory / name))

    def _listed(self) -> list[Path]:
        try:
            return sorted(self.directory.iterdir())
        except OSError as error:
            raise SourceError(f"cannot be read: {error.strerror}", file=str(self.directory)) from error

    def _read(self, name: str) -> bytes:
        try:
            return (self.directory / name).read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise SourceError(f"cannot be read: {error.strerror}", file=str(self.directory / name)) from error

    def _write(self, name: str, content: bytes) -> None:
        resize(self.directory / name, 0)
        write_at(self.directory / name, content, 0)


def _now(now_ms: int | None) -> int:
    return time.time_ns() // 1_000_000 if now_ms is None else now_ms
