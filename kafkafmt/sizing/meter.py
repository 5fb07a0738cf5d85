"""Meter: measures the batches of a pass, by headers where these suffice, else by their records."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt import arrays
from kafkafmt.cached import cached_property
from kafkafmt.codec.compression import LABELS
from kafkafmt.columnar.figures import Int64s, new_figures
from kafkafmt.columnar.headers import HEADER, Batches, Headers, Mask, first_wrong, read_batches
from kafkafmt.columnar.kernels import weigh
from kafkafmt.columnar.row_filter import EVERY_ROW, RowFilter
from kafkafmt.columns import SCHEMA
from kafkafmt.reference.header import LOG_APPEND_TIME as BY_BROKER
from kafkafmt.reference.header import to_int64
from kafkafmt.reference.layout import COMPRESSION, CURRENT_MAGIC, LOG_APPEND_TIME, LOG_OVERHEAD
from kafkafmt.sizing.measured import MeasuredBatches, MeasuredRows, of_headers, of_rows, together
from kafkafmt.writing.encoding import message_size, record_size

if TYPE_CHECKING:
    from kafkafmt.columnar.decoder import Decoder
    from kafkafmt.columnar.payloads import PayloadReader
    from kafkafmt.files.read_window import ReadWindow
    from kafkafmt.limits import Limits
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.scanning import ScanTask
    from kafkafmt.scanning.batch_filter import BatchFilter, BatchMasks
    from kafkafmt.scanning.file_selection import FileSelection
    from kafkafmt.sizing.sums import Sums
    from kafkafmt.sizing.value_fields import FieldReader

_CODECS: Final = {label: codec for codec, label in LABELS.items()}
_MESSAGES: Final = pa.schema(
    [SCHEMA.field(name) for name in ("key", "value", "offset", "timestamp", "position", "magic", "compression")]
)


_ROWS_AT_ONCE: Final = 4096
_BYTES_AT_ONCE: Final = 2 << 20


@dataclass
class _Waiting:
    """Records of one file whose keys and values wait to be decoded.

    Attributes:
        task: the task of the records.
        rows: measured records, in parts.
        values: values of the records.
        size: bytes of keys and values.
    """

    task: "ScanTask"
    rows: list[MeasuredRows] = field(default_factory=list)
    values: list[bytes | None] = field(default_factory=list)
    size: int = 0

    def add(self, rows: MeasuredRows, values: Sequence[bytes | None]) -> None:
        self.rows.append(rows)
        self.values += values
        self.size += sum(len(each) for each in (*rows.keys, *values) if each is not None)

    @property
    def is_enough(self) -> bool:
        return len(self.values) >= _ROWS_AT_ONCE or self.size >= _BYTES_AT_ONCE


class Meter:
    """A visitor for the batches of a scan (`kafkafmt.Scan.show`).

    Headers of format 2 have the number of records and bytes. The size of compressed records, and the lowest timestamp,
    are only in the records; so are the lowest and highest offset where compaction has removed records.

    Args:
        sums: sums that take the measures, one for each grouping.
        columns: names of the wanted figures in the answer.
        limits: bounds of every decode.
        verify_checksums: whether the CRCs of messages of formats v0 and v1 are checked.
        fields: reader of the fields of keys and values that are grouped by; None if there are none.
    """

    def __init__(
        self,
        sums: "Sequence[Sums]",
        columns: Collection[str],
        limits: "Limits",
        *,
        verify_checksums: bool,
        fields: "FieldReader | None" = None,
    ) -> None:
        self._sums = sums
        self._columns = frozenset(columns)
        self._limits = limits
        self._verify_checksums = verify_checksums
        self._fields = fields
        self._waiting: _Waiting | None = None
        self._by_record = any(each.grouping.by_record for each in sums)

    @property
    def reads_bytes(self) -> bool:
        """Whether most batches are read in full, not only their headers."""
        return self._by_record or not self._columns.isdisjoint({"recordBytes", "minTimestamp"})

    def window(self, task: "ScanTask", window: "ReadWindow", batch_filter: "BatchFilter") -> None:
        """Measure entries of a window, up to the first unusual one."""
        if self._fields is not None:
            return  # entries are taken one by one, as their keys and values are decoded
        before = -1
        while before < window.taken and window.holds_entry and not window.ends_walk:
            before = window.taken
            if not window.begins_batch:
                self._messages(task, window, batch_filter)
                continue
            masks = batch_filter.classify(window)
            if masks is None:
                break
            if (masks.wanted & self._need_records(masks.batches.headers, masks.covered)).any():
                self._by_records(task, window, batch_filter, masks)
            else:
                end = first_wrong(masks.batches, masks.checked) if batch_filter.verify_checksums else len(masks.batches)
                self._add_by_headers(task, masks.batches.headers[:end][masks.wanted[:end]])
                batch_filter.commit(window, masks, 0, end)

    def entry(self, task: "ScanTask", entry: "Entry", header: "BatchHeader", selection: "FileSelection") -> None:
        """Measure a single entry.

        Raises:
            KafkafmtError: its records cannot be read.
        """
        covered = selection.covers(header)
        if entry.frame.magic == CURRENT_MAGIC and not (self._fields is not None and header.count):
            headers = _header_of(header)
            if not self._need_records(headers, np.full(1, covered)).any():
                self._add_by_headers(task, headers)
                return
            batches = read_batches(memoryview(entry.data), 0, entry.position, self._limits)
            one, rows = np.ones(1, np.bool_), None if covered else selection.row_filter
            if len(batches) and self._decoded(task, batches, 0, one, ~one, rows) == (1, True):
                return
        self._by_reference(task, entry, header, selection, covered=covered)

    def _need_records(self, headers: Headers, covered: Mask) -> Mask:
        """Mask of the wanted batches whose records must be read."""
        counts = headers["num_records"]
        if self._by_record:
            needed: Mask = np.ones(len(headers), np.bool_)
            return needed & (counts > 0)
        needed = ~covered
        if "recordBytes" in self._columns:
            needed |= headers["attributes"] & COMPRESSION != 0
        if "minTimestamp" in self._columns:
            needed |= (headers["attributes"] & LOG_APPEND_TIME == 0) & (counts > 1)
        if not self._columns.isdisjoint({"minOffset", "maxOffset"}):
            needed |= counts != headers["last_offset_delta"].astype(np.int64) + 1
        return needed & (counts > 0)

    def _add_by_headers(self, task: "ScanTask", headers: Headers) -> None:
        figures = of_headers(headers)
        for sums in self._sums:
            sums.add_batches(task, headers, figures)

    def _by_records(
        self, task: "ScanTask", window: "ReadWindow", batch_filter: "BatchFilter", masks: "BatchMasks"
    ) -> None:
        """Measure batches of a window by their records, up to the first that is not sound."""
        for begin, end, rows in masks.runs(batch_filter.selection.row_filter):
            came_to = begin
            while came_to < end:
                after, is_sound = self._decoded(
                    task, masks.batches[:end], came_to, masks.wanted[:end], masks.checked[:end], rows
                )
                empty = masks.wanted[came_to:after] & (masks.batches.headers["num_records"][came_to:after] == 0)
                self._add_by_headers(task, masks.batches.headers[came_to:after][empty])
                batch_filter.commit(window, masks, came_to, after)
                came_to = after
                if not is_sound:
                    return

    def _decoded(
        self,
        task: "ScanTask",
        batches: Batches,
        first: int,
        wanted: Mask,
        checked: Mask,
        rows: RowFilter | None,
    ) -> tuple[int, bool]:
        """Measure the records of some batches from number `first` on, by kernels.

        Returns:
            The number of the batch to continue with, and whether kernels can probably measure that batch, too.
        """
        payloads = self._payloads.read(batches, first, wanted, checked)
        count = len(payloads.chosen)
        if not count:
            return payloads.next, payloads.next > first
        kept = (rows or EVERY_ROW).as_kept()
        part = payloads.part
        headers = batches.headers[part]
        stored = headers["size"].astype(np.int64) + LOG_OVERHEAD
        figures = new_figures(count)
        taken = weigh(
            payloads.source,
            payloads.starts,
            payloads.ends,
            headers,
            kept,
            self._limits.max_headers_per_record,
            stored,
            figures,
        )
        if taken:
            some = slice(0, taken)
            measured = MeasuredBatches(
                payloads.source,
                payloads.starts[some],
                payloads.ends[some],
                headers[some],
                stored[some],
                figures[some],
            )
            for sums in self._sums:
                sums.add_records(task, measured, kept, self._limits.max_headers_per_record)
        if taken == count:
            return payloads.next, True
        self._payloads.read_less()
        return int(payloads.chosen[taken]), False

    def _messages(self, task: "ScanTask", window: "ReadWindow", batch_filter: "BatchFilter") -> None:
        """Measure adjacent messages and wrappers of formats v0 and v1."""
        begin = window.taken
        batch, end = self._decoder.messages(task.origin, window.padded, window.position, begin, len(window.data), None)
        if end == begin:
            return
        frames = self._decoder.frames(window.padded, begin, end)
        batch_filter.commit_messages(window, frames, end)
        if batch is None:
            return
        positions = _int64s(batch.column("position"))
        numbers = np.searchsorted(frames["begin"] + window.position, positions)
        stored = (frames["end"] - frames["begin"])[numbers]
        magics = _int64s(batch.column("magic"))
        sizes = np.where(magics == 0, message_size(0, None, None), message_size(1, None, None))
        sizes = sizes + _lengths(batch.column("key")) + _lengths(batch.column("value"))
        offsets, timestamps = _int64s(batch.column("offset")), _int64s(batch.column("timestamp"))
        codecs = arrays.numbers(pc.index_in(batch.column("compression"), arrays.array(list(_CODECS), pa.string())))
        rows = MeasuredRows(
            numbers,
            np.array(list(_CODECS.values()), np.int64)[codecs],
            magics,
            stored,
            np.full(len(sizes), -1, np.int64),
            timestamps,
            batch.column("key").to_pylist() if self._by_record else [None] * len(sizes),
            [()] * len(sizes),
            of_rows(offsets, timestamps, sizes, stored, numbers),
            [()] * len(sizes),
        )
        wanted = _wanted(batch_filter.selection, offsets, timestamps, batch.column("key"))
        self._add_rows(task, rows if wanted.all() else rows[np.flatnonzero(wanted)])

    def _by_reference(
        self, task: "ScanTask", entry: "Entry", header: "BatchHeader", selection: "FileSelection", *, covered: bool
    ) -> None:
        """Measure the records of an entry one by one: it is large, or damaged, which raises an error."""
        base_offset, base_timestamp = header.base_offset or 0, header.base_timestamp or 0
        is_batch = entry.frame.magic == CURRENT_MAGIC
        sizes, offsets, timestamps, keys, values, headers, wanted = [], [], [], [], [], [], []
        for record in entry.records(self._limits, header, verify_inner=self._verify_checksums):
            if is_batch:
                deltas = record.offset - base_offset, record.timestamp - base_timestamp
                sizes.append(record_size(*deltas, record.key, record.value, record.headers))
            else:
                sizes.append(message_size(entry.frame.magic, record.key, record.value))
            offsets.append(record.offset)
            timestamps.append(record.timestamp)
            keys.append(record.key)
            values.append(record.value)
            headers.append(record.headers)
            wanted.append(covered or any(selection.filter([record])))
        if not sizes:
            return
        weights = np.array(sizes, np.int64)
        if is_batch:
            # With LogAppendTime the batch's timestamp applies, not the deltas of its records.
            weights[0] += max(entry.decompressed_size(self._limits), int(weights.sum()) - int(weights[0]) + 1) - int(
                weights.sum()
            )
        numbers = np.zeros(len(sizes), np.int64)
        stored = np.full(len(sizes), entry.frame.size_in_bytes, np.int64)
        at = np.array(timestamps, np.int64)
        rows = MeasuredRows(
            numbers,
            np.full(len(sizes), _CODECS.get(header.compression or "", 0), np.int64),
            np.full(len(sizes), entry.frame.magic, np.int64),
            stored,
            np.full(len(sizes), header.producer_id, np.int64),
            at,
            keys,
            headers,
            of_rows(np.array(offsets, np.int64), at, weights, stored, numbers),
            [()] * len(sizes),
        )
        chosen = np.flatnonzero(wanted)
        if self._fields is None or header.is_control_batch:
            self._add_rows(task, rows[chosen])
            return
        if self._waiting and self._waiting.task is not task:
            self.close()
        self._waiting = self._waiting or _Waiting(task)
        self._waiting.add(rows[chosen], [values[number] for number in chosen])
        if self._waiting.is_enough:
            self.close()

    def close(self) -> None:
        """Add the waiting records, which are decoded in bulk.

        Raises:
            DataError: a key or value cannot be decoded, and damage is not skipped.
        """
        waiting, self._waiting = self._waiting, None
        if waiting is not None and self._fields is not None:
            rows = together(waiting.rows)
            fields = self._fields.read(waiting.task, rows.keys, waiting.values, rows.headers)
            self._add_rows(waiting.task, replace(rows, fields=fields))

    def _add_rows(self, task: "ScanTask", rows: MeasuredRows) -> None:
        if len(rows):
            for sums in self._sums:
                sums.add_rows(task, rows)

    @cached_property
    def _payloads(self) -> "PayloadReader":
        from kafkafmt.columnar import header_walk  # noqa: F401, PLC0415 - `read_batches` uses it once imported
        from kafkafmt.columnar.payloads import PayloadReader  # noqa: PLC0415 - it loads kernels

        return PayloadReader(self._limits)

    @cached_property
    def _decoder(self) -> "Decoder":
        from kafkafmt.columnar.decoder import Decoder  # noqa: PLC0415 - it loads kernels

        return Decoder(_MESSAGES, self._verify_checksums, self._limits)


def _header_of(header: "BatchHeader") -> Headers:
    """The header of an entry of format 2, in the array form of `kafkafmt.columnar.headers`."""
    headers = np.zeros(1, HEADER)
    headers["base_offset"], headers["size"] = header.base_offset, header.size_in_bytes - LOG_OVERHEAD
    headers["magic"] = CURRENT_MAGIC
    headers["attributes"] = _CODECS.get(header.compression or "", 0) | (
        LOG_APPEND_TIME if header.timestamp_type == BY_BROKER else 0
    )
    # A last offset above 2^63-1 has wrapped.
    headers["last_offset_delta"] = to_int64((header.last_offset or 0) - (header.base_offset or 0))
    headers["base_timestamp"], headers["max_timestamp"] = header.base_timestamp, header.max_timestamp
    headers["producer_id"], headers["num_records"] = header.producer_id, header.count
    return headers


def _wanted(selection: "FileSelection", offsets: Int64s, timestamps: Int64s, keys: pa.Array) -> Mask:
    """Mask of the wanted records."""
    wanted: Mask = np.ones(len(offsets), np.bool_)
    for values, start, end in (
        (offsets, selection.offsets.start, selection.offsets.end),
        (timestamps, selection.start_timestamp, selection.end_timestamp),
    ):
        if start is not None:
            wanted &= values >= start
        if end is not None:
            wanted &= values < end
    if selection.key is not None:
        is_it = pc.equal(keys, pa.scalar(selection.key, pa.binary()))
        wanted &= arrays.flags(pc.fill_null(is_it, fill_value=False))
    return wanted


def _int64s(column: pa.Array) -> Int64s:
    """Numbers or times without nulls."""
    numbers: Int64s = arrays.numbers(column).astype(np.int64, copy=False)
    return numbers


def _lengths(column: pa.Array) -> Int64s:
    """Number of bytes of each value, 0 for null."""
    return _int64s(pc.fill_null(pc.binary_length(column), 0))
