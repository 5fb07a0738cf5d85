"""FileSelection: the records of one log file that a scan keeps, judged by one or many headers, or by records."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from kafkafmt.cached import cached_property
from kafkafmt.columnar.headers import Batches, Mask
from kafkafmt.columnar.row_filter import Needles, RowFilter
from kafkafmt.libraries import np
from kafkafmt.logdir.transactions import AbortedTransactions
from kafkafmt.record_columns import COLUMNS
from kafkafmt.reference import layout
from kafkafmt.reference.header import INT64_MAX, INT64_MIN, LOG_APPEND_TIME, BatchHeader
from kafkafmt.reference.layout import CONTROL, CURRENT_MAGIC
from kafkafmt.reference.record import Record, stored_name
from kafkafmt.scanning.row_expression import RowBounds, RowExpression


def strictest(choose: Callable[[Iterable[int]], int], *bounds: int | None) -> int | None:
    """The highest (`max`) or lowest (`min`) of several bounds, None for no bound."""
    given = [bound for bound in bounds if bound is not None]
    return choose(given) if given else None


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """Offsets from `start` up to but not including `end`; None for no bound.

    With "read_committed", `transactions` are the aborted ones, and `end` is at most the last stable offset.
    """

    start: int | None = None
    end: int | None = None
    transactions: AbortedTransactions | None = None

    def within(self, start: int | None, end: int | None) -> "OffsetRange":
        """The intersection with another range."""
        return replace(self, start=strictest(max, self.start, start), end=strictest(min, self.end, end))


@dataclass(frozen=True)
class FileSelection:
    """The wanted records of one log file, judged by a header, by the headers of many batches, or by records.

    Attributes:
        offsets: wanted offsets.
        start_timestamp: lowest timestamp, in ms, or None.
        end_timestamp: first timestamp after the range, in ms, or None.
        key: the only wanted key, or None for any.
        control_records: whether control records are wanted.
        needles: byte strings of which a wanted record must contain one.
        expression: the condition on a record, simplified by the values that all records of a batch share.
    """

    offsets: OffsetRange
    start_timestamp: int | None = None
    end_timestamp: int | None = None
    key: bytes | None = None
    control_records: bool = False
    needles: Needles | None = None
    expression: RowExpression | None = None

    @property
    def bounds(self) -> RowBounds:
        """Bounds of offsets and times of all wanted records, and their key."""
        return RowBounds(*self._bounds, self.key)

    @cached_property
    def is_bounded(self) -> bool:
        """Whether offsets or times are bounded, so that a header can exclude its batch."""
        return any(bound is not None for bound in self._bounds)

    @cached_property
    def fits_kernels(self) -> bool:
        """Whether all bounds fit into 64 bits; otherwise only the reference engine can apply them."""
        return all(bound is None or INT64_MIN <= bound <= INT64_MAX for bound in self._bounds)

    @cached_property
    def row_filter(self) -> RowFilter:
        """The condition on single records, for batches in which not every record is wanted."""
        return RowFilter(*self._bounds, self.key, self.needles)

    def may_hold(self, payload: bytes | memoryview) -> bool:
        """Whether the decompressed records of a batch may contain a wanted one; both engines skip other batches."""
        return self.needles is None or self.needles.may_be_in(payload)

    @property
    def needs_records(self) -> bool:
        """Whether headers cannot show that all records are wanted."""
        return any(each is not None for each in (self.start_timestamp, self.end_timestamp, self.key, self.needles))

    @property
    def _bounds(self) -> tuple[int | None, int | None, int | None, int | None]:
        return self.offsets.start, self.offsets.end, self.start_timestamp, self.end_timestamp

    def rules_out(self, header: BatchHeader) -> bool:
        """Whether the header alone shows that no record of a batch is wanted."""
        if header.is_control_batch and not self.control_records:
            return True
        if _is_wrapper(header):
            # Its offset and timestamp are the producer's, so only its messages decide.
            return False
        latest = header.max_timestamp
        return (
            self.states_other_offsets(header)
            or (self.start_timestamp is not None and latest is not None and latest < self.start_timestamp)
            or (
                self.end_timestamp is not None
                and header.timestamp_type == LOG_APPEND_TIME
                and latest is not None
                and latest >= self.end_timestamp
            )
        )

    def states_other_offsets(self, header: BatchHeader) -> bool:
        """Whether the offsets stated in a header, or the only one stated in a wrapper's, are unwanted."""
        last = header.last_offset
        first = header.base_offset if header.base_offset is not None else last
        start, end = self.offsets.start, self.offsets.end
        return (start is not None and last is not None and last < start) or (
            end is not None and first is not None and first >= end
        )

    def is_aborted(self, header: BatchHeader) -> bool:
        """Whether the records of a batch belong to an aborted transaction.

        This depends on single bits of the producer id, so the CRC must have been checked before.
        """
        return self.offsets.transactions is not None and self.offsets.transactions.is_aborted(header)

    def is_untrue(self, header: BatchHeader) -> bool:
        """Whether the expression is false for every record of a batch, whose CRC must have been checked before."""
        return self.expression is not None and self.expression.rules_out(
            {name: COLUMNS[name].of_batch(header) for name in self.expression.names_of_batches}  # type: ignore[misc]
        )

    def untrue(self, batches: Batches) -> Mask | None:
        """The batches for which `is_untrue` is true, as a mask; None for none."""
        return None if self.expression is None else self.expression.rules_out_batches(batches)

    def covers(self, header: BatchHeader) -> bool:
        """Whether the header alone shows that every record of a batch is wanted."""
        if self.needs_records:
            return False
        start, end = self.offsets.start, self.offsets.end
        if _is_wrapper(header):
            return start is None and end is None
        if start is not None and (header.base_offset is None or header.base_offset < start):
            return False
        return end is None or (header.last_offset is not None and header.last_offset < end)

    def ruled_out(self, batches: Batches) -> Mask:
        """The batches for which `rules_out` is true, as a mask."""
        headers = batches.headers
        attributes = headers["attributes"]
        unwanted: Mask = np.zeros(len(batches), np.bool_)
        if not self.control_records:
            unwanted |= (attributes & CONTROL) != 0
        if self.offsets.start is not None:
            unwanted |= batches.last_offsets < self.offsets.start
        if self.offsets.end is not None:
            unwanted |= headers["base_offset"] >= self.offsets.end
        if self.start_timestamp is not None:
            unwanted |= headers["max_timestamp"] < self.start_timestamp
        if self.end_timestamp is not None:
            by_broker = (attributes & layout.LOG_APPEND_TIME) != 0
            unwanted |= by_broker & (headers["max_timestamp"] >= self.end_timestamp)
        return unwanted

    def covered(self, batches: Batches) -> Mask:
        """The batches for which `covers` is true, as a mask."""
        if self.needs_records:
            return np.zeros(len(batches), np.bool_)
        covered: Mask = np.ones(len(batches), np.bool_)
        if self.offsets.start is not None:
            covered &= batches.headers["base_offset"] >= self.offsets.start
        if self.offsets.end is not None:
            covered &= batches.last_offsets < self.offsets.end
        return covered

    @staticmethod
    def _hold(record: Record, needles: Needles) -> bool:
        headers = (part for name, value in record.headers for part in (stored_name(name), value))
        return needles.are_in(record.key, record.value, *headers)

    def filter(self, records: Iterable[Record]) -> Iterator[Record]:
        """The wanted records."""
        start, end = self.offsets.start, self.offsets.end
        for record in records:
            if (
                (start is None or record.offset >= start)
                and (end is None or record.offset < end)
                and (self.start_timestamp is None or record.timestamp >= self.start_timestamp)
                and (self.end_timestamp is None or record.timestamp < self.end_timestamp)
                and (self.key is None or record.key == self.key)
                and (self.needles is None or self._hold(record, self.needles))
            ):
                yield record


def _is_wrapper(header: BatchHeader) -> bool:
    """Whether the entry is a compressed v0 or v1 message, or one of an unknown codec."""
    return header.magic < CURRENT_MAGIC and header.compression != "none"
