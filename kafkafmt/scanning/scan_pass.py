"""Pass: one reading of a scan's log files, from the beginning or from the end, no more of them than it takes."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

import pyarrow as pa

from kafkafmt.columnar.row_filter import RowFilter
from kafkafmt.columns import SCHEMA, Origin
from kafkafmt.errors import KafkafmtError
from kafkafmt.files import entry_points
from kafkafmt.files.damage import Damage, Note, reason_of
from kafkafmt.files.segment_reader import OnDamage, SegmentReader
from kafkafmt.files.stretch import ReusedBuffer
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import without_traceback
from kafkafmt.scanning import bulk
from kafkafmt.scanning.batch_masks import can_be_masked
from kafkafmt.scanning.bulk import Judge
from kafkafmt.scanning.columnar_engine import Decoders, Reading
from kafkafmt.scanning.gather import Part, Run, last_of, rows_of
from kafkafmt.scanning.header_trust import HeaderTrust
from kafkafmt.scanning.selection import OffsetRange, Selection

if TYPE_CHECKING:
    from kafkafmt.files.ranged_offset_index import RangedOffsetIndex
    from kafkafmt.files.source import File
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader

Engine = Literal["columnar", "reference"]

# How much is read and decoded at once, in bytes as stored: it stays in a processor's cache.
_STRETCH_BYTES = 4 * 1024 * 1024
_COUNTED = pa.schema([SCHEMA.field("offset")])


@dataclass(frozen=True)
class Piece:
    """One log file to read.

    Attributes:
        origin: where its records come from, as columns tell it.
        open: opens the file.
        offsets: which of its records are wanted.
        may_end_open: whether a partial last entry or zeros at the end are no damage.
        base_offset: of the segment, or None if that is unknown.
        next_base_offset: of the segment behind it, or None if that is unknown.
        index: opens its offset index.
        begin: where in the file to begin, in bytes; an entry begins there. 0 for where the offsets wanted may begin.
        end: where to end, with an entry that is another piece's; None for the end of the file.
    """

    origin: Origin
    open: "Callable[[], File]"
    offsets: OffsetRange
    may_end_open: bool
    base_offset: int | None = None
    next_base_offset: int | None = None
    index: "Callable[[], AbstractContextManager[RangedOffsetIndex | None]]" = nullcontext
    begin: int = 0
    end: int | None = None


@dataclass(frozen=True)
class Pass:
    """How the records of pieces are read.

    Where offsets are asked for, reading begins at an entry point of the offset index and ends where nothing wanted can
    follow. A batch of which the header tells that nothing in it is wanted is not read, unless the header is not to be
    trusted (`HeaderTrust`) or says that the batch is Kafka's own: those have few bytes, and one bit tells them from
    records. So damage in what is not asked for is not noticed.

    Attributes:
        selection: which records are wanted.
        on_damage: "raise" or "skip".
        verify_checksums: whether CRCs of what is read are checked.
        limits: bounds of memory.
        report: called with all damage in reading order.
        note: called with what is no damage; perhaps more than once with the same.
        engine: "columnar", or "reference" for every record.
        threads: how many decode at once, with "columnar".
    """

    selection: Selection
    on_damage: OnDamage
    verify_checksums: bool
    limits: Limits
    report: Callable[[Damage], None]
    note: Callable[[Note], None]
    engine: Engine = "columnar"
    threads: int = 1
    _broken_files: set[str | None] = field(default_factory=set)
    _buffer: ReusedBuffer = field(default_factory=ReusedBuffer)

    def broken(self, error: KafkafmtError) -> None:
        """Raise what is wrong with a checkpoint, or report it once for all partitions that it is asked for."""
        if self.on_damage == "raise":
            raise error
        if error.file not in self._broken_files:
            self._broken_files.add(error.file)
            self.report(Damage(error.file, error.position or 0, 0, reason_of(error), without_traceback(error)))

    def decode(self, pieces: Iterable[Piece], schema: pa.Schema, *, to_the_end: bool = True) -> Iterator[Part]:
        """The wanted records of the pieces, in their order; those of one entry, or of many, in one part.

        Args:
            pieces: the log files.
            schema: columns wanted.
            to_the_end: whether all are wanted; else no more is read ahead than the walk needs.
        """
        with self._decoders(schema) as decoders:
            for piece in pieces:
                with piece.open() as file:
                    begin = self._begin(piece, file)
                    yield from self._decode(piece, file, decoders, begin, self.report, to_the_end=to_the_end)

    def count(self, pieces: Iterable[Piece]) -> int:
        """The number of wanted records of the pieces, from headers where those tell."""
        with self._decoders(_COUNTED) as decoders:
            return sum(number for piece in pieces for number in self._count(piece, decoders))

    def describe(self, pieces: Iterable[Piece], *, deep: bool) -> "Iterator[BatchHeader]":
        """Headers of the entries of the pieces that may hold wanted records."""

        def visit(piece: Piece, trust: HeaderTrust, entry: "Entry") -> "BatchHeader | None":
            header = entry.describe()
            bounded = self.selection.is_bounded(piece.offsets)
            trusted = bounded and header.error is None and trust.trusts(entry, header)
            if (self.verify_checksums or deep) and not (trusted and excludes(piece, header)):
                header = entry.describe(verify_checksum=self.verify_checksums, deep=deep, limits=self.limits)
            if not excludes(piece, header):
                return None if piece.offsets.leaves_out(header) else header
            entry.passed_over = trusted
            return None

        def excludes(piece: Piece, header: "BatchHeader") -> bool:
            return self.selection.passes_over(header, piece.offsets) or piece.offsets.excludes(header)

        for piece in pieces:
            trust = self._trust(piece)
            take = None
            if self._takes_bulk(piece) and not self.selection.is_bounded(piece.offsets):
                take = partial(bulk.describe, self._judge(piece, trust), piece.origin.file)
            with piece.open() as file:
                reader = self._reader(piece, file, self.report)
                for header in reader.walk(partial(visit, piece, trust), self._begin(piece, file), take=take):
                    if header is not None:
                        yield header
                    if trust.past_the_end:
                        break

    def tail(self, pieces: Sequence[Piece], count: int, schema: pa.Schema) -> list[Part]:
        """The last wanted records of pieces in order, found from the end and held in memory.

        Args:
            pieces: the log files of one partition, in order.
            count: how many records at most.
            schema: columns wanted.
        """
        parts: deque[Part] = deque()
        damage: deque[Damage] = deque()
        try:
            with self._decoders(schema) as decoders:
                for piece in reversed(pieces):
                    if count == 0:
                        break
                    found, reported = self._tail_of(piece, count, decoders)
                    parts.extendleft(reversed(found))
                    damage.extendleft(reversed(reported))
                    count -= sum(map(rows_of, found))
        finally:
            for each in damage:
                self.report(each)
        return list(parts)

    def _tail_of(self, piece: Piece, count: int, decoders: Decoders | None) -> tuple[list[Part], list[Damage]]:
        found: deque[Part] = deque()
        damage: deque[Damage] = deque()
        with piece.open() as file, _index_of(piece, file) as index:
            missing = count
            begin = self._begin(piece, file)
            for first, last in entry_points.stretches_from_end(file, index, begin, self.limits):
                parts, reported, came_to = self._last_of_stretch(piece, file, missing, decoders, first, last)
                if came_to != last:
                    # Damage, or an index that points at what is no entry of this log: only the whole walk tells.
                    whole, reported, _ = self._last_of_stretch(piece, file, count, decoders, 0, file.size)
                    return whole, reported
                found.extendleft(reversed(parts))
                damage.extendleft(reversed(reported))
                missing -= sum(map(rows_of, parts))
                if missing == 0:
                    break
        return list(found), list(damage)

    def _last_of_stretch(
        self, piece: Piece, file: "File", count: int, decoders: Decoders | None, begin: int, end: int
    ) -> tuple[list[Part], list[Damage], int]:
        """The last wanted records of a stretch, the damage in it, and where the walk over it came to."""
        damage: list[Damage] = []
        came_to: list[int] = []
        parts = last_of(self._decode(piece, file, decoders, begin, damage.append, end, came_to.append), count)
        return parts, damage, came_to[0]

    def _decode(
        self,
        piece: Piece,
        file: "File",
        decoders: Decoders | None,
        begin: int,
        report: Callable[[Damage], None],
        end: int | None = None,
        ended: Callable[[int], None] = lambda _: None,
        *,
        to_the_end: bool = False,
    ) -> Iterator[Part]:
        """The wanted records of a file, or of a stretch of it; `ended` is told where the walk came to."""
        trust = self._trust(piece)
        reading = self._columnar(piece, trust, decoders)
        reads_all = to_the_end and reading is not None and not self.selection.is_bounded(piece.offsets)
        reader = self._reader(piece, file, report, reads_all=reads_all)
        take = None if reading is None else reading.take
        for part in reader.walk(partial(self._wanted, piece, trust, reading), begin, end, take=take):
            yield part
            if trust.past_the_end:
                break
        ended(reader.position)

    def _count(self, piece: Piece, decoders: Decoders | None) -> Iterator[int]:
        trust = self._trust(piece)
        reading = self._columnar(piece, trust, decoders)
        take = None if reading is None else reading.count
        with piece.open() as file:
            reader = self._reader(piece, file, self.report)
            for number in reader.walk(partial(self._number, piece, trust), self._begin(piece, file), take=take):
                yield number
                if trust.past_the_end:
                    return

    def _reader(
        self, piece: Piece, file: "File", report: Callable[[Damage], None], *, reads_all: bool = False
    ) -> SegmentReader:
        return SegmentReader(
            file,
            name=piece.origin.file,
            limits=self.limits,
            on_damage=self.on_damage,
            border=piece.end,
            may_end_open=piece.may_end_open,
            report=report,
            ahead=_STRETCH_BYTES * self.threads if reads_all else None,
            buffer=self._buffer,
        )

    @contextmanager
    def _decoders(self, schema: pa.Schema) -> Iterator[Decoders | None]:
        """What decodes by kernels; None for the reference engine."""
        if self.engine == "reference":
            yield None
            return
        decoders = Decoders(schema, self.verify_checksums, self.limits, self.threads)
        try:
            yield decoders
        finally:
            decoders.close()

    def _columnar(self, piece: Piece, trust: HeaderTrust, decoders: Decoders | None) -> Reading | None:
        if decoders is None or not can_be_masked(self.selection, piece.offsets):
            return None
        rows = RowFilter(
            piece.offsets.start,
            piece.offsets.end,
            self.selection.start_timestamp,
            self.selection.end_timestamp,
            self.selection.key,
        )
        return Reading(decoders, piece.origin, self._judge(piece, trust), rows)

    def _takes_bulk(self, piece: Piece) -> bool:
        return self.engine == "columnar" and can_be_masked(self.selection, piece.offsets)

    def _judge(self, piece: Piece, trust: HeaderTrust) -> Judge:
        return Judge(self.selection, piece.offsets, trust, self.verify_checksums, self.limits)

    def _trust(self, piece: Piece) -> HeaderTrust:
        return HeaderTrust(piece.offsets, piece.base_offset, piece.next_base_offset)

    def _begin(self, piece: Piece, file: "File") -> int:
        """Where to begin: what lies before holds no offset that is wanted."""
        if piece.begin > 0:
            return piece.begin
        open_index = partial(_index_of, piece, file)
        return entry_points.begin(file, open_index, piece.base_offset, piece.offsets.start, self.limits)

    def _wanted(self, piece: Piece, trust: HeaderTrust, reading: Reading | None, entry: "Entry") -> Part:
        """The wanted records of an entry."""
        header = self._header_of(piece, trust, entry)
        if header is None:
            return Run(piece.origin, ())
        if reading is not None:
            part = reading.entry(entry, header)
            if part is not None:
                return part
        records = entry.records(self.limits, header)
        if not self.selection.keeps_all(header, piece.offsets):
            records = self.selection.filter(records, piece.offsets)
        return Run(piece.origin, records)

    def _number(self, piece: Piece, trust: HeaderTrust, entry: "Entry") -> int:
        """The number of wanted records of an entry, from its header where that tells."""
        header = self._header_of(piece, trust, entry)
        if header is None:
            return 0
        if self.selection.keeps_all(header, piece.offsets):
            return entry.count(header, self.limits)
        return sum(1 for _ in self.selection.filter(entry.records(self.limits, header), piece.offsets))

    def _header_of(self, piece: Piece, trust: HeaderTrust, entry: "Entry") -> "BatchHeader | None":
        """Header of an entry that may hold wanted records, its CRC checked; None if it tells that there are none."""
        header = entry.checked_header(verify_checksum=self.verify_checksums)
        trusted = self.selection.is_bounded(piece.offsets) and trust.trusts(entry, header)
        unwanted = self.selection.passes_over(header, piece.offsets)
        if self.verify_checksums:
            entry.passed_over = unwanted and trusted and not header.is_control_batch
            if not entry.passed_over:
                entry.verify_checksum()
        return None if unwanted or piece.offsets.leaves_out(header) else header


def _index_of(piece: Piece, file: "File") -> "AbstractContextManager[RangedOffsetIndex | None]":
    """The offset index of a log file that is large enough to need one."""
    return piece.index() if file.size > file.worth_skipping else nullcontext()
