"""Whether the offsets of the batches that a look-up reads can be right: no CRC covers base offsets."""

from typing import TYPE_CHECKING

from kafkafmt.cli.find.log import Log
from kafkafmt.errors import DataError
from kafkafmt.files.offset_order import OffsetFault, OffsetOrder
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.logdir.lookup_steps import BytesScanned, HeaderRead, ScanBegun, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkafmt.io.base import File
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.header import BatchHeader


class OrderCheck:
    """Follows the headers that a look-up reads, and up to three after them, which show whether the last ones fit.

    Args:
        log: that is searched.

    Attributes:
        faults: what is wrong, each once, with the path of its file.
    """

    def __init__(self, log: Log) -> None:
        self.faults: dict[str, None] = {}
        self._log = log
        self._scan: _Scan | None = None

    def see(self, step: Step) -> None:
        """Take the next step of the look-up.

        Raises:
            SourceError: the log file cannot be read.
        """
        if isinstance(step, ScanBegun):
            self._scan = self._begin(step)
        elif self._scan is not None and isinstance(step, HeaderRead):
            self._scan.see(step)
        elif self._scan is not None and isinstance(step, BytesScanned):
            self._scan.end()
            self._scan = None

    def _begin(self, step: ScanBegun) -> "_Scan":
        segments = self._log.segments
        number = next(number for number, segment in enumerate(segments) if segment.file == step.file)
        segment = segments[number]
        following = segments[number + 1] if number + 1 < len(segments) else None

        def report(fault: OffsetFault) -> None:
            self.faults[f"{segment.path}: position {fault.position}: {fault.message}"] = None

        return _Scan(segment, OffsetOrder(segment.bounds(following), report), step.position)


class _Scan:
    """Headers of one log file that a look-up reads in a row, from a position on."""

    def __init__(self, segment: "Segment", order: OffsetOrder, begin: int) -> None:
        self._segment = segment
        self._order = order
        self._end = begin

    def see(self, step: HeaderRead) -> None:
        self._order.see_offsets(step.base_offset, step.last_offset, step.position, step.size_in_bytes)
        self._end = step.position + step.size_in_bytes

    def end(self) -> None:
        with self._segment.open() as file:
            if self._end == file.size or self._order.look_beyond(self._headers(file)):
                self._order.end(file.size)
            else:
                self._order.end()

    def _headers(self, file: "File") -> "Iterator[BatchHeader]":
        """Headers of the next entries, up to what is no entry."""
        try:
            yield from SegmentReader(file).walk(lambda entry: entry.header(), self._end)
        except DataError:
            return
