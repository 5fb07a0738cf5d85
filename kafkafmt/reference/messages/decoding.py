"""Messages from bytes, by name and version."""

import struct

from kafkafmt.errors import CorruptError
from kafkafmt.reference.messages.api_message import ApiMessage
from kafkafmt.reference.messages.primitives import MessageStream, truncated
from kafkafmt.reference.messages.readers import reader
from kafkafmt.reference.messages.schema import Message, message

_VERSION = struct.Struct(">h")


def decode_message(name: str, version: int, payload: bytes) -> ApiMessage:
    """Decode a message. Bytes after it are passed over, as Kafka does with those of coordinators.

    Args:
        name: Kafka's name of it, one of `message_names()`.
        version: of its layout.
        payload: the message, without its version in front.

    Raises:
        CorruptError: the bytes break a rule of the message's spec; without file and position, as all of these.
        UnsupportedError: a version that is not known.
        LimitExceededError: decoded it takes more than `MAX_MESSAGE_MEMORY`.
        ValueError: there is no such message.
    """
    kind = message(name)
    kind.require(version)
    stream = MessageStream(_VERSION.pack(version) + payload if kind.begins_with_version else payload)
    return read_message(kind, version, stream)


def decode_versioned(name: str, value: bytes) -> ApiMessage:
    """Decode a message that begins with its version: values of coordinators, and of control records.

    Raises:
        CorruptError: as `decode_message`; also for fewer than two bytes, or a negative version.
        UnsupportedError: as `decode_message`.
        LimitExceededError: as `decode_message`.
    """
    kind = message(name)
    version = version_of(value)
    kind.require(version)
    return read_message(kind, version, MessageStream(value))


def version_of(value: bytes) -> int:
    """Read the version in front of a message.

    Raises:
        CorruptError: there is none, or it is negative.
    """
    if len(value) < _VERSION.size:
        raise truncated(_VERSION.size, len(value))
    version: int
    (version,) = _VERSION.unpack_from(value)
    if version < 0:
        raise CorruptError("a negative version of a message", expected="at least 0", found=version)
    return version


def read_message(kind: Message, version: int, stream: MessageStream) -> ApiMessage:
    """Read a message of a known version from a stream, with the version in front if its spec begins with that."""
    data = reader(kind.name, version)(stream, None, None)
    return ApiMessage(kind.name, version, data, stream.memory[0])
