"""Arbitrary logs of producers, built batch by batch, and a model of Kafka's ProducerStateManager.

The model handles one batch at a time, as Kafka's own code does (`ProducerAppendInfo`, `ProducerStateEntry`); the
library handles many at once.
"""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from hypothesis import strategies as st

from kafkafmt.files.producer_snapshot import ProducerState
from tests.files.test_producer_snapshot import snapshot as pack_snapshot
from tests.logdir.builders import file_name
from tests.reference import builder
from tests.reference.builder import CONTROL, LOG_APPEND_TIME, TRANSACTIONAL, R

ABORT, COMMIT = 0, 1
INT_MAX = 2**31 - 1


@dataclass(frozen=True)
class Step:
    """One batch; `kind` is None for data."""

    producer_id: int = 1
    epoch: int = 0
    kind: int | None = None
    records: int = 1
    transactional: bool = True
    sequence: int = 0
    timestamp: int = 1000
    delta: int = 0
    append_time: bool = False
    coordinator_epoch: int = 0
    emptied: bool = False

    @property
    def max_timestamp(self) -> int:
        return self.timestamp + 500


@dataclass
class ProducerLog:
    """The batches of a log with their offsets."""

    steps: Sequence[Step]
    begin: int = 0
    batches: list[tuple[int, int, bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        offset = self.begin
        for step in self.steps:
            width = step.records if step.kind is None else 1
            self.batches.append((offset, offset + width - 1, packed(step, offset)))
            offset += width

    @property
    def end(self) -> int:
        return self.batches[-1][1] + 1 if self.batches else self.begin

    def write(self, directory: Path, *rolled_at: int) -> Path:
        """Write segments into a partition directory; each of these batches starts a new one."""
        directory.mkdir(parents=True, exist_ok=True)
        for begin, end in pairwise([0, *rolled_at, len(self.batches)]):
            first = self.batches[begin][0] if begin else self.begin
            (directory / file_name(first)).write_bytes(b"".join(data for _, _, data in self.batches[begin:end]))
        return directory

    def states(self, before: int | None = None) -> dict[int, ProducerState]:
        """The producer states that Kafka has before an offset."""
        known: dict[int, ProducerState] = {}
        for step, (first, last, _) in zip(self.steps, self.batches, strict=True):
            if step.producer_id >= 0 and (before is None or first < before):
                old = known.get(step.producer_id, ProducerState(step.producer_id, -1, -1, -1, -1, 0, -1, None))
                known[step.producer_id] = appended(old, step, first, last)
        return known

    def write_snapshot(self, directory: Path, offset: int) -> Path:
        """Write the snapshot that a broker would at an offset."""
        return write_snapshot(directory, offset, self.states(offset).values())


def write_snapshot(directory: Path, offset: int, entries: Iterable[ProducerState]) -> Path:
    """Write a snapshot of these entries."""
    rows = [
        (
            entry.producer_id,
            entry.producer_epoch,
            entry.last_sequence,
            entry.last_offset,
            entry.offset_delta,
            entry.timestamp,
            entry.coordinator_epoch,
            -1 if entry.current_txn_first_offset is None else entry.current_txn_first_offset,
        )
        for entry in entries
    ]
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{offset:020d}.snapshot"
    path.write_bytes(pack_snapshot(*rows))
    return path


def appended(old: ProducerState, step: Step, first: int, last: int) -> ProducerState:
    """The state of a producer after another batch."""
    if step.kind is not None and step.emptied:
        return old
    fresh = step.epoch != old.producer_epoch
    sequence, offset, delta = (-1, -1, 0) if fresh else (old.last_sequence, old.last_offset, old.offset_delta)
    if step.kind is not None:
        time = step.max_timestamp if step.append_time else step.timestamp + step.delta
        return ProducerState(old.producer_id, step.epoch, step.coordinator_epoch, sequence, offset, delta, time, None)
    sequence = step.sequence
    for _ in range(last - first if sequence >= 0 else 0):
        sequence = 0 if sequence == INT_MAX else sequence + 1
    start = old.current_txn_first_offset
    if start is None and step.transactional and not step.emptied:
        start = first
    return ProducerState(
        old.producer_id, step.epoch, old.coordinator_epoch, sequence, last, last - first, step.max_timestamp, start
    )


def packed(step: Step, offset: int) -> bytes:
    """The bytes of a batch."""
    attributes = LOG_APPEND_TIME if step.append_time else 0
    if step.kind is not None:
        key, value = struct.pack(">hh", 0, step.kind), struct.pack(">hi", 0, step.coordinator_epoch)
        records = [] if step.emptied else [R(key=key, value=value, timestamp_delta=step.delta)]
        attributes |= TRANSACTIONAL | CONTROL
        sequence = -1
    else:
        records = [] if step.emptied else [R(offset_delta=delta) for delta in range(step.records)]
        attributes |= TRANSACTIONAL if step.transactional else 0
        sequence = step.sequence
    return builder.batch(
        records,
        base_offset=offset,
        attributes=attributes,
        last_offset_delta=step.records - 1 if step.kind is None else 0,
        base_timestamp=step.timestamp,
        max_timestamp=step.max_timestamp,
        producer_id=step.producer_id,
        producer_epoch=step.epoch,
        base_sequence=sequence,
    )


def steps(producers: int = 3) -> st.SearchStrategy[Step]:
    """Any batch that a log could contain."""
    return st.builds(
        Step,
        producer_id=st.integers(-1, producers - 1),
        epoch=st.integers(0, 2),
        kind=st.sampled_from([None, None, None, ABORT, COMMIT]),
        records=st.integers(1, 3),
        transactional=st.booleans(),
        sequence=st.sampled_from([-1, 0, 5, INT_MAX - 1, INT_MAX]),
        timestamp=st.integers(0, 5000),
        delta=st.sampled_from([0, 0, 0, 7]),
        append_time=st.booleans(),
        coordinator_epoch=st.integers(0, 3),
        emptied=st.sampled_from([False] * 9 + [True]),
    )
