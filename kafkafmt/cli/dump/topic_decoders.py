"""Records of internal topics as text: what the decoders of Kafka's tool make of a record, by their options.

Where Kafka's decoders print why they pass a record over, ours print it in the same form, in their own words.
"""

from contextlib import suppress
from functools import partial
from typing import Any, Final

from kafkafmt.cli.dump.decoders import Contents, TopicDecoder
from kafkafmt.cli.dump.json_text import as_json
from kafkafmt.cli.dump.remote_log_metadata import in_kafkas_words
from kafkafmt.errors import CorruptError, KafkafmtError, UnsupportedError
from kafkafmt.internal_topics import CONSUMER_OFFSETS, SHARE_GROUP_STATE, TRANSACTION_STATE
from kafkafmt.reference.messages import ApiMessage, metadata_records, remote_log_metadata
from kafkafmt.reference.messages.consumer_protocol import decode_assignment, decode_subscription
from kafkafmt.reference.messages.coordinator_records import decode_key, decode_value, type_of
from kafkafmt.reference.record import Record

TOMBSTONE: Final = "<DELETE>"

_CONSUMER_PROTOCOL: Final = "consumer"
_SENT: Final = {"subscription": decode_subscription, "assignment": decode_assignment}


def _coordinator_record(topic: str, record: Record) -> Contents:
    """Word a record of one of the coordinators' topics: key and value are JSON, each with its version or type."""
    if record.key is None:
        return _passed_over(record, CorruptError("the record has no key"))
    try:
        key = decode_key(topic, record.key)
    except UnsupportedError as error:
        return Contents(f"Unknown record type {type_of(record.key)} at offset {record.offset}, skipping.", None, error)
    except KafkafmtError as error:
        return _passed_over(record, error)
    try:
        value = decode_value(topic, key.type, record.value)
    except KafkafmtError as error:
        return _passed_over(record, error)
    payload = TOMBSTONE if value is None else as_json({"version": str(value.version), "data": value_data(value)})
    return Contents(as_json({"type": str(key.type), "data": key.data}), payload)


def _passed_over(record: Record, error: KafkafmtError) -> Contents:
    return Contents(f"Error at offset {record.offset}, skipping. {error}", None, error)


def value_data(value: ApiMessage) -> dict[str, Any]:
    """The fields of a value; of a classic group of consumers also what its members sent each other, decoded."""
    data = value.data
    if value.name != "GroupMetadataValue" or data["protocolType"] != _CONSUMER_PROTOCOL:
        return data
    return {**data, "members": [_with_what_was_sent(member) for member in data["members"]]}


def _with_what_was_sent(member: dict[str, Any]) -> dict[str, Any]:
    decoded = dict(member)
    for field, decode in _SENT.items():
        # What another client made of its own stays as it is, in base64.
        with suppress(KafkafmtError):
            decoded[field] = decode(member[field]).data
    return decoded


def _cluster_metadata(record: Record) -> Contents:
    """Word a record of the KRaft metadata log. Its key is never printed."""
    try:
        decoded = metadata_records.decode(record.value or b"")
    except KafkafmtError as error:
        return Contents(None, f"Error at {record.offset}, skipping. {error}", error)
    message = decoded.message
    return Contents(None, as_json({"type": decoded.type, "version": message.version, "data": message.data}))


def _remote_log_metadata(record: Record) -> Contents:
    """Word a record of `__remote_log_metadata`. Its key is never printed."""
    try:
        message = remote_log_metadata.decode(record.value or b"").message
        return Contents(None, in_kafkas_words(message.name, message.data))
    except KafkafmtError as error:
        return Contents(None, f"Error at offset {record.offset}, skipping. {error}", error)


TOPIC_DECODERS: Final[dict[str, TopicDecoder]] = {
    "offsets-decoder": partial(_coordinator_record, CONSUMER_OFFSETS),
    "transaction-log-decoder": partial(_coordinator_record, TRANSACTION_STATE),
    "cluster-metadata-decoder": _cluster_metadata,
    "remote-log-metadata-decoder": _remote_log_metadata,
    "share-group-state-decoder": partial(_coordinator_record, SHARE_GROUP_STATE),
}
"""By the option of Kafka's tool, in the order in which it takes the first that it is given."""
