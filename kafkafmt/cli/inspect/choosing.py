"""Choosing: which bytes of a file are the entry at a position or offset, and the rows that show it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import click

from kafkafmt.cli.inspect import log_entry, small_files
from kafkafmt.cli.inspect.rows import RecordChoice, Row
from kafkafmt.errors import CorruptError, DataError, KafkafmtError, LimitExceededError
from kafkafmt.files import offset_index, time_index, transaction_index
from kafkafmt.files.kinds import KINDS, LAYOUTS, FileKind
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.base import File
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.layout import CURRENT_MAGIC, HEADER_SIZE_UP_TO_MAGIC, RECORD_OVERHEAD_V0, read_frame

# Shown of an entry whose size makes no sense, or is beyond the limit.
_PIECE = 1024


@dataclass(frozen=True, slots=True)
class Chosen:
    """The entry to be shown.

    Attributes:
        position: where in the file it begins.
        data: its bytes, or what there is of them.
        why: how it was found, if that is not plain to see: a sentence without a full stop.
        error: why these bytes are not all of it, if they do not say.
    """

    position: int
    data: bytes
    why: str | None = None
    error: KafkafmtError | None = None


@dataclass(frozen=True, slots=True)
class EntryRequest:
    """What to show of a file.

    Attributes:
        kind: of the file.
        position: byte of the file whose entry is shown, or None.
        offset: whose entry is shown, or None.
        records: at most so many are shown field by field; None for all.
        topic: internal topic whose keys and values are decoded, or None.
        limits: bounds of the decode.
        exact: whether an entry begins at the position.
    """

    kind: FileKind
    position: int | None
    offset: int | None
    records: int | None
    topic: str | None
    limits: Limits
    exact: bool

    def answer(self, file: File, base_offset: int | None) -> tuple[Chosen, list[Row], str]:
        """The bytes, rows of them, and what they are.

        Args:
            file: of this kind.
            base_offset: of the segment, or None if the file name has none.

        Raises:
            click.UsageError: the file has no such entry.
            KafkafmtError: damage before it, or the file is too large or cannot be read.
        """
        if self.kind.module == "segment":
            return self._log_entry(file)
        if self.kind.id == "snapshot":
            return self._snapshot(file)
        if self.kind.syntax is not None:
            return self._text(file)
        return self._index_entry(file, base_offset)

    @property
    def _choice(self) -> RecordChoice:
        return RecordChoice(self.records, self.offset, self.position)

    def _log_entry(self, file: File) -> tuple[Chosen, list[Row], str]:
        if self.offset is not None:
            chosen = log_entry_of(file, self.offset, self.limits)
        else:
            chosen = log_entry_at(file, self.position, exact=self.exact, limits=self.limits)
        lost = file.lost(chosen.position, chosen.position + len(chosen.data))
        if lost is not None:
            raise lost
        rows = log_entry.rows_of_entry(
            chosen.data, file.name, chosen.position, wanted=self._choice, limits=self.limits, topic=self.topic
        )
        for row in rows:
            if row.error is not None and chosen.error is not None:
                row.error = chosen.error
        return chosen, rows, log_entry.headline(chosen.data, chosen.position)

    def _snapshot(self, file: File) -> tuple[Chosen, list[Row], str]:
        chosen = whole_file(file, self.kind.id, self.position)
        rows, found = small_files.rows_of_snapshot(chosen.data, file.name, self._choice)
        if not found:
            raise click.UsageError(f"no producer of this snapshot wrote offset {self.offset} in its last batch.")
        return chosen, rows, "a kafka_producer_snapshot"

    def _text(self, file: File) -> tuple[Chosen, list[Row], str]:
        chosen = whole_file(file, self.kind.id, self.position)
        what = ": ".join(filter(None, (self.kind.what, self.kind.effect)))
        return chosen, small_files.rows_of_text(self.kind, chosen.data, file.name), what

    def _index_entry(self, file: File, base_offset: int | None) -> tuple[Chosen, list[Row], str]:
        size = LAYOUTS[self.kind.id].size
        if self.offset is None:
            chosen = slot_at(file, size, self.position)
        elif self.kind.id == "index":
            chosen = offset_index_entry_of(file, self.offset, base_offset)
        elif self.kind.id == "timeindex":
            chosen = time_index_entry_of(file, self.offset, base_offset)
        elif self.kind.id == "txnindex":
            chosen = aborted_transaction_of(file, self.offset)
        else:
            raise click.UsageError(f"--offset chooses no entry of {self.kind.what}.")
        rows = small_files.rows_of_index_entry(self.kind, chosen.data, file.name, chosen.position, base_offset)
        return chosen, rows, f"entry {chosen.position // size} of a {self.kind.spec}"


def log_entry_at(file: File, position: int | None, *, exact: bool, limits: Limits) -> Chosen:
    """Choose the entry of a log that holds the byte at `position` (None: the first entry).

    Where the walk from the start of the file does not get there, or with `exact`, an entry is decoded from the
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
        pass  # what is at the position is shown all the same
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
    """Whether the file ends before the entry does that begins there; else there are zeros."""
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
        click.UsageError: no entry reaches up to that offset.
        CorruptError: damage on the way there.
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
                    why = f"no entry holds offset {offset}: this is the next one, with which a fetch at it begins"
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
    """Read the entry that begins at a position, or as much of it as makes sense."""
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
    """Choose the entry of an index, of `size` bytes each, that holds the byte at `position` (None: the first entry).

    Raises:
        click.UsageError: the file ends before `position`.
    """
    if position is None:
        return Chosen(0, file.read_at(0, size))
    _require_within(file, position)
    begin = position // size * size
    data = file.read_at(begin, size)
    unused = None if any(data) or not begin else "zeros: a place for an entry, which is not in use"
    return Chosen(begin, data, "; ".join(filter(None, (_inside(position, begin), unused))) or None)


def offset_index_entry_of(file: File, offset: int, base_offset: int | None) -> Chosen:
    """Choose the entry of an offset index that Kafka's look-up of an offset uses: the last one not above it.

    Raises:
        click.UsageError: no entry is at or below the offset.
        LimitExceededError: the file is larger than an index can be.
    """
    index = offset_index.parse(_whole(file, "index"), file=file.name)
    return _looked_up(file, "index", (entry.relative_offset for entry in index.entries), offset, base_offset)


def time_index_entry_of(file: File, offset: int, base_offset: int | None) -> Chosen:
    """Choose the last entry of a time index that is not above an offset.

    Raises:
        click.UsageError: no entry is at or below the offset.
        LimitExceededError: the file is larger than an index can be.
    """
    index = time_index.parse(_whole(file, "timeindex"), file=file.name)
    return _looked_up(file, "timeindex", (entry.relative_offset for entry in index.entries), offset, base_offset)


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
        why += f", the last one not above offset {offset}: with it Kafka's search for that offset begins"
    if base_offset is None:
        why += " (the file name has no base offset: offsets count from that of the segment)"
    size = LAYOUTS[kind].size
    return Chosen(number * size, file.read_at(number * size, size), why)


def aborted_transaction_of(file: File, offset: int) -> Chosen:
    """Choose the entry of a transaction index whose transaction has an offset between its first one and its marker.

    Raises:
        click.UsageError: there is none.
        UnsupportedError: an entry is of a later version.
        LimitExceededError: the file is larger than such an index can be.
    """
    index = transaction_index.parse(_whole(file, "txnindex"), file=file.name)
    found = [number for number, entry in enumerate(index) if entry.first_offset <= offset <= entry.last_offset]
    if not found:
        raise click.UsageError(f"offset {offset} lies in none of the {len(index)} aborted transactions of this index.")
    why = f"entry {found[0]} of the index: the transaction around offset {offset}"
    if len(found) > 1:
        why += f", and {len(found) - 1} more are"
    size = LAYOUTS["txnindex"].size
    return Chosen(found[0] * size, file.read_at(found[0] * size, size), why)


def whole_file(file: File, kind: str, position: int | None) -> Chosen:
    """Read a file whole: a producer snapshot, which is one structure, or a text file.

    Raises:
        click.UsageError: the file ends before `position`.
        LimitExceededError: the file is larger than those of its kind can be.
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
            found=f"{file.size} bytes",
        )
    return file.read_at(0, file.size)


def _require_within(file: File, position: int) -> None:
    if position >= file.size:
        raise click.UsageError(f"position {position} is beyond the end of the file, which has {file.size} bytes.")
