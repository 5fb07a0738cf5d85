"""Pass: one reading of a scan's log files, from the beginning or from the end, no more of them than it takes."""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa

from kafkafmt.columns import Origin, RowBuffer
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files import entry_points
from kafkafmt.files.damage import Damage, reason_of
from kafkafmt.files.segment_reader import OnDamage, SegmentReader
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import without_traceback
from kafkafmt.scanning.header_trust import HeaderTrust
from kafkafmt.scanning.selection import OffsetRange, Selection

if TYPE_CHECKING:
    from kafkafmt.files.ranged_offset_index import RangedOffsetIndex
    from kafkafmt.files.source import File
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.reference.record import Record

T = TypeVar("T")

_ROWS = 8192
_PAYLOAD_BYTES = 16 * 1024 * 1024


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
    """

    origin: Origin
    open: "Callable[[], File]"
    offsets: OffsetRange
    may_end_open: bool
    base_offset: int | None = None
    next_base_offset: int | None = None
    index: "Callable[[], AbstractContextManager[RangedOffsetIndex | None]]" = nullcontext


@dataclass(frozen=True)
class Run:
    """Wanted records of one batch."""

    origin: Origin
    records: "Iterable[Record]"


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
    """

    selection: Selection
    on_damage: OnDamage
    verify_checksums: bool
    limits: Limits
    report: Callable[[Damage], None]
    _broken_files: set[str | None] = field(default_factory=set)

    def broken(self, error: KafkafmtError) -> None:
        """Raise what is wrong with a checkpoint, or report it once for all partitions that it is asked for."""
        if self.on_damage == "raise":
            raise error
        if error.file not in self._broken_files:
            self._broken_files.add(error.file)
            self.report(Damage(error.file, error.position or 0, 0, reason_of(error), without_traceback(error)))

    def decode(self, pieces: Iterable[Piece]) -> Iterator[Run]:
        """The wanted records of each batch of the pieces, in their order."""
        for piece in pieces:
            for records in self._walk(piece, self._wanted):
                yield Run(piece.origin, records)

    def count(self, pieces: Iterable[Piece]) -> int:
        """The number of wanted records of the pieces, from headers where those tell."""
        return sum(count for piece in pieces for count in self._walk(piece, self._count))

    def describe(self, pieces: Iterable[Piece], *, deep: bool) -> "Iterator[BatchHeader]":
        """Headers of the entries of the pieces that may hold wanted records."""

        def visit(piece: Piece, trust: HeaderTrust, entry: "Entry") -> "BatchHeader | None":
            header = entry.describe()
            bounded = self.selection.is_bounded(piece.offsets)
            trusted = bounded and header.error is None and trust.trusts(entry, header)
            if (self.verify_checksums or deep) and not (trusted and excludes(piece, header)):
                header = entry.describe(verify_checksum=self.verify_checksums, deep=deep, limits=self.limits)
            if not excludes(piece, header):
                return header
            entry.passed_over = trusted
            return None

        def excludes(piece: Piece, header: "BatchHeader") -> bool:
            return self.selection.passes_over(header, piece.offsets) or piece.offsets.excludes(header)

        for piece in pieces:
            yield from (header for header in self._walk(piece, visit) if header is not None)

    def tail(self, pieces: Sequence[Piece], count: int) -> list[Run]:
        """The last wanted records of pieces in order, found from the end and held in memory.

        Args:
            pieces: the log files of one partition, in order.
            count: how many records at most.
        """
        runs: deque[Run] = deque()
        damage: deque[Damage] = deque()
        try:
            for piece in reversed(pieces):
                if count == 0:
                    break
                found, reported = self._tail_of(piece, count)
                runs.extendleft(Run(piece.origin, records) for records in reversed(found))
                damage.extendleft(reversed(reported))
                count -= sum(map(len, found))
        finally:
            for each in damage:
                self.report(each)
        return list(runs)

    def _tail_of(self, piece: Piece, count: int) -> "tuple[list[Sequence[Record]], list[Damage]]":
        found: deque[Sequence[Record]] = deque()
        damage: deque[Damage] = deque()
        with piece.open() as file, _index_of(piece, file) as index:
            missing = count
            begin = self._begin(piece, file)
            for first, last in entry_points.stretches_from_end(file, index, begin, self.limits):
                records, reported, came_to = self._stretch(piece, file, missing, first, last)
                if came_to != last:
                    # Damage, or an index that points at what is no entry of this log: only the whole walk tells.
                    whole, reported, _ = self._stretch(piece, file, count, 0, file.size)
                    return whole, reported
                found.extendleft(reversed(records))
                damage.extendleft(reversed(reported))
                missing -= sum(map(len, records))
                if missing == 0:
                    break
        return list(found), list(damage)

    def _stretch(
        self, piece: Piece, file: "File", count: int, begin: int, end: int
    ) -> "tuple[list[Sequence[Record]], list[Damage], int]":
        """The last wanted records of a stretch, the damage in it, and where the walk over it came to."""
        kept: deque[deque[Record]] = deque()
        surplus = -count
        damage: list[Damage] = []
        reader = self._reader(piece, file, damage.append)
        for records in reader.walk(partial(self._wanted, piece, self._trust(piece)), begin, end):
            kept.append(deque(records, count))
            surplus += len(kept[-1])
            while kept and surplus >= len(kept[0]):
                surplus -= len(kept.popleft())
        for _ in range(surplus):
            kept[0].popleft()
        return [list(records) for records in kept], damage, reader.position

    def _walk(self, piece: Piece, visit: "Callable[[Piece, HeaderTrust, Entry], T]") -> Iterator[T]:
        with piece.open() as file:
            reader = self._reader(piece, file, self.report)
            trust = self._trust(piece)
            for result in reader.walk(partial(visit, piece, trust), self._begin(piece, file)):
                yield result
                if trust.past_the_end:
                    return

    def _reader(self, piece: Piece, file: "File", report: Callable[[Damage], None]) -> SegmentReader:
        return SegmentReader(
            file,
            name=piece.origin.file,
            limits=self.limits,
            on_damage=self.on_damage,
            may_end_open=piece.may_end_open,
            report=report,
        )

    def _trust(self, piece: Piece) -> HeaderTrust:
        return HeaderTrust(piece.offsets, piece.base_offset, piece.next_base_offset)

    def _begin(self, piece: Piece, file: "File") -> int:
        """Where to begin: what lies before holds no offset that is wanted."""
        start = piece.offsets.start
        if start is None or piece.base_offset is None or start <= piece.base_offset:
            return 0
        with _index_of(piece, file) as index:
            return 0 if index is None else entry_points.at_or_before(file, index, start, self.limits)

    def _wanted(self, piece: Piece, trust: HeaderTrust, entry: "Entry") -> "Iterable[Record]":
        """The wanted records of an entry."""
        header = self._header_of(piece, trust, entry)
        if header is None:
            return ()
        records = entry.records(self.limits, header)
        if self.selection.keeps_all(header, piece.offsets):
            return records
        return self.selection.filter(records, piece.offsets)

    def _count(self, piece: Piece, trust: HeaderTrust, entry: "Entry") -> int:
        """The number of wanted records of an entry, from its header where that tells."""
        header = self._header_of(piece, trust, entry)
        if header is None:
            return 0
        if self.selection.keeps_all(header, piece.offsets):
            return entry.count(header, self.limits)
        return sum(1 for _ in self.selection.filter(entry.records(self.limits, header), piece.offsets))

    def _header_of(self, piece: Piece, trust: HeaderTrust, entry: "Entry") -> "BatchHeader | None":
        """Header of an entry that may hold wanted records, its CRC checked; None if it tells that there are none."""
        try:
            header = entry.header()
        except SourceError:
            raise
        except KafkafmtError:
            if self.verify_checksums:
                entry.verify_checksum()
            raise
        trusted = self.selection.is_bounded(piece.offsets) and trust.trusts(entry, header)
        unwanted = self.selection.passes_over(header, piece.offsets)
        if self.verify_checksums:
            entry.passed_over = unwanted and trusted and not header.is_control_batch
            if not entry.passed_over:
                entry.verify_checksum()
        return None if unwanted else header


def tables(runs: Iterable[Run], schema: pa.Schema, most: int | None = None) -> Iterator[pa.RecordBatch]:
    """Arrow record batches of a bounded number of rows and bytes.

    Args:
        runs: where the records come from; of each only as many are taken as are needed.
        schema: columns wanted.
        most: how many records at most; None for all.
    """
    buffer = RowBuffer(schema)
    left = sys.maxsize if most is None else most
    try:
        for run in runs if left else ():
            records = iter(run.records)
            full = True
            while full and left:
                before = buffer.rows
                full = buffer.take(run.origin, records, min(_ROWS, before + left), _PAYLOAD_BYTES)
                left -= buffer.rows - before
                if full:
                    yield buffer.flush()
            if not left:
                break
    except KafkafmtError:
        # What was read before the damage is sound, and comes first.
        if buffer.rows:
            yield buffer.flush()
        raise
    if buffer.rows:
        yield buffer.flush()


def _index_of(piece: Piece, file: "File") -> "AbstractContextManager[RangedOffsetIndex | None]":
    """The offset index of a log file that is large enough to need one."""
    return piece.index() if file.size > file.worth_skipping else nullcontext()
