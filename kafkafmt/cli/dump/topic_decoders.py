"""Decoders of internal topics: records as JSON, as written by the Kafka classes that DumpLogSegments calls."""

import math
import re
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from json.encoder import encode_basestring
from typing import Any, Final

from kafkafmt.cli.dump.options import Contents, TopicDecoder
from kafkafmt.errors import CorruptError, KafkafmtError, UnsupportedError
from kafkafmt.internal_topics import (
    CLUSTER_METADATA,
    CONSUMER_OFFSETS,
    REMOTE_LOG_METADATA,
    SHARE_GROUP_STATE,
    TRANSACTION_STATE,
)
from kafkafmt.logdir.remote_log import STATES
from kafkafmt.reference.messages import ApiMessage, framed_records
from kafkafmt.reference.messages.coordinator_records import (
    decode_assignment,
    decode_key,
    decode_subscription,
    decode_value,
    type_of,
)
from kafkafmt.reference.record import Record

_ESCAPE = re.compile(r"\\(?:u[0-9a-f]{4}|.)")
_LITERALS: Final = {None: "null", True: "true", False: "false"}
# Java writes numbers from a thousandth to ten million without an exponent.
_PLAIN_FROM, _PLAIN_BELOW = 1e-3, 1e7

_PARTITION_STATES: Final = ("DELETE_PARTITION_MARKED", "DELETE_PARTITION_STARTED", "DELETE_PARTITION_FINISHED")
TOMBSTONE: Final = "<DELETE>"
_CONSUMER_PROTOCOL: Final = "consumer"
_SENT: Final = {"subscription": decode_subscription, "assignment": decode_assignment}


def as_json(value: object) -> str:
    """JSON of a value of dicts (in their order), lists, strings, bytes (base64), numbers, booleans and None.

    Raises:
        TypeError: the value holds another type.
    """
    parts: list[str] = []
    _write(value, parts)
    return "".join(parts)


def java_double(number: float) -> str:
    """A number as `Double.toString` of Java 19 and later prints it: the shortest decimal that reads back the same.

    Earlier ones print a digit too many of a few: Java 17 has 9.999999999999999E22 for 1.0E23.
    """
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0 or _PLAIN_FROM <= abs(number) < _PLAIN_BELOW:
        return repr(number)
    mantissa, exponent = f"{number:.{_digits(number) - 1}e}".split("e")
    return f"{mantissa}E{int(exponent)}"


def _digits(number: float) -> int:
    """Number of digits of the shortest decimal that reads back as a number; at least two, as Java writes."""
    mantissa = repr(number).partition("e")[0].lstrip("-")
    return max(2, len(mantissa.replace(".", "").strip("0")))


def _write(value: object, parts: list[str]) -> None:
    if isinstance(value, str):
        parts.append(_string(value))
    elif value is None or isinstance(value, bool):
        parts.append(_LITERALS[value])
    elif isinstance(value, int):
        parts.append(str(value))
    elif isinstance(value, dict):
        mark = "{"
        for name, item in value.items():
            parts.append(f"{mark}{_string(name)}:")
            _write(item, parts)
            mark = ","
        parts.append("}" if value else "{}")
    elif isinstance(value, list):
        mark = "["
        for item in value:
            parts.append(mark)
            _write(item, parts)
            mark = ","
        parts.append("]" if value else "[]")
    elif isinstance(value, float):
        text = java_double(value)
        parts.append(text if math.isfinite(value) else f'"{text}"')
    elif isinstance(value, bytes):
        parts.append(f'"{b64encode(value).decode("ascii")}"')
    else:
        raise TypeError(f"JSON has no {type(value).__name__}")


def _string(text: str) -> str:
    quoted: str = encode_basestring(text)
    return _ESCAPE.sub(_escape_of_jackson, quoted) if "\\" in quoted else quoted


def _escape_of_jackson(match: re.Match[str]) -> str:
    escape = match[0]
    return escape[:2] + escape[2:].upper() if escape.startswith("\\u") else escape


def in_kafkas_words(name: str, data: dict[str, Any]) -> str:
    """A record of `__remote_log_metadata` in Kafka's words.

    Args:
        name: name of its message ("RemoteLogSegmentMetadataRecord").
        data: the message's fields by Kafka's camelCase names.

    Raises:
        CorruptError: the fields contradict each other; the error has no file and position.
    """
    return _WORDINGS[name](data)


def _segment(data: dict[str, Any]) -> str:
    start, end = data["startOffset"], data["endOffset"]
    if start < 0:
        raise CorruptError("a remote segment begins at a negative offset", found=start)
    if end < start:
        raise CorruptError("a remote segment ends before it begins", expected=f"{start} or more", found=end)
    return (
        f"RemoteLogSegmentMetadata{{remoteLogSegmentId={_segment_id(data['remoteLogSegmentId'])}, "
        f"startOffset={start}, endOffset={end}, brokerId={data['brokerId']}, "
        f"maxTimestampMs={data['maxTimestampMs']}, eventTimestampMs={data['eventTimestampMs']}, {_rest(data)}}}"
    )


def _snapshot(data: dict[str, Any]) -> str:
    return (
        f"RemoteLogSegmentMetadataSnapshot{{segmentId={data['segmentId']}, "
        f"startOffset={data['startOffset']}, endOffset={data['endOffset']}, "
        f"maxTimestampMs={data['maxTimestampMs']}, {_rest(data)}}}"
    )


def _rest(data: dict[str, Any]) -> str:
    epochs = {entry["leaderEpoch"]: entry["offset"] for entry in data["segmentLeaderEpochs"]}
    if not epochs:
        raise CorruptError("a remote segment has no leader epochs")
    listed = ", ".join(f"{epoch}={epochs[epoch]}" for epoch in sorted(epochs))
    return (
        f"segmentLeaderEpochs={{{listed}}}, segmentSizeInBytes={data['segmentSizeInBytes']}, "
        f"customMetadata={_custom(data['customMetadata'])}, "
        f"state={_state(data['remoteLogSegmentState'], STATES)}, "
        f"txnIdxEmpty={'true' if data.get('txnIndexEmpty') else 'false'}"
    )


def _update(data: dict[str, Any]) -> str:
    return (
        f"RemoteLogSegmentMetadataUpdate{{remoteLogSegmentId={_segment_id(data['remoteLogSegmentId'])}, "
        f"customMetadata={_custom(data['customMetadata'])}, "
        f"state={_state(data['remoteLogSegmentState'], STATES)}, "
        f"eventTimestampMs={data['eventTimestampMs']}, brokerId={data['brokerId']}}}"
    )


def _partition_delete(data: dict[str, Any]) -> str:
    return (
        f"RemotePartitionDeleteMetadata{{topicPartition={_partition(data['topicIdPartition'])}, "
        f"state={_state(data['remotePartitionDeleteState'], _PARTITION_STATES)}, "
        f"eventTimestampMs={data['eventTimestampMs']}, brokerId={data['brokerId']}}}"
    )


def _segment_id(data: dict[str, Any]) -> str:
    return f"RemoteLogSegmentId{{topicIdPartition={_partition(data['topicIdPartition'])}, id={data['id']}}}"


def _partition(data: dict[str, Any]) -> str:
    return f"{data['id']}:{data['name']}-{data['partition']}"


def _custom(value: bytes | None) -> str:
    return "Optional.empty" if value is None else f"Optional[CustomMetadata{{{len(value)} bytes}}]"


def _state(number: int, names: tuple[str, ...]) -> str:
    if not 0 <= number < len(names):
        raise CorruptError("an unknown state", expected=f"0 to {len(names) - 1}", found=number)
    return names[number]


_WORDINGS: Final[dict[str, Callable[[dict[str, Any]], str]]] = {
    "RemoteLogSegmentMetadataRecord": _segment,
    "RemoteLogSegmentMetadataUpdateRecord": _update,
    "RemotePartitionDeleteMetadataRecord": _partition_delete,
    "RemoteLogSegmentMetadataSnapshotRecord": _snapshot,
}


def _coordinator_record(topic: str, record: Record) -> Contents:
    """The text of a record of a coordinator's topic: key and value are JSON, with their version or type."""
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
    """The fields of a value; for a classic consumer group also the decoded data that its members sent each other."""
    data = value.data
    if value.name != "GroupMetadataValue" or data["protocolType"] != _CONSUMER_PROTOCOL:
        return data
    return {**data, "members": [_with_what_was_sent(member) for member in data["members"]]}


def _with_what_was_sent(member: dict[str, Any]) -> dict[str, Any]:
    decoded = dict(member)
    for field, decode in _SENT.items():
        # Data of other clients stays as it is, in base64.
        with suppress(KafkafmtError):
            decoded[field] = decode(member[field]).data
    return decoded


def _cluster_metadata(record: Record) -> Contents:
    """The text of a record of the KRaft metadata log. Its key is never printed."""
    try:
        decoded = framed_records.decode(CLUSTER_METADATA, record.value or b"")
    except KafkafmtError as error:
        return Contents(None, f"Error at {record.offset}, skipping. {error}", error)
    message = decoded.message
    return Contents(None, as_json({"type": decoded.type, "version": message.version, "data": message.data}))


def _remote_log_metadata(record: Record) -> Contents:
    """The text of a record of `__remote_log_metadata`. Its key is never printed."""
    try:
        message = framed_records.decode(REMOTE_LOG_METADATA, record.value or b"").message
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
"""Decoders by the option of Kafka's tool, in the order in which it takes the first one given."""
