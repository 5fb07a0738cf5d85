"""OpenTask: one task whose file is open, walked over for its records, their number, or its batch headers."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from kafkafmt.files.batch_faults import OffsetWatch, checksum_fault, offset_fault
from kafkafmt.files.damage import Damage
from kafkafmt.files.read_window import ReadWindow
from kafkafmt.files.segment import headers_from
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.libraries import pa
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.scanning.batch_filter import BatchFilter, HeaderTrust, LogOrder
from kafkafmt.scanning.batching import Part, Run, rows_of
from kafkafmt.scanning.columnar_engine import TaskDecoder
from kafkafmt.scanning.decoders import Decoders
from kafkafmt.scanning.file_selection import FileSelection
from kafkafmt.scanning.tasks import ScanTask

if TYPE_CHECKING:
    from kafkafmt.io.base import File
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.reference.record import Record
    from kafkafmt.scanning.execution import Pass


T = TypeVar("T")

# Bytes, as stored, that are read and decoded at once, few enough for a processor's cache.
_WINDOW_BYTES = 4 * 1024 * 1024


class Visitor(Protocol):
    """Reads the entries of tasks in place of a pass's decoders, for example to measure them."""

    def window(self, task: ScanTask, window: ReadWindow, batch_filter: BatchFilter) -> None:
        """Take as many entries of a window as possible in bulk; the filter selects them."""

    def entry(self, task: ScanTask, entry: "Entry", header: "BatchHeader", selection: FileSelection) -> None:
        """Take an entry outside any taken window that may hold wanted records; its CRC has been checked."""


class OpenTask:
    """A task whose file is open: one walk over it, and the findings of its batches so far.

    Args:
        reading: the pass.
        task: the task.
        file: its file.
        decoders: the decoders of the columnar engine; None for the reference engine.
        order: checks the order of batches; None for a check of the whole task.
        report: called with damage; None to report it to the pass.
        to_the_end: whether all wanted records will be requested.
        checks_inside: whether to check offsets and checksums inside batches; offsets are then among the columns.
        reads_bytes: whether bytes of entries are read, not only headers: then `_WINDOW_BYTES` are read at once if all
            are wanted.

    Attributes:
        reader: the walk.
    """

    def __init__(
        self,
        reading: "Pass",
        task: ScanTask,
        file: "File",
        decoders: Decoders | None = None,
        *,
        order: LogOrder | None = None,
        report: Callable[[Damage], None] | None = None,
        to_the_end: bool = False,
        reads_bytes: bool = True,
        checks_inside: bool = False,
    ) -> None:
        self._reading = reading
        self._task = task
        self._file = file
        self._selection = reading.selection.of_file(task.offsets)
        self._trust = HeaderTrust(task.offsets, task.base_offset, task.next_base_offset)
        self._order = order or reading.order_of(task)
        self._filter = BatchFilter(self._selection, self._trust, self._order, reading.verify_checksums)
        self._checks_inside = checks_inside
        self._in_bulk = reading.engine == "columnar" and self._selection.fits_kernels
        self._kernels: TaskDecoder | None = None
        reads_all = to_the_end and reads_bytes and self._in_bulk and not self._selection.is_bounded
        if self._in_bulk and decoders is not None:
            end = None if not to_the_end else (task.end or file.size) if reads_all else 0
            self._kernels = TaskDecoder(decoders, task.origin, self._filter, reading.limits, checks_inside, end)
        self.reader = SegmentReader(
            file,
            name=task.file,
            bounds=task.bounds,
            limits=reading.limits,
            on_damage=reading.on_damage,
            end=task.end,
            may_end_open=task.may_end_open,
            report=report or reading.report,
            ahead=_WINDOW_BYTES * reading.threads if reads_all else None,
            buffer=reading.buffer,
            checks_lengths=self._selection.is_bounded or not reading.verify_checksums,
            aside=None if decoders is None else decoders.aside,
        )

    def decode(self, begin: int, end: int | None = None) -> Iterator[Part]:
        """The wanted records, from the entry at `begin` on, or only up to the entry at `end`."""
        kernels = self._kernels
        for found in self._walk(self._records_of, begin, end, in_bulk=kernels is not None):
            if not isinstance(found, ReadWindow):
                yield found
            elif kernels is not None:
                yield from kernels.decode(found)

    def count(self, begin: int) -> Iterator[int]:
        """Numbers of wanted records from the entry at `begin` on, from headers where these suffice."""
        kernels = self._kernels
        for found in self._walk(self._number_of, begin, in_bulk=kernels is not None):
            if not isinstance(found, ReadWindow):
                yield found
            elif kernels is not None:
                yield kernels.count(found)

    def describe(self, begin: int, *, deep: bool) -> "Iterator[BatchHeader]":
        """Headers of the entries that may hold wanted records, from the entry at `begin` on."""
        in_bulk = self._in_bulk and not self._selection.is_bounded
        for found in self._walk(partial(self._description_of, deep=deep), begin, in_bulk=in_bulk):
            if isinstance(found, ReadWindow):
                yield from self._filter.describe(found, self._task.file)
            elif found is not None:
                yield found

    def show(self, visitor: "Visitor", begin: int) -> None:
        """Show a visitor all windows from the entry at `begin` on, and entries that it does not take from them."""
        for found in self._walk(partial(self._shown_to, visitor), begin, in_bulk=self._in_bulk):
            if isinstance(found, ReadWindow):
                visitor.window(self._task, found, self._filter)

    def _shown_to(self, visitor: "Visitor", entry: "Entry") -> None:
        header = self._wanted_header(entry)
        if header is not None:
            self.reader.require_right_length(entry)  # a visitor's counts cannot be undone
            visitor.entry(self._task, entry, header, self._selection)

    def _walk(
        self, visit: "Callable[[Entry], T]", begin: int, end: int | None = None, *, in_bulk: bool
    ) -> Iterator[T | ReadWindow]:
        """The walk, up to where nothing wanted can follow; then the check of offsets is complete."""
        reader, order = self.reader, self._order
        walk = reader.bulk_walk if in_bulk else reader.walk
        came_to: int | None = None
        try:
            for found in walk(visit, begin, end):
                yield found
                if self._trust.past_the_end:
                    return
            size, position = self._file.size, reader.position
            is_whole = position == (end or self._task.end or size)
            beyond = headers_from(self._file, position, limits=self._reading.limits)
            if position == size or (is_whole and order.look_beyond(beyond)):
                came_to = size
        finally:
            reader.end()
            order.end(came_to)

    def _records_of(self, entry: "Entry") -> Part:
        """The wanted records of an entry."""
        kernels, origin, limits = self._kernels, self._task.origin, self._reading.limits
        header = self._wanted_header(entry)
        if header is None:
            return Run(origin, ())
        part = None if kernels is None else kernels.entry(entry, header)
        if self._checks_inside and self._selection.covers(header):
            fault = checksum_fault(entry, header, limits)
            if fault is not None:
                self._order.see_inside(fault, header)
        if part is not None:
            if isinstance(part, pa.RecordBatch) and self._checks_inside and self._selection.covers(header):
                fault = offset_fault(header, part.column("offset").to_pylist())
                if fault is not None and header.magic >= CURRENT_MAGIC:
                    self._order.see_inside(fault, header)
            return part
        sound = None if kernels is None else kernels.sound_start(entry)
        verify = self._reading.verify_checksums
        records = entry.records(limits, header, sound, views=True, verify_inner=verify, wanted=self._selection.may_hold)
        if header.magic >= CURRENT_MAGIC and self._checks_inside and self._selection.covers(header):
            records = self._checked(records, header)
        return Run(origin, records if self._selection.covers(header) else self._selection.filter(records))

    def _checked(self, records: "Iterator[Record]", header: "BatchHeader") -> "Iterator[Record]":
        """The same records; after the last one, faults of their offsets are noted."""
        watch = OffsetWatch(header)
        for record in records:
            watch.see(record.offset)
            yield record
        fault = watch.fault()
        if fault is not None:
            self._order.see_inside(fault, header)

    def _number_of(self, entry: "Entry") -> int:
        """The number of wanted records of an entry, from its header if that suffices."""
        limits, verify = self._reading.limits, self._reading.verify_checksums
        header = self._wanted_header(entry)
        if header is None:
            return 0
        if self._selection.covers(header):
            return entry.count(header, limits, verify_inner=verify)
        if self._kernels is not None and header.magic >= CURRENT_MAGIC:
            part = self._kernels.entry(entry, header)
            if part is not None:
                return rows_of(part)
        records = entry.records(limits, header, verify_inner=verify, wanted=self._selection.may_hold)
        return sum(1 for _ in self._selection.filter(records))

    def _wanted_header(self, entry: "Entry") -> "BatchHeader | None":
        """Header of an entry that may hold wanted records, with its CRC checked; None if the header excludes it."""
        verify = self._reading.verify_checksums
        header = entry.checked_header(verify_checksum=verify)
        trusted = self._selection.is_bounded and self._trust.trusts(entry, header)
        unwanted = self._selection.rules_out(header)
        if verify:
            entry.crc_unchecked = unwanted and trusted and not header.is_control_batch
            if not entry.crc_unchecked:
                entry.verify_checksum()
        self._order.see(header)
        selection = self._selection
        return None if unwanted or selection.is_aborted(header) or selection.is_untrue(header) else header

    def _description_of(self, entry: "Entry", *, deep: bool) -> "BatchHeader | None":
        """Header of an entry that may hold wanted records, with any fault in `error`; None if it is excluded."""
        selection, verify = self._selection, self._reading.verify_checksums
        header = entry.describe()
        trusted = selection.is_bounded and header.error is None and self._trust.trusts(entry, header)
        if (verify or deep) and not (trusted and self._is_excluded(header)):
            header = entry.describe(verify_checksum=verify, deep=deep, limits=self._reading.limits)
        if header.error is None:
            self._order.see(header)
        elif not verify and not self.reader.has_right_length(entry):
            raise header.error
        if not self._is_excluded(header):
            return None if selection.is_aborted(header) or selection.is_untrue(header) else header
        entry.crc_unchecked = trusted
        return None

    def _is_excluded(self, header: "BatchHeader") -> bool:
        """Whether a batch is not described; a wrapper is judged by its own offset, which `rules_out` ignores."""
        return self._selection.rules_out(header) or self._selection.states_other_offsets(header)
