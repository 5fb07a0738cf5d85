"""Segment: one log file of a partition, with the index files that belong to it."""

import os
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files import offset_index, segment, time_index, transaction_index
from kafkafmt.files.names import parse_segment_file_name, segment_file_name
from kafkafmt.files.source import open_file

if TYPE_CHECKING:
    from kafkafmt.files.offset_index import OffsetIndex
    from kafkafmt.files.source import File
    from kafkafmt.files.time_index import TimeIndex
    from kafkafmt.files.transaction_index import TransactionIndex
    from kafkafmt.limits import Limits
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.reference.record import Record


class Segment:
    """A log file, opened only while something of it is read.

    Args:
        path: where it is.
        file: what the `file` column, headers and errors call it; the path if None.
        size: bytes it had when it was listed; what a broker appends later is not read. None to ask the file system.

    Attributes:
        path: where it is.
        file: its name in answers.
        name: its base name.
        base_offset: from the base name, or None for a file that is not called like a segment.
        suffix: "" for a live file, else ".deleted", ".cleaned", ".swap", ...

    Raises:
        SourceError: `size` is None and there is no such file.
    """

    def __init__(self, path: str, *, file: str | None = None, size: int | None = None) -> None:
        self.path = path
        self.file = path if file is None else file
        self.name = os.path.basename(path)
        parsed = parse_segment_file_name(self.name)
        is_log = parsed is not None and parsed.kind == "log"
        self.base_offset = parsed.base_offset if parsed and is_log else None
        self.suffix = parsed.suffix if parsed and is_log else ""
        self._size = size

    @cached_property
    def size(self) -> int:
        """Bytes of the file when it was listed."""
        if self._size is not None:
            return self._size
        with self._open_now() as file:
            return file.size

    def open(self) -> "File":
        """Open the file, cut to the size it had when it was listed.

        Raises:
            SourceError: it cannot be read, or has become shorter.
        """
        file = self._open_now()
        if file.size < self.size:
            file.close()
            raise SourceError(
                "the file shrank since it was listed",
                file=self.path,
                expected=f"{self.size} bytes",
                found=f"{file.size} bytes",
            )
        file.size = self.size
        return file

    def batches(
        self, deep: bool = False, verify_checksums: bool = False, *, limits: "Limits | None" = None
    ) -> Iterator["BatchHeader"]:
        """Headers of the entries, in file order; see `kafkafmt.files.segment.batches`.

        Args:
            deep: decompress v0 and v1 wrappers for their count and first offset, which are None otherwise.
            verify_checksums: compute CRCs, and set `is_valid` and `error` instead of raising.
            limits: bounds of the decode.

        Raises:
            CorruptError: where an entry's size is broken.
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
        """The offset index beside the file; empty, with `file` None, if there is none."""
        path = self._companion("index")
        return offset_index.read(path) if path else offset_index.parse(b"", base_offset=self.base_offset)

    @property
    def time_index(self) -> "TimeIndex":
        """The time index beside the file; empty, with `file` None, if there is none."""
        path = self._companion("timeindex")
        return time_index.read(path) if path else time_index.parse(b"", base_offset=self.base_offset)

    @property
    def transaction_index(self) -> "TransactionIndex":
        """The index of aborted transactions beside the file; empty, with `file` None, if there is none."""
        path = self._companion("txnindex")
        return transaction_index.read(path) if path else transaction_index.parse(b"")

    @property
    def valid_bytes(self) -> int:
        """Where Kafka would stop reading when it recovers the file: the end of the last entry it keeps, in bytes."""
        return self._recovery[0]

    @property
    def error(self) -> KafkafmtError | None:
        """Why Kafka would stop there; None if it would keep the whole file."""
        return self._recovery[1]

    def next_offset(self) -> int | None:
        """Offset after the last sound entry; the base offset of an empty file (None if that is unknown).

        Raises:
            SourceError: the file cannot be read.
        """
        last = self.last_entry()
        return self.base_offset if last is None or last.last_offset is None else last.last_offset + 1

    def last_entry(self) -> "BatchHeader | None":
        """Header of the last entry with a valid CRC, or None.

        Raises:
            SourceError: the file cannot be read.
        """
        with self.open() as file:
            last = None
            for header in segment.sound_headers(file, name=self.file):
                last = header
            return last

    def __repr__(self) -> str:
        return f"Segment({self.path!r})"

    @cached_property
    def _recovery(self) -> tuple[int, KafkafmtError | None]:
        with self.open() as file:
            return segment.valid_bytes(file, name=self.file)

    def _open_now(self) -> "File":
        return open_file(self.path)

    def _companion(self, kind: str) -> str | None:
        """The index file of this segment: of the same suffix, or a swapped-in one that was not renamed yet."""
        if self.base_offset is None:
            return None
        suffixes = [self.suffix]
        if self.suffix == "" and not os.path.isfile(self._sibling("log", ".swap")):
            # The broker renames the log first, then its indexes.
            suffixes.insert(0, ".swap")
        paths = (self._sibling(kind, suffix) for suffix in suffixes)
        return next((path for path in paths if os.path.isfile(path)), None)

    def _sibling(self, kind: str, suffix: str) -> str:
        return os.path.join(os.path.dirname(self.path), segment_file_name(self.base_offset or 0, kind, suffix))
