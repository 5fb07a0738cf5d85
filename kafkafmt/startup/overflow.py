"""Segments whose offsets overflow their indexes, and the parts into which the loader splits them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkafmt.errors import DataError
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import INT32_MAX
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.startup.outcome import BrokerError
from kafkafmt.startup.recovered import Recovered

if TYPE_CHECKING:
    from kafkafmt.startup.batch import Batch
    from kafkafmt.startup.segment import LoadedSegment


@dataclass(frozen=True, slots=True)
class SplitPart:
    """A part of an overflowed segment, which becomes a segment of its own (`LocalLog.splitOverflowedSegment`).

    Attributes:
        base_offset: base offset of its first batch.
        position: start of the part in the log file, in bytes.
        size: its size in bytes.
        index: entries of its offset index: offset, and position in the part.
    """

    base_offset: int
    position: int
    size: int
    index: list[tuple[int, int]]


class SegmentOverflowError(Exception):
    """Kafka's LogSegmentOffsetOverflowException: the loader splits the segment, and tries again.

    Attributes:
        segment: the segment to split.
    """

    def __init__(self, segment: "LoadedSegment") -> None:
        super().__init__(segment.name)
        self.segment = segment


def split(segment: "LoadedSegment", index_interval_bytes: int) -> list[SplitPart]:
    """Split a segment where its offsets exceed one segment (`LocalLog.splitOverflowedSegment`); CRCs are not checked.

    Raises:
        BrokerError: the broker does not start.
        SourceError: the file cannot be read.
    """
    parts: list[SplitPart] = []
    position = 0
    while position < segment.size:
        first = next(segment.batches(position), None)
        if first is None:
            raise _not_split(segment, "java.util.NoSuchElementException", position)
        base = _first_offset(segment, first)
        found = Recovered(segment.name, base, index_interval_bytes)
        for batch in segment.batches(position):
            if not 0 <= batch.last_offset - base <= INT32_MAX:
                break
            found.add(batch.last_offset, batch.max_timestamp, batch.size_in_bytes)
        if not found.size:
            raise _not_split(
                segment, f"java.lang.IllegalStateException: Failed to append records from position {position}", position
            )
        found.append_time()
        parts.append(SplitPart(base, segment.origin + position, found.size, found.index))
        position += found.size
    return parts


def _first_offset(segment: "LoadedSegment", batch: "Batch") -> int:
    if batch.magic >= CURRENT_MAGIC:
        return batch.base_offset
    try:
        # The offset of a wrapper is that of its last message: the first one's offset needs decompression.
        return next(iter(Entry(segment.data(batch)).records())).offset
    except DataError as error:
        raise _not_split(segment, f"org.apache.kafka.common.KafkaException: {error.message}", batch.position) from None


def _not_split(segment: "LoadedSegment", message: str, position: int) -> BrokerError:
    advice = "offsets overflow the segment, and Kafka fails to split it: kafkafmt repair makes a copy that is split"
    return BrokerError(message, segment.name, segment.origin + position, advice=advice)
