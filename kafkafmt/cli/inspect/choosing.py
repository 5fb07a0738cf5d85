"""Choosing: the bytes of a file that are the entry at a position or offset, and the records of it that are shown."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import click

from kafkafmt.cli.inspect.rows import Row, Space
from kafkafmt.errors import CorruptError, DataError, KafkafmtError, LimitExceededError
from kafkafmt.files import offset_index, time_index, transaction_index
from kafkafmt.files.kinds import KINDS, LAYOUTS
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.base import File
from kafkafmt.limits import Limits
from kafkafmt.phrases import sized
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.layout import CURRENT_MAGIC, HEADER_SIZE_UP_TO_MAGIC, RECORD_OVERHEAD_V0, read_frame

# Bytes shown of an entry whose size is impossible, or above the limit.
_PIECE = 1024

MOST_ROWS = 200_000
"""After this many rows no further record is shown field by field, even if more are wanted."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The entry to be shown.

    Attributes:
        position: start of the entry in the file, in bytes.
        data: bytes of the entry, or the existing part of them.
        why: how it was found, if that is not obvious: a sentence without a full stop.
        error: why these bytes are incomplete, if the bytes themselves do not show it.
    """

    position: int
    data: bytes
    why: str | None = None
    error: KafkafmtError | None = None


def log_entry_at(file: File, position: int | None, *, exact: bool, limits: Limits) -> Chosen:
    """Choose the entry of a log that holds the byte at `position` (None: the first entry).

    If the walk from the start of the file does not get there, or with `exact`, an entry is decoded from the
    byte at the position.

    Raises:
        click.UsageError: the file ends before `position`.
        SourceError: reading failed.
    """
    if position is None:
        return _log_entry(file, 0, limits)
    _require_within(file, position)
    if exact:
        return _log_entry(file, position, limits)
    reader = SegmentReader(file, limits=limits)
    reached = 0
    try:
        for begin, size in reader.walk(lambda entry: (entry.position, entry.frame.size_in_bytes), end=position + 1):
            reached = begin + size
            if reached > position:
                return _log_entry(file, begin, limits, _inside(position, begin))
    except DataError:
        pass  # the bytes at the position are shown anyway
    else:
        if _is_cut(file, reached):
            return _log_entry(file, reached, limits, _inside(position, reached))
    if position == reached:
        return _log_entry(file, position, limits)
    why = (
        f"the walk from the start of the file ends at {reached}, where there is no whole entry: "
        f"decoded from byte {position}"
    )
    return _log_entry(file, position, limits, why)


def _inside(position: int, begin: int) -> str | None:
    return None if begin == position else f"position {position} is byte {position - begin} of the entry at {begin}"


def _is_cut(file: File, position: int) -> bool:
    """Whether the file ends inside the entry that begins at a position; otherwise there are zeros."""
    head = file.read_at(position, HEADER_SIZE_UP_TO_MAGIC)
    return file.size - position <= HEADER_SIZE_UP_TO_MAGIC or read_frame(head).size >= RECORD_OVERHEAD_V0


class _Place(NamedTuple):
    position: int
    magic: int
    base_offset: int
    last_offset: int | None


def log_entry_of(file: File, offset: int, limits: Limits) -> Chosen:
    """Choose the entry of a log that holds an offset, or the one with which a fetch at that offset begins.

    Raises:
        click.UsageError: no entry reaches that offset.
        CorruptError: there is damage before it.
        SourceError: reading failed.
    """

    def place(entry: Entry) -> _Place:
        return _Place(entry.position, entry.frame.magic, entry.frame.offset, entry.describe().last_offset)

    highest: int | None = None
    reader = SegmentReader(file, limits=limits)
    stopped: KafkafmtError | None = None
    try:
        for found in reader.walk(place):
            if found.last_offset is None:
                continue
            if found.last_offset >= offset:
                why = None
                if found.magic >= CURRENT_MAGIC and found.base_offset > offset:
                    why = f"no entry holds offset {offset}: this is the next one, where a fetch at that offset begins"
                return _log_entry(file, found.position, limits, why)
            highest = found.last_offset if highest is None else max(highest, found.last_offset)
    except DataError as error:
        stopped = error
    held = "there is none" if highest is None else f"the highest one is {highest}"
    if stopped is not None:
        raise CorruptError(
            f"offset {offset} is not before this damage ({held}); --position shows the damage and what follows. "
            f"The damage: {stopped.message}",
            file=file.name,
            position=stopped.position,
            expected=stopped.expected,
            found=stopped.found,
        )
    raise click.UsageError(f"no entry holds offset {offset} or a higher one: {held}.")


def _log_entry(file: File, position: int, limits: Limits, why: str | None = None) -> Chosen:
    """Read the entry that begins at a position, or the plausible part of it."""
    left = file.size - position
    if left <= HEADER_SIZE_UP_TO_MAGIC:
        return Chosen(position, file.read_at(position, left), why)
    frame = read_frame(file.read_at(position, HEADER_SIZE_UP_TO_MAGIC))
    if frame.size < RECORD_OVERHEAD_V0:
        return Chosen(position, _piece(file, position, left), why, _too_small(file, position, frame.size))
    if frame.size_in_bytes > limits.max_batch_bytes:
        error = LimitExceededError(
            "the entry is larger than max_batch_bytes",
            file=file.name,
            position=position,
            expected=limits.max_batch_bytes,
            found=frame.size_in_bytes,
        )
        return Chosen(position, _piece(file, position, left), why, error)
    return Chosen(position, file.read_at(position, min(left, frame.size_in_bytes)), why)


def _piece(file: File, position: int, left: int) -> bytes:
    return file.read_at(position, min(left, _PIECE))


def _too_small(file: File, position: int, size: int) -> CorruptError:
    zeros = not any(_piece(file, position, file.size - position))
    return CorruptError(
        "zeros: space that a broker has preallocated and not written to" if zeros else "the size is too small",
        file=file.name,
        position=position,
        expected=f"at least {RECORD_OVERHEAD_V0}",
        found=size,
    )


def slot_at(file: File, size: int, position: int | None) -> Chosen:
    """Choose the entry of an index, with entries of `size` bytes, that holds the byte at `position` (None: the first).

    Raises:
        click.UsageError: the file ends before `position`.
    """
    if position is None:
        return Chosen(0, file.read_at(0, size))
    _require_within(file, position)
    begin = position // size * size
    data = file.read_at(begin, size)
    unused = None if any(data) or not begin else "zeros: an unused entry"
    return Chosen(begin, data, "; ".join(filter(None, (_inside(position, begin), unused))) or None)


def index_entry_of(file: File, kind: str, offset: int, base_offset: int | None) -> Chosen:
    """Choose the last entry of an index at or below an offset, as Kafka's look-up in an offset index does.

    Args:
        file: an index.
        kind: "index" for an offset index, "timeindex" for a time index.
        offset: the offset.
        base_offset: base offset of its segment; None to compare relative offsets.

    Raises:
        click.UsageError: no entry is at or below the offset.
        LimitExceededError: the file is larger than an index can be.
    """
    data = _whole(file, kind)
    index: offset_index.OffsetIndex | time_index.TimeIndex
    index = offset_index.parse(data, file=file.name) if kind == "index" else time_index.parse(data, file=file.name)
    return _looked_up(file, kind, (entry.relative_offset for entry in index.entries), offset, base_offset)


def _looked_up(file: File, kind: str, relative_offsets: Iterable[int], offset: int, base_offset: int | None) -> Chosen:
    wanted = offset - (base_offset or 0)
    found: tuple[int, int] | None = None
    for number, relative_offset in enumerate(relative_offsets):
        if relative_offset <= wanted:
            found = number, relative_offset
    if found is None:
        raise click.UsageError(
            f"no entry is at or below offset {offset}: a search for it begins at the start of the log. "
            "Without --offset the first entry is shown."
        )
    number, relative_offset = found
    why = f"entry {number} of the index"
    if relative_offset != wanted:
        why += f", the last one at or below offset {offset}: Kafka's search for that offset starts there"
    if base_offset is None:
        why += " (the file name has no base offset: offsets count from that of the segment)"
    size = LAYOUTS[kind].size
    return Chosen(number * size, file.read_at(number * size, size), why)


def aborted_transaction_of(file: File, offset: int) -> Chosen:
    """Choose the entry of a transaction index whose transaction spans an offset, from its first one to its marker.

    Raises:
        click.UsageError: no transaction does.
        UnsupportedError: an entry has a later version.
        LimitExceededError: the file is larger than such an index can be.
    """
    index = transaction_index.parse(_whole(file, "txnindex"), file=file.name)
    found = [number for number, entry in enumerate(index) if entry.first_offset <= offset <= entry.last_offset]
    if not found:
        raise click.UsageError(f"offset {offset} is in none of the {len(index)} aborted transactions of this index.")
    why = f"entry {found[0]} of the index: the transaction around offset {offset}"
    if len(found) > 1:
        why += f", and {len(found) - 1} more are"
    size = LAYOUTS["txnindex"].size
    return Chosen(found[0] * size, file.read_at(found[0] * size, size), why)


def whole_file(file: File, kind: str, position: int | None) -> Chosen:
    """Read a whole file: a producer snapshot, which is one structure, or a text file.

    Raises:
        click.UsageError: the file ends before `position`.
        LimitExceededError: the file is larger than a file of its kind can be.
    """
    if position is not None:
        _require_within(file, position)
    return Chosen(0, _whole(file, kind))


def _whole(file: File, kind: str) -> bytes:
    max_bytes = KINDS[kind].max_bytes
    if file.size > max_bytes:
        raise LimitExceededError(
            "the file is too large for its kind",
            file=file.name,
            expected=f"at most {max_bytes} bytes",
            found=sized(file.size),
        )
    return file.read_at(0, file.size)


def _require_within(file: File, position: int) -> None:
    if position >= file.size:
        raise click.UsageError(f"position {position} is beyond the end of the file, which has {file.size} bytes.")


@dataclass(frozen=True, slots=True)
class RecordChoice:
    """The records of an entry to show field by field.

    Attributes:
        records: most records that are shown; None for all.
        offset: offset of the first record, or of the next existing one.
        position: byte of the file that the first record holds.
    """

    records: int | None = None
    offset: int | None = None
    position: int | None = None


class Shown:
    """Decides which records are shown, and makes one row of the hidden ones before, between and after them.

    Args:
        rows: list that gets that row.
        space: space of the records.
        path: path of the field that they are elements of.
        element: type of an element.
        wanted: the records to show.

    Attributes:
        count: number of records shown so far.
    """

    def __init__(self, rows: list[Row], space: Space, path: str, element: str, wanted: RecordChoice) -> None:
        self.count = 0
        self._rows = rows
        self._space = space
        self._path = path
        self._element = element
        self._wanted = wanted
        self._skipped: tuple[int, int] | None = None

    def begins(self, number: int, begin: int, end: int, *, has_offset: bool) -> bool:
        """Whether a record is shown; if so, its rows must follow.

        Args:
            number: number of the record.
            begin: index of its first byte in the space's data.
            end: index after its last byte.
            has_offset: whether it may be the first one by its offset.
        """
        full = len(self._rows) > MOST_ROWS or (self._wanted.records is not None and self.count >= self._wanted.records)
        if full or not (self.count or (has_offset and self._has_position(end))):
            if self._skipped is None:
                self._skipped = number, begin
            return False
        self.skipped_end(number, begin)
        self.count += 1
        return True

    def skipped_end(self, number: int, end: int) -> None:
        """Add the row of the hidden records before the one with this number and place."""
        if self._skipped is None:
            return
        first, begin = self._skipped
        self._skipped = None
        which = f"{first}" if number - first == 1 else f"{first} to {number - 1}"
        note = f"{number - first} not shown: --records all"
        if len(self._rows) > MOST_ROWS:
            note = f"{number - first} not shown, as there are too many: --offset chooses one"
        self._rows.append(Row(f"{self._path}[{which}]", f"{self._element}[]", self._space, begin, end, note=note))

    def _has_position(self, end: int) -> bool:
        """Whether the wanted byte is before `end`; in decompressed bytes it always is."""
        position = self._wanted.position
        return position is None or self._space.name is not None or self._space.begin + end > position
