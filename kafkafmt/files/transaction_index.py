"""The transaction index of a segment (`.txnindex`): the aborted transactions whose markers are in it.

Kafka's TransactionIndex and AbortedTxn (KIP-98), with 34 bytes per entry, ordered by the offset of the marker. The
first offset may be in an earlier segment. The file exists only after a first abort, and may have 0 bytes.
"""

from dataclasses import dataclass
from typing import Annotated

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.errors import CorruptError, UnsupportedError
from kafkafmt.files import index_file
from kafkafmt.files.kinds import LAYOUTS
from kafkafmt.libraries import pa

LAYOUT = LAYOUTS["txnindex"]

# Kafka accepts negative versions too, as AbortedTxn only compares with the highest version.
_HIGHEST_VERSION = 0


@dataclass(frozen=True, slots=True)
class AbortedTransaction:
    """One aborted transaction.

    Attributes:
        version: version of the entry's format; 0 is the only one, but Kafka takes a negative one too.
        producer_id: id of the producer.
        first_offset: first offset of the transaction in this partition.
        last_offset: offset of the abort marker.
        last_stable_offset: last stable offset of the partition when the marker was written.
    """

    version: Annotated[int, "int16"]
    producer_id: Annotated[int, "int64"]
    first_offset: Annotated[int, "int64"]
    last_offset: Annotated[int, "int64"]
    last_stable_offset: Annotated[int, "int64"]


_COLUMNS = TableColumns(*columns_of(AbortedTransaction))


class TransactionIndex(index_file.SlotFile[AbortedTransaction]):
    """The entries of a transaction index, `AbortedTransaction` objects; see `kafkafmt.files.index_file.SlotFile`.

    They are in the order of their last offsets. There is no padding, as the file is appended to, unlike the other
    indexes.
    """

    __slots__ = ()

    zero_padded_from: None

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
        """Make a table of the entries: `version` int16, and int64 `producerId` .. `lastStableOffset`."""
        return pa.table(index_file.columns(self._data, LAYOUT, len(self.entries)), schema=_COLUMNS.schema)


def parse(
    data: bytes | memoryview, *, base_offset: int | None = None, file: str | None = None, size: int | None = None
) -> TransactionIndex:
    """Parse a transaction index.

    Args:
        data: the whole file, or at least everything before the zeros at its end.
        base_offset: base offset of the segment, from the file's name; only `sanity_error` needs it.
        file: its name, for error texts.
        size: size of the file in bytes, if zeros at its end are left out.

    Raises:
        UnsupportedError: an entry has a version above 0.
    """
    data = bytes(data).ljust(size or 0, b"\0")
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
    return TransactionIndex(entries, base_offset, count, None, trailing, file, data)


read = index_file.reader(parse, "txnindex")
