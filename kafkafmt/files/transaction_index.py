"""The transaction index of a segment (`.txnindex`): the aborted transactions whose markers are in it.

Kafka's TransactionIndex and AbortedTxn (KIP-98): 34 bytes an entry, ordered by the offset of the marker. The first
offset may be in an earlier segment. The file exists only once an abort was seen, and may have 0 bytes.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.errors import CorruptError, UnsupportedError
from kafkafmt.files import index_file
from kafkafmt.files.kinds import KINDS, LAYOUTS
from kafkafmt.io.source import locate, read_bytes
from kafkafmt.libraries import pa

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.io.base import Location
    from kafkafmt.io.source import Source

LAYOUT = LAYOUTS["txnindex"]

# Kafka accepts negative versions too: AbortedTxn only compares with the highest version.
_HIGHEST_VERSION = 0


@dataclass(frozen=True, slots=True)
class AbortedTransaction:
    """One aborted transaction.

    Attributes:
        version: of the entry's format; 0 is the only one, but Kafka takes a negative one too.
        producer_id: whose transaction it was.
        first_offset: of the transaction in this partition.
        last_offset: of the abort marker.
        last_stable_offset: of the partition when the marker was written.
    """

    version: Annotated[int, "int16"]
    producer_id: Annotated[int, "int64"]
    first_offset: Annotated[int, "int64"]
    last_offset: Annotated[int, "int64"]
    last_stable_offset: Annotated[int, "int64"]


_COLUMNS = TableColumns(*columns_of(AbortedTransaction))


@dataclass(frozen=True, slots=True)
class TransactionIndex(index_file.EntryFile[AbortedTransaction]):
    """The entries of a transaction index.

    Attributes:
        entries: in file order, which is that of their last offsets; decoded when asked for.
        base_offset: of the segment, or None when unknown.
        trailing_bytes: bytes after the last whole entry, which Kafka ignores.
        file: name of the file, or None.
    """

    entries: index_file.SlotSequence[AbortedTransaction]
    base_offset: int | None
    trailing_bytes: int
    file: str | None
    _data: bytes = field(repr=False, compare=False)

    @property
    def zero_padded_from(self) -> None:
        """Always None: unlike the other indexes it is appended to, never preallocated."""
        return

    @property
    def sanity_error(self) -> CorruptError | None:
        """The error of Kafka's TransactionIndex.sanityCheck: None unless a marker is below the base offset."""
        if self.base_offset is None:
            return None
        for number, entry in enumerate(self.entries):
            if entry.last_offset < self.base_offset:
                return CorruptError(
                    "the last offset of an aborted transaction is below the base offset",
                    file=self.file,
                    position=number * LAYOUT.size,
                    expected=f"{self.base_offset} or more",
                    found=entry.last_offset,
                )
        return None

    def to_table(self) -> "pa.Table":
        """Give the entries as columns: `version` int16, and int64 `producerId` .. `lastStableOffset`."""
        return pa.table(index_file.columns(self._data, LAYOUT, len(self.entries)), schema=_COLUMNS.schema)


def parse(data: bytes | memoryview, *, base_offset: int | None = None, file: str | None = None) -> TransactionIndex:
    """Read a transaction index.

    Args:
        data: the whole file.
        base_offset: of the segment, which the file's name gives; only `sanity_error` needs it.
        file: its name, for error texts.

    Raises:
        UnsupportedError: an entry has a version above 0.
    """
    data = bytes(data)
    count, trailing = divmod(len(data), LAYOUT.size)
    entries = index_file.SlotSequence(memoryview(data)[: count * LAYOUT.size], LAYOUT, AbortedTransaction)
    for number, (version, *_) in enumerate(LAYOUT.iter_unpack(data[: count * LAYOUT.size])):
        if version > _HIGHEST_VERSION:
            raise UnsupportedError(
                "unknown version of an aborted transaction",
                file=file,
                position=number * LAYOUT.size,
                expected=f"at most {_HIGHEST_VERSION}",
                found=version,
            )
    return TransactionIndex(entries, base_offset, trailing, file, data)


def read(path: "Source | Location", filesystem: "FileSystem | None" = None) -> TransactionIndex:
    """Read the transaction index at `path`, with the base offset of its name, where that begins with one.

    Args:
        path: a path or URI.
        filesystem: the pyarrow file system of `path`, unless that is a local path or URI.

    Raises:
        SourceError: the file cannot be read.
        LimitExceededError: it is larger than 64 MiB.
        UnsupportedError: an entry has a version above 0.
    """
    location = locate(path, filesystem)
    data = read_bytes(location, max_bytes=KINDS["txnindex"].max_bytes)
    return parse(data, base_offset=index_file.base_offset_of(location.name), file=str(location))
