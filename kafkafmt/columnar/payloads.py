"""The records of several batches as one array: in place if they are not compressed, else decompressed."""

from dataclasses import dataclass

import numpy as np

from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.codec.compression.scratch import Scratch
from kafkafmt.columnar.headers import Batches, Mask, Positions, UInt8s
from kafkafmt.columnar.kernels import first_wrong_crc, unpack
from kafkafmt.columnar.libraries import Libraries, libraries
from kafkafmt.errors import KafkafmtError
from kafkafmt.limits import Limits
from kafkafmt.reference.layout import COMPRESSION, CURRENT_MAGIC, RECORD_BATCH_OVERHEAD
from kafkafmt.reference.record_batch import SMALLEST_RECORD

# Bytes of records to read at once: more would not stay in a processor's cache.
_TARGET = 4 << 20
_LEAST_TARGET = 1 << 16
FEW = 4
"""A remainder below one such part of the target is included."""

# Space for decompressed bytes: this multiple of the stored ones; and more, for the batch that exceeds the target.
_USUAL_RATIO = 16
_ROOM = 1 << 18
_CHECKED_AT_ONCE = 1 << 18
# Limits of bytes and records of a batch: offsets in Arrow's binary columns are int32, and arrays for a batch are
# allocated before it is decoded.
_LARGEST = 1 << 30
_MOST_RECORDS = 1 << 20
# A larger batch, whose records have a MiB or more on average, is left to the reference engine, which does not copy
# them.
_MOST_OF_FEW = 4 << 20
_LARGE_RECORD = 1 << 20


@dataclass(frozen=True, slots=True)
class Payloads:
    """The payloads of some batches.

    Attributes:
        source: an array with the bytes of all their records, and exactly `SLACK` bytes after the last.
        chosen: numbers of the batches, at least one if records are to be decoded.
        starts: start in `source` of the records of every batch.
        ends: end of the records of every batch.
        next: number of the batch to continue with.
    """

    source: UInt8s
    chosen: Positions
    starts: Positions
    ends: Positions
    next: int

    @property
    def part(self) -> slice | Positions:
        """The index that picks the chosen batches from an array: a slice if possible, as that does not copy."""
        first, count = int(self.chosen[0]), len(self.chosen)
        return slice(first, first + count) if int(self.chosen[-1]) == first + count - 1 else self.chosen

    def only(self, some: Mask) -> "Payloads":
        """The payloads of some of these batches."""
        return Payloads(self.source, self.chosen[some], self.starts[some], self.ends[some], self.next)


class PayloadReader:
    """Checks and decompresses batches, some megabytes at a time, into a buffer that it reuses."""

    __slots__ = ("_libraries", "_limits", "_scratch", "_target")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._scratch = Scratch(limits)
        self._libraries: Libraries | None = None
        self._target = _TARGET

    def reset(self) -> int:
        """Forget the decompressed data; return the number of bytes of memory kept."""
        self._target = _TARGET
        return self._scratch.reset()

    def read_less(self) -> None:
        """Read little the next time, then gradually more: where one batch is broken, many may be.

        Everything read after the broken batch is read again.
        """
        self._target = _LEAST_TARGET

    def forget(self) -> None:
        """Release the data read last, if large, as the reference engine will decompress them again."""
        self._scratch.clear()

    def read(self, batches: Batches, first: int, wanted: Mask, checked: Mask) -> Payloads:
        """Read batches from number `first` on, up to one that is broken or too large, or until there are enough bytes.

        The result is valid until the next read.

        Args:
            batches: the batches.
            first: number of the first batch to read.
            wanted: batches to read; the others are skipped.
            checked: batches whose CRCs are checked.
        """
        target = min(self._target, _TARGET)
        self._target = 2 * target
        # The largest number of batches that fit into the target.
        part = slice(first, first + target // RECORD_BATCH_OVERHEAD + 1)
        rest = batches[part]
        chosen = wanted[part] & (rest.headers["num_records"] > 0)
        checked = checked[part]
        starts, ends = rest.starts, rest.ends
        if int(ends[-1]) - int(starts[0]) > target + target // FEW:
            stop = int(np.cumsum((ends - starts) * chosen).searchsorted(target)) + 1
            starts, ends = starts[:stop], ends[:stop]
        stop = len(ends)
        if int(ends[-1]) - int(starts[0]) > _MOST_OF_FEW:
            most = np.maximum(rest.headers["num_records"][:stop].astype(np.int64) * _LARGE_RECORD, _MOST_OF_FEW)
            few = chosen[:stop] & (ends - starts > most)
            if few.any():
                stop = int(few.argmax())
                if not stop:
                    return _nothing(first)
                starts, ends = starts[:stop], ends[:stop]
                rest, chosen, checked = rest[:stop], chosen[:stop], checked[:stop]
        codecs = rest.headers["attributes"][:stop] & COMPRESSION
        last = int(ends[-1])
        if (codecs * chosen[:stop]).any() or last + SLACK > len(batches.data) or last - int(starts[0]) > _LARGEST:
            return self._copied(rest, first, chosen, checked, target)
        return _in_place(rest[:stop], first, chosen[:stop], checked[:stop])

    def _copied(self, batches: Batches, first: int, chosen: Mask, checked: Mask, target: int) -> Payloads:
        """Decompress batches, and copy those that are not compressed."""
        scratch = self._scratch
        scratch.clear()
        data = batches.data
        number, numbers, bounds = self._unpacked(batches, chosen, checked, target)
        sound = number
        starts, ends, headers = batches.starts, batches.ends, batches.headers
        left = slice(number, None if scratch.used + _last(bounds) <= target else number)
        columns = zip(
            starts[left].tolist(),
            ends[left].tolist(),
            (headers["attributes"][left] & COMPRESSION).tolist(),
            headers["num_records"][left].tolist(),
            chosen[left].tolist(),
            strict=True,
        )
        stored = np.frombuffer(data.toreadonly(), np.uint8)
        for start, end, codec, count, is_chosen in columns:
            if number == sound:
                # A few batches at a time, as CRCs of batches past the target would be computed in vain.
                part = slice(number, max(int(ends.searchsorted(start + _CHECKED_AT_ONCE)), number + 1))
                sound += first_wrong_crc(stored, starts[part], ends[part], headers[part], checked[part])
                if number == sound:
                    break
            if is_chosen:
                if count > _MOST_RECORDS:
                    break
                try:
                    most = max(_MOST_OF_FEW, count * _LARGE_RECORD)
                    size = scratch.add(codec, data[start + RECORD_BATCH_OVERHEAD : end], CURRENT_MAGIC, most)
                except KafkafmtError:
                    break
                if size > _LARGEST or count > size // SMALLEST_RECORD:
                    break
                numbers.append(number)
                bounds.append(scratch.used)
            number += 1
            if scratch.used + _last(bounds) > target:
                break
        source = np.frombuffer(scratch.content(), np.uint8)
        edges = np.array(bounds, np.int64)
        return Payloads(source, first + np.array(numbers, np.int64), edges[:-1], edges[1:], first + number)

    def _unpacked(self, batches: Batches, chosen: Mask, checked: Mask, target: int) -> tuple[int, list[int], list[int]]:
        """Decompress batches by a kernel, if it can.

        Returns:
            Number of batches visited, the numbers of the decompressed ones, and their bounds.
        """
        if self._libraries is None:
            self._libraries = libraries()
        scratch = self._scratch
        scratch.room(0, min(target + target // FEW, int(batches.ends[-1] - batches.starts[0]) * _USUAL_RATIO) + _ROOM)
        numbers, edges = np.empty(len(batches), np.int64), np.zeros(len(batches) + 1, np.int64)
        number, count = unpack(
            self._libraries,
            np.frombuffer(batches.data.toreadonly(), np.uint8),
            batches.starts,
            batches.ends,
            batches.headers,
            chosen,
            checked,
            (
                target,
                min(self._limits.max_decompressed_bytes, _LARGEST),
                _MOST_OF_FEW,
                _LARGE_RECORD,
                _MOST_RECORDS,
                self._limits.zstd_window_log,
            ),
            np.frombuffer(scratch.buffer, np.uint8),
            numbers,
            edges,
        )
        scratch.used = int(edges[count])
        return number, numbers[:count].tolist(), edges[: count + 1].tolist()


def _last(bounds: list[int]) -> int:
    """Size of the last of some adjacent ranges; 0 if there are none."""
    return bounds[-1] - bounds[-2] if len(bounds) > 1 else 0


def _nothing(first: int) -> Payloads:
    none = np.empty(0, np.int64)
    return Payloads(np.empty(0, np.uint8), none, none, none, first)


def _in_place(batches: Batches, first: int, chosen: Mask, checked: Mask) -> Payloads:
    """Take uncompressed batches in place."""
    source = np.frombuffer(batches.data[: int(batches.ends[-1]) + SLACK].toreadonly(), np.uint8)
    taken = first_wrong_crc(source, batches.starts, batches.ends, batches.headers, checked)
    counts = batches.headers["num_records"]
    if counts.max() > _MOST_RECORDS:
        taken = min(taken, int((counts > _MOST_RECORDS).argmax()))
    numbers = np.flatnonzero(chosen[:taken])
    starts = batches.starts[numbers] + RECORD_BATCH_OVERHEAD
    return Payloads(source, numbers + first, starts, batches.ends[numbers], first + taken)
