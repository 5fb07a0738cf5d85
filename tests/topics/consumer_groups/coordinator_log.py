"""Packs records of `__consumer_offsets` and `__share_group_state` by hand, following Kafka's schemas."""

import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from uuid import UUID

from kafkafmt.codec.java_text import format_uuid
from tests.logdir.builders import file_name
from tests.reference import builder
from tests.reference.builder import R
from tests.transactions import ABORT, COMMIT, marker

__all__ = ["ABORT", "COMMIT", "marker"]

ORDERS = UUID(int=0x0DE25)
ORDERS_ID = format_uuid(ORDERS.bytes)


def text(value: str | None) -> bytes:
    """A string with an int16 length prefix."""
    if value is None:
        return struct.pack(">h", -1)
    data = value.encode()
    return struct.pack(">h", len(data)) + data


def blob(value: bytes) -> bytes:
    return struct.pack(">i", len(value)) + value


def compact(value: str | None) -> bytes:
    """A string of a flexible version."""
    if value is None:
        return b"\0"
    data = value.encode()
    return bytes([len(data) + 1]) + data


def array(items: Sequence[bytes]) -> bytes:
    """An array of a flexible version."""
    return bytes([len(items) + 1]) + b"".join(items)


def int32s(numbers: Iterable[int]) -> bytes:
    return array([struct.pack(">i", number) for number in numbers])


NO_TAGS = b"\0"


def tags(**fields: bytes) -> bytes:
    """Tagged fields by number: `tags(_0=..)`."""
    return bytes([len(fields)]) + b"".join(
        bytes([int(name[1:]), len(data)]) + data for name, data in sorted(fields.items())
    )


def key(kind: int, *names: str) -> bytes:
    """A key of a type whose fields are strings."""
    return struct.pack(">h", kind) + b"".join(map(text, names))


def commit_key(group: str, topic: str, partition: int, *, kind: int = 1) -> bytes:
    return key(kind, group, topic) + struct.pack(">i", partition)


def commit_value(
    offset: int, *, metadata: str = "", version: int = 3, epoch: int = -1, time: int = 5000, expires: int = -1
) -> bytes:
    """An OffsetCommitValue of version 0, 1, 2 or 3."""
    packed = struct.pack(">hq", version, offset)
    packed += struct.pack(">i", epoch) if version >= 3 else b""
    packed += text(metadata) + struct.pack(">q", time)
    return packed + (struct.pack(">q", expires) if version == 1 else b"")


def commit_value_4(offset: int, topic_id: UUID | None, *, metadata: str = "", epoch: int = -1) -> bytes:
    """An OffsetCommitValue of version 4, whose topic id is a tagged field."""
    packed = struct.pack(">hqi", 4, offset, epoch) + compact(metadata) + struct.pack(">q", 5000)
    return packed + (NO_TAGS if topic_id is None else tags(_0=topic_id.bytes))


def subscription(*topics: str, user_data: bytes | None = None, rack: str | None = None) -> bytes:
    """A ConsumerProtocolSubscription without owned partitions: version 1, or version 3 with a rack."""
    packed = struct.pack(">hi", 1 if rack is None else 3, len(topics)) + b"".join(map(text, topics))
    packed += (struct.pack(">i", -1) if user_data is None else blob(user_data)) + struct.pack(">i", 0)
    return packed if rack is None else packed + struct.pack(">i", -1) + text(rack)


def assignment(topics: Mapping[str, Sequence[int]]) -> bytes:
    """A ConsumerProtocolAssignment of version 1."""
    packed = struct.pack(">hi", 1, len(topics))
    for topic, numbers in topics.items():
        packed += text(topic) + struct.pack(f">i{len(numbers)}i", len(numbers), *numbers)
    return packed + struct.pack(">i", -1)


def classic_member(
    member_id: str, subscribed: bytes = b"", assigned: bytes = b"", *, instance: str | None = None
) -> bytes:
    packed = text(member_id) + text(instance) + text("client") + text("/192.0.2.1")
    return packed + struct.pack(">ii", -1, 45_000) + blob(subscribed) + blob(assigned)


def classic_group(
    *members: bytes, protocol_type: str = "consumer", protocol: str | None = "range", generation: int = 1
) -> bytes:
    """A GroupMetadataValue of version 3."""
    packed = struct.pack(">h", 3) + text(protocol_type) + struct.pack(">i", generation)
    packed += text(protocol) + text(None) + struct.pack(">qi", 7000, len(members))
    return packed + b"".join(members)


def epoch(number: int) -> bytes:
    """The value of ConsumerGroupMetadata and of all TargetAssignmentMetadata: version 0, one int."""
    return struct.pack(">hi", 0, number) + NO_TAGS


def hashed_epoch(number: int, *, validated: int | None = None) -> bytes:
    """The value of ShareGroupMetadata and StreamsGroupMetadata."""
    packed = struct.pack(">hiq", 0, number, 99)
    return packed + (NO_TAGS if validated is None else tags(_0=struct.pack(">i", validated)))


def consumer_member(
    *topics: str, regex: str | None = None, assignor: str | None = None, classic: bool = False
) -> bytes:
    """A ConsumerGroupMemberMetadataValue."""
    packed = struct.pack(">h", 0) + compact("instance") + compact("rack") + compact("client") + compact("/192.0.2.1")
    packed += (
        array([compact(topic) for topic in topics]) + compact(regex) + struct.pack(">i", 45_000) + compact(assignor)
    )
    # A classic member: not null, its session timeout, no protocols.
    return packed + (tags(_0=b"\1" + struct.pack(">i", 30_000) + array([]) + NO_TAGS) if classic else NO_TAGS)


def partitions(topic_id: UUID, numbers: Sequence[int]) -> bytes:
    return topic_id.bytes + int32s(numbers) + NO_TAGS


def current(
    member_epoch: int, state: int, assigned: Sequence[int] = (), pending: Sequence[int] = (), topic_id: UUID = ORDERS
) -> bytes:
    """A ConsumerGroupCurrentMemberAssignmentValue."""
    packed = struct.pack(">hiib", 0, member_epoch, member_epoch - 1, state)
    for numbers in (assigned, pending):
        packed += array([partitions(topic_id, numbers)] if numbers else [])
    return packed + NO_TAGS


def target(numbers: Sequence[int], topic_id: UUID = ORDERS) -> bytes:
    """The value of ConsumerGroupTargetAssignmentMember."""
    return struct.pack(">h", 0) + array([partitions(topic_id, numbers)] if numbers else []) + NO_TAGS


def streams_current(member_epoch: int, state: int, active: Sequence[int] = ()) -> bytes:
    """A StreamsGroupCurrentMemberAssignmentValue."""
    packed = struct.pack(">hiib", 0, member_epoch, member_epoch - 1, state)
    packed += array([compact("0") + int32s(active) + NO_TAGS] if active else [])
    return packed + array([]) * 5 + NO_TAGS


def streams_member() -> bytes:
    """A StreamsGroupMemberMetadataValue with an endpoint and a tag."""
    packed = struct.pack(">h", 0) + compact(None) + compact(None) + compact("client") + compact("/192.0.2.1")
    packed += struct.pack(">ii", 45_000, 0) + compact("process")
    packed += b"\1" + compact("host") + struct.pack(">H", 9000) + NO_TAGS
    return packed + array([compact("zone") + compact("a") + NO_TAGS]) + NO_TAGS


def topology(number: int) -> bytes:
    """A StreamsGroupTopologyValue without subtopologies."""
    return struct.pack(">hi", 0, number) + array([]) + NO_TAGS


class Log:
    """Collects batches for one partition at consecutive offsets."""

    def __init__(self) -> None:
        self.batches: list[bytes] = []
        self.offset = 0

    def put(self, *records: tuple[bytes | None, bytes | None], producer: int = -1, time: int = 1000) -> int:
        """Append records as one batch, transactional if there is a producer id; return the first offset."""
        first = self.offset
        self.batches.append(
            builder.batch(
                [R(offset_delta=number, key=key, value=value) for number, (key, value) in enumerate(records)],
                base_offset=first,
                attributes=builder.TRANSACTIONAL if producer >= 0 else 0,
                producer_id=producer,
                producer_epoch=0 if producer >= 0 else -1,
                base_sequence=0,
                base_timestamp=time,
                max_timestamp=time,
            )
        )
        self.offset += len(records)
        return first

    def end(self, producer: int, kind: int) -> None:
        """Append a transaction marker."""
        self.batches.append(marker(self.offset, producer, kind))
        self.offset += 1

    def write(self, log_dir: Path, partition: int = 0, topic: str = "__consumer_offsets") -> Path:
        """Write the log into a log directory and return the directory."""
        directory = log_dir / f"{topic}-{partition}"
        directory.mkdir(parents=True, exist_ok=True)
        (directory / file_name(0)).write_bytes(b"".join(self.batches))
        return log_dir


def share_key(group: str, partition: int, *, kind: int = 0, topic_id: UUID = ORDERS) -> bytes:
    """A key of `__share_group_state`: a snapshot (0) or an update (1)."""
    return struct.pack(">h", kind) + text(group) + topic_id.bytes + struct.pack(">i", partition)


def share_snapshot(start: int) -> bytes:
    """A ShareSnapshotValue without batches and without the count of complete records (before Kafka 4.2)."""
    return struct.pack(">hiiiqqq", 0, 0, 2, 1, start, 5000, 5000) + array([]) + NO_TAGS


def share_update(start: int, *, complete: int) -> bytes:
    """A ShareUpdateValue without batches."""
    return struct.pack(">hiiq", 0, 0, 1, start) + array([]) + tags(_0=struct.pack(">i", complete))
