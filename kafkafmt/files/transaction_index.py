"""The transaction index of a segment (`.txnindex`): the aborted transactions whose markers lie in it.

Kafka's TransactionIndex and AbortedTxn (KIP-98): 34 bytes an entry, ordered by the offset of the marker. The first
offset may lie in an earlier segment. The file exists only once an abort was seen, and may have 0 bytes.
"""

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import kaitaistruct
import pyarrow as pa
from kafkafmt_specs.kafka_transaction_index import KafkaTransactionIndex

from kafkafmt.errors import CorruptError, UnsupportedError
from kafkafmt.files import slots
from kafkafmt.files.source import locate, read_bytes

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.files.location import Location
    from kafkafmt.files.source import Source

_ENTRY_SIZE = 34
# 34 bytes an abort: two million of them in one segment.
MAX_BYTES = 64 * 1024 * 1024

_SCHEMA = pa.schema(
    [
        ("version", pa.int16()),
        ("producerId", pa.int64()),
        ("firstOffset", pa.int64()),
        ("lastOffset", pa.int64()),
        ("lastStableOffset", pa.int64()),
    ]
)


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

    version: int
    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int


@dataclass(frozen=True, slots=True)
class TransactionIndex(slots.EntryFile[AbortedTransaction]):
    """The entries of a transaction index.

    Attributes:
        entries: in file order, which is that of their last offsets.
        base_offset: of the segment, or None when unknown.
        trailing_bytes: bytes after the last whole entry, which Kafka ignores.
        file: name of the file, or None.
    """

    entries: tuple[AbortedTransaction, ...]
    base_offset: int | None
    trailing_bytes: int
    file: str | None

    @property
    def zero_padded_from(self) -> None:
        """Always None: unlike the other indexes it is appended to, never preallocated."""
        return

    @property
    def sanity_error(self) -> CorruptError | None:
        """What Kafka's TransactionIndex.sanityCheck says: None when no marker lies below the base offset."""
        if self.base_offset is None:
            return None
        for number, entry in enumerate(self.entries):
            if entry.last_offset < self.base_offset:
                return CorruptError(
                    "the last offset of an aborted transaction lies below the base offset",
                    file=self.file,
                    position=number * _ENTRY_SIZE,
                    expected=f"{self.base_offset} or more",
                    found=entry.last_offset,
                )
        return None

    def to_table(self) -> pa.Table:
        """Give the entries as columns: `version` int16, and int64 `producerId` .. `lastStableOffset`."""
        return pa.table(
            {
                "version": [entry.version for entry in self.entries],
                "producerId": [entry.producer_id for entry in self.entries],
                "firstOffset": [entry.first_offset for entry in self.entries],
                "lastOffset": [entry.last_offset for entry in self.entries],
                "lastStableOffset": [entry.last_stable_offset for entry in self.entries],
            },
            schema=_SCHEMA,
        )


def parse(data: bytes | memoryview, *, base_offset: int | None = None, file: str | None = None) -> TransactionIndex:
    """Read a transaction index.

    Args:
        data: the whole file.
        base_offset: of the segment, which the file's name gives; only `sanity_error` needs it.
        file: its name, for error texts.

    Raises:
        UnsupportedError: an entry has a version above 0.
    """
    count, trailing = divmod(len(data), _ENTRY_SIZE)
    stream = kaitaistruct.KaitaiStream(io.BytesIO(data))
    entries = tuple(_entry(stream, number * _ENTRY_SIZE, file) for number in range(count))
    return TransactionIndex(entries, base_offset, trailing, file)


def read(path: "Source | Location", filesystem: "FileSystem | None" = None) -> TransactionIndex:
    """Read the transaction index at `path`, with the base offset of its name, where that begins with one.

    Args:
        path: a path or URI.
        filesystem: the pyarrow file system that `path` is of, if it is no local path or URI.

    Raises:
        SourceError: the file cannot be read.
        LimitExceededError: it is larger than 64 MiB.
        UnsupportedError: an entry has a version above 0.
    """
    location = locate(path, filesystem)
    data = read_bytes(location, max_bytes=MAX_BYTES)
    return parse(data, base_offset=slots.base_offset_of(location.name), file=str(location))


def _entry(stream: kaitaistruct.KaitaiStream, position: int, file: str | None) -> AbortedTransaction:
    # Entry by entry, so that an error has a place and only one of the parser's objects lives at a time.
    try:
        entry = KafkaTransactionIndex.Entry(stream)
    except kaitaistruct.ValidationGreaterThanError as error:
        raise UnsupportedError(
            "unknown version of an aborted transaction",
            file=file,
            position=position,
            expected=f"at most {error.max}",
            found=error.actual,
        ) from error
    return AbortedTransaction(
        entry.version, entry.producer_id, entry.first_offset, entry.last_offset, entry.last_stable_offset
    )
