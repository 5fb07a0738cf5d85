"""Stored fields: the decompressed bytes of an entry's records, and the positions of keys and values in them.

Consumers get no other bytes: not those of a batch that counts no records, nor those after the last record or between
fields. Nothing is checked here: the caller has decoded the entry, or knows that it is damaged.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from kafkafmt.codec.compression import LABELS, Compression, decompress, last_codec
from kafkafmt.errors import CorruptError, DataError
from kafkafmt.reference.layout import (
    COMPRESSION,
    CURRENT_MAGIC,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    RECORD_BATCH_OVERHEAD,
    read_size,
)

if TYPE_CHECKING:
    from kafkafmt.limits import Limits

_ATTRIBUTES: Final = {0: 17, 1: 17, 2: 22}
# Position of the number of records in the header of a v2 batch.
_COUNT_AT: Final = 57
_STREAMS: Final = {Compression.GZIP: b"\x1f\x8b\x08", Compression.LZ4: b"\x04\x22\x4d\x18"}
"""First bytes of streams, for codecs where Kafka reads only the first of several streams."""
_KEY_AT: Final = {0: 18, 1: 26}
"""Position of the key's length in messages of formats 0 and 1."""


class StoredField(NamedTuple):
    """A key, a value, or the name or value of a header: its part of the record, its start and its end."""

    part: Literal["key", "value", "headers"]
    begin: int
    end: int


class StoredEntry:
    """The bytes of a whole entry of any format.

    Args:
        data: the bytes, starting at the entry's offset field.

    Attributes:
        codec: number of the codec; 0 for none.
        begin: position of the records in the bytes; of the content if they are not compressed.
    """

    def __init__(self, data: bytes | memoryview) -> None:
        self.data = memoryview(data)
        self._magic = self.data[MAGIC_OFFSET]
        at = _ATTRIBUTES.get(self._magic, len(data))
        self.codec = self.data[at] & COMPRESSION if at < len(data) else 0
        self.begin = RECORD_BATCH_OVERHEAD if self._magic >= CURRENT_MAGIC else 0

    def contents(self, limits: "Limits") -> list[bytes]:
        """The bytes of the records, and the output of streams after the one that Kafka reads.

        Raises:
            DataError: the bytes cannot be decompressed.
        """
        return self._contents(self.data, limits)

    def is_decoded(self, begin: int, end: int, contents: list[bytes], limits: "Limits") -> bool:
        """Whether stored bytes of a compressed entry affect its content, which would change without them.

        Args:
            begin: start of the bytes in the entry.
            end: end of the bytes.
            contents: the decompressed content.
            limits: bounds of decoding.
        """
        changed = bytearray(self.data)
        changed[begin:end] = bytes(each ^ 0xFF for each in changed[begin:end])
        try:
            return self._contents(memoryview(changed), limits) != contents
        except DataError:
            return True

    def fields(self, content: bytes | memoryview) -> Iterator[StoredField]:
        """Keys, values and headers of the records in the content, in order, up to the first broken record."""
        try:
            if self._magic >= CURRENT_MAGIC:
                yield from _of_records(memoryview(content), int.from_bytes(self.data[_COUNT_AT : _COUNT_AT + 4]))
            else:
                yield from _of_messages(memoryview(content))
        except IndexError:
            return

    def _contents(self, data: memoryview, limits: "Limits") -> list[bytes]:
        if self.codec > last_codec(self._magic):
            raise CorruptError("a batch of an unknown codec", found=self.codec)
        codec = Compression(self.codec)
        stored = data[RECORD_BATCH_OVERHEAD:]
        if self._magic < CURRENT_MAGIC:
            try:
                _, value = _fields_at(data, _KEY_AT[self._magic])
            except IndexError:
                raise CorruptError("key and value of a wrapper do not fit it") from None
            if value is None:
                raise CorruptError(f"a wrapper compressed with {LABELS[self.codec]} has a null value")
            stored = data[value[0] : value[1]]
        found = [decompress(codec, stored, magic=self._magic, limits=limits)] if len(stored) else []
        start = _STREAMS.get(codec)
        if start is not None:
            whole = bytes(stored)
            at = whole.find(start, 1)
            while at > 0:
                with suppress(DataError):
                    more = decompress(codec, stored[at:], magic=self._magic, limits=limits)
                    if not found[0].endswith(more):
                        found.append(more)
                at = whole.find(start, at + 1)
        return found


def _of_records(content: memoryview, count: int) -> Iterator[StoredField]:
    position = 0
    for _ in range(count if count < 1 << 31 else 0):
        _, position = _varint(content, position)
        _, position = _varint(content, position + 1)  # the timestamp, which follows the attributes
        _, position = _varint(content, position)  # the offset
        for part in ("key", "value"):
            size, position = _varint(content, position)
            if size >= 0:
                yield StoredField(part, position, _within(content, position + size))
                position += size
        headers, position = _varint(content, position)
        for _ in range(2 * headers):
            size, position = _varint(content, position)
            if size >= 0:
                yield StoredField("headers", position, _within(content, position + size))
                position += size


def _of_messages(content: memoryview) -> Iterator[StoredField]:
    position = 0
    while position + LOG_OVERHEAD < len(content):
        key, value = _fields_at(content, position + _KEY_AT[min(content[position + MAGIC_OFFSET], 1)])
        if key is not None:
            yield StoredField("key", *key)
        if value is not None:
            yield StoredField("value", *value)
        position += LOG_OVERHEAD + max(read_size(content, position), 0)


def _fields_at(content: memoryview, position: int) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """Start and end of a message's key and value, given the position of the key's length."""
    found: list[tuple[int, int] | None] = []
    for _ in range(2):
        if position + 4 > len(content):
            raise IndexError(position)
        size = int.from_bytes(content[position : position + 4], signed=True)
        position += 4
        found.append(None if size < 0 else (position, _within(content, position + size)))
        position += max(size, 0)
    return found[0], found[1]


def _within(content: memoryview, end: int) -> int:
    if end > len(content):
        raise IndexError(end)
    return end


def _varint(data: memoryview, position: int) -> tuple[int, int]:
    """A zigzag varint, and its end."""
    byte = data[position]
    position += 1
    value, shift = byte & 0x7F, 7
    while byte >= 0x80 and shift < 70:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
    return (value >> 1) ^ -(value & 1), position
