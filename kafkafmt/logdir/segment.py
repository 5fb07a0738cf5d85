"""Segment: one log file with its indexes."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING

from kafkafmt.cached import cached_property
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files import clean_shutdown, segment
from kafkafmt.files.loss import SegmentBounds
from kafkafmt.files.names import parse_partition_name, parse_segment_file_name
from kafkafmt.files.offset_index import RangedOffsetIndex
from kafkafmt.files.read_window import new_buffer
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.files.time_index import RangedTimeIndex
from kafkafmt.files.wrapped import refuse_wrapped
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.io.base import File
from kafkafmt.io.source import locate
from kafkafmt.logdir.segment_indexes import SegmentIndexes
from kafkafmt.logdir.tier_segment import TierFile
from kafkafmt.phrases import sized
from kafkafmt.public import Public

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pyarrow.fs import FileSystem

    from kafkafmt.errors import OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.files.index_steps import Trace
    from kafkafmt.files.offset_index import OffsetIndex
    from kafkafmt.files.time_index import TimeIndex
    from kafkafmt.files.transaction_index import TransactionIndex
    from kafkafmt.io.base import Location
    from kafkafmt.io.source import Source
    from kafkafmt.limits import Limits
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.reference.record import Record


class Segment(Public):
    """A log file, opened only during reads.

    Args:
        path: a path, a URI, or a location.
        filesystem: the pyarrow file system of `path`, unless that is a local path or URI.
        file: name of the file in the `file` column, headers and errors; the path if None.
        size: size in bytes when the file was listed; bytes appended later are not read. None to ask the file system.

    Attributes:
        location: location of the file.
        path: its path or URI.
        file: its name in answers.
        base_offset: base offset in the file name, or None for a file that is not named like a segment.
        suffix: "" for a live file, else ".deleted", ".cleaned", ".swap", ...

    Raises:
        SourceError: `size` is None and the file does not exist.
    """

    _INNER = frozenset(
        {
            *("anchored", "bounds", "last_entries", "last_entry", "location", "open", "ranged_offset_index"),
            *("ranged_time_index", "reader", "valid_bytes"),
        }
    )

    def __init__(
        self,
        path: "Source | Location",
        filesystem: "FileSystem | None" = None,
        *,
        file: str | None = None,
        size: int | None = None,
    ) -> None:
        self.location = locate(path, filesystem)
        self.path = str(self.location)
        self.file = self.path if file is None else file
        parsed = parse_segment_file_name(self.name)
        is_log = parsed is not None and parsed.kind == "log"
        self.base_offset = parsed.base_offset if parsed and is_log else None
        self.suffix = parsed.suffix if parsed and is_log else ""
        self._size = size
        self._size_found: int | None = None

    @property
    def name(self) -> str:
        """Base name of the file."""
        return self.location.name

    @property
    def size(self) -> int:
        """Size of the file in bytes when it was listed."""
        if self._size is not None:
            return self._size
        if self._size_found is None:
            with self._open_now() as file:
                self._size_found = file.size
        return self._size_found

    @property
    def is_live(self) -> bool:
        """Whether the file is named like a part of the log: not deleted, half cleaned or a raft snapshot."""
        return self.base_offset is not None and self.suffix in ("", ".swap")

    @property
    def latest_timestamp(self) -> int | None:
        """Largest timestamp of its records in ms, from the metadata of remote storage; None if unknown.

        Kafka also relies on it when it looks up a time in remote storage (`RemoteLogManager.findOffsetByTimestamp`).
        """
        return self.location.upload.max_timestamp if isinstance(self.location, TierFile) else None

    def bounds(self, following: "Segment | None" = None) -> SegmentBounds:
        """The partition, by the name of the directory, and the offsets of the segment.

        Args:
            following: the next segment of the log; None if there is none, or it is unknown.
        """
        parent = parse_partition_name(self.location.parent.name)
        next_base_offset = None if following is None else following.base_offset
        return SegmentBounds(parent.topic, parent.partition, self.base_offset, next_base_offset)

    def may_end_open(self) -> bool:
        """Whether an incomplete last entry or zeros at the end are not damage, if this is the last segment of its log.

        A killed or running broker leaves them. After a clean shutdown there are none, and Kafka loads the log
        unchanged.

        Raises:
            SourceError: a remote file system does not respond.
        """
        directory = self.location.parent
        is_live = parse_partition_name(directory.name).state == "live"
        return isinstance(self.location, TierFile) or not is_live or not is_loaded_as_it_is(directory)

    def anchored(self) -> "Segment":
        """The same file, named by its whole path or URI in answers too."""
        return Segment(self.location.anchored(), size=self.size)

    def open(self) -> "File":
        """Open the file, cut to the size it had when it was listed.

        Raises:
            SourceError: it cannot be read, has become shorter, or is a packed backup of a segment (gzip, tar, ...).
        """
        file = self._open_now()
        try:
            if file.size < self.size:
                raise SourceError(
                    "the file shrank since it was listed",
                    file=self.path,
                    expected=sized(self.size),
                    found=sized(file.size),
                )
            file.size = self.size
            refuse_wrapped(file)
        except KafkafmtError:
            file.close()
            raise
        return file

    def reader(
        self,
        file: File,
        following: "Segment | None",
        *,
        limits: "Limits",
        on_damage: "OnDamage",
        report: "Callable[[Damage], None]",
        ahead: int | None = None,
        buffer: Callable[[int], memoryview] = new_buffer,
        checks_lengths: bool = False,
    ) -> SegmentReader:
        """A reader of the file's entries as a part of a log.

        Args:
            file: the file, as returned by `open`.
            following: the next segment of the log; None for the last.
            limits: bounds of decoding.
            on_damage: as for `SegmentReader`.
            report: as for `SegmentReader`.
            ahead: as for `SegmentReader`.
            buffer: as for `SegmentReader`.
            checks_lengths: as for `SegmentReader`.
        """
        return SegmentReader(
            file,
            name=self.file,
            bounds=self.bounds(following),
            limits=limits,
            on_damage=on_damage,
            may_end_open=lambda: following is None and self.may_end_open(),
            report=report,
            ahead=ahead,
            buffer=buffer,
            checks_lengths=checks_lengths,
        )

    def batches(
        self, deep: bool = False, verify_checksums: bool = False, *, limits: "Limits | None" = None
    ) -> Iterator["BatchHeader"]:
        """Headers of the entries, in file order; see `kafkafmt.files.segment.batches`.

        Args:
            deep: decompress v0 and v1 wrappers for their count and first offset, which are None otherwise.
            verify_checksums: compute CRCs, and set `is_valid` and `error` instead of raising.
            limits: bounds of decoding.

        Raises:
            CorruptError: an entry's size is broken.
            SourceError: the file cannot be read.
        """
        with self.open() as file:
            yield from segment.batches(
                file, name=self.file, deep=deep, verify_checksums=verify_checksums, limits=limits
            )

    def records(self, *, limits: "Limits | None" = None) -> Iterator["Record"]:
        """Records in file order, control records included, by the reference engine; CRCs are checked.

        Raises:
            KafkafmtError: at the first damage.
        """
        with self.open() as file:
            yield from segment.records(file, name=self.file, limits=limits)

    @property
    def offset_index(self) -> "OffsetIndex":
        """The offset index beside the file; if there is none, an empty one whose `file` is None."""
        return self._indexes.offset_index()

    def ranged_offset_index(self, trace: "Trace | None" = None) -> "AbstractContextManager[RangedOffsetIndex | None]":
        """Open the offset index beside the file for ranged reads; None if there is none.

        Args:
            trace: called with that step.
        """
        return self._indexes.ranged("index", RangedOffsetIndex, trace)

    def ranged_time_index(self, trace: "Trace | None" = None) -> "AbstractContextManager[RangedTimeIndex | None]":
        """Open the time index beside the file; as for `ranged_offset_index`."""
        return self._indexes.ranged("timeindex", RangedTimeIndex, trace)

    @property
    def time_index(self) -> "TimeIndex":
        """The time index beside the file; if there is none, an empty one whose `file` is None."""
        return self._indexes.time_index()

    @property
    def transaction_index(self) -> "TransactionIndex":
        """The transaction index beside the file; if there is none, an empty one whose `file` is None."""
        return self._indexes.transaction_index()

    @property
    def valid_bytes(self) -> int:
        """Position where Kafka's recovery of the file would stop: the end of the last entry it keeps, in bytes."""
        return self._recovery[0]

    @property
    def error(self) -> KafkafmtError | None:
        """Why Kafka would stop at `valid_bytes`; None if it would keep the whole file."""
        return self._recovery[1]

    def next_offset(self) -> int | None:
        """Offset after the last sound entry; the base offset of an empty file, None if that is unknown.

        Raises:
            SourceError: the file cannot be read.
        """
        last = self.last_entry()
        return self.base_offset if last is None or last.last_offset is None else last.last_offset + 1

    def last_entry(self, opened: "File | None" = None) -> "BatchHeader | None":
        """Header of the last entry with a valid CRC, or None; searched from the end, with the offset index if it helps.

        Args:
            opened: the log file, if it is already open.

        Raises:
            SourceError: the file cannot be read.
        """
        found = self.last_entries(1, opened)
        return found[0] if found else None

    def last_kept_entry(self) -> "BatchHeader | None":
        """Header of the last entry by lengths alone, as a broker finds it when it loads the segment without recovery.

        Raises:
            SourceError: the file cannot be read.
        """
        with self.open() as file:
            return self.kept_after(self.last_entry(file), file)

    def kept_after(self, last: "BatchHeader | None", opened: "File") -> "BatchHeader | None":
        """Header of the last entry that counts without recovery: lengths are followed, and no CRC is checked.

        A segment without `.index` is always recovered, so there the last entry with a valid CRC counts.

        Args:
            last: the last entry with a valid CRC, or None.
            opened: the log file.

        Raises:
            SourceError: the file cannot be read.
        """
        end = 0 if last is None else last.position + last.size_in_bytes
        if end < opened.size and self._indexes.place("index") is not None:
            for header in segment.headers_from(opened, end):
                if last is None or (header.last_offset or 0) > (last.last_offset or 0):
                    last = header
        return last

    def last_entries(self, most: int, opened: "File | None" = None) -> "list[BatchHeader]":
        """Headers of the last entries with a valid CRC, searched from the end, with the offset index if that helps.

        Args:
            most: number of headers wanted.
            opened: the log file, if it is already open.

        Raises:
            SourceError: the file cannot be read.
        """
        with (
            self.open() if opened is None else nullcontext(opened) as file,
            self.ranged_offset_index() if file.size > file.worth_skipping else nullcontext() as index,
        ):
            return segment.last_sound_headers(file, index, most, name=self.file)

    def __repr__(self) -> str:
        return f"Segment({self.path!r})"

    @cached_property
    def _recovery(self) -> tuple[int, KafkafmtError | None]:
        with self.open() as file:
            return segment.valid_bytes(file, name=self.file)

    @property
    def _indexes(self) -> SegmentIndexes:
        return SegmentIndexes(self.location, self.file, self.base_offset, self.suffix)

    def _open_now(self) -> "File":
        try:
            return self.location.open()
        except SourceError as error:
            if self._size is not None and isinstance(error.__cause__, FileNotFoundError):
                raise SourceError(
                    "the file vanished since it was listed; if a broker is running here, it may have been deleted,"
                    " renamed or compacted: list it again",
                    file=self.path,
                ) from error
            raise


def is_loaded_as_it_is(partition: "Location") -> bool:
    """Whether the next start recovers no segment that has its index, as the broker shut down cleanly.

    Raft always recovers the metadata log.

    Args:
        partition: the partition directory.

    Raises:
        SourceError: a remote file system does not respond.
    """
    is_raft = parse_partition_name(partition.name).topic == CLUSTER_METADATA
    return not is_raft and clean_shutdown.is_marked(partition.parent)
