"""Log segments (`<base offset>.log`, raft `.checkpoint` snapshots): their batch headers and records, file by file."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafkafmt.columnar.headers import descriptions, first_wrong
from kafkafmt.errors import DataError, KafkafmtError
from kafkafmt.files import entry_points
from kafkafmt.files.index_file import EntryFile
from kafkafmt.files.offset_index import RangedOffsetIndex
from kafkafmt.files.read_window import ReadWindow, ReusedBuffer
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.files.wrapped import refuse_wrapped
from kafkafmt.io.base import File, MemoryFile
from kafkafmt.io.source import open_file
from kafkafmt.libraries import pa
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry, without_traceback
from kafkafmt.reference.header import BatchHeader
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.reference.record import Record

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.columnar.headers import Batches
    from kafkafmt.files.damage import Damage
    from kafkafmt.io.base import Location
    from kafkafmt.io.source import Source


def batches(
    file: File,
    *,
    name: str | None = None,
    deep: bool = False,
    verify_checksums: bool = False,
    limits: Limits | None = None,
) -> Iterator[BatchHeader]:
    """Headers of the entries of an open file, up to the end of Kafka's `FileRecords.batches()`.

    An entry with a wrong CRC or an unknown magic is listed (with `is_valid` False if checked), as Kafka lists it.

    Args:
        file: an open file.
        name: its name in headers.
        deep: whether to decompress v0 and v1 wrappers for their count and first offset.
        verify_checksums: whether to compute CRCs, and set `is_valid` and `error`.
        limits: bounds of decoding.

    Raises:
        CorruptError: an entry's size is broken.
        SourceError: reading failed.
    """
    limits = limits or Limits()
    shown = file.name if name is None else name

    def describe(entry: Entry) -> BatchHeader:
        return entry.describe(verify_checksum=verify_checksums, deep=deep, limits=limits)

    reader = SegmentReader(file, name=name, limits=limits, buffer=ReusedBuffer())
    for found in reader.bulk_walk(describe):
        if isinstance(found, ReadWindow):
            adjacent = take_batches(found, verify_checksums=verify_checksums)
            yield from descriptions(adjacent, shown, is_valid=True if verify_checksums else None)
            del adjacent  # so that the next window reuses the memory
        else:
            yield found


def take_batches(window: ReadWindow, *, verify_checksums: bool) -> "Batches":
    """Take the ordinary batches of a window, up to the first with a wrong CRC if CRCs are to be checked."""
    batches = window.batches()
    if verify_checksums:
        batches = batches[: first_wrong(batches)]
    window.take(batches)
    return batches


def records(file: File, *, name: str | None = None, limits: Limits | None = None) -> Iterator[Record]:
    """Records of an open file, decoded by the reference engine, which checks CRCs.

    Raises:
        CorruptError, UnsupportedError, LimitExceededError: at the first damage.
        SourceError: reading failed.
    """
    limits = limits or Limits()

    def decode(entry: Entry) -> Iterator[Record]:
        entry.verify_checksum()
        return entry.records(limits)

    for decoded in SegmentReader(file, name=name, limits=limits).walk(decode):
        yield from decoded


def sound_headers(file: File, *, name: str | None = None, limits: Limits | None = None) -> Iterator[BatchHeader]:
    """Headers of all entries with a valid CRC, including later formats (with `error`), whatever bytes are between them.

    Raises:
        SourceError: reading failed.
    """
    return SegmentReader(file, name=name, limits=limits, on_damage="skip").walk(_sound)


def _sound(entry: Entry) -> BatchHeader:
    entry.verify_checksum()
    return _counted(entry)


def _counted(entry: Entry) -> BatchHeader:
    """The header of an entry as brokers read it, which treat any later format as format 2."""
    return entry.header() if entry.frame.magic <= CURRENT_MAGIC else entry.describe()


def headers_from(file: File, begin: int, *, limits: Limits | None = None) -> Iterator[BatchHeader]:
    """Headers of the entries from a position on, up to the first bytes that are not an entry; CRCs are not checked.

    Raises:
        SourceError: reading failed.
    """
    try:
        yield from SegmentReader(file, limits=limits).walk(_counted, begin)
    except DataError:
        return


def last_sound_headers(
    file: File, index: RangedOffsetIndex | None, most: int, *, name: str | None = None
) -> list[BatchHeader]:
    """Headers of the last entries with a valid CRC, as returned by `sound_headers`.

    They are searched from the end. Only headers are read before that, and with an index not even all headers.

    Args:
        file: an open file.
        index: its offset index, or None.
        most: number of headers wanted.
        name: the file's name in headers.

    Raises:
        SourceError: reading failed.
    """

    def headers(reader: SegmentReader, begin: int, end: int | None) -> Iterator[BatchHeader]:
        for each in reader.bulk_walk(_sound, begin, end):
            if isinstance(each, ReadWindow):
                adjacent = take_batches(each, verify_checksums=True)
                yield from descriptions(adjacent[-most:], file.name if name is None else name)
                del adjacent  # so that the next window reuses the memory
            else:
                yield each

    limits = Limits()
    found: list[BatchHeader] = []
    for begin, end in entry_points.ranges_from_end(file, index, 0, limits):
        reader = SegmentReader(file, name=name, limits=limits, on_damage="skip", buffer=ReusedBuffer())
        found = [*deque(headers(reader, begin, end), most), *found][-most:]
        if reader.position != end:
            # Damage, or an index that points past the log's entries: only a walk over the whole file shows which.
            return list(deque(sound_headers(file, name=name, limits=limits), most))
        if len(found) == most:
            break
    return found


def valid_bytes(file: File, *, name: str | None = None) -> tuple[int, KafkafmtError | None]:
    """The position up to which Kafka's recovery (`LogSegment.recover`) would keep a file, and the reason.

    Recovery checks only sizes and CRCs, so a batch of unknown magic with a valid CRC is kept.

    Returns:
        End of the last entry that is kept, in bytes, and the error there; None if that is the end of the file.

    Raises:
        SourceError: reading failed.
    """
    kept = 0
    tail: list[Damage] = []
    reader = SegmentReader(file, name=name, report=tail.append)
    try:
        for end in reader.walk(_end_if_valid):
            kept = end
    except DataError as error:
        return kept, without_traceback(error)
    return kept, tail[0].error if tail else None


def _end_if_valid(entry: Entry) -> int:
    entry.verify_checksum()
    return entry.position + entry.frame.size_in_bytes


@dataclass(frozen=True, slots=True)
class SegmentBatches(EntryFile[BatchHeader]):
    """The batch headers of a whole segment, held in memory.

    `kafkafmt.Segment.batches()` yields them one by one instead, and `kafkafmt.scan` reads the records.

    Attributes:
        entries: headers in file order, with CRCs checked (`is_valid`), and v0 and v1 wrappers not decompressed.
        error: the error that ended the walk before the end of the file, or None; also for a partial or zero tail.
        file: name of the file, or None.
    """

    entries: tuple[BatchHeader, ...] = field(repr=False)
    error: KafkafmtError | None
    file: str | None

    def to_table(self) -> "pa.Table":
        """Make a table of the headers, named like Kafka's fields: `kafkafmt.batch_columns.BATCH_SCHEMA`."""
        from kafkafmt.batch_columns import to_table  # noqa: PLC0415 - it loads Arrow

        return to_table(self.entries)


def parse(data: bytes | memoryview, *, file: str | None = None, limits: Limits | None = None) -> SegmentBatches:
    """Parse the batch headers of a segment; no content is refused.

    Args:
        data: the whole file.
        file: its name, for headers and errors.
        limits: bounds of an entry's size.
    """
    return _whole(MemoryFile(file or "", data), file, limits)


def read(
    path: "Source | Location", filesystem: "FileSystem | None" = None, *, limits: Limits | None = None
) -> SegmentBatches:
    """Read the batch headers of the segment at `path`.

    Args:
        path: a path or URI.
        filesystem: the pyarrow file system of `path`, unless that is a local path or URI.
        limits: bounds of an entry's size.

    Raises:
        SourceError: the file cannot be read, or is a packed backup of a segment (gzip, tar, ...).
    """
    with open_file(path, filesystem) as opened:
        refuse_wrapped(opened)
        return _whole(opened, opened.name, limits)


def _whole(opened: File, file: str | None, limits: Limits | None) -> SegmentBatches:
    found: list[BatchHeader] = []
    tail: list[Damage] = []
    error: KafkafmtError | None = None
    reader = SegmentReader(opened, name=file, limits=limits, report=tail.append)
    try:
        for header in reader.walk(lambda entry: entry.describe(verify_checksum=True)):
            header.file = file
            found.append(header)
    except DataError as damage:
        error = damage
    if tail:
        error = tail[0].error
    return SegmentBatches(tuple(found), error, file)
