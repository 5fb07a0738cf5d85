"""Sizes of files: the length of the content without preallocated bytes, and the bytes allocated on disk."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from kafkafmt.errors import SourceError
from kafkafmt.files import slots
from kafkafmt.files.kinds import LAYOUTS
from kafkafmt.files.names import parse_segment_file_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkafmt.io.base import DirectoryEntry

_PREALLOCATED: Final = ("index", "timeindex")
# One page of a mapped file: a shorter index does not take less space without its padding.
_PAGE: Final = 4096


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of one or more files.

    Attributes:
        content: size of the content in bytes: for an active index, without the zeros that a broker preallocates.
        on_disk: number of bytes allocated by the file system; None if unknown for a file.
    """

    content: int = 0
    on_disk: int | None = 0

    def __add__(self, other: "Sizes") -> "Sizes":
        known = self.on_disk is not None and other.on_disk is not None
        return Sizes(self.content + other.content, (self.on_disk or 0) + (other.on_disk or 0) if known else None)

    @classmethod
    def of(cls, entries: "Iterable[DirectoryEntry]") -> Self:
        """Sum over the files among a directory's entries."""
        files = [entry for entry in entries if entry.is_file and entry.size is not None]
        known = all(entry.allocated is not None for entry in files)
        on_disk = sum(entry.allocated or 0 for entry in files) if known else None
        return cls(sum(map(content_size, files)), on_disk)


def content_size(entry: "DirectoryEntry") -> int:
    """Size of a file's content in bytes; 0 if unknown.

    The tail that Kafka preallocates (`AbstractIndex`: `segment.index.bytes`, 10 MiB, for both indexes of each active
    segment) does not count. A file of remote storage counts with its whole length.
    """
    size = entry.size or 0
    if size <= _PAGE or entry.allocated is None:
        return size
    parsed = parse_segment_file_name(entry.name)
    if parsed is None or parsed.kind not in _PREALLOCATED:
        return size
    if not entry.allocated:
        return 0
    try:
        with entry.location.open() as file:
            return slots.content_size(file, LAYOUTS[parsed.kind].size)
    except SourceError:
        return size  # the reader of the file reports the error
