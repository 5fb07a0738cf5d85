"""Records of `__cluster_metadata` and `__remote_log_metadata`: a message in a frame with its number and version."""

from dataclasses import dataclass
from typing import Final

from kafkafmt.errors import CorruptError, KafkafmtError, UnsupportedError
from kafkafmt.internal_topics import CLUSTER_METADATA, REMOTE_LOG_METADATA
from kafkafmt.reference.messages.decoding import ApiMessage, read_message
from kafkafmt.reference.messages.readers import MessageStream
from kafkafmt.reference.messages.schema import message, record_types

FRAME_VERSION = 1


@dataclass(frozen=True, slots=True)
class FramedRecord:
    """A record of cluster metadata or remote log metadata.

    Attributes:
        type: name of the type, as in Kafka's `MetadataRecordType`: "TOPIC_RECORD".
        api_key: number of the type.
        message: content of the record.
    """

    type: str
    api_key: int
    message: ApiMessage


NAMES: Final = {topic: record_types(topic) for topic in (CLUSTER_METADATA, REMOTE_LOG_METADATA)}
"""Names of record types by topic and number: "topic_record"."""

_KINDS = {CLUSTER_METADATA: "a metadata record", REMOTE_LOG_METADATA: "a record of remote log metadata"}


def decode(topic: str, value: bytes) -> FramedRecord:
    """Decode the value of a record (not a control record): frame version, number, version, message, nothing else.

    Args:
        topic: `CLUSTER_METADATA` (also for its snapshots) or `REMOTE_LOG_METADATA`.
        value: bytes of the value.

    Raises:
        CorruptError: the bytes break a rule of the frame or of the message's spec; without file and position.
        UnsupportedError: the frame, number or version is unknown.
        LimitExceededError: as for `decode_message`.
    """
    names, what = NAMES[topic], _KINDS[topic]
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


def unknown(topic: str, value: bytes) -> str | None:
    """The part of a record that this release does not know: "type 31", "version 4 of TOPIC_RECORD"; None if none.

    Args:
        topic: as for `decode`.
        value: bytes of the value.
    """
    stream = MessageStream(value)
    try:
        frame, number, version = (stream.read_unsigned_varint() for _ in range(3))
    except KafkafmtError:
        return None
    if frame != FRAME_VERSION:
        return None
    name = NAMES[topic].get(number)
    if name is None:
        return f"type {number}"
    kind = message("".join(word.capitalize() for word in name.split("_")))
    known = kind.first_version <= version <= kind.last_version
    return None if known else f"version {version} of {name.upper()}"
