"""The columnar engine in a scan: kernels turn windows of files, and single entries, into record batches."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkafmt.arrays import numbers
from kafkafmt.columnar.headers import Batches, Headers, read_batches
from kafkafmt.columnar.row_filter import EVERY_ROW
from kafkafmt.files.batch_faults import offset_faults
from kafkafmt.libraries import np, pa
from kafkafmt.reference.layout import CURRENT_MAGIC, LOG_APPEND_TIME
from kafkafmt.scanning.batch_filter import BatchFilter, BatchMasks
from kafkafmt.scanning.batching import Part, Run
from kafkafmt.scanning.decoders import Decoders

if TYPE_CHECKING:
    from kafkafmt.columnar.headers import Positions
    from kafkafmt.files.read_window import ReadWindow
    from kafkafmt.limits import Limits
    from kafkafmt.record_columns import Origin
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.reference.record_batch import SoundStart

# The reference engine's time for a record and a byte of a batch, and for a byte of a v0 or v1 message, as only a walk
# can count messages.
_TIME_OF_A_RECORD = 10
_TIME_OF_A_BYTE = 1 / 40
_TIME_OF_A_MESSAGE_BYTE = 1
# A batch that decompresses to more than this size and this multiple may have records with thousands of headers.
_MOST_UNPACKED = 256 * 1024
_MOST_TIMES = 32
# For an entry smaller than this, making a record batch takes longer than decoding its few records by the reference
# engine.
_WORTH_A_KERNEL = 4 * 1024


def reference_time(headers: Headers) -> float:
    """Time in microseconds that the reference engine takes for batches with these headers."""
    records, size = headers["num_records"].sum(dtype=np.int64), headers["size"].sum(dtype=np.int64)
    return float(records) * _TIME_OF_A_RECORD + float(size) * _TIME_OF_A_BYTE


def first_undecoded(decoders: Decoders, origin: "Origin", batches: Batches, ahead: int) -> int:
    """Number of batches before the first that kernels refuse; 0 if there is too little input to load kernels.

    A batch also counts as refused if its header's timestamp differs from that of its latest record, or if the offsets
    of its records contradict the header.

    Args:
        decoders: decoders of the pass; CRCs have been checked.
        origin: where the batches were read.
        batches: whole batches.
        ahead: number of bytes after them in the file that will be decoded too.
    """
    if not len(batches):
        return 0
    time = reference_time(batches.headers)
    if not decoders.are_worth_it(time, time * ahead / int(batches.ends[-1] - batches.starts[0])):
        return 0
    every = np.ones(len(batches), np.bool_)
    masks = BatchMasks(batches, wanted=every, covered=every, checked=~every, ends_walk=False)
    count = 0
    try:
        for decoded, after in decoders.decode(origin, masks, 0, len(batches), None):
            if decoded is not None:
                sound = _stated_timestamps(batches[count:after], decoded)
                odd = next(offset_faults(batches[count:after], _offsets(decoded), origin.file), None)
                sound = sound if odd is None else min(sound, odd[0])
                if sound < after - count:
                    return count + sound
            count = after
    except ImportError:  # the reference engine does not need numba
        return 0
    return count


def _stated_timestamps(batches: Batches, decoded: "pa.RecordBatch") -> int:
    """Number of batches before the first whose header states another timestamp than its latest record has."""
    headers = batches.headers
    counts = headers["num_records"].astype(np.int64)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])[counts > 0]
    if counts.sum() != decoded.num_rows or not len(first):
        return len(batches) if not len(first) else 0
    timestamps = numbers(decoded.column("timestamp"))
    latest = np.maximum.reduceat(timestamps, first)
    rows = np.flatnonzero(counts > 0)
    wrong = (headers["max_timestamp"][rows] != latest) & (headers["attributes"][rows] & LOG_APPEND_TIME == 0)
    return int(rows[wrong.argmax()]) if wrong.any() else len(batches)


def _offsets(decoded: "pa.RecordBatch") -> "Positions":
    offsets: Positions = numbers(decoded.column("offset"))
    return offsets


@dataclass(eq=False)
class TaskDecoder:
    """Decodes the windows and entries of one file.

    Attributes:
        decoders: the decoders of the pass.
        origin: where the records come from.
        filter: classifies batches by their headers.
        limits: bounds of decoding.
        checks_inside: whether to check offsets and checksums inside batches; offsets are then among the columns.
        end: position in the file up to which everything is wanted and will be requested, 0 if everything wanted will be
            requested; None if less may be. The bytes ahead then decide whether to load the kernels.
    """

    decoders: Decoders
    origin: "Origin"
    filter: BatchFilter
    limits: "Limits"
    checks_inside: bool
    end: int | None
    _refused: int = -1  # position of the entry that the kernels refused last
    _met: int = 0
    _worth_it: bool = False

    def decode(self, window: "ReadWindow") -> "Iterator[pa.RecordBatch]":
        """Decode entries of a window, up to the first unusual one."""
        before = -1
        self._worth_it = self.decoders.are_worth_it(0)
        while before < window.taken and window.holds_entry and not window.ends_walk:
            before = window.taken
            if not window.begins_batch:
                yield from self._messages(window)
                continue
            masks = self.filter.classify(window)
            if masks is None:
                break
            if not self._are_worth_it(masks):
                # The reference engine decodes the first wanted batch; earlier ones need no engine.
                self.filter.commit(window, masks, 0, masks.before_wanted())
                continue
            for begin, end, rows in masks.runs(self.filter.selection.row_filter):
                came_to = begin
                for batch, after in self.decoders.decode(self.origin, masks, begin, end, rows):
                    # Before delivery, as the consumer may stop there.
                    self.filter.commit(window, masks, came_to, after)
                    if self.checks_inside and rows is None and batch is not None:
                        self.filter.check_inside(masks, came_to, after, _offsets(batch), self.limits)
                    came_to = after
                    if batch is not None:
                        yield batch
                if came_to < end:
                    break
        if self._worth_it:
            self._refused = window.position + window.taken

    def count(self, window: "ReadWindow") -> int:
        """Count the wanted records of as many entries of a window as possible, by headers where these suffice."""
        masks = self.filter.classify(window) if window.begins_batch else None
        if masks is None or masks.need_decoding:
            return sum(batch.num_rows for batch in self.decode(window))
        return self.filter.count(window, masks)

    def entry(self, entry: "Entry", header: "BatchHeader") -> Part | None:
        """Decode one entry whose CRC was checked; None to leave it to the reference engine."""
        if entry.position == self._refused:
            return None
        size = entry.frame.size_in_bytes
        end = entry.position + size
        is_batch = entry.frame.magic == CURRENT_MAGIC
        time = size * (_TIME_OF_A_BYTE if is_batch else _TIME_OF_A_MESSAGE_BYTE)
        if is_batch:
            time += (header.count or 0) * _TIME_OF_A_RECORD
        is_worth_it = self.decoders.are_worth_it(time if end > self._met else 0)
        self._met = max(self._met, end)
        if not is_worth_it or size < _WORTH_A_KERNEL:
            # A few bytes may decompress to data that takes the reference engine minutes.
            if not is_batch or header.compression == "none":
                return None
            unpacked = entry.decompressed_size(self.limits)
            if unpacked < _WORTH_A_KERNEL:
                return None
            is_worth_it = is_worth_it or unpacked > max(_MOST_UNPACKED, _MOST_TIMES * size)
            if not (is_worth_it or self.decoders.are_worth_it(unpacked * _TIME_OF_A_BYTE)):
                return None
        data = memoryview(entry.data)
        selection = self.filter.selection
        rows = None if selection.covers(header) else selection.row_filter
        decoder = self.decoders.first
        if not is_batch:
            batch, came_to = decoder.messages(self.origin, data, entry.position, 0, len(data), rows)
            decoded = came_to == len(data)
        else:
            batches = read_batches(data, 0, entry.position, self.limits)
            if not len(batches):
                return None
            one = np.ones(1, np.bool_)
            batch, came_to = decoder.batches(self.origin, batches, 0, one, ~one, rows)
            decoded = came_to == 1
        if not decoded:
            return None
        return Run(self.origin, ()) if batch is None else batch

    def sound_start(self, entry: "Entry") -> "SoundStart | None":
        """Records found sound in an entry that this engine refused; None if unknown, as for an entry it never saw."""
        return self.decoders.sound_start(self.origin, entry.position)

    def _are_worth_it(self, masks: BatchMasks) -> bool:
        """Whether kernels should decode these batches and what is expected after them."""
        time = expected = 0.0
        if self.end is not None:
            batches = masks.batches
            ends = batches.ends + batches.position
            headers = batches.headers[masks.wanted & (ends > self._met)]
            self._met = max(self._met, int(ends[-1]))
            time = reference_time(headers)
            expected = time * max(0, self.end - self._met) / int(ends[-1] - batches.starts[0] - batches.position)
        self._worth_it = self.decoders.are_worth_it(time, expected)
        return self._worth_it

    def _messages(self, window: "ReadWindow") -> "Iterator[pa.RecordBatch]":
        """Decode the next adjacent messages and wrappers of formats v0 and v1."""
        data, begin = window.padded, window.taken
        time = 0.0
        if self.end is not None:
            end = window.position + len(data)
            time = max(0, end - max(self._met, window.position + begin)) * _TIME_OF_A_MESSAGE_BYTE
            self._met = max(self._met, end)
        self._worth_it = self.decoders.are_worth_it(time)
        if not self._worth_it:
            return
        selection = self.filter.selection
        rows = None if selection.row_filter == EVERY_ROW else selection.row_filter
        for batch, after in self.decoders.messages(self.origin, data, window.position, begin, len(window.data), rows):
            frames = self.decoders.first.frames(data, window.taken, after)
            self.filter.commit_messages(window, frames, after)
            if batch is not None:
                yield batch
