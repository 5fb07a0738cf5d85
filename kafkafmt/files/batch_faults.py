"""Faults inside sound batches, which Kafka reads although its `LogValidator` refuses most of them from a client.

Clients number the records of a batch, and summarize them in its header. A broker that does not decompress a batch
stores the client's numbers unchecked, and consumers use them.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from kafkafmt.codec.compression import Compression
from kafkafmt.codec.compression.lz4 import CONTENT_FLAGS, FLAGS_AT, content_fault
from kafkafmt.columnar.headers import Batches, Headers, Mask, Positions, descriptions
from kafkafmt.internal_topics import COORDINATORS_TOPICS
from kafkafmt.libraries import np
from kafkafmt.phrases import counted
from kafkafmt.reference.header import CREATE_TIME, INT32_MAX
from kafkafmt.reference.layout import COMPRESSION, CONTROL, CURRENT_MAGIC, LOG_APPEND_TIME, RECORD_BATCH_OVERHEAD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kafkafmt.limits import Limits
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader

MOST_FAULTS = 100
"""Limit of faults reported individually per file; a last report gives the number of the others."""

TimeUnit = Literal["seconds", "microseconds", "nanoseconds"]

# 2000 to 2100, in seconds; read as milliseconds, these are a few weeks of early 1970.
_FIRST_SECOND, _LAST_SECOND = 946_684_800, 4_102_444_800
_SCALES: tuple[tuple[TimeUnit, int], ...] = (("seconds", 1), ("microseconds", 10**6), ("nanoseconds", 10**9))
_CHECKSUM_ADVICE = "Kafka does not compare it, and reads the records; other readers refuse them"
_OFFSETS_ADVICE = "consumers follow the offsets, and may skip records here: which client wrote it?"


@dataclass(frozen=True, slots=True)
class BatchFault:
    """A fault inside a batch.

    Attributes:
        kind: kind of the finding: "offset", "sequence" or "content_checksum".
        message: the fault.
        advice: its consequence, and the advice.
    """

    kind: str
    message: str
    advice: str


class OffsetWatch:
    """Checks the offsets of the records of one batch, one after another.

    Args:
        header: the batch's header.
    """

    __slots__ = ("_back", "_below", "_beyond", "_header", "_highest", "_last", "_repeated")

    def __init__(self, header: "BatchHeader") -> None:
        self._header = header
        self._last: int | None = None
        self._highest: int | None = None
        self._repeated: int | None = None
        self._back: tuple[int, int] | None = None
        self._below = self._beyond = False

    def see(self, offset: int) -> None:
        """Take the next record."""
        last = self._last
        if last is not None and offset <= last:
            if offset == last:
                self._repeated = offset if self._repeated is None else self._repeated
            else:
                self._back = self._back or (last, offset)
        self._last = offset
        if self._highest is None or offset > self._highest:
            self._highest = offset
        base = self._header.base_offset
        self._below |= base is not None and offset < base

    def fault(self) -> BatchFault | None:
        """The fault of the offsets, once all records have been seen; None if they are right.

        Offsets above an int64 are not reported: they show that the base offset is wrong, which the neighbouring batches
        reveal.
        """
        header, said = self._header, []
        if header.last_offset is not None and header.last_offset < 0 < (header.base_offset or 0) - INT32_MAX:
            return None
        if self._repeated is not None:
            said.append(f"offset {self._repeated} repeats")
        if self._back is not None:
            said.append(f"offsets go back from {self._back[0]} to {self._back[1]}")
        if self._below:
            said.append(f"an offset is below the base offset, {header.base_offset}")
        if header.magic == CURRENT_MAGIC and header.last_offset is not None and self._highest is not None:
            delta = header.last_offset - (header.base_offset or 0)
            if header.count is not None and header.count > delta + 1:
                said.append(f"{header.count} records up to offset {self._highest}, but lastOffsetDelta is {delta}")
            elif self._highest > header.last_offset:
                said.append(f"offset {self._highest} is beyond the last offset, {header.last_offset}")
        if not said:
            return None
        return BatchFault("offset", f"records of one batch: {'; '.join(said)}", _OFFSETS_ADVICE)


def offset_fault(header: "BatchHeader", offsets: "Iterable[int]") -> BatchFault | None:
    """The fault of the offsets of all records of a batch; None if they are right."""
    watch = OffsetWatch(header)
    for offset in offsets:
        watch.see(offset)
    return watch.fault()


def offset_faults(batches: Batches, offsets: Positions, file: str) -> "Iterator[tuple[int, BatchHeader, BatchFault]]":
    """The faults of the offsets of many batches.

    Args:
        batches: the batches.
        offsets: the offsets of all records.
        file: the file's name in headers.

    Returns:
        For each batch with a fault, its number, its header, and the fault.
    """
    counts = batches.headers["num_records"].astype(np.int64)
    some = np.flatnonzero(counts > 0)
    ends = np.cumsum(counts)
    if not len(some) or ends[-1] != len(offsets):
        return
    firsts = (ends - counts)[some]
    wrong = offsets[firsts] < batches.headers["base_offset"][some]
    wrong |= offsets[ends[some] - 1] > batches.last_offsets[some]
    falls = offsets[1:] <= offsets[:-1]
    falls[firsts[1:] - 1] = False
    if falls.any():
        wrong[firsts.searchsorted(np.flatnonzero(falls) + 1, "right") - 1] = True
    for number in some[wrong].tolist():
        (header,) = descriptions(batches[number : number + 1], file)
        fault = offset_fault(header, offsets[ends[number] - counts[number] : ends[number]].tolist())
        if fault is not None:
            yield number, header, fault


def sequence_fault(header: "BatchHeader", topic: str | None) -> BatchFault | None:
    """The fault of a producer's batch without a valid sequence number; None for a coordinator's batch, for example."""
    if header.magic < CURRENT_MAGIC or header.producer_id < 0 or header.base_sequence >= 0:
        return None
    if header.is_control_batch or topic in COORDINATORS_TOPICS:
        return None
    message = f"baseSequence is {header.base_sequence}, but the batch has producer id {header.producer_id}"
    return BatchFault("sequence", message, "a broker refuses such a batch from a client: which client wrote it?")


def wrong_sequences(headers: Headers, topic: str | None) -> Mask:
    """The batches that have a `sequence_fault`, as a mask."""
    if topic in COORDINATORS_TOPICS:
        return np.zeros(len(headers), np.bool_)
    is_data = (headers["attributes"] & CONTROL) == 0
    wrong: Mask = is_data & (headers["producer_id"] >= 0) & (headers["base_sequence"] < 0)
    return wrong


def checksum_faults(batches: Batches, limits: "Limits") -> "Iterator[tuple[int, BatchFault]]":
    """The `checksum_fault` of many sound batches, with the numbers of the batches."""
    stored = np.frombuffer(batches.data, np.uint8)
    begins = batches.starts + RECORD_BATCH_OVERHEAD
    is_lz4 = (batches.headers["attributes"] & COMPRESSION) == Compression.LZ4
    some = np.flatnonzero(is_lz4 & (batches.ends - begins > FLAGS_AT))
    for number in some[stored[begins[some] + FLAGS_AT] & CONTENT_FLAGS != 0].tolist():
        start, end = int(batches.starts[number]), int(batches.ends[number])
        said = content_fault(batches.data[start + RECORD_BATCH_OVERHEAD : end], limits)
        if said is not None:
            yield int(number), BatchFault("content_checksum", said, _CHECKSUM_ADVICE)


def checksum_fault(entry: "Entry", header: "BatchHeader", limits: "Limits") -> BatchFault | None:
    """The fault of an lz4 frame that contradicts its checksum or size; Kafka compares neither (KAFKA-20528)."""
    if header.magic != CURRENT_MAGIC or header.compression != Compression.LZ4.label:
        return None
    said = content_fault(memoryview(entry.data)[RECORD_BATCH_OVERHEAD:], limits)
    return None if said is None else BatchFault("content_checksum", said, _CHECKSUM_ADVICE)


def time_unit(timestamp: int) -> TimeUnit | None:
    """The unit in which a timestamp seems to be, if it is a date of 2000 to 2100 in that unit; None for milliseconds.

    Read as milliseconds, such timestamps in seconds are in January and February 1970, and those in microseconds in the
    years from 31968 on. The result is None for -1 and all other dates.
    """
    for unit, scale in _SCALES:
        if _FIRST_SECOND * scale <= timestamp < _LAST_SECOND * scale:
            return unit
    return None


def time_units(headers: Headers) -> "dict[TimeUnit, int]":
    """Number of batches whose maxTimestamp seems to be in another unit, by unit; LogAppendTime is always right."""
    latest = headers["max_timestamp"][(headers["attributes"] & LOG_APPEND_TIME) == 0]
    found: dict[TimeUnit, int] = {}
    if len(latest) and (latest.min() < _LAST_SECOND or latest.max() >= _FIRST_SECOND * 10**6):
        for unit, scale in _SCALES:
            count = np.count_nonzero((latest >= _FIRST_SECOND * scale) & (latest < _LAST_SECOND * scale))
            if count:
                found[unit] = int(count)
    return found


def time_unit_of(header: "BatchHeader") -> TimeUnit | None:
    """The unit in which an entry's maxTimestamp seems to be; see `time_unit`."""
    if header.max_timestamp is None or header.timestamp_type != CREATE_TIME:
        return None
    return time_unit(header.max_timestamp)


def time_unit_text(counts: "dict[TimeUnit, int]") -> str:
    """A sentence on the units of timestamps: "timestamps of 3 batches look like seconds, not milliseconds"."""
    units = ", ".join(f"{counted(count, 'batch', 'batches')} look like {unit}" for unit, count in counts.items())
    return f"timestamps of {units}, not milliseconds"
