"""Records whose message stands in a frame that tells its number and version: of clusters and of remote storage."""

from dataclasses import dataclass
from typing import Any

from kafkafmt.errors import CorruptError, UnsupportedError
from kafkafmt.reference.messages.api_message import ApiMessage
from kafkafmt.reference.messages.decoding import read_message
from kafkafmt.reference.messages.primitives import MessageStream
from kafkafmt.reference.messages.schema import message

FRAME_VERSION = 1


@dataclass(frozen=True, slots=True)
class FramedRecord:
    """A record of cluster metadata or remote log metadata.

    Attributes:
        type: its name, as Kafka's `MetadataRecordType` spells it: "TOPIC_RECORD".
        api_key: its number.
        message: what it says.
    """

    type: str
    api_key: int
    message: ApiMessage


def names_of(spec: type) -> dict[int, str]:
    """Give the names of a spec's record types by number: "topic_record"."""
    types: Any = spec
    return {each.value: each.name for each in types.RecordType}


def decode(value: bytes, names: dict[int, str], what: str) -> FramedRecord:
    """Decode a record: frame version, number, version, message, and nothing after it.

    Args:
        value: of the record.
        names: of its possible messages, by number, as `names_of` gives them.
        what: the record's kind, for errors.

    Raises:
        CorruptError: the bytes break a rule of the frame or of the message's spec; without file and position.
        UnsupportedError: a frame, number or version that is not known.
        LimitExceededError: as `decode_message`.
    """
    stream = MessageStream(value)
    frame = stream.read_unsigned_varint()
    if frame != FRAME_VERSION:
        raise UnsupportedError(f"{what} in a frame of another version", expected=FRAME_VERSION, found=frame)
    number = stream.read_unsigned_varint()
    version = stream.read_unsigned_varint()
    name = names.get(number)
    if name is None:
        raise UnsupportedError(f"{what} of an unknown number", expected=f"0 to {max(names)}", found=number)
    kind = message("".join(word.capitalize() for word in name.split("_")))
    kind.require(version)
    rest = MessageStream(value[stream.at :])
    message_read = read_message(kind, version, rest)
    if not rest.is_eof():
        raise CorruptError(f"bytes after {what}", expected=0, found=rest.size() - rest.pos())
    return FramedRecord(name.upper(), number, message_read)
