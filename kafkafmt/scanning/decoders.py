"""Decoders: the decoders of a pass in the columnar engine, one for each thread, which divide the entries."""

import math
import os
import sys
from collections.abc import Hashable
from contextlib import closing
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, ForwardRef, Generic, Self, TypeAlias, TypeVar

from kafkafmt.cached import cached_property
from kafkafmt.columnar.headers import Batches, Positions
from kafkafmt.columnar.row_filter import RowFilter
from kafkafmt.errors import KafkafmtError
from kafkafmt.libraries import np, pa
from kafkafmt.reference.layout import COMPRESSION
from kafkafmt.scanning.batch_filter import BatchMasks
from kafkafmt.scanning.helper_threads import HelperThreads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kafkafmt.columnar.decoder import Decoder
    from kafkafmt.files.read_ahead import Aside
    from kafkafmt.limits import Limits
    from kafkafmt.record_columns import Origin
    from kafkafmt.reference.record_batch import SoundStart

T = TypeVar("T")
if TYPE_CHECKING:
    Decoded: TypeAlias = tuple[pa.RecordBatch | None, int]
else:
    Decoded = ForwardRef("tuple[pa.RecordBatch | None, int]", module=__name__)
Steps: TypeAlias = "Callable[[Decoder, int], Callable[[int], Decoded]]"
"""Starts decoding with a decoder between two positions, in steps."""
Work: TypeAlias = "Callable[[Decoder, int, int], Iterator[Decoded]]"
"""Decodes with a decoder from one position to another, in steps."""

_KERNELS = "kafkafmt.columnar.decoder"
# Time to load kernels, in microseconds of the processor on which `columnar_engine` was timed.
_LOADING_TIME = 100_000
# Decompressed size of a thread's part. Few parts are best, as making a record batch has a fixed cost.
_MOST_OF_A_PART = 5 * 1024 * 1024
_LEAST_OF_A_PART = 3 * 512 * 1024
# A helper stops at this size and leaves the rest to the caller: highly compressed data may grow without end.
_MOST_AHEAD = 32 * 1024 * 1024


class Idle(Generic[T]):
    """A bounded cache of unused objects, one per key, for reuse by the next scan of the process.

    Each step is one operation of a dict, which is atomic, so there is no lock that a signal handler, a finalizer or a
    forked child could wait for. A forked child does not take what its parent left.

    Args:
        most: upper bound of the total size in bytes.
    """

    __slots__ = ("_kept", "_most")

    def __init__(self, most: int) -> None:
        self._kept: dict[Hashable, tuple[int, T, int]] = {}
        self._most = most

    def take(self, key: Hashable) -> T | None:
        """Take out the object of a key, which then belongs to the caller; None if there is none."""
        process, kept, _ = self._kept.pop(key, (None, None, 0))
        return kept if process == os.getpid() else None

    def give(self, key: Hashable, left: T, size: int) -> None:
        """Keep an unused object, in place of an earlier one of its key, unless it is too large.

        Args:
            key: key of the object.
            left: the object.
            size: size of the object in bytes.
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


# Size of decoders kept between scans: the decoder of a scan of all columns takes 15 to 25 MB.
_IDLE: "Idle[Decoder]" = Idle(32 * 1024 * 1024)
# Decoders of the other threads, by schema and number of threads.
_IDLE_OF_THREADS: "Idle[Decoder]" = Idle(96 * 1024 * 1024)


class Decoders:
    """The decoders of a pass, one for each thread, made once there is enough to decode, as loading kernels takes time.

    A context manager: at its end the threads end, and the decoders are kept for the next scan of these columns.

    Args:
        schema: wanted columns.
        verify_checksums: whether to check CRCs.
        limits: bounds of decoding.
        threads: number of threads, including the calling one.

    Attributes:
        met: time in microseconds that the reference engine would take for all input of this process's scans so far.
    """

    met = 0.0

    def __init__(self, schema: "pa.Schema", verify_checksums: bool, limits: "Limits", threads: int = 1) -> None:
        self._arguments = (schema, verify_checksums, limits)
        self._threads = threads
        self._helpers = HelperThreads(threads - 1) if threads > 1 else None
        self._others: list[Decoder] = []  # of the helper threads
        self._process = 0  # id of the process that took them

    def are_worth_it(self, time: float, expected: float = 0) -> bool:
        """Whether loading kernels pays off; if not, the reference engine finishes sooner.

        Args:
            time: microseconds that the reference engine takes for the present input.
            expected: microseconds that it takes for the expected input.
        """
        Decoders.met += time
        return _KERNELS in sys.modules or Decoders.met + expected > _LOADING_TIME

    @classmethod
    def forget_met(cls) -> None:
        """Forget earlier input: a process that reads a little from time to time does not need kernels."""
        cls.met = 0.0

    @cached_property
    def first(self) -> "Decoder":
        """The decoder of the calling thread; its methods raise ImportError if kernels cannot be compiled."""
        from kafkafmt.columnar.decoder import Decoder  # noqa: PLC0415 (only large scans need it)

        return _IDLE.take(self._arguments) or Decoder(*self._arguments)

    def sound_start(self, origin: "Origin", position: int) -> "SoundStart | None":
        """Records found sound, by the calling thread's decoder, in the batch that it last refused."""
        decoder: Decoder | None = vars(self).get("first")  # if it was made
        if decoder is None or decoder.sound_start is None or decoder.sound_start[:2] != (origin, position):
            return None
        return decoder.sound_start[2]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._helpers is not None:
            self._helpers.end()
        decoder: Decoder | None = vars(self).pop("first", None)
        # Any other error may have interrupted the decoder in the middle of a step.
        if decoder is not None and (kind is None or issubclass(kind, (KafkafmtError, GeneratorExit))):
            _IDLE.give(self._arguments, decoder, decoder.reset())
            for number, other in enumerate(self._others if self._process == os.getpid() else ()):
                _IDLE_OF_THREADS.give((*self._arguments, number), other, other.reset())

    @property
    def aside(self) -> "Aside | None":
        """Lets another thread of the pass run a function; None if there is no other thread."""
        return None if self._helpers is None else self._helpers.aside

    def decode(
        self, origin: "Origin", masks: BatchMasks, begin: int, end: int, rows: RowFilter | None
    ) -> "Iterator[Decoded]":
        """Decode batches `begin` to `end`, up to the first that cannot be decoded.

        Args:
            origin: where the batches were read.
            masks: the classified batches.
            begin: number of the first batch.
            end: number after the last batch.
            rows: selects the records that become rows; None for all.

        Returns:
            Record batches of one or several batches each, None for no records; each with the number of the next batch.
        """
        batches = masks.batches

        def steps(decoder: "Decoder", end: int) -> "Callable[[int], Decoded]":
            wanted, checked = masks.wanted[:end], masks.checked[:end]
            return partial(decoder.batches, origin, batches[:end], wanted=wanted, checked=checked, rows=rows)

        work = partial(_decode, steps)
        if self._helpers is None or end - begin < 2 or not _are_compressed(batches):
            return work(self.first, begin, end)
        edges = np.concatenate([batches.starts[begin : begin + 1], batches.ends[begin:end]])
        return self._decode_by_threads(self._helpers, work, np.arange(begin, end + 1), edges)

    def messages(
        self, origin: "Origin", data: memoryview, position: int, begin: int, end: int, rows: RowFilter | None
    ) -> "Iterator[Decoded]":
        """Decode messages and wrappers of formats v0 and v1, up to the first that cannot be decoded.

        Args:
            origin: where the entries were read.
            data: bytes of a file.
            position: position of `data` in the file, in bytes.
            begin: position of the first entry in `data`.
            end: position in `data`; entries that end after it are not taken.
            rows: selects the messages that become rows; None for all.

        Returns:
            Record batches of one or several entries each, None for no records; each with the position in `data` to
            continue from.
        """

        def steps(decoder: "Decoder", end: int) -> "Callable[[int], Decoded]":
            return partial(decoder.messages, origin, data, position, end=end, rows=rows)

        work = partial(_decode, steps)
        if self._helpers is not None:
            edges = np.concatenate([[begin], self.first.wrappers(data, begin, end)])
            if len(edges) > 2:
                return self._decode_by_threads(self._helpers, work, edges, edges)
        return work(self.first, begin, end)

    def _decode_by_threads(
        self, helpers: HelperThreads, work: "Work", places: Positions, edges: Positions
    ) -> "Iterator[Decoded]":
        """Decode entries by all threads, if the first entries of a pass show that dividing them pays off.

        Args:
            helpers: the other threads.
            work: decodes from one place to another.
            places: places between entries, as `work` takes them, including the first and the last.
            edges: positions of these places, in bytes.
        """
        done = 0
        if self.first.ratio is None:
            first = next(work(self.first, int(places[0]), int(places[-1])), None)
            if first is None:
                return
            yield first
            done = int(places.searchsorted(first[1]))
        size = int(edges[-1] - edges[done])
        unpacked = size * (self.first.ratio or 1)
        count = min(max(math.ceil(unpacked / _MOST_OF_A_PART), self._threads), int(unpacked / _LEAST_OF_A_PART))
        if count and helpers.is_busy and count % self._threads == 0:
            count += 1  # for the other threads, while one helper reads ahead
        inner = edges.searchsorted(edges[done] + np.arange(1, count) * size // max(count, 1))
        bounds = sorted({int(places[done]), *places[inner].tolist(), int(places[-1])})
        if len(bounds) > 2:
            yield from self._decode_in_turn(helpers, work, bounds)
        elif len(bounds) == 2:
            yield from work(self.first, *bounds)

    def _decode_in_turn(self, helpers: HelperThreads, work: "Work", bounds: list[int]) -> "Iterator[Decoded]":
        """Decode between bounds by all threads; yield the results in order, up to the first gap."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self._others = [
                _IDLE_OF_THREADS.take((*self._arguments, number)) or type(self.first)(*self._arguments)
                for number in range(self._threads - 1)
            ]
        parts = list(pairwise(bounds))
        # The window's memory is reused once this ends.
        with closing(helpers.in_turn([partial(self._decode_ahead, work, *part) for part in parts])) as decoded:
            for (first, last), ahead in zip(parts, decoded, strict=True):
                came_to = first
                for batch, after in ahead or ():
                    yield batch, after
                    came_to = after
                for batch, after in work(self.first, came_to, last):
                    yield batch, after
                    came_to = after
                if came_to < last:
                    return

    def _decode_ahead(self, work: "Work", begin: int, end: int, is_aside: bool) -> "list[Decoded]":
        """Decode a part that is needed later, up to a bound of memory."""
        decoder = self._others.pop() if is_aside else self.first
        decoded = []
        size = 0
        try:
            for batch, came_to in work(decoder, begin, end):
                decoded.append((batch, came_to))
                size += batch.nbytes if batch is not None else 0
                if size > _MOST_AHEAD:
                    break
        except BaseException:
            # The decoder was interrupted in the middle of a step; perhaps because this part is no longer needed.
            decoder = type(decoder)(*self._arguments)
            raise
        finally:
            if is_aside:
                self._others.append(decoder)
        return decoded


def _decode(steps: "Steps", decoder: "Decoder", begin: int, end: int) -> "Iterator[Decoded]":
    """Decode between two positions, up to the first entry that cannot be decoded."""
    step = steps(decoder, end)
    first = begin
    while first < end:
        batch, came_to = step(first)
        if came_to == first:
            return
        yield batch, came_to
        first = came_to


def _are_compressed(batches: Batches) -> bool:
    """Whether dividing pays off: uncompressed data are decoded about as fast as a helper reads ahead."""
    return bool((batches.headers["attributes"] & COMPRESSION).any())
