"""Splits: parts of a scan that other processes and machines read, each by itself."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from kafkafmt.columns import Origin
from kafkafmt.files.damage import Damage, Note
from kafkafmt.files.names import parse_segment_file_name
from kafkafmt.files.segment_reader import OnDamage
from kafkafmt.io.base import Location
from kafkafmt.limits import Limits
from kafkafmt.logdir.leader_epochs import history_beside
from kafkafmt.logdir.segment import Segment
from kafkafmt.scanning import execution
from kafkafmt.scanning.batching import record_batches
from kafkafmt.scanning.execution import Engine, Pass
from kafkafmt.scanning.read_committed import Stretches
from kafkafmt.scanning.selection import OffsetRange, Selection

Report = Callable[[Damage, Origin], None]
TakeNote = Callable[[Note], None]


@dataclass(frozen=True, slots=True)
class SplitPiece:
    """Bytes of one log file, from a batch to another or to the end of the file.

    Attributes:
        topic: name of the topic, or None.
        partition: number of the partition, or None.
        location: where the file is.
        size: bytes it had when it was listed.
        begin: where in it the piece begins, in bytes.
        end: where it ends.
        offsets: which of its records are wanted.
        next_base_offset: of the segment behind, or None if that is unknown.
        may_end_open: whether the file may end with a partial entry or zeros.
        is_reported: whether another piece of the same bytes reports their damage.
        damage: what planning came upon in it, which reading need not meet.
    """

    topic: str | None
    partition: int | None
    location: Location
    size: int
    begin: int
    end: int
    offsets: OffsetRange
    next_base_offset: int | None = None
    may_end_open: bool = True
    is_reported: bool = False
    damage: tuple[Damage, ...] = ()

    @property
    def file(self) -> str:
        """Absolute path or URI of the file, as the `file` column, errors and damage give it."""
        return str(self.location)

    @property
    def size_in_bytes(self) -> int:
        """Number of bytes."""
        return self.end - self.begin

    @property
    def base_offset(self) -> int | None:
        """Base offset that the name of the file tells, or None."""
        name = parse_segment_file_name(self.location.name)
        return name.base_offset if name is not None and name.kind == "log" else None

    def segment(self) -> Segment:
        """The file."""
        return Segment(self.location, file=self.file, size=self.size)

    @property
    def origin(self) -> Origin:
        """Where its records come from."""
        return Origin(self.topic, self.partition, self.file)


@dataclass(frozen=True, slots=True)
class Split:
    """What one task reads; small, and can be pickled.

    Attributes:
        pieces: in the order of the scan.
    """

    pieces: tuple[SplitPiece, ...]

    @property
    def size_in_bytes(self) -> int:
        """Bytes of log files in it."""
        return sum(piece.size_in_bytes for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class SplitReader:
    """Reads the splits of one plan, in any order and in any process; can be pickled.

    Attributes:
        schema: columns wanted.
        selection: which records, beside the offsets that each piece has.
        on_damage: "raise" or "skip".
        verify_checksums: whether CRCs of what is read are checked.
        limits: bounds of memory.
        engine: "columnar" or "reference".
        threads: how many decode at once.
    """

    schema: pa.Schema
    selection: Selection
    on_damage: OnDamage
    verify_checksums: bool
    limits: Limits
    engine: Engine
    threads: int

    def read(
        self, split: Split, report: Report | None = None, note: TakeNote | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The records of a split, in the order of the scan, in bounded memory.

        Args:
            split: what to read.
            report: called with what was not delivered, as `Scan.damage` lists it, and where that is.
            note: called with what else there is to say, as `Scan.notes` lists it; perhaps more than once with the same.

        Raises:
            KafkafmtError: at damage (`on_damage="raise"`), or when a file cannot be read: also one that has become
                shorter or vanished since the plan was made.
        """
        reports = _Reports(split, report, note)
        reading = self._start(reports, verify_checksums=self.verify_checksums)
        parts = reading.decode(reports.pieces(), self.schema)
        yield from record_batches(parts, self.schema)

    def count(
        self,
        split: Split,
        report: Report | None = None,
        note: TakeNote | None = None,
        *,
        verify_checksums: bool = False,
    ) -> int:
        """Count the records of a split, from batch headers alone where the filters and the formats allow.

        As `Scan.count` does, which says more.

        Args:
            split: what to count.
            report: as for `read`.
            note: as for `read`.
            verify_checksums: read all bytes and check CRCs too.

        Raises:
            KafkafmtError: as for `read`, at damage that the walk meets.
        """
        reports = _Reports(split, report, note)
        verify = verify_checksums or (self.selection.expression is not None and self.verify_checksums)
        return self._start(reports, verify_checksums=verify).count(reports.pieces())

    def _start(self, reports: "_Reports", *, verify_checksums: bool) -> Pass:
        return Pass(
            self.selection,
            self.on_damage,
            verify_checksums,
            self.limits,
            reports.met,
            reports.note,
            self.engine,
            self.threads,
        )


class _Reports:
    """Hands on notes, and damage with its place, and what only the planning met once a piece is read."""

    def __init__(self, split: Split, report: Report | None, note: TakeNote | None) -> None:
        self._split = split
        self._report = report
        self._note = note
        self._piece: SplitPiece | None = None
        self._known = Stretches()

    def pieces(self) -> Iterator[execution.Piece]:
        """The pieces, for a pass that asks for each when it is done with the one before."""
        for piece in self._split.pieces:
            self._piece = piece
            self._known = Stretches()
            yield _piece(piece)
            for damage in piece.damage:
                if self._known.add(damage):
                    self._hand_on(damage, piece)

    def met(self, damage: Damage) -> None:
        """Hand on damage in the piece that is being read."""
        if self._piece is not None:
            if self._piece.damage:
                self._known.add(damage)
            self._hand_on(damage, self._piece)

    def note(self, note: Note) -> None:
        """Hand on a note, unless another piece of the same bytes does."""
        if self._note is not None and not (self._piece is not None and self._piece.is_reported):
            self._note(note)

    def _hand_on(self, damage: Damage, piece: SplitPiece) -> None:
        if self._report is not None and not piece.is_reported:
            self._report(damage, piece.origin)


def _piece(piece: SplitPiece) -> execution.Piece:
    """The same for a pass."""
    segment = piece.segment()
    return execution.Piece(
        piece.origin,
        segment.open,
        piece.offsets,
        piece.may_end_open,
        segment.base_offset,
        piece.next_base_offset,
        segment.ranged_offset_index,
        piece.begin,
        None if piece.end >= piece.size else piece.end,
        leader_epochs=partial(history_beside, segment),
    )
