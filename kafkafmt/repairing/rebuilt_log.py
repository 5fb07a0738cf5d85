"""A log rebuilt from sound batches: segments copied byte for byte, and the files that recovery makes from them."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkafmt.errors import SourceError, UnsupportedError
from kafkafmt.files import leader_epoch_checkpoint
from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
from kafkafmt.files.names import LEADER_EPOCHS, segment_file_name
from kafkafmt.logdir.producer_states import ProducerStates
from kafkafmt.reference.layout import CURRENT_MAGIC, LOG_OVERHEAD
from kafkafmt.repairing.refused import OpenSegments, header_of, states_at
from kafkafmt.startup.recovered import Recovered
from kafkafmt.writing.segment_writer import INDEX, TIME_INDEX, TRANSACTION_INDEX, write_at

if TYPE_CHECKING:
    from kafkafmt.files.transaction_index import AbortedTransaction
    from kafkafmt.io.base import File
    from kafkafmt.repairing.sound import Rows, SoundCopy

_CHUNK: Final = 1 << 20
_EPOCH_POSITION = LOG_OVERHEAD


@dataclass(frozen=True, slots=True)
class SideFiles:
    """The files to write, and their limits.

    Attributes:
        index_interval_bytes: the topic's `index.interval.bytes`.
        index_max_bytes: the topic's `segment.index.bytes`.
        logs: whether log files are written.
        indexes: whether their indexes are written.
        snapshots: whether producer snapshots are written.
        epochs: whether leader-epoch-checkpoint is written.
    """

    index_interval_bytes: int
    index_max_bytes: int
    logs: bool = True
    indexes: bool = True
    snapshots: bool = True
    epochs: bool = True


class RebuiltLog:
    """Writes a partition directory.

    Args:
        directory: path of the partition directory; it exists.
        copies: the sources of the batches.
        files: the files to write.
        advance: called with the size of each range that is copied.
    """

    def __init__(
        self, directory: Path, copies: "list[SoundCopy]", files: SideFiles, advance: Callable[[int], None]
    ) -> None:
        self._directory = directory
        self._copies = copies
        self._files = files
        self._advance = advance
        self._producers = ProducerStates()

    def write(self, rows: "Rows", bases: Sequence[int]) -> None:
        """Write all segments, except empty ones before the last.

        Args:
            rows: batches by offset.
            bases: base offsets of the segments.

        Raises:
            SourceError: a file cannot be read or written.
            DataError: a marker cannot be read, or an index is too small.
        """
        self._producers = states_at(self._copies[0], bases[0])
        if self._producers:
            self._snapshot(bases[0])  # a recovery after a kill begins with it
        numbers = np.searchsorted(np.array(bases), rows["first_offset"], side="right") - 1
        end = bases[0]
        with OpenSegments(self._copies) as source:
            for number, base in enumerate(bases):
                of_segment = rows[numbers == number]
                is_last = number == len(bases) - 1
                if not len(of_segment) and not is_last:
                    continue
                if end > bases[0]:
                    self._snapshot(base)
                self._segment(base, of_segment, source)
                end = int(of_segment["last_offset"][-1]) + 1 if len(of_segment) else max(end, base)
        if end > bases[0]:
            self._snapshot(end)

    def write_epochs(self, rows: "Rows", kept: Sequence[EpochEntry], end: int) -> None:
        """Write leader-epoch-checkpoint: the old one if it agrees with the batches, else one made from them.

        Args:
            rows: batches by offset.
            kept: entries of the source.
            end: the log end offset.
        """
        if not self._files.epochs:
            return
        epochs = [entry for entry in kept if entry.start_offset <= end]
        if not agree(epochs, rows):
            epochs = list(epochs_of(rows))
        content = leader_epoch_checkpoint.encode(epochs) if epochs else b""
        write_at(self._directory / LEADER_EPOCHS, content, 0)

    def _segment(self, base: int, rows: "Rows", source: OpenSegments) -> None:
        name = segment_file_name(base, "log")
        recovered = Recovered(name, base, self._files.index_interval_bytes)
        sizes = rows["size"].astype(np.int64) + LOG_OVERHEAD
        if self._files.logs:
            self._copy(self._directory / name, rows, sizes, source)
        columns = zip(rows["last_offset"].tolist(), rows["max_timestamp"].tolist(), sizes.tolist(), strict=True)
        for last_offset, timestamp, size in columns:
            recovered.add(last_offset, timestamp, size)
        recovered.append_time()
        aborted = list(self._transactions(rows, source))
        if self._files.indexes:
            self._write_indexes(base, recovered, aborted)

    def _write_indexes(self, base: int, recovered: Recovered, aborted: "list[AbortedTransaction]") -> None:
        index = b"".join(INDEX.pack(offset - base, position) for offset, position in recovered.index)
        times = b"".join(TIME_INDEX.pack(timestamp, offset - base) for timestamp, offset in recovered.time_index)
        for content, kind, entry in ((index, "index", INDEX.size), (times, "timeindex", TIME_INDEX.size)):
            path = self._directory / segment_file_name(base, kind)
            if len(content) > self._files.index_max_bytes // entry * entry:
                raise UnsupportedError("the segment needs a larger index than index_max_bytes", file=str(path))
            write_at(path, content, 0)
        if aborted:
            content = b"".join(
                TRANSACTION_INDEX.pack(
                    each.version, each.producer_id, each.first_offset, each.last_offset, each.last_stable_offset
                )
                for each in aborted
            )
            write_at(self._directory / segment_file_name(base, "txnindex"), content, 0)

    def _copy(
        self,
        path: Path,
        rows: "Rows",
        sizes: "np.ndarray[tuple[int], np.dtype[np.int64]]",
        source: OpenSegments,
    ) -> None:
        """Copy batches, adjacent ones in one go."""
        write_at(path, b"", 0)
        if not len(rows):
            return
        ends = rows["position"] + sizes
        breaks = np.ones(len(rows), np.bool_)
        breaks[1:] = rows["position"][1:] != ends[:-1]
        for name in ("copy", "segment"):
            breaks[1:] |= rows[name][1:] != rows[name][:-1]
        firsts = np.flatnonzero(breaks)
        lasts = np.append(firsts[1:], len(rows)) - 1
        target = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            at = 0
            for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
                begin, end = int(rows["position"][first]), int(ends[last])
                self._copy_stretch(source.of(rows[first]), begin, end, target, at)
                at += end - begin
            starts = np.cumsum(sizes) - sizes
            for number in np.flatnonzero(rows["is_mended"]).tolist():
                row = rows[number]
                os.pwrite(target, int(row["base_offset"]).to_bytes(8, "big"), int(starts[number]))
                epoch = int(row["partition_leader_epoch"])
                os.pwrite(target, epoch.to_bytes(4, "big", signed=True), int(starts[number]) + _EPOCH_POSITION)
        except OSError as error:
            raise SourceError(f"cannot be written: {error.strerror}", file=str(path)) from error
        finally:
            os.close(target)

    def _copy_stretch(self, file: "File", begin: int, end: int, target: int, at: int) -> None:
        buffer = memoryview(bytearray(min(_CHUNK, end - begin)))
        while begin < end:
            part = buffer[: min(len(buffer), end - begin)]
            count = file.readinto_at(begin, part)
            if not count:
                raise SourceError("became shorter while it was read", file=file.name)
            view = part[:count]
            while view:
                written = os.pwrite(target, view, at)
                at += written
                view = view[written:]
            begin += count
            self._advance(count)

    def _transactions(self, rows: "Rows", source: OpenSegments) -> "Iterator[AbortedTransaction]":
        """Observe the producers' batches; yields the transactions that were aborted."""
        of_producers = rows[(rows["magic"] >= CURRENT_MAGIC) & (rows["producer_id"] >= 0)]
        for row in of_producers:
            append = self._producers.prepare()
            append.add(header_of(row), source.control_batch(row))
            yield from append.commit()

    def _snapshot(self, offset: int) -> None:
        if self._files.snapshots:
            write_at(self._directory / segment_file_name(offset, "snapshot"), self._producers.snapshot(), 0)


def epochs_of(rows: "Rows") -> Iterator[EpochEntry]:
    """Make entries from the batches, as a broker does when it recovers a log without leader-epoch-checkpoint."""
    last = -1
    modern = rows[rows["magic"] >= CURRENT_MAGIC]
    epochs = modern["partition_leader_epoch"]
    changes = np.flatnonzero(np.diff(epochs, prepend=np.int32(-1))).tolist() if len(modern) else []
    for number in changes:
        epoch = int(epochs[number])
        if epoch > last:
            yield EpochEntry(epoch, int(modern["base_offset"][number]))
            last = epoch


def agree(epochs: Sequence[EpochEntry], rows: "Rows") -> bool:
    """Whether each batch has the epoch that the entries give for its offset, and the entries rise from 0 on."""
    modern = rows[rows["magic"] >= CURRENT_MAGIC]
    starts = [entry.start_offset for entry in epochs]
    numbers = [entry.epoch for entry in epochs]
    if any(one >= other for each in (starts, numbers) for one, other in pairwise([-1, *each])):
        return False
    if not len(modern):
        return True
    if not epochs:
        return False
    # Kafka moves the first entry to the log start offset, which can be after the first batches.
    return all(
        bool((np.array(numbers)[places] == modern["partition_leader_epoch"]).all())
        for places in (
            np.searchsorted(np.array(starts, np.int64), np.maximum(modern[name], starts[0]), side="right") - 1
            for name in ("base_offset", "last_offset")
        )
    )
