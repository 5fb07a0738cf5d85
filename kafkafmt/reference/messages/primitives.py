"""Stand-ins for the primitive specs (strings, varints, lengths of arrays), which give plain values at once.

The generated parsers of messages run with these in place of `kafka_string` and its like: half of a message's fields
are such, and an object for each would take ten times as long. Tests hold them to the generated ones.
"""

import struct
from types import SimpleNamespace
from typing import Any

from kafkafmt.codec.java_text import decode_utf8
from kafkafmt.errors import CorruptError, LimitExceededError, TruncatedError

MAX_MESSAGE_MEMORY = 64 * 1024 * 1024
"""Most bytes of memory, as estimated, that a decoded message may take: arrays in arrays count together."""

ELEMENT_MEMORY = 40
"""Bytes that an element of an array takes at least: a reference, and a number or a share of a larger object."""

MAX_STRING_BYTES = 32767


def _reader(layout: str, what: str) -> Any:
    number = struct.Struct(layout)
    unpack, size = number.unpack_from, number.size

    def read(stream: "MessageStream") -> Any:
        at = stream.at
        try:
            (value,) = unpack(stream.data, at)
        except struct.error:
            raise truncated(size, len(stream.data) - at) from None
        stream.at = at + size
        return value

    read.__doc__ = f"Read {what}."
    return read


def truncated(needed: int, left: int) -> TruncatedError:
    """Make the error of a message that ends too early."""
    return TruncatedError("the data ends before its declared size", expected=f"{needed} bytes", found=f"{left} bytes")


class MessageStream:
    """Stand-in for a `KaitaiStream` over a message: what generated code calls, and no more.

    Attributes:
        data: the whole message.
        at: how many bytes of it have been read.
        memory: estimate of the bytes that what was decoded takes, a list of one number that parts of a message share.
    """

    __slots__ = ("at", "data", "memory")

    def __init__(self, data: bytes, memory: list[int] | None = None) -> None:
        self.data = data
        self.at = 0
        self.memory = [len(data)] if memory is None else memory

    read_s1 = _reader(">b", "a signed byte")
    read_s2be = _reader(">h", "an int16")
    read_u2be = _reader(">H", "an unsigned int16")
    read_s4be = _reader(">i", "an int32")
    read_u4be = _reader(">I", "an unsigned int32")
    read_s8be = _reader(">q", "an int64")
    read_f8be = _reader(">d", "a float64")

    def part(self, data: bytes) -> "MessageStream":
        """Make a stream over a part of the message."""
        return MessageStream(data, self.memory)

    def take_memory(self, size: int) -> None:
        """Count what is about to be made.

        Raises:
            LimitExceededError: the message takes more than `MAX_MESSAGE_MEMORY`.
        """
        self.memory[0] += size
        if self.memory[0] > MAX_MESSAGE_MEMORY:
            raise LimitExceededError(
                "a message takes too much memory when decoded, for its arrays have too many elements",
                expected=f"at most {MAX_MESSAGE_MEMORY} bytes",
                found=f"at least {self.memory[0]} bytes",
            )

    def pos(self) -> int:
        """Tell how many bytes have been read."""
        return self.at

    def size(self) -> int:
        """Tell how many bytes there are."""
        return len(self.data)

    def is_eof(self) -> bool:
        """Tell whether all bytes have been read."""
        return self.at == len(self.data)

    def read_bytes(self, count: int) -> bytes:
        """Read so many bytes."""
        at = self.at
        end = at + count
        if count < 0:
            raise CorruptError("bytes that contradict their declared size", found=count)
        if end > len(self.data):
            raise truncated(count, len(self.data) - at)
        self.at = end
        return self.data[at:end]

    def read_unsigned_varint(self) -> int:
        """Read a number of 1 to 5 bytes, negative from 2^31 on as Kafka has it."""
        data, at = self.data, self.at
        try:
            number = data[at]
            at += 1
            if number >= 0x80:
                number &= 0x7F
                for shift in (7, 14, 21, 28):
                    group = data[at]
                    at += 1
                    number |= (group & 0x7F) << shift
                    if group < 0x80:
                        break
                else:
                    raise CorruptError("a varint of more than 5 bytes")
                number &= 0xFFFFFFFF
                if number >= 0x80000000:
                    number -= 0x100000000
        except IndexError:
            raise truncated(1, 0) from None
        self.at = at
        return number

    def read_tag_count(self) -> int:
        """Read the number of tagged fields; a negative one is corrupt, as it is to Kafka since 4.4."""
        count = self.read_unsigned_varint()
        if count < 0:
            raise CorruptError("a negative number of tagged fields", expected="at least 0", found=count)
        return count


def read_string(is_compact: bool, is_nullable: bool, stream: MessageStream) -> str | None:
    """Read a string as Java decodes it: stand-in for `KafkaString`."""
    size = stream.read_unsigned_varint() - 1 if is_compact else stream.read_s2be()
    if size < 0:
        if is_nullable:
            return None
        raise CorruptError("a string that must not be null is null")
    if size > MAX_STRING_BYTES:
        raise CorruptError("a string that is too long", expected=f"at most {MAX_STRING_BYTES} bytes", found=size)
    return decode_utf8(stream.read_bytes(size))


def read_bytes(is_compact: bool, is_nullable: bool, stream: MessageStream) -> bytes | None:
    """Read bytes: stand-in for `KafkaBytes`."""
    size: int = stream.read_unsigned_varint() - 1 if is_compact else stream.read_s4be()
    if size < 0:
        if is_nullable:
            return None
        raise CorruptError("bytes that must not be null are null")
    return stream.read_bytes(size)


class ArrayLength:
    """Stand-in for `KafkaArrayLength`: it also counts what the elements of a message take."""

    __slots__ = ("value",)

    def __init__(self, is_compact: bool, is_nullable: bool, stream: MessageStream) -> None:
        count = stream.read_unsigned_varint() - 1 if is_compact else stream.read_s4be()
        left = len(stream.data) - stream.at
        if count > left:  # no element takes less than a byte
            raise truncated(count, left)
        if count < 0 and not is_nullable:
            raise CorruptError("an array that must not be null is null")
        if count > 0:
            stream.take_memory(count * ELEMENT_MEMORY)
        self.value = count


def read_boolean(stream: MessageStream) -> bool:
    """Read a boolean: stand-in for `KafkaBoolean`."""
    return bool(stream.read_s1())


def skip_tagged_fields(stream: MessageStream) -> None:
    """Pass over tagged fields of which none is known: stand-in for `KafkaTaggedFields`."""
    for _ in range(stream.read_tag_count()):
        stream.read_unsigned_varint()
        stream.read_bytes(stream.read_unsigned_varint())


class UnsignedVarint:
    """Stand-in for `KafkaUnsignedVarint`."""

    __slots__ = ("value",)

    def __init__(self, stream: MessageStream) -> None:
        self.value = stream.read_unsigned_varint()


STAND_INS = {
    "kafka_array_length": SimpleNamespace(KafkaArrayLength=ArrayLength),
    "kafka_boolean": SimpleNamespace(KafkaBoolean=read_boolean),
    "kafka_bytes": SimpleNamespace(KafkaBytes=read_bytes),
    "kafka_string": SimpleNamespace(KafkaString=read_string),
    "kafka_tagged_fields": SimpleNamespace(KafkaTaggedFields=skip_tagged_fields),
    "kafka_unsigned_varint": SimpleNamespace(KafkaUnsignedVarint=UnsignedVarint),
}
"""Modules of generated parsers, by the names under which generated code imports them."""
