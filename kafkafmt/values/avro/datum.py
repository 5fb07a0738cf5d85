"""The bytes of an Avro value, read piece by piece (Avro's "binary encoding").

It follows the specification strictly where other readers differ: a boolean is 0 or 1, text is UTF-8, an int has 32
bits.
"""

import struct
from typing import Final, NamedTuple

from kafkafmt.columnar.avro_program import FREE_ITEMS
from kafkafmt.errors import CorruptError, LimitExceededError, TruncatedError
from kafkafmt.limits import Limits

_MOST_DEPTH: Final = 250
MOST_FIELDS: Final = Limits().max_fields_per_value

_FLOAT: Final = struct.Struct("<f")
_DOUBLE: Final = struct.Struct("<d")
_INT_BYTES, _LONG_BYTES = 5, 10


class Branch(NamedTuple):
    """A value of a union of several types besides null.

    Attributes:
        name: full name or type of the branch.
        value: the value.
    """

    name: str
    value: object


class Datum:
    """Reads one value.

    Args:
        data: bytes of the value.
        most_fields: most fields and items, including those that the schema adds.

    Attributes:
        data: bytes of the value.
        position: number of bytes read.
        depth: nesting depth of the value being read.
        fields: number of fields and items read.
    """

    __slots__ = ("_free", "_most_fields", "data", "depth", "fields", "position")

    def __init__(self, data: bytes, most_fields: int = MOST_FIELDS) -> None:
        self.data = data
        self.position = 0
        self.depth = 0
        self.fields = 1
        self._free = len(data) + FREE_ITEMS
        self._most_fields = most_fields

    @property
    def bytes_left(self) -> int:
        """Number of bytes that have not been read."""
        return len(self.data) - self.position

    def read_boolean(self) -> bool:
        """Read a boolean."""
        value = self.take(1)[0]
        if value > 1:
            raise CorruptError("a boolean is neither 0 nor 1", position=self.position - 1, found=value)
        return value == 1

    def read_int(self) -> int:
        """Read an int of 32 bits."""
        value = self._varint(_INT_BYTES)
        if value >> 32:
            raise CorruptError("an int has more than 32 bits", position=self.position)
        return (value >> 1) ^ -(value & 1)

    def read_long(self) -> int:
        """Read a long of 64 bits."""
        value = self._varint(_LONG_BYTES)
        if value >> 64:
            raise CorruptError("a long has more than 64 bits", position=self.position)
        return (value >> 1) ^ -(value & 1)

    def read_float(self) -> float:
        """Read a float."""
        value: float = _FLOAT.unpack(self.take(4))[0]
        return value

    def read_double(self) -> float:
        """Read a double."""
        value: float = _DOUBLE.unpack(self.take(8))[0]
        return value

    def read_bytes(self) -> bytes:
        """Read bytes, preceded by their length."""
        return self.take(self._length())

    def read_string(self) -> str:
        """Read text."""
        start = self.position
        try:
            return self.read_bytes().decode()
        except UnicodeDecodeError as error:
            raise CorruptError(f"text is not UTF-8: {error.reason}", position=start) from error

    def take(self, size: int) -> bytes:
        """Read a number of bytes."""
        end = self.position + size
        if end > len(self.data):
            left = self.bytes_left
            raise TruncatedError("the Avro value ends early", position=self.position, expected=size, found=left)
        found = self.data[self.position : end]
        self.position = end
        return found

    def block(self, width: int = 0) -> int:
        """Read the number of items of the next block of an array or map; 0 after the last one.

        The size in bytes after a negative count is ignored, as in other readers.

        Args:
            width: least number of fields of each item; a block with too many is refused before its first item is read.
        """
        count = self.read_long()
        if count < 0:
            self.read_long()
            count = -count
        # Every item takes at least a byte, except those of size 0.
        self._free -= count
        if self._free < 0:
            raise LimitExceededError("a value has too many items", position=self.position, found=count)
        self.add(count * (1 + width))
        self.fields -= count * width
        return count

    def enter(self, fields: int = 0) -> None:
        """Begin a nested value.

        Args:
            fields: number of its fields, if it is a record.
        """
        self.depth += 1
        if self.depth > _MOST_DEPTH:
            raise LimitExceededError("a value is nested too deeply", position=self.position, expected=_MOST_DEPTH)
        self.add(fields)

    def add(self, fields: int) -> None:
        """Count fields and items."""
        self.fields += fields
        if self.fields > self._most_fields:
            raise LimitExceededError(
                "a value has more fields and items than max_fields_per_value",
                position=self.position,
                expected=self._most_fields,
                found=self.fields,
            )

    def _length(self) -> int:
        length, left = self.read_long(), self.bytes_left
        if not 0 <= length <= left:
            raise CorruptError("a length leaves the value", position=self.position, expected=f"at most {left}")
        return length

    def _varint(self, most: int) -> int:
        value = shift = 0
        data, position = self.data, self.position
        for position in range(position, min(position + most, len(data))):  # noqa: B020 - goes on where it was
            byte = data[position]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                self.position = position + 1
                return value
            shift += 7
        if len(data) - self.position < most:
            raise TruncatedError("a number is cut", position=self.position)
        raise CorruptError(f"a number has more than {most} bytes", position=self.position)
