"""Records of the coordinators' topics: the message types of keys, of values, and of members' data."""

import struct
from dataclasses import dataclass
from typing import Any

from kafkafmt.errors import TruncatedError, UnsupportedError
from kafkafmt.internal_topics import CONSUMER_OFFSETS, SHARE_GROUP_STATE, TRANSACTION_STATE
from kafkafmt.phrases import sized
from kafkafmt.reference.messages.decoding import ApiMessage, decode_message, decode_versioned, version_of
from kafkafmt.reference.messages.schema import message, record_types


@dataclass(frozen=True, slots=True)
class RecordKey:
    """The key of a coordinator's record.

    Attributes:
        kind: Kafka's name of the record, without Key and Value: "OffsetCommit".
        type: number of the kind, Kafka's `CoordinatorRecordType.id`.
        data: fields of the key, by Kafka's camelCase names.
    """

    kind: str
    type: int
    data: dict[str, Any]


def _kinds(topic: str) -> dict[int, str]:
    return {
        number: "".join(word.capitalize() for word in name.split("_")) for number, name in record_types(topic).items()
    }


KINDS: dict[str, dict[int, str]] = {
    topic: _kinds(topic) for topic in (CONSUMER_OFFSETS, TRANSACTION_STATE, SHARE_GROUP_STATE)
}
"""Kinds of records by topic and by the number of their type."""

_TYPE = struct.Struct(">h")


def type_of(key: bytes) -> int | None:
    """Read the type of a record, known or not, from its key; None if the key is too short for one."""
    if len(key) < _TYPE.size:
        return None
    number: int
    (number,) = _TYPE.unpack_from(key)
    return number


def unknown(topic: str, key: bytes, value: bytes | None = None) -> str | None:
    """The part of a record that only a newer Kafka or a fork knows: "type 24"; None if this release knows everything.

    Kafka's coordinators skip such records with a warning: of unknown types (`UnknownRecordTypeException`), and in
    `__transaction_state` of unknown versions of the value (`TransactionLog.UnknownValueVersion`).
    """
    number = type_of(key)
    if number is None:
        return None
    if number not in KINDS[topic]:
        return f"type {number}"
    version = type_of(value or b"") if topic == TRANSACTION_STATE else None
    kind = message("TransactionLogValue")
    known = version is None or kind.first_version <= version <= kind.last_version
    return None if known else f"version {version} of {kind.name}"


def decode_key(topic: str, key: bytes) -> RecordKey:
    """Decode a key.

    Args:
        topic: `CONSUMER_OFFSETS`, `TRANSACTION_STATE` or `SHARE_GROUP_STATE`.
        key: bytes of the key.

    Raises:
        CorruptError: the bytes break a rule of the key's spec. This and the other errors have no file and position.
        UnsupportedError: the type is unknown.
        LimitExceededError: as for `decode_message`.
    """
    number = type_of(key)
    if number is None:
        raise TruncatedError(f"a key of {topic} that has no type", expected="2 bytes", found=sized(len(key)))
    kind = kind_of(topic, number)
    return RecordKey(kind, number, decode_message(f"{kind}Key", 0, key[_TYPE.size :]).data)


def decode_value(topic: str, type: int, value: bytes | None) -> ApiMessage | None:  # noqa: A002 (Kafka's word)
    """Decode the value of a record whose key has a given type.

    Returns:
        The message; None for a tombstone.

    Raises:
        CorruptError: the bytes break a rule of the value's spec. This and the other errors have no file and position.
        UnsupportedError: the type or the version is unknown.
        LimitExceededError: as for `decode_message`.
    """
    kind = kind_of(topic, type)
    return None if value is None else decode_versioned(f"{kind}Value", value)


def kind_of(topic: str, number: int) -> str:
    """Name of the kind of a record.

    Raises:
        UnsupportedError: the type is unknown.
    """
    kinds = KINDS[topic]
    kind = kinds.get(number)
    if kind is None:
        raise UnsupportedError(
            f"a record of {topic} of an unknown type",
            expected=f"0 to {max(kinds)}" if len(kinds) > 1 else min(kinds),
            found=number,
        )
    return kind


def decode_subscription(data: bytes) -> ApiMessage:
    """Decode a `ConsumerProtocolSubscription` preceded by its version; later versions are read as the last known one.

    Raises:
        CorruptError: the bytes break a rule of the message's spec; without file and position.
        LimitExceededError: as for `decode_message`.
    """
    return _decode_protocol("ConsumerProtocolSubscription", data)


def decode_assignment(data: bytes) -> ApiMessage:
    """Decode a `ConsumerProtocolAssignment` preceded by its version; later versions are read as the last known one.

    Raises:
        CorruptError: the bytes break a rule of the message's spec; without file and position.
        LimitExceededError: as for `decode_message`.
    """
    return _decode_protocol("ConsumerProtocolAssignment", data)


def decode_sticky_user_data(data: bytes) -> ApiMessage:
    """Decode the user data of the assignor `sticky`: version 1 if it ends with a generation, else 0, as Kafka does.

    Raises:
        CorruptError: the bytes break a rule of the message's spec; without file and position.
        LimitExceededError: as for `decode_message`.
    """
    decoded = decode_message("StickyAssignorUserData", 1, data)
    return decoded if decoded.data["generation"] is not None else decode_message("StickyAssignorUserData", 0, data)


def decode_cooperative_sticky_user_data(data: bytes) -> ApiMessage:
    """Decode the user data of the assignor `cooperative-sticky`.

    Raises:
        CorruptError: the data are shorter than a generation; without file and position.
    """
    return decode_message("CooperativeStickyAssignorUserData", 0, data)


def _decode_protocol(name: str, data: bytes) -> ApiMessage:
    version = min(version_of(data), message(name).last_version)
    return decode_message(name, version, data[2:])
