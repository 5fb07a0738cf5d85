"""Control records: the meaning of their keys and values.

They are transaction markers (KIP-98), and the control records of the metadata log: changes of its leader (KIP-595), the
first and last record of a snapshot (KIP-630), the version of the Raft protocol and the voters (KIP-853).
"""

from typing import Any

from kafkafmt_specs.kafka_control_record_key import KafkaControlRecordKey
from kafkafmt_specs.kafka_end_transaction_marker import KafkaEndTransactionMarker

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.phrases import sized
from kafkafmt.reference.generated_errors import generated_errors
from kafkafmt.reference.streams import stream

ControlValue = dict[str, Any]
"""A control record's value as Kafka's `JsonConverter` classes print it: camelCase keys, UUIDs as `Uuid.toString`."""

CONTROL_TYPES: dict[int, str] = {
    control_type.value: control_type.name.upper() for control_type in KafkaControlRecordKey.ControlRecordType
}
"""Names of Kafka's `ControlRecordType`, by id."""

UNKNOWN_CONTROL_TYPE = "UNKNOWN"

TRANSACTION_MARKERS = ("ABORT", "COMMIT")

MAX_VALUE_BYTES = 128 * 1024
"""Largest value to parse: a thousand voters take less, and one byte may become hundreds of bytes of objects."""

_KEY_SIZE, _VERSION_SIZE, _VALUE_SIZE = 4, 2, 6
_INVALID = "org.apache.kafka.common.InvalidRecordException: "
_NULL = "the {0} of the transaction marker is null: java.lang.NullPointerException"

_MESSAGES = {
    "LEADER_CHANGE": "LeaderChangeMessage",
    "SNAPSHOT_HEADER": "SnapshotHeaderRecord",
    "SNAPSHOT_FOOTER": "SnapshotFooterRecord",
    "KRAFT_VERSION": "KRaftVersionRecord",
    "KRAFT_VOTERS": "VotersRecord",
}


def type_id_of(key: bytes | None) -> int | None:
    """Read the number of a control record's type from its key; None if the key is null, too short or not such a key."""
    if key is None:
        return None
    try:
        with generated_errors():
            return int(KafkaControlRecordKey(stream(key)).type)
    except CorruptError:
        return None


def type_name(type_id: int | None) -> str:
    """Name of a control record's type; "UNKNOWN" for None or a type that Kafka 4.3 does not know."""
    return UNKNOWN_CONTROL_TYPE if type_id is None else CONTROL_TYPES.get(type_id, UNKNOWN_CONTROL_TYPE)


def coordinator_epoch_of(value: bytes | None) -> int:
    """Read the epoch of the transaction coordinator from the value of an ABORT or COMMIT marker.

    Raises:
        CorruptError: the value is shorter than six bytes, or its version is negative; without file and position.
    """
    with generated_errors():
        epoch: int = KafkaEndTransactionMarker(stream(value or b"")).coordinator_epoch
    return epoch


class InvalidRecordError(CorruptError):
    """Kafka's InvalidRecordException: recovery of a segment ends there, and loading producers fails."""


def end_transaction_marker(key: bytes | None, value: bytes | None) -> tuple[str, int]:
    """Read the record of a transaction marker as Kafka's `EndTransactionMarker.deserialize` does.

    Returns:
        ABORT or COMMIT, and the epoch of the transaction coordinator.

    Raises:
        InvalidRecordError: Kafka throws an InvalidRecordException.
        CorruptError: Kafka throws another exception; the message ends with its class, and its text if there is one.
    """
    if key is None:
        raise CorruptError(_NULL.format("key"))
    if len(key) < _KEY_SIZE:
        raise InvalidRecordError(
            f"{_INVALID}Invalid value size found for control record key. Must have at least {_KEY_SIZE} bytes, but "
            f"found only {len(key)}"
        )
    version = int.from_bytes(key[:2], "big", signed=True)
    if version < 0:
        raise InvalidRecordError(
            f"{_INVALID}Invalid version found for control record: {version}. May indicate data corruption"
        )
    control_type = type_name(int.from_bytes(key[2:4], "big", signed=True))
    if control_type not in TRANSACTION_MARKERS:
        raise CorruptError(
            f"java.lang.IllegalArgumentException: Invalid control record type for end transaction marker {control_type}"
        )
    if value is None:
        raise CorruptError(_NULL.format("value"))
    version = int.from_bytes(value[:2], "big", signed=True)
    if len(value) >= _VERSION_SIZE and version < 0:
        raise InvalidRecordError(
            f"{_INVALID}Invalid version found for end transaction marker: {version}. May indicate data corruption"
        )
    if len(value) < _VALUE_SIZE:
        raise CorruptError(
            f"the value of the transaction marker has {len(value)} of {_VALUE_SIZE} bytes: "
            "java.nio.BufferUnderflowException"
        )
    return control_type, int.from_bytes(value[2:6], "big", signed=True)


def value_of(control_type: str, value: bytes | None) -> ControlValue | None:
    """Read the value of a control record of the metadata log.

    Bytes after the message and tagged fields are ignored, as by Kafka. A `LeaderChangeMessage` is read by its own
    version field; Kafka 4.3 writes 0, and reads every version as 0.

    Args:
        control_type: name of the type.
        value: bytes of the value.

    Returns:
        The message's fields; None for ABORT, COMMIT and UNKNOWN.

    Raises:
        CorruptError: the bytes break a rule of the message's spec. This and the other errors have no file and position.
        UnsupportedError: the message has a later version than the spec.
        LimitExceededError: the value has more than `MAX_VALUE_BYTES`.
    """
    name = _MESSAGES.get(control_type)
    if name is None:
        return None
    data = value or b""
    if len(data) > MAX_VALUE_BYTES:
        raise LimitExceededError(
            f"the value of a {control_type} record is too large to be parsed",
            expected=f"at most {MAX_VALUE_BYTES} bytes",
            found=sized(len(data)),
        )
    from kafkafmt.reference.messages.decoding import decode_versioned  # noqa: PLC0415 (no record of data needs it)

    return decode_versioned(name, data).data
