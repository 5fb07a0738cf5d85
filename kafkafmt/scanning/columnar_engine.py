"""The columnar engine in a scan: windows of files, and single entries, become record batches by kernels."""

import os
import sys
from collections.abc import Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Generic, Self, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa

from kafkafmt.columnar.headers import COMPRESSION, LOG_APPEND_TIME, Batches, Headers, read_batches
from kafkafmt.columnar.row_filter import EVERY_ROW, RowFilter
from kafkafmt.errors import KafkafmtError
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.scanning.batch_filter import BatchFilter, BatchMasks
from kafkafmt.scanning.batching import Part, Run

if TYPE_CHECKING:
    from kafkafmt.columnar.decoder import Decoder
    from kafkafmt.columns import Origin
    from kafkafmt.files.read_window import ReadWindow
    from kafkafmt.limits import Limits
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.reference.record_batch import SoundStart

T = TypeVar("T")
Decoded: TypeAlias = tuple[pa.RecordBatch | None, int]


class Idle(Generic[T]):
    """Unused objects, one for each key, up to a number of bytes, that the next scan of the process need not make.

    Each step is one operation of a dict, which is atomic: there is no lock that a signal handler, a finalizer or a
    forked child could wait for. A forked child takes nothing that its parent left.

    Args:
        most: bytes that all of them take at most.
    """

    __slots__ = ("_kept", "_most")

    def __init__(self, most: int) -> None:
        self._kept: dict[Hashable, tuple[int, T, int]] = {}
        self._most = most

    def take(self, key: Hashable) -> T | None:
        """Take out the object of a key, which is the caller's from now on; None if there is none."""
        process, kept, _ = self._kept.pop(key, (None, None, 0))
        return kept if process == os.getpid() else None

    def give(self, key: Hashable, left: T, size: int) -> None:
        """Keep an object that nobody uses any more, in place of an earlier one of its key, unless it is too large.

        Args:
            key: its key.
            left: the object.
            size: how many bytes it takes.
        """
        self._kept.pop(key, None)
        if size > self._most:
            return
        self._kept[key] = os.getpid(), left, size
        # The newest is the last one.
        for other, (_, _, held) in reversed(self._kept.copy().items()):
            size = held if other == key else size + held
            if size > self._most:
                self._kept.pop(other, None)


_KERNELS = "kafkafmt.columnar.decoder"
# What kernels take to load, in microseconds of the same processor as the three below.
_LOADING_TIME = 100_000
# What the reference engine takes for a record and for a byte of a batch, and for a byte of a message of v0 or v1, whose
# number only a walk shows.
_TIME_OF_A_RECORD = 10
_TIME_OF_A_BYTE = 1 / 40
_TIME_OF_A_MESSAGE_BYTE = 1
# A batch that decompresses to more than this, and to so many times its size, may be thousands of headers a record.
_MOST_UNPACKED = 256 * 1024
_MOST_TIMES = 32
# Of an entry by itself: to make a record batch takes longer than the reference engine with the few records of less.
_WORTH_A_KERNEL = 4 * 1024
_GROUPS_A_THREAD = 2
# A thread stops here and leaves the rest to the one that asks for it: what is highly compressed may grow without end.
_MOST_AHEAD = 32 * 1024 * 1024


# Bytes that decoders keep between scans: the one of a scan of all columns 15 to 25 MB.
_IDLE: "Idle[Decoder]" = Idle(32 * 1024 * 1024)
# Likewise, those of further threads, by their number too.
_IDLE_OF_THREADS: "Idle[Decoder]" = Idle(96 * 1024 * 1024)


class Decoders:
    """The decoders of a pass, one for each thread, made once there is enough to decode: loading kernels takes a while.

    A context: at its end the threads end, and the decoders are kept for the next scan of these columns.

    Args:
        schema: columns wanted.
        verify_checksums: whether CRCs are checked.
        limits: bounds of every decode.
        threads: how many, the one that asks included.

    Attributes:
        met: microseconds in which the reference engine decodes what all scans of this process came upon.
    """

    met = 0.0

    def __init__(self, schema: pa.Schema, verify_checksums: bool, limits: "Limits", threads: int = 1) -> None:
        self._arguments = (schema, verify_checksums, limits)
        self._threads = threads
        self._others: list[Decoder] = []
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0  # which started the pool

    def are_worth_it(self, time: float, expected: float = 0) -> bool:
        """Whether kernels should decode, else the reference engine is done sooner.

        Args:
            time: microseconds in which it decodes what is met now.
            expected: likewise, what will be met.
        """
        Decoders.met += time
        return _KERNELS in sys.modules or Decoders.met + expected > _LOADING_TIME

    @classmethod
    def forget_met(cls) -> None:
        """Forget what was met so far: whoever reads a little from time to time does well without kernels."""
        cls.met = 0.0

    @cached_property
    def first(self) -> "Decoder":
        """The decoder of the calling thread; what it is asked raises ImportError if kernels cannot be compiled."""
        from kafkafmt.columnar.decoder import Decoder  # noqa: PLC0415 (only large scans need it)

        return _IDLE.take(self._arguments) or Decoder(*self._arguments)

    def sound_start(self, origin: "Origin", position: int) -> "SoundStart | None":
        """Records that the decoder of the calling thread found sound in the batch that it refused last."""
        decoder: Decoder | None = vars(self).get("first")  # if it was made
        if decoder is None or decoder.sound_start is None or decoder.sound_start[:2] != (origin, position):
            return None
        return decoder.sound_start[2]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._pool is not None and self._process == os.getpid():
            self._pool.shutdown(cancel_futures=True)
        decoder: Decoder | None = vars(self).pop("first", None)
        # Anything else may have come in the middle of a step of the decoder.
        if decoder is not None and (kind is None or issubclass(kind, (KafkafmtError, GeneratorExit))):
            _IDLE.give(self._arguments, decoder, decoder.reset())
            for number, other in enumerate(self._others if self._process == os.getpid() else ()):
                _IDLE_OF_THREADS.give((*self._arguments, number), other, other.reset())

    def decode(
        self, origin: "Origin", masks: BatchMasks, begin: int, end: int, rows: RowFilter | None
    ) -> "Iterator[Decoded]":
        """Decode batches `begin` to `end`, as far as that can be done.

        Args:
            origin: where they were read.
            masks: the batches, classified.
            begin: number of the first one.
            end: number of the first one not to decode.
            rows: which of their records become rows; None for all.

        Returns:
            Record batches, each of one or several batches, None for no records; with the number of the next batch.
        """
        if self._threads == 1 or end - begin <= self._threads or not _are_compressed(masks.batches):
            return _decode(self.first, origin, masks, begin, end, rows)
        return self._decode_by_threads(origin, masks, begin, end, rows)

    def _decode_by_threads(
        self, origin: "Origin", masks: BatchMasks, begin: int, end: int, rows: RowFilter | None
    ) -> "Iterator[Decoded]":
        bounds = np.linspace(begin, end, self._threads * _GROUPS_A_THREAD + 1).astype(np.int64).tolist()
        groups = [(first, last) for first, last in pairwise(bounds) if last > first]
        pool = self._started()
        process = os.getpid()
        # Every so many groups one is for this thread, which decodes it when the others have come as far.
        decoded = [
            pool.submit(self._decode_ahead, origin, masks, first, last, rows) if number % self._threads else None
            for number, (first, last) in enumerate(groups)
        ]
        for (first, last), future in zip(groups, decoded, strict=True):
            came_to = first
            # A forked child that goes on has none of the threads, and their locks may be held for good.
            if future is not None and os.getpid() == process and not future.cancel():
                for batch, after in future.result():
                    yield batch, after
                    came_to = after
            for batch, after in _decode(self.first, origin, masks, came_to, last, rows):
                yield batch, after
                came_to = after
            if came_to < last:
                if os.getpid() == process:
                    # The window is read into again once this ends.
                    wait([ahead for ahead in decoded if ahead is not None and not ahead.cancel()])
                return

    def _started(self) -> ThreadPoolExecutor:
        if self._pool is None or self._process != os.getpid():
            self._process = os.getpid()
            self._others = [
                _IDLE_OF_THREADS.take((*self._arguments, number)) or type(self.first)(*self._arguments)
                for number in range(self._threads - 1)
            ]
            self._pool = ThreadPoolExecutor(self._threads - 1, thread_name_prefix="kafkafmt")
        return self._pool

    def _decode_ahead(
        self, origin: "Origin", masks: BatchMasks, begin: int, end: int, rows: RowFilter | None
    ) -> "list[Decoded]":
        """Decode in a thread what is asked for later, up to a bound."""
        decoder = self._others.pop()
        try:
            decoded = []
            size = 0
            for batch, came_to in _decode(decoder, origin, masks, begin, end, rows):
                decoded.append((batch, came_to))
                size += batch.nbytes if batch is not None else 0
                if size > _MOST_AHEAD:
                    break
        except BaseException:
            # It came in the middle of a step of the decoder; maybe nobody asks for this group any more.
            self._others.append(type(decoder)(*self._arguments))
            raise
        self._others.append(decoder)
        return decoded


def reference_time(headers: Headers) -> float:
    """Microseconds in which the reference engine decodes batches of these headers."""
    records, size = headers["num_records"].sum(dtype=np.int64), headers["size"].sum(dtype=np.int64)
    return float(records) * _TIME_OF_A_RECORD + float(size) * _TIME_OF_A_BYTE


def first_undecoded(decoders: Decoders, origin: "Origin", batches: Batches, ahead: int) -> int:
    """Number of batches before the first that kernels refuse, or which they are not worth loading for.

    A batch that states another timestamp of its latest record than it has counts as refused.

    Args:
        decoders: those of the pass; CRCs were compared before.
        origin: where the batches were read.
        batches: whole batches.
        ahead: bytes of the file that follow them, and will be decoded too.
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
                if sound < after - count:
                    return count + sound
            count = after
    except ImportError:  # the reference engine needs no numba
        return 0
    return count


def _stated_timestamps(batches: Batches, decoded: pa.RecordBatch) -> int:
    """Number of batches before the first whose latest record has another timestamp than its header states."""
    headers = batches.headers
    counts = headers["num_records"].astype(np.int64)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])[counts > 0]
    if counts.sum() != decoded.num_rows or not len(first):
        return len(batches) if not len(first) else 0
    timestamps = decoded.column("timestamp").cast(pa.int64()).to_numpy()
    latest = np.maximum.reduceat(timestamps, first)
    rows = np.flatnonzero(counts > 0)
    wrong = (headers["max_timestamp"][rows] != latest) & (headers["attributes"][rows] & LOG_APPEND_TIME == 0)
    return int(rows[wrong.argmax()]) if wrong.any() else len(batches)


@dataclass(eq=False)
class TaskDecoder:
    """Decodes the windows and entries of one file.

    Attributes:
        decoders: the decoders of the pass.
        origin: where the records come from.
        filter: classifies batches by their headers.
        limits: bounds of every decode.
        end: up to where in the file all is wanted and will be asked for, 0 if all that is wanted will be; None if less
            may be. What lies ahead then tells whether to load the kernels.
    """

    decoders: Decoders
    origin: "Origin"
    filter: BatchFilter
    limits: "Limits"
    end: int | None
    _refused: int = -1  # position of the entry that the kernels refused last
    _met: int = 0
    _worth_it: bool = False

    def decode(self, window: "ReadWindow") -> Iterator[pa.RecordBatch]:
        """Decode entries of a window, up to the first that is out of the ordinary."""
        before = -1
        self._worth_it = self.decoders.are_worth_it(0)
        while before < window.taken and window.holds_entry and not window.ends_walk:
            before = window.taken
            if not window.begins_batch:
                messages = self._messages(window)
                if messages is not None:
                    yield messages
                continue
            masks = self.filter.classify(window)
            if masks is None:
                break
            if not self._are_worth_it(masks):
                # The reference engine decodes the first that is wanted; those before it need no engine.
                self.filter.commit(window, masks, 0, masks.before_wanted())
                continue
            for begin, end, rows in masks.runs(self.filter.selection.row_filter):
                came_to = begin
                for batch, after in self.decoders.decode(self.origin, masks, begin, end, rows):
                    # Before they are delivered, as whoever takes them may want no more.
                    self.filter.commit(window, masks, came_to, after)
                    came_to = after
                    if batch is not None:
                        yield batch
                if came_to < end:
                    break
        if self._worth_it:
            self._refused = window.position + window.taken

    def count(self, window: "ReadWindow") -> int:
        """Count the wanted records of as many entries of a window, by their headers where these suffice."""
        masks = self.filter.classify(window) if window.begins_batch else None
        if masks is None or masks.need_decoding:
            return sum(batch.num_rows for batch in self.decode(window))
        return self.filter.count(window, masks)

    def entry(self, entry: "Entry", header: "BatchHeader") -> Part | None:
        """Decode one entry whose CRC was checked; None if it is not for this engine."""
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
            # A few bytes may decompress to what takes the reference engine minutes.
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
        """Records of an entry that this engine refused, or never saw, which it found sound; None if that is unknown."""
        return self.decoders.sound_start(self.origin, entry.position)

    def _are_worth_it(self, masks: BatchMasks) -> bool:
        """Whether kernels should decode, now that these batches are met."""
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

    def _messages(self, window: "ReadWindow") -> pa.RecordBatch | None:
        """Decode the adjacent messages and wrappers of formats v0 and v1 that follow; None for no records."""
        data, begin = window.padded, window.taken
        time = 0.0
        if self.end is not None:
            end = window.position + len(data)
            time = max(0, end - max(self._met, window.position + begin)) * _TIME_OF_A_MESSAGE_BYTE
            self._met = max(self._met, end)
        self._worth_it = self.decoders.are_worth_it(time)
        if not self._worth_it:
            return None
        selection = self.filter.selection
        rows = None if selection.row_filter == EVERY_ROW else selection.row_filter
        decoder = self.decoders.first
        batch, came_to = decoder.messages(self.origin, data, window.position, begin, len(window.data), rows)
        if came_to == begin:
            return None
        self.filter.commit_messages(window, decoder.frames(data, begin, came_to), came_to)
        return batch


def _decode(
    decoder: "Decoder", origin: "Origin", masks: BatchMasks, begin: int, end: int, rows: RowFilter | None
) -> "Iterator[Decoded]":
    batches, wanted, checked = masks.batches[:end], masks.wanted[:end], masks.checked[:end]
    first = begin
    while first < end:
        batch, came_to = decoder.batches(origin, batches, first, wanted, checked, rows)
        if came_to == first:
            return
        yield batch, came_to
        first = came_to


def _are_compressed(batches: Batches) -> bool:
    """Whether there is enough to do for threads: uncompressed batches are read faster than threads are woken."""
    return bool((batches.headers["attributes"] & COMPRESSION).any())
