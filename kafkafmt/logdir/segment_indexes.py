"""The index files of a segment: offset, time and transaction index; where they are, and their content."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeVar

from kafkafmt.errors import SourceError
from kafkafmt.files import offset_index, time_index, transaction_index
from kafkafmt.files.index_steps import IndexNotBelieved
from kafkafmt.files.names import segment_file_name
from kafkafmt.files.ranged_index import RangedIndex
from kafkafmt.io.base import File, Location

if TYPE_CHECKING:
    from kafkafmt.files.index_steps import IndexKind, Trace
    from kafkafmt.files.offset_index import OffsetIndex
    from kafkafmt.files.time_index import TimeIndex
    from kafkafmt.files.transaction_index import TransactionIndex

RangedT = TypeVar("RangedT", bound=RangedIndex)
IndexT = TypeVar("IndexT")

_KINDS: Final = {"index": "offset index", "timeindex": "time index"}
_NO_TRANSACTIONS: Final = transaction_index.parse(b"")


class SegmentIndexes:
    """The index files beside a log file, read only when needed.

    Args:
        location: location of the log file.
        file: its name in answers.
        base_offset: base offset of the segment, or None for a file that is not named like one.
        suffix: suffix of the log file's name, "" for a live one.
    """

    __slots__ = ("_base_offset", "_file", "_location", "_suffix")

    def __init__(self, location: Location, file: str, base_offset: int | None, suffix: str) -> None:
        self._location = location
        self._file = file
        self._base_offset = base_offset
        self._suffix = suffix

    def offset_index(self) -> "OffsetIndex":
        """The offset index; if there is none, an empty one whose `file` is None."""
        return self._read("index", offset_index.read, lambda: offset_index.parse(b"", base_offset=self._base_offset))

    def time_index(self) -> "TimeIndex":
        """The time index; if there is none, an empty one whose `file` is None."""
        return self._read("timeindex", time_index.read, lambda: time_index.parse(b"", base_offset=self._base_offset))

    def transaction_index(self) -> "TransactionIndex":
        """The transaction index; if there is none, an empty one whose `file` is None."""
        return self._read("txnindex", transaction_index.read, lambda: _NO_TRANSACTIONS)

    @contextmanager
    def ranged(
        self, kind: "IndexKind", open_index: Callable[[File, int, str], RangedT], trace: "Trace | None"
    ) -> Iterator[RangedT | None]:
        """Open an offset or time index for ranged reads; None if there is none, or it cannot be opened.

        Args:
            kind: kind of index.
            open_index: makes the reader from the file, the base offset and the name of the file in answers.
            trace: called with this step.
        """
        prefix = self._file[: len(self._file) - len(self._location.name)]
        shown = prefix + segment_file_name(self._base_offset or 0, kind, self._suffix)
        error = SourceError(f"the log file has no {_KINDS[kind]}", file=shown)
        file = None
        try:
            index = self.place(kind)
            if index is not None:
                shown = prefix + index.name
                file = index.open()
        except SourceError as unreadable:
            error = unreadable
        if file is None:
            if trace is not None:
                trace(IndexNotBelieved(shown, kind, None, finding=error))
            yield None
            return
        with file:
            yield open_index(file, self._base_offset or 0, shown)

    def place(self, kind: str, *, by_listing: bool = False) -> Location | None:
        """The location of an index file of this segment: with the same suffix, or swapped in and not yet renamed.

        Args:
            kind: kind of index.
            by_listing: whether to rely on an earlier listing of the directory; the file may have vanished since.
        """
        if self._base_offset is None:
            return None
        if self._suffix == "":
            swapped = self._sibling(kind, ".swap")
            # The broker renames the log before its indexes.
            if swapped.is_file() and not self._sibling("log", ".swap").is_file():
                return swapped
        place = self._location.file_beside(segment_file_name(self._base_offset, kind, self._suffix))
        return place if place is None or by_listing or place.is_file() else None

    def _read(self, kind: str, read: Callable[[Location], IndexT], none: Callable[[], IndexT]) -> IndexT:
        """Read an index file; return `none()` if there is none, also if it has vanished since it was listed."""
        place = self.place(kind, by_listing=True)
        try:
            return none() if place is None else read(place)
        except SourceError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                return none()
            raise

    def _sibling(self, kind: str, suffix: str) -> Location:
        return self._location.sibling(segment_file_name(self._base_offset or 0, kind, suffix))
