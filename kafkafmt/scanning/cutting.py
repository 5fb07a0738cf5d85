"""Cutting: which files must be opened for a plan, and what parts they are read in."""

from dataclasses import dataclass, replace

from kafkafmt.files import entry_points
from kafkafmt.limits import Limits
from kafkafmt.scanning.cuts import end_of_range, stretches
from kafkafmt.scanning.record_cuts import Part, RecordCuts, most_records_by_name
from kafkafmt.scanning.splits import SplitPiece


@dataclass(frozen=True, slots=True)
class Cutting:
    """Cuts pieces that are too large.

    Attributes:
        most_bytes: bytes that a part has at most, or one entry more.
        most_records: records that it gives at most; None for no bound.
        limits: bounds of an entry's size.
    """

    most_bytes: int
    most_records: int | None
    limits: Limits

    def opens(self, piece: SplitPiece) -> bool:
        """Whether a file must be opened to be cut."""
        return piece.size_in_bytes > self.most_bytes or self._may_have_too_many(piece)

    def cut(self, piece: SplitPiece) -> list[Part]:
        """A piece in parts, in order.

        Raises:
            SourceError: the file cannot be read.
        """
        if not self.opens(piece):
            return [Part(piece, self._most_records_of(piece) or 0)]
        segment = piece.segment()
        with segment.open() as file, segment.ranged_offset_index() as index:
            if self.most_records is not None and self._may_have_too_many(piece):
                by_records = RecordCuts(self.most_bytes, self.most_records, self.limits)
                return [_with_its_damage(part) for part in by_records.parts(piece, file, index)]
            bounds = (piece.begin, piece.end)
            found = list(stretches(file, index, bounds, piece.offsets.end, self.most_bytes, self.limits))
        records = self._most_records_of(piece) or 0
        return [_with_its_damage(Part(replace(piece, begin=begin, end=end), records)) for begin, end in found]

    def _may_have_too_many(self, piece: SplitPiece) -> bool:
        if self.most_records is None:
            return False
        most = self._most_records_of(piece)
        return most is None or most > self.most_records

    def _most_records_of(self, piece: SplitPiece) -> int | None:
        return None if self.most_records is None else most_records_by_name(piece)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Leaves out of a file what its offset index places in front of the offsets wanted, or behind.

    Attributes:
        least_bytes: files of no more bytes than this are left as they are.
        limits: bounds of an entry's size.
    """

    least_bytes: int
    limits: Limits

    def opens(self, piece: SplitPiece) -> bool:
        """Whether a file must be opened for that: by its name, some of it lies outside."""
        return piece.size > self.least_bytes and (_begins_inside(piece) or _ends_inside(piece))

    def narrow(self, piece: SplitPiece) -> SplitPiece:
        """What is left of a whole file.

        Raises:
            SourceError: the file cannot be read.
        """
        if not self.opens(piece):
            return piece
        start, end = piece.offsets.start, piece.offsets.end
        segment = piece.segment()
        begin, behind = 0, piece.end
        with segment.open() as file, segment.ranged_offset_index() as index:
            if index is not None and start is not None and _begins_inside(piece):
                begin = entry_points.at_or_before(file, index, start, self.limits)
            if index is not None and end is not None and _ends_inside(piece):
                behind = end_of_range(file, index, end, self.limits)
        return replace(piece, begin=begin, end=behind) if begin < behind else piece


def _begins_inside(piece: SplitPiece) -> bool:
    """Whether the offsets wanted begin inside of a file, by its name."""
    start, base = piece.offsets.start, piece.base_offset
    return start is not None and base is not None and start > base


def _ends_inside(piece: SplitPiece) -> bool:
    end, behind = piece.offsets.end, piece.next_base_offset
    return end is not None and piece.base_offset is not None and (behind is None or end < behind)


def _with_its_damage(part: Part) -> Part:
    piece = part.piece
    if not piece.damage:
        return part
    inside = tuple(each for each in piece.damage if piece.begin <= each.position < piece.end)
    return part._replace(piece=replace(piece, damage=inside))
