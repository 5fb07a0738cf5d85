"""Remote log metadata (KIP-405) in the words of Kafka's own classes: their `toString`.

Kafka's tool makes objects of the records, which refuse what no broker writes; so do these functions.
"""

from collections.abc import Callable
from typing import Any, Final

from kafkafmt.errors import CorruptError

_SEGMENT_STATES: Final = (
    "COPY_SEGMENT_STARTED",
    "COPY_SEGMENT_FINISHED",
    "DELETE_SEGMENT_STARTED",
    "DELETE_SEGMENT_FINISHED",
)
_PARTITION_STATES: Final = ("DELETE_PARTITION_MARKED", "DELETE_PARTITION_STARTED", "DELETE_PARTITION_FINISHED")


def in_kafkas_words(name: str, data: dict[str, Any]) -> str:
    """Word a record of `__remote_log_metadata`.

    Args:
        name: of its message ("RemoteLogSegmentMetadataRecord").
        data: the message's fields by Kafka's camelCase names.

    Raises:
        CorruptError: the fields say what cannot be; without file and position.
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
        f"state={_state(data['remoteLogSegmentState'], _SEGMENT_STATES)}, "
        f"txnIdxEmpty={'true' if data.get('txnIndexEmpty') else 'false'}"
    )


def _update(data: dict[str, Any]) -> str:
    return (
        f"RemoteLogSegmentMetadataUpdate{{remoteLogSegmentId={_segment_id(data['remoteLogSegmentId'])}, "
        f"customMetadata={_custom(data['customMetadata'])}, "
        f"state={_state(data['remoteLogSegmentState'], _SEGMENT_STATES)}, "
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
