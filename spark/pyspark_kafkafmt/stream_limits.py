"""How much a trigger reads: limits of offsets, with the same results as in Spark's kafka source, and a limit of bytes.

For the meaning of each limit see Spark's `KafkaMicroBatchStream` (`rateLimit`, `delayBatch`); the logs of offsets are
the same, batch for batch.
"""

import math
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from kafkafmt.logdir import lookup

if TYPE_CHECKING:
    from kafkafmt.serving.served_log import ServedLog
    from pyspark_kafkafmt.option_errors import TopicPartition

_LONG_MAX: Final = 2**63 - 1

Offsets = Mapping["TopicPartition", int]


def limited_offsets(limit: int, start: Offsets, end: Offsets) -> "dict[TopicPartition, int]":
    """Divide a number of offsets among partitions, in proportion to their sizes.

    Small partitions get at least one, so the sum may be slightly larger.

    Args:
        limit: number of offsets.
        start: where each partition starts; the end of a partition that is missing here is not changed.
        end: where each ends.
    """
    sizes = {key: end[key] - start[key] for key in end if key in start and end[key] > start[key]}
    # Computed as a double, like Spark's Scala code, so that shares are rounded in the same way.
    total = float(sum(sizes.values()))
    limited = dict(end)
    for key, size in sizes.items():
        share = limit * (size / total)
        most = min(math.ceil(share) if share < 1 else math.floor(share), _LONG_MAX)
        limited[key] = min(end[key], start[key] + most)
    return limited


class Delay:
    """Delays triggers that would read too few offsets, until some time has passed.

    Args:
        fewest: minimum number of offsets.
        most_ms: milliseconds after which a trigger reads however few there are.
        now_ms: the clock.
    """

    def __init__(self, fewest: int, most_ms: int, now_ms: Callable[[], float] = lambda: time.time() * 1000) -> None:
        self._fewest, self._most_ms, self._now_ms = fewest, most_ms, now_ms
        self._last = 0.0

    def holds_back(self, start: Offsets, end: Offsets) -> bool:
        """Whether a trigger reads nothing yet; the first one reads however few offsets there are."""
        if self._now_ms() - self._last < self._most_ms:
            new = sum(offset - start.get(key, 0) for key, offset in end.items())
            if new < self._fewest:
                return True
        self._last = self._now_ms()
        return False


def limited_bytes(
    limit: int, start: Offsets, end: Offsets, logs: "Mapping[TopicPartition, ServedLog]"
) -> "dict[TopicPartition, int]":
    """Divide bytes of log files among partitions, in proportion to their sizes, in whole batches.

    A part ends where a batch begins according to an entry of an offset index, so it may exceed its share by an interval
    of the index, or by a batch.

    Args:
        limit: number of bytes.
        start: where each partition starts.
        end: where each ends.
        logs: the partitions.

    Raises:
        KafkafmtError: damage is found, or a file cannot be read.
    """
    stretches = {
        key: _Stretch(logs[key], start[key], offset)
        for key, offset in end.items()
        if key in start and key in logs and logs[key].segments and offset > start[key]
    }
    sizes = {key: stretch.size for key, stretch in stretches.items()}
    total = sum(sizes.values())
    if total <= limit:
        return dict(end)
    return {
        key: stretches[key].end_after(max(limit * sizes[key] // total, 1)) if key in stretches else offset
        for key, offset in end.items()
    }


class _Stretch:
    """The bytes of a log between two offsets."""

    def __init__(self, log: "ServedLog", start: int, end: int) -> None:
        self._segments, self._start, self._end = log.segments, start, end
        self._first = lookup.place_from(self._segments, start, lambda _: None)
        last = lookup.place_from(self._segments, end, lambda _: None)
        number, _position = last
        self._last = last if number < len(self._segments) else (number - 1, self._segments[-1].size)
        self.size = sum(stop - begin for _, begin, stop in self._parts())

    def _parts(self) -> list[tuple[int, int, int]]:
        """Number of each segment, and the start and end position of its part."""
        first, last = self._first, self._last
        return [
            (
                number,
                first[1] if number == first[0] else 0,
                last[1] if number == last[0] else self._segments[number].size,
            )
            for number in range(first[0], last[0] + 1)
        ]

    def end_after(self, share: int) -> int:
        """The offset at which a batch begins about `share` bytes after the start; the end if there is none."""
        for number, begin, stop in self._parts():
            if stop - begin <= share:
                share -= stop - begin
                continue
            return self._batch_from(number, begin + share)
        return self._end

    def _batch_from(self, number: int, position: int) -> int:
        """Offset of the first batch at or after a position that the offset index names, or of the next segment."""
        segment = self._segments[number]
        with segment.ranged_offset_index() as index:
            entries = 0 if index is None else len(index)
            entry = 0 if index is None else index.count_up_to_position(position - 1)
            while index is not None and entry < entries:
                place = lookup.find_offset(
                    self._segments, index.base_offset + index.slot(entry)[0], report=lambda _: None
                )
                if place is not None and self._start < place.base_offset < self._end:
                    return place.base_offset
                entry += 1
        following = self._segments[number + 1].base_offset if number + 1 < len(self._segments) else None
        return self._end if following is None else min(following, self._end)
