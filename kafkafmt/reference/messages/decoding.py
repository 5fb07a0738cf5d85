"""Decodes messages by name and version into ApiMessage."""

import json
import math
import struct
from base64 import b64encode
from dataclasses import dataclass, field
from typing import Any

from kafkafmt.errors import CorruptError
from kafkafmt.reference.messages.readers import MessageStream, reader, truncated
from kafkafmt.reference.messages.schema import Message, message


@dataclass(frozen=True, slots=True)
class ApiMessage:
    """A decoded message.

    Attributes:
        name: Kafka's name: "OffsetCommitValue".
        version: version of its layout.
        data: fields of the version, by Kafka's camelCase names, in the order of its schema; tagged fields only if
            present. UUIDs are in Kafka's text form, strings are decoded as in Java, and structures are dicts.
        memory: estimate of the memory that the data take, in bytes.
    """

    name: str
    version: int
    data: dict[str, Any]
    memory: int = field(default=0, compare=False, repr=False)

    def to_json(self) -> str:
        """Print the data like Kafka's JSON converters: bytes as base64, and "NaN" and the infinities as strings."""
        try:
            return _dumps(self.data)
        except ValueError:  # NaN or an infinity, which JSON numbers cannot express
            return _dumps(_without_such_numbers(self.data))


def _dumps(data: dict[str, Any]) -> str:
    return json.dumps(data, default=_base64, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _without_such_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_such_numbers(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_without_such_numbers(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _base64(value: bytes) -> str:
    return b64encode(value).decode("ascii")


_VERSION = struct.Struct(">h")


def decode_message(name: str, version: int, payload: bytes) -> ApiMessage:
    """Decode a message. Bytes after it are ignored, as by Kafka's coordinators.

    Args:
        name: Kafka's name, one of `message_names()`.
        version: version of its layout.
        payload: the message, without its version.

    Raises:
        CorruptError: the bytes break a rule of the message's spec. This and the other errors have no file and position.
        UnsupportedError: the version is unknown.
        LimitExceededError: the decoded message takes more than `MAX_MESSAGE_MEMORY`.
        ValueError: the message does not exist.
    """
    kind = message(name)
    kind.require(version)
    stream = MessageStream(_VERSION.pack(version) + payload if kind.begins_with_version else payload)
    return read_message(kind, version, stream)


def decode_versioned(name: str, value: bytes) -> ApiMessage:
    """Decode a message that begins with its version: values of coordinators, and of control records.

    Raises:
        CorruptError: as for `decode_message`; also for fewer than two bytes, or a negative version.
        UnsupportedError: as for `decode_message`.
        LimitExceededError: as for `decode_message`.
    """
    kind = message(name)
    version = version_of(value)
    kind.require(version)
    return read_message(kind, version, MessageStream(value))


def version_of(value: bytes) -> int:
    """Read the version before a message.

    Raises:
        CorruptError: the version is missing or negative.
    """
    if len(value) < _VERSION.size:
        raise truncated(_VERSION.size, len(value))
    version: int
    (version,) = _VERSION.unpack_from(value)
    if version < 0:
        raise CorruptError("a negative version of a message", expected="at least 0", found=version)
    return version


def read_message(kind: Message, version: int, stream: MessageStream) -> ApiMessage:
    """Read a message of a known version from a stream, preceded by its version if its spec begins with that."""
    data = reader(kind.name, version)(stream, None, None)
    return ApiMessage(kind.name, version, data, stream.memory[0])
