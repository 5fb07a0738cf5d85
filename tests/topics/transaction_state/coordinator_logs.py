"""Records of `__transaction_state`, packed as a coordinator writes them (keys and values of version 0)."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.logdir.builders import file_name
from tests.reference import builder
from tests.reference.builder import R

EMPTY, ONGOING, PREPARE_COMMIT, PREPARE_ABORT, COMPLETE_COMMIT, COMPLETE_ABORT = range(6)


@dataclass(frozen=True)
class Told:
    """The content of a transactional id's record; `state` None is a tombstone."""

    name: str = "id"
    producer_id: int = 1
    epoch: int = 0
    state: int | None = ONGOING
    partitions: Mapping[str, Sequence[int]] = field(default_factory=lambda: {"t": [0]})
    timeout: int = 60_000
    start: int = 1000
    update: int = 1000


def text(string: str) -> bytes:
    data = string.encode()
    return struct.pack(">h", len(data)) + data


def key(told: Told) -> bytes:
    return struct.pack(">h", 0) + text(told.name)


def value(told: Told) -> bytes | None:
    if told.state is None:
        return None
    packed = struct.pack(">hqhib", 0, told.producer_id, told.epoch, told.timeout, told.state)
    packed += struct.pack(">i", len(told.partitions))
    for topic, numbers in told.partitions.items():
        packed += text(topic) + struct.pack(f">i{len(numbers)}i", len(numbers), *numbers)
    return packed + struct.pack(">qq", told.update, told.start)


def write_state(log_dir: Path, *records: Told | R, partition: int = 0, name: str = "__transaction_state") -> Path:
    """Write a partition of `__transaction_state`, one batch per record."""
    directory = log_dir / f"{name}-{partition}"
    directory.mkdir(parents=True, exist_ok=True)
    batches = []
    for offset, told in enumerate(records):
        record = R(key=key(told), value=value(told)) if isinstance(told, Told) else told
        time = told.update if isinstance(told, Told) else 1000
        batches.append(builder.batch([record], base_offset=offset, base_timestamp=time, max_timestamp=time))
    (directory / file_name(0)).write_bytes(b"".join(batches))
    return directory
