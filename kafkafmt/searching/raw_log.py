"""RawLog: matches in the bytes of a log file outside its records; in compressed batches after decompression.

Matches in raw bytes are compared with the fields of their batch, so that a matching record is not found twice. A match
that no field contains completely, or in a field that was not searched, is a separate find.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from kafkafmt.errors import DataError
from kafkafmt.files.read_window import ReadWindow, ReusedBuffer
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.reference.layout import COMPRESSION
from kafkafmt.searching.raw_bytes import hidden_entries, matches_in, spans_in
from kafkafmt.searching.stored_fields import StoredEntry, StoredField

if TYPE_CHECKING:
    from kafkafmt.io.base import File
    from kafkafmt.limits import Limits
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.record import Record
    from kafkafmt.searching.pattern import Pattern
    from kafkafmt.searching.record_search import RecordPart

_WINDOW_BYTES: Final = 4 * 1024 * 1024

Span = tuple[int, int]
DamagedRange = tuple[int, int, bool]
"""Start and end of a range, and whether it contains only zeros."""


@dataclass(frozen=True, slots=True)
class RawFind:
    """A match outside sound records.

    Attributes:
        position: position of the match in the file; in decompressed bytes that of the batch.
        in_damage: whether the match is in a damaged range.
        record: a record of a damaged, decompressed batch, which may match; None for a match in bytes.
    """

    position: int
    in_damage: bool = False
    record: "Record | None" = None


class RawLog:
    """The bytes of a log file.

    Args:
        file: an open log file.
        pattern: the search.
        parts: the fields of records that were searched.
        found_in: positions of the batches in which a record was found.
        damage: ranges that gave no records, in order.
        limits: bounds of decoding.
    """

    def __init__(
        self,
        file: "File",
        pattern: "Pattern",
        parts: "Collection[RecordPart]",
        found_in: Collection[int],
        damage: Sequence[DamagedRange],
        limits: "Limits",
    ) -> None:
        self._file = file
        self._pattern = pattern
        self._parts = parts
        self._found_in = found_in
        self._damage = damage
        self._limits = limits
        self._spans = spans_in(file, 0, file.size, pattern, overlapping=True)
        self._next = next(self._spans, None)

    def finds(self) -> Iterator[RawFind | DataError]:
        """The matches, in order of position; or the error of a part that cannot be searched.

        Raises:
            SourceError: the file cannot be read.
        """
        position = 0
        for begin, end, is_zero in (*self._damage, (self._file.size, self._file.size, True)):
            try:
                yield from self._in_sound(position, begin)
            except DataError as error:
                yield error
            yield from self._in_damage(begin, end, is_zero=is_zero)
            position = end

    def _in_sound(self, begin: int, end: int) -> Iterator[RawFind | DataError]:
        reader = SegmentReader(
            self._file, limits=self._limits, ahead=_WINDOW_BYTES, buffer=ReusedBuffer(), end=max(begin, end)
        )
        for found in reader.bulk_walk(lambda entry: entry, begin, end):
            if isinstance(found, ReadWindow):
                yield from self._in_window(found)
            else:
                after = found.position + found.frame.size_in_bytes
                yield from self._in_entry(StoredEntry(found.data), found.position, self._take(after))
        # Bytes that are neither in an entry nor reported as damage.
        yield from (self._found_at(*span) for span in _apart(self._take(end)))

    def _in_window(self, window: ReadWindow) -> Iterator[RawFind | DataError]:
        batches = window.batches()
        window.take(batches)
        if not len(batches):
            return
        starts = batches.starts + batches.position
        spans: dict[int, list[Span]] = {}
        for span in self._take(int(batches.ends[-1]) + batches.position):
            spans.setdefault(int(starts.searchsorted(span[0], "right")) - 1, []).append(span)
        packed = np.flatnonzero(batches.headers["attributes"] & COMPRESSION).tolist()
        for number in sorted({*packed, *spans}) if spans else packed:
            start, end = int(batches.starts[number]), int(batches.ends[number])
            yield from self._in_entry(
                StoredEntry(batches.data[start:end]), start + batches.position, spans.get(number, [])
            )

    def _in_entry(
        self, entry: StoredEntry, position: int, spans: Sequence[Span], *, in_damage: bool = False, found: bool = False
    ) -> Iterator[RawFind | DataError]:
        """Finds in an entry.

        Args:
            entry: bytes of the entry.
            position: start of the entry.
            spans: matches in the bytes of the file that begin in the entry.
            in_damage: whether the entry is damaged.
            found: whether the entry's records were searched although it is damaged.
        """
        if not entry.codec and not spans:
            return
        found = found or position in self._found_in
        inside = [(begin - position, end - position) for begin, end in spans]
        if not entry.codec:
            shift = entry.begin
            fields = self._fields(entry, entry.data[shift:], shift) if found else []
            for begin, end in self._apart_from(fields, inside, entry.data):
                yield self._found_at(position + begin, position + end)
            return
        contents: list[bytes] = []
        try:
            contents = entry.contents(self._limits)
        except DataError as error:
            yield error.at(self._file.name, position)
        matches = [list(matches_in(content, self._pattern)) for content in contents]
        for number, (content, inner) in enumerate(zip(contents, matches, strict=True)):
            fields = self._fields(entry, memoryview(content), 0) if found and inner and not number else []
            for _ in self._apart_from(fields, inner, memoryview(content)):
                yield RawFind(position, in_damage)
        for begin, end in _apart(inside):
            # Compressed bytes may contain a text as it is.
            if not any(matches) or not entry.is_decoded(begin, min(end, len(entry.data)), contents, self._limits):
                yield self._found_at(position + begin, position + end)

    def _in_damage(self, begin: int, end: int, *, is_zero: bool) -> Iterator[RawFind | DataError]:
        spans = self._take(end)
        for hidden in () if is_zero else hidden_entries(self._file, begin, end, self._limits):
            if isinstance(hidden, DataError):
                yield hidden
                continue
            first, after = hidden.position, hidden.position + hidden.frame.size_in_bytes
            yield from (self._found_at(*span) for span in _apart(span for span in spans if span[0] < first))
            inside = [span for span in spans if first <= span[0] < after]
            spans = [span for span in spans if span[0] >= after]
            yield from self._in_hidden(hidden, inside)
        yield from (self._found_at(*span) for span in _apart(spans))

    def _in_hidden(self, entry: "Entry", spans: Sequence[Span]) -> Iterator[RawFind | DataError]:
        try:
            records = list(entry.records(self._limits))
        except DataError:
            # Records that cannot be decoded are searched as decompressed bytes.
            records = []
        yield from (RawFind(entry.position, True, record) for record in records)  # noqa: FBT003
        yield from self._in_entry(StoredEntry(entry.data), entry.position, spans, in_damage=True, found=bool(records))

    def _found_at(self, begin: int, end: int) -> RawFind:
        """A match in the bytes of the file, perhaps across the edge of a damaged range."""
        number = bisect_right(self._damage, end - 1, key=lambda each: each[0]) - 1
        return RawFind(begin, number >= 0 and self._damage[number][1] > begin)

    def _take(self, end: int) -> list[Span]:
        """The next matches in the bytes of the file that begin before a position."""
        taken = []
        while self._next is not None and self._next[0] < end:
            taken.append(self._next)
            self._next = next(self._spans, None)
        return taken

    def _fields(self, entry: StoredEntry, content: memoryview, shift: int) -> list[StoredField]:
        """Start and end of the fields that were searched."""
        fields = entry.fields(content)
        return [StoredField(part, begin + shift, end + shift) for part, begin, end in fields if part in self._parts]

    def _apart_from(self, fields: Sequence[StoredField], spans: Iterable[Span], content: memoryview) -> Iterator[Span]:
        """The matches that are not, or not completely, in a field that matches alone."""
        return _apart(each for span in spans for each in self._left_of(span, fields, content))

    def _left_of(self, span: Span, fields: Sequence[StoredField], content: memoryview) -> Iterator[Span]:
        begin, end = span
        number = max(bisect_right(fields, begin, key=lambda field: field.begin) - 1, 0)
        touched = []
        while number < len(fields) and fields[number].begin < end:
            if fields[number].end > begin:
                touched.append(fields[number])
            number += 1
        if any(field.begin <= begin and end <= field.end for field in touched):
            return
        texts = [bytes(content[field.begin : field.end]) for field in touched]
        if self._pattern.needle is not None or not any(self._pattern.matches(pa.array(texts, pa.binary())).to_pylist()):
            yield span
            return
        # The match continues past its field: the part after the field may match by itself, so the search resumes there.
        for first, last in zip([begin, *(f.end for f in touched)], [*(f.begin for f in touched), end], strict=True):
            if first < last:
                yield from ((first + at, first + after) for at, after in matches_in(content[first:last], self._pattern))


def _apart(spans: Iterable[Span]) -> Iterator[Span]:
    """The spans that do not overlap with an earlier one."""
    last = -1
    for begin, end in spans:
        if begin >= last:
            last = end
            yield begin, end
