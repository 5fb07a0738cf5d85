"""Reader and writer of a message's bytes: positions, lengths and bounds, independent of the fields."""

from struct import Struct
from typing import Any

from kafkafmt.errors import CorruptError, LimitExceededError, TruncatedError
from kafkafmt.phrases import sized

Buffer = bytes | bytearray | memoryview

_INT32 = Struct(">i")
# The shift of the fifth byte, which is the last one of a 32-bit varint.
_LONGEST_VARINT = 28
# Larger buffers are passed on without a copy.
_WORTH_A_PART = 4096

MOST_ELEMENTS = 120_000
"""Most elements of all arrays of a decoded message, as an array of empty strings has one byte per element."""


class Elsewhere:
    """Bytes that are not in memory, such as a range of a file; the sender reads them when it sends them.

    Args:
        size: number of bytes.
    """

    __slots__ = ("size",)

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size


Part = Buffer | Elsewhere


class MessageReader:
    """Reads fields from a position on; each length is checked against the bytes left.

    Args:
        data: one message, or a frame that contains it.
        position: where the message begins, in bytes.
    """

    __slots__ = ("data", "elements_left", "end", "position")

    def __init__(self, data: memoryview, position: int = 0) -> None:
        self.data, self.position, self.end = data, position, len(data)
        self.elements_left = MOST_ELEMENTS

    def take(self, size: int) -> memoryview:
        """Take a number of bytes.

        Raises:
            TruncatedError: fewer bytes are left.
        """
        begin = self.position
        if not 0 <= size <= self.end - begin:
            raise TruncatedError(
                "the message ends inside a field", position=begin, expected=sized(size), found=self.end - begin
            )
        self.position = begin + size
        return self.data[begin : begin + size]

    def unpack(self, layout: Struct) -> tuple[Any, ...]:
        """Take fields of fixed size.

        Raises:
            TruncatedError: fewer bytes are left.
        """
        begin = self.position
        if layout.size > self.end - begin:
            self.take(layout.size)
        self.position = begin + layout.size
        return layout.unpack_from(self.data, begin)

    def varint(self) -> int:
        """Take an unsigned varint of at most 5 bytes.

        Raises:
            CorruptError: the varint is longer, or cut off.
        """
        begin = self.position
        if begin < self.end and (byte := self.data[begin]) < 0x80:  # most varints have one byte
            self.position = begin + 1
            return byte
        number = shift = 0
        while True:
            begin = self.position
            if begin == self.end:
                self.take(1)
            byte = self.data[begin]
            self.position = begin + 1
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
            shift += 7
            if shift > _LONGEST_VARINT:
                raise CorruptError("an unsigned varint has more than 5 bytes", position=self.position)

    def count(self, least: int, *, is_compact: bool) -> int | None:
        """Take the length of an array; None for a null array.

        Args:
            least: smallest size of an element in bytes.
            is_compact: whether the length is an unsigned varint, encoded as the length plus one.

        Raises:
            CorruptError: the elements do not fit into the rest of the message.
            LimitExceededError: the arrays of the message have more than `MOST_ELEMENTS` elements.
        """
        begin = self.position
        number: int = self.varint() - 1 if is_compact else self.unpack(_INT32)[0]
        if number * least > self.end - self.position:
            raise CorruptError(
                "an array is longer than the message", position=begin, expected=f"at most {self.end}", found=number
            )
        if number < 0:
            return None
        self.elements_left -= number
        if self.elements_left < 0:
            raise LimitExceededError("the arrays have too many elements", position=begin, expected=MOST_ELEMENTS)
        return number


class MessageWriter:
    """Collects encoded bytes in a list of buffers, so that large ones need not be copied."""

    __slots__ = ("buffer", "parts", "size_of_parts")

    def __init__(self) -> None:
        self.buffer = bytearray()
        self.parts: list[Part] = [self.buffer]
        self.size_of_parts = 0

    @property
    def size(self) -> int:
        """Size of all parts in bytes."""
        return self.size_of_parts + len(self.buffer)

    def varint(self, number: int) -> None:
        """Add an unsigned varint."""
        while number > 0x7F:
            self.buffer.append(number & 0x7F | 0x80)
            number >>= 7
        self.buffer.append(number)

    def add(self, data: Part) -> None:
        """Append bytes, as a part of their own if they are many or not in memory."""
        if len(data) < _WORTH_A_PART and not isinstance(data, Elsewhere):
            self.buffer += data
            return
        self.size_of_parts += len(self.buffer) + len(data)
        self.buffer = bytearray()
        self.parts += [data, self.buffer]

    def joined(self) -> bytes:
        """All bytes in one; every part must be in memory."""
        return b"".join(part for part in self.parts if not isinstance(part, Elsewhere))
