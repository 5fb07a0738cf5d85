"""One record of an internal topic decoded: its kind, its key and its value, or why it cannot be."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkafmt.errors import KafkafmtError
from kafkafmt.internal_topics import CLUSTER_METADATA, REMOTE_LOG_METADATA
from kafkafmt.reference import control
from kafkafmt.reference.messages import coordinator_records, metadata_records, remote_log_metadata
from kafkafmt.topics.kinds import kind_by_prefix

if TYPE_CHECKING:
    from kafkafmt.reference.messages import ApiMessage

Data = dict[str, Any]

_KEYS_KEPT = 16_384
_LONGEST_KEY_KEPT = 512


class Decoded(NamedTuple):
    """What a record says.

    Attributes:
        kind: name of its kind, of a control record its type; None where nothing tells it, or Kafka had none of this
            type when the specs were made.
        type: number of the type; None where it cannot be read.
        key: fields of the key; None for kinds without a key, and where it cannot be decoded.
        version: of the value's layout; None without a value, and where it cannot be decoded.
        value: fields of the value; None for a tombstone, and where it cannot be decoded.
        error: what cannot be decoded, and why; None if all is.
    """

    kind: str | None = None
    type: int | None = None
    key: Data | None = None
    version: int | None = None
    value: Data | None = None
    error: str | None = None


def decode_record(topic: str, key: bytes | None, value: bytes | None) -> Decoded:
    """Decode a record that is no control record.

    Args:
        topic: internal topic that it is of.
        key: as stored.
        value: as stored.
    """
    if topic in (CLUSTER_METADATA, REMOTE_LOG_METADATA):
        return _framed(topic, value)
    if key is None:
        return Decoded(error="the key is null")
    decoded = (_known_key if len(key) <= _LONGEST_KEY_KEPT else _key)(topic, key)
    if decoded.type is None or decoded.kind is None:
        return decoded
    try:
        message = coordinator_records.decode_value(topic, decoded.type, value)
    except KafkafmtError as error:
        return decoded._replace(error=_joined(decoded.error, f"value: {error}"))
    return _with(decoded, message)


def control_record(control_type: str, key: bytes | None, value: bytes | None) -> Decoded:
    """Decode a control record.

    Args:
        control_type: name of the type, as `Entry.control_type` has it.
        key: as stored.
        value: as stored.
    """
    number = control.type_id_of(key)
    try:
        if control_type in control.TRANSACTION_MARKERS:
            data: Data | None = {"coordinatorEpoch": control.coordinator_epoch_of(value)}
        else:
            data = control.value_of(control_type, value)
    except KafkafmtError as error:
        return Decoded(control_type, number, error=f"value: {error}")
    if data is None:
        return Decoded(control_type, number, error="an unknown type of control record")
    return Decoded(control_type, number, value=data)


def _framed(topic: str, value: bytes | None) -> Decoded:
    if value is None:
        return Decoded(error="the value is null")
    kind = kind_by_prefix(topic, value[:2])
    decoded = Decoded() if kind is None else Decoded(kind.name, kind.type)
    decoder = metadata_records if topic == CLUSTER_METADATA else remote_log_metadata
    try:
        message = decoder.decode(value).message
    except KafkafmtError as error:
        return decoded._replace(error=f"value: {error}")
    return _with(decoded, message)


def _key(topic: str, key: bytes) -> Decoded:
    kind = kind_by_prefix(topic, key[:2])
    decoded = Decoded(None if kind is None else kind.name, coordinator_records.type_of(key))
    try:
        return decoded._replace(key=coordinator_records.decode_key(topic, key).data)
    except KafkafmtError as error:
        return decoded._replace(error=f"key: {error}")


_known_key = lru_cache(_KEYS_KEPT)(_key)


def _with(decoded: Decoded, message: "ApiMessage | None") -> Decoded:
    return decoded if message is None else decoded._replace(version=message.version, value=message.data)


def _joined(first: str | None, second: str) -> str:
    return second if first is None else f"{first}; {second}"
