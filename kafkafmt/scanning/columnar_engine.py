"""The columnar engine in a scan: windows of files, and single entries, become record batches by kernels."""

import os
import sys
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Generic, Self, TypeVar

import numpy as np
import pyarrow as pa

from kafkafmt.columnar.checksums import first_wrong
from kafkafmt.columnar.headers import COMPRESSION, read_batches
from kafkafmt.columnar.row_filter import RowFilter
from kafkafmt.errors import KafkafmtError
from kafkafmt.reference.layout import CURRENT_MAGIC, LOG_OVERHEAD, MAGIC_OFFSET, read_size
from kafkafmt.scanning.batch_filter import Judge, Judged, count
from kafkafmt.scanning.batching import Part, Run

if TYPE_CHECKING:
    from kafkafmt.columnar.decoder import Decoder
    from kafkafmt.columns import Origin
    from kafkafmt.files.stretch import Stretch
    from kafkafmt.limits import Limits
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.reference.record_batch import SoundStart

T = TypeVar("T")


class Idle(Generic[T]):
    """Objects that nobody uses, one a key, up to a number of bytes.

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
            key: what it is asked for by.
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


_KERNELS = "kafkafmt.columnar.records"
# What numba and the kernels take to load, in microseconds of the same processor as the three below.
_LOADING_TIME = 300_000
# What the reference engine takes for a record and for a byte of a batch, and for a byte of a message of v0 or v1, whose
# number only a walk tells.
_TIME_OF_A_RECORD = 10
_TIME_OF_A_BYTE = 1 / 40
_TIME_OF_A_MESSAGE_BYTE = 1
# A batch that decompresses to more than this, and to so many times its size, may be thousands of headers a record.
_MOST_UNPACKED = 256 * 1024
_MOST_TIMES = 32
# Of an entry by itself: to make a record batch takes longer than the reference engine with the few records of less.
_WORTH_A_KERNEL = 4 * 1024
_GROUPS_A_THREAD = 4
_NO_KERNELS = (
    "the columnar engine needs numba 0.61 or newer, which does not load here ({}). "
    "Install one that fits with: pip install -U numba; or scan with engine='reference'"
)
# A thread stops here and leaves the rest to the one that asks for it: what is highly compressed may grow without end.
_MOST_AHEAD = 32 * 1024 * 1024


# Bytes that decoders keep between scans: the one of a scan of all columns 15 to 25 MB.
_IDLE: "Idle[Decoder]" = Idle(32 * 1024 * 1024)


class Decoders:
    """One decoder a thread, made when there is enough to decode: to load the kernels takes longer than some records.

    A context: at its end the threads go, and one decoder is left to the next scan of these columns.

    Args:
        schema: columns wanted.
        verify_checksums: whether CRCs are checked.
        limits: bounds of every decode.
        threads: how many.

    Attributes:
        met: microseconds in which the reference engine decodes what all scans of this process came upon.
    """

    met = 0.0

    def __init__(self, schema: pa.Schema, verify_checksums: bool, limits: "Limits", threads: int = 1) -> None:
        self._arguments = (schema, verify_checksums, limits)
        self._threads = threads
        self._idle: list[Decoder] = []
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

    @cached_property
    def first(self) -> "Decoder":
        """The decoder of the thread that asks.

        Raises:
            ImportError: numba does not load.
        """
        try:
            from kafkafmt.columnar.decoder import Decoder  # noqa: PLC0415 (it loads numba)
        except Exception as error:
            # Of a numba that does not fit to the rest of what is installed, anything.
            raise ImportError(_NO_KERNELS.format(error)) from error
        return _IDLE.take(self._arguments) or Decoder(*self._arguments)

    def sound_start(self, origin: "Origin", position: int) -> "SoundStart | None":
        """Records that the decoder of the thread that asks found sound in the batch that it refused last."""
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

    def decode(
        self, origin: "Origin", judged: Judged, begin: int, end: int, rows: RowFilter | None
    ) -> Iterator[tuple[pa.RecordBatch | None, int]]:
        """Decode batches `begin` to `end` of those that were judged, as far as that can be done.

        Yields:
            What one or several of them hold, None for nothing, and the number of the batch behind them.
        """
        if self._threads == 1 or end - begin <= self._threads or not _are_compressed(judged):
            yield from _decode(self.first, origin, judged, begin, end, rows)
            return
        bounds = np.linspace(begin, end, self._threads * _GROUPS_A_THREAD + 1).astype(np.int64).tolist()
        groups = [(first, last) for first, last in pairwise(bounds) if last > first]
        pool = self._started()
        process = os.getpid()
        decoded = [pool.submit(self._ahead, origin, judged, first, last, rows) for first, last in groups]
        for (first, last), future in zip(groups, decoded, strict=True):
            came_to = first
            # A forked child that goes on has none of the threads, and their locks may be held for good.
            for batch, after in future.result() if os.getpid() == process else ():
                yield batch, after
                came_to = after
            for batch, after in _decode(self.first, origin, judged, came_to, last, rows):
                yield batch, after
                came_to = after
            if came_to < last:
                for waiting in decoded if os.getpid() == process else ():
                    waiting.cancel()
                return

    def _started(self) -> ThreadPoolExecutor:
        if self._pool is None or self._process != os.getpid():
            self._process = os.getpid()
            self._idle = [type(self.first)(*self._arguments) for _ in range(self._threads)]
            self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="kafkafmt")
        return self._pool

    def _ahead(
        self, origin: "Origin", judged: Judged, begin: int, end: int, rows: RowFilter | None
    ) -> list[tuple[pa.RecordBatch | None, int]]:
        """Decode in a thread what is not asked for yet, up to a bound."""
        decoder = self._idle.pop()
        try:
            decoded = []
            size = 0
            for batch, came_to in _decode(decoder, origin, judged, begin, end, rows):
                decoded.append((batch, came_to))
                size += batch.nbytes if batch is not None else 0
                if size > _MOST_AHEAD:
                    break
            return decoded
        finally:
            self._idle.append(decoder)


@dataclass(eq=False)
class Reading:
    """Decoding of one file.

    Attributes:
        decoders: what decodes.
        origin: where the records come from.
        judge: judges batches by their headers.
        rows: which rows are wanted of an entry that is not wanted as a whole.
        end: up to where in the file all is wanted and will be asked for, 0 if all that is wanted will be; None if less
            may be. So what lies ahead may tell what is worth it.
    """

    decoders: Decoders
    origin: "Origin"
    judge: Judge
    rows: RowFilter
    end: int | None
    _refused: int = -1
    _met: int = 0
    _worth_it: bool = False

    def take(self, stretch: "Stretch") -> Iterator[pa.RecordBatch]:
        """Decode as many entries of a stretch as can be decoded in bulk."""
        yield from self._take(stretch, self._batches)

    def count(self, stretch: "Stretch") -> Iterator[int]:
        """Count the wanted records of as many entries of a stretch as that can be done of in bulk."""
        for part in self._take(stretch, self._numbers):
            yield part if isinstance(part, int) else part.num_rows

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
            unpacked = entry.decompressed_size(self.judge.limits)
            if unpacked < _WORTH_A_KERNEL:
                return None
            is_worth_it = is_worth_it or unpacked > max(_MOST_UNPACKED, _MOST_TIMES * size)
            if not (is_worth_it or self.decoders.are_worth_it(unpacked * _TIME_OF_A_BYTE)):
                return None
        data = memoryview(entry.data)
        keeps_all = self.judge.selection.keeps_all(header, self.judge.offsets)
        rows = None if keeps_all else self.rows
        decoder = self.decoders.first
        if not is_batch:
            batch, came_to = decoder.messages(self.origin, data, entry.position, 0, len(data), rows)
            decoded = came_to == len(data)
        else:
            batches = read_batches(data, 0, entry.position, self.judge.limits)
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

    def _take(self, stretch: "Stretch", batches: "Callable[[Stretch], Iterator[T]]") -> "Iterator[T | pa.RecordBatch]":
        """Go over runs of batches, and of messages, as far as these are ordinary."""
        before = -1
        self._worth_it = self.decoders.are_worth_it(0)
        while before < stretch.taken and _holds_an_entry(stretch) and not stretch.ends_walk:
            before = stretch.taken
            yield from batches(stretch) if _begins_a_batch(stretch) else self._messages(stretch)
        if self._worth_it:
            self._refused = stretch.position + stretch.taken

    def _are_worth_it(self, judged: Judged) -> bool:
        """Whether kernels should decode, now that these batches are met."""
        time = expected = 0.0
        if self.end is not None:
            batches = judged.batches
            ends = batches.ends + batches.position
            headers = batches.headers[judged.wanted & (ends > self._met)]
            self._met = max(self._met, int(ends[-1]))
            time = float(headers["num_records"].sum(dtype=np.int64)) * _TIME_OF_A_RECORD
            time += float(headers["size"].sum(dtype=np.int64)) * _TIME_OF_A_BYTE
            expected = time * max(0, self.end - self._met) / int(ends[-1] - batches.starts[0] - batches.position)
        self._worth_it = self.decoders.are_worth_it(time, expected)
        return self._worth_it

    def _numbers(self, stretch: "Stretch") -> Iterator[int]:
        return count(self.judge, stretch, self._rows_of)

    def _rows_of(self, judged: Judged) -> tuple[int, int]:
        """Count the wanted records of judged batches; returns their number, and how many batches it took."""
        rows = came_to = 0
        for batch, after in self._decoded(judged):
            rows += batch.num_rows if batch is not None else 0
            came_to = after
        return rows, came_to

    def _batches(self, stretch: "Stretch") -> Iterator[pa.RecordBatch]:
        judged = self.judge.judge(stretch)
        if judged is None:
            return
        came_to = 0
        try:
            for batch, after in self._decoded(judged):
                # Before they are delivered, for whoever takes them may want no more.
                self.judge.order.see_batches(judged.batches[came_to:after])
                came_to = after
                if batch is not None:
                    yield batch
        finally:
            self.judge.done(stretch, judged, came_to)

    def _decoded(self, judged: Judged) -> Iterator[tuple[pa.RecordBatch | None, int]]:
        """Decode batches, those that are wanted as a whole without looking at each row."""
        if not self._are_worth_it(judged):
            # The reference engine takes the first that is wanted; those before it take no engine.
            first = int(judged.wanted.argmax()) if judged.wanted.any() else len(judged.wanted)
            first = first_wrong(judged.batches[:first], judged.checked[:first])
            if first:
                yield None, first
            return
        whole = judged.kept_whole
        edges = np.flatnonzero(whole[1:] != whole[:-1]) + 1
        came_to = 0
        for begin, end in pairwise([0, *edges.tolist(), len(whole)]):
            rows = None if whole[begin] else self.rows
            for batch, after in self.decoders.decode(self.origin, judged, begin, end, rows):
                yield batch, after
                came_to = after
            if came_to < end:
                return

    def _messages(self, stretch: "Stretch") -> Iterator[pa.RecordBatch]:
        """Decode messages and wrappers of formats v0 and v1 that stand side by side."""
        data, begin = stretch.padded, stretch.taken
        time = 0.0
        if self.end is not None:
            end = stretch.position + len(data)
            time = max(0, end - max(self._met, stretch.position + begin)) * _TIME_OF_A_MESSAGE_BYTE
            self._met = max(self._met, end)
        self._worth_it = self.decoders.are_worth_it(time)
        if not self._worth_it:
            return
        selection, offsets = self.judge.selection, self.judge.offsets
        bounded = selection.is_bounded(offsets)
        rows = self.rows if bounded or selection.key is not None else None
        decoder = self.decoders.first
        batch, came_to = decoder.messages(self.origin, data, stretch.position, begin, len(stretch.data), rows)
        if came_to == begin:
            return
        frames = decoder.frames(data, begin, came_to)
        stated, begins, ends = frames["offset"], frames["begin"] + stretch.position, frames["end"] + stretch.position
        stretch.taken = came_to
        stretch.last, stretch.passed_over = int(begins[-1]), None
        self.judge.order.see_all(stated, stated, begins, ends, ~frames["is_wrapper"])
        if bounded:
            self.judge.trust.follow_messages(stated.tolist())
        if batch is not None:
            yield batch


def _decode(
    decoder: "Decoder", origin: "Origin", judged: Judged, begin: int, end: int, rows: RowFilter | None
) -> Iterator[tuple[pa.RecordBatch | None, int]]:
    batches, wanted, checked = judged.batches[:end], judged.wanted[:end], judged.checked[:end]
    first = begin
    while first < end:
        batch, came_to = decoder.batches(origin, batches, first, wanted, checked, rows)
        if came_to == first:
            return
        yield batch, came_to
        first = came_to


def _are_compressed(judged: Judged) -> bool:
    """Whether there is enough to do for threads: what is not compressed is read faster than they are woken."""
    return bool((judged.batches.headers["attributes"] & COMPRESSION).any())


def _holds_an_entry(stretch: "Stretch") -> bool:
    """Whether there is a whole entry after those that are taken; else it would be looked at in vain."""
    left = len(stretch.data) - stretch.taken
    return left > MAGIC_OFFSET and LOG_OVERHEAD + read_size(stretch.data, stretch.taken) <= left


def _begins_a_batch(stretch: "Stretch") -> bool:
    return stretch.data[stretch.taken + MAGIC_OFFSET] == CURRENT_MAGIC
