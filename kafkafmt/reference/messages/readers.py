"""Readers of messages: the code of the generated parsers, run with stand-ins for the specs of primitive types.

Half of a message's fields are strings, varints and lengths of arrays; an object for each of them would take ten times
as long. Tests compare the stand-ins with the generated classes.
"""

import importlib
import struct
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from sys import getsizeof
from types import SimpleNamespace
from typing import Any

from kafkafmt.codec.java_text import decode_utf8, format_uuid
from kafkafmt.errors import CorruptError, LimitExceededError, TruncatedError
from kafkafmt.phrases import sized
from kafkafmt.reference.messages.schema import Field, message
from kafkafmt.reference.parsers import with_globals

MAX_MESSAGE_MEMORY = 64 * 1024 * 1024
"""Upper bound of the estimated memory of a decoded message in bytes, with all nested arrays counted together."""

ELEMENT_MEMORY = 40
"""Lower bound of the memory per array element in bytes: a reference, and a number or a share of a larger object."""

# The length of a string is an int16; Kafka does not accept longer compact strings, although their length is a varint.
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
    return TruncatedError("the data ends before its declared size", expected=sized(needed), found=sized(left))


class MessageStream:
    """Stand-in for a `KaitaiStream` over a message, with the methods that generated code calls.

    Attributes:
        data: the whole message.
        at: number of bytes read so far.
        memory: estimate of the memory of the decoded data in bytes, as a list of one number that parts of a message
            share.
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
        """Count memory that is about to be allocated.

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
        """Number of bytes read so far."""
        return self.at

    def size(self) -> int:
        """Total number of bytes."""
        return len(self.data)

    def is_eof(self) -> bool:
        """Whether all bytes have been read."""
        return self.at == len(self.data)

    def read_bytes(self, count: int) -> bytes:
        """Read `count` bytes."""
        at = self.at
        end = at + count
        if count < 0:
            raise CorruptError("bytes that contradict their declared size", found=count)
        if end > len(self.data):
            raise truncated(count, len(self.data) - at)
        self.at = end
        return self.data[at:end]

    def read_unsigned_varint(self) -> int:
        """Read a number of 1 to 5 bytes, negative from 2^31 on as in Kafka."""
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
        """Read the number of tagged fields; a negative one is corrupt, as in Kafka since 4.4."""
        count = self.read_unsigned_varint()
        if count < 0:
            raise CorruptError("a negative number of tagged fields", expected="at least 0", found=count)
        return count


def read_string(is_compact: bool, is_nullable: bool, stream: MessageStream) -> str | None:
    """Read a string as Java decodes it: replaces `KafkaString`."""
    size = stream.read_unsigned_varint() - 1 if is_compact else stream.read_s2be()
    if size < 0:
        if is_nullable:
            return None
        raise CorruptError("a string that must not be null is null")
    if size > MAX_STRING_BYTES:
        raise CorruptError("a string that is too long", expected=f"at most {MAX_STRING_BYTES} bytes", found=size)
    return decode_utf8(stream.read_bytes(size))


def read_bytes(is_compact: bool, is_nullable: bool, stream: MessageStream) -> bytes | None:
    """Read bytes: replaces `KafkaBytes`."""
    size: int = stream.read_unsigned_varint() - 1 if is_compact else stream.read_s4be()
    if size < 0:
        if is_nullable:
            return None
        raise CorruptError("bytes that must not be null are null")
    return stream.read_bytes(size)


class ArrayLength:
    """Replaces `KafkaArrayLength`, and counts the memory of a message's elements."""

    __slots__ = ("value",)

    def __init__(self, is_compact: bool, is_nullable: bool, stream: MessageStream) -> None:
        count = stream.read_unsigned_varint() - 1 if is_compact else stream.read_s4be()
        left = len(stream.data) - stream.at
        if count > left:  # each element takes at least one byte
            raise truncated(count, left)
        if count < 0 and not is_nullable:
            raise CorruptError("an array that must not be null is null")
        if count > 0:
            stream.take_memory(count * ELEMENT_MEMORY)
        self.value = count


def read_boolean(stream: MessageStream) -> bool:
    """Read a boolean: replaces `KafkaBoolean`."""
    return bool(stream.read_s1())


def skip_tagged_fields(stream: MessageStream) -> None:
    """Skip tagged fields, where none is known: replaces `KafkaTaggedFields`."""
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
"""Stand-in modules, by the names under which generated code imports them."""


Read = Callable[[MessageStream, Any, Any], dict[str, Any]]
"""Reads a structure; called like a generated class, with stream, parent and root."""

Convert = Callable[[dict[str, Any], Any, str], Any]
"""Converts a field, from all fields read in its structure, the field's raw value, and its name in the spec."""

_VERSION = "message_version"  # parameter of specs that do not begin with the version


class _Parsed:
    """The object that a generated `_read` fills: its stream, its root, and its fields."""

    def __init__(self, stream: MessageStream, root: Any) -> None:
        self._io = stream
        self._root = root or self


@cache
def reader(name: str, version: int) -> Read:
    """Make a reader of one version of a message, which must be known.

    Its input begins with the version if the message's spec does. The reader raises CorruptError and LimitExceededError.
    """
    kind = message(name)
    module = importlib.import_module(f"kafkafmt_specs.{kind.spec}")
    root = getattr(module, _class_name(kind.spec))
    inner = SimpleNamespace()
    globals_ = {**STAND_INS, root.__name__: inner}
    for structure, fields in _structures("", kind.fields):
        if structure:
            cls = _class_name(structure)
            setattr(inner, cls, _structure(getattr(root, cls), fields, version, globals_))
        tagged = {field.tag: field for field in fields if field.tag is not None}
        if tagged:
            readers = {}
            for tag, field in tagged.items():
                if field.first_version <= version <= field.last_version:
                    cls = _class_name(f"{structure}_{field.id}_tag")
                    readers[tag] = _structure(getattr(root, cls), (replace(field, tag=None),), version, globals_)
            setattr(inner, _class_name(f"{structure}_tagged_fields"), _tagged_fields(readers, frozenset(tagged)))
    return _structure(root, kind.fields, version, globals_)


def _class_name(identifier: str) -> str:
    return "".join(word.capitalize() for word in identifier.split("_"))


def _structures(name: str, fields: tuple[Field, ...]) -> list[tuple[str, tuple[Field, ...]]]:
    """List a structure and all nested ones, by their names in the spec; the message itself has no name."""
    found = [(name, fields)]
    for field in fields:
        if field.structure is not None:
            found += _structures(field.structure, field.fields)
    return found


def _structure(cls: Any, fields: tuple[Field, ...], version: int, globals_: dict[str, Any]) -> Read:
    """Make a reader of a structure: the generated code, followed by the choice of the fields that are data."""
    read = with_globals(cls._read, **globals_)
    there = [field for field in fields if field.first_version <= version <= field.last_version]
    plain = tuple((field.name, field.id) for field in there if field.tag is None)
    conversions = ((field.name, field.id, _conversion(field)) for field in there if field.tag is None)
    converted = tuple((name, identifier, convert) for name, identifier, convert in conversions if convert is not None)
    order = tuple(field.name for field in there)
    is_tagged = [field.tag is not None for field in there]
    keeps_order = is_tagged == sorted(is_tagged)
    # The dict is the largest part of a structure's memory, besides its elements.
    memory = getsizeof(dict.fromkeys(order)) + sum(
        getsizeof([]) if field.is_array else ELEMENT_MEMORY for field in there
    )

    def make(stream: MessageStream, _parent: Any, root: Any) -> dict[str, Any]:
        stream.take_memory(memory)
        parsed = _Parsed(stream, root)
        values = parsed.__dict__
        if root is None:
            values[_VERSION] = version
        read(parsed)
        # The generated code does not set an attribute for a null structure; `get` makes it None.
        data = {name: values.get(identifier) for name, identifier in plain}
        for name, identifier, convert in converted:
            data[name] = convert(values, data[name], identifier)
        tagged = values.get("tagged_fields")
        if tagged:
            data |= tagged
            if len(tagged) > 1 or not keeps_order:
                data = {name: data[name] for name in order if name in data}
        return data

    return make


def _conversion(field: Field) -> Convert | None:
    if field.is_array:
        return _uuids if field.type == "uuid" else _array if field.is_nullable else None
    return _uuid if field.type == "uuid" else None


def _uuid(_: dict[str, Any], value: bytes, __: str) -> str:
    return format_uuid(value)


def _array(values: dict[str, Any], elements: list[Any], identifier: str) -> list[Any] | None:
    return None if values[f"num_{identifier}"].value < 0 else elements


def _uuids(values: dict[str, Any], elements: list[bytes], identifier: str) -> list[str] | None:
    return None if values[f"num_{identifier}"].value < 0 else [format_uuid(element) for element in elements]


def _tagged_fields(readers: dict[int, Read], known: frozenset[int]) -> Read:
    """Make a reader of a structure's tagged fields.

    It replaces two generated classes (all tagged fields, and one of them), and skips unknown fields without creating
    objects.

    Args:
        readers: readers of the fields that the version has, by tag.
        known: all tags of the structure, in any version.
    """

    def read(stream: MessageStream, _parent: Any, root: Any) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for _ in range(stream.read_tag_count()):
            tag = stream.read_unsigned_varint()
            value = stream.read_bytes(stream.read_unsigned_varint())
            if tag in readers:
                data |= readers[tag](stream.part(value), None, root)
            elif tag in known:
                raise CorruptError("a tagged field that this version of the message does not have", found=f"tag {tag}")
        return data

    return read
