"""Accumulator: the batches that a producer builds from records arriving one by one, Kafka's `RecordAccumulator`."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from kafkafmt.codec.compression import Compression
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.reference.record import Header
from kafkafmt.writing.batch_builder import BatchBuilder, codec_of
from kafkafmt.writing.encoding import upper_bound
from kafkafmt.writing.partitioner import StickyPartitioner, partition_for_key

BATCH_SIZE = 16384
LINGER_MS = 5
MAX_REQUEST_SIZE = 1048576
"""Kafka's defaults of `batch.size`, `linger.ms` and `max.request.size`."""

_RISE, _FALL = np.float32(0.05), np.float32(0.005)

Content = tuple[int, bytes | None, bytes | None, Sequence[Header]]
"""Timestamp in ms, key, value and headers of a record."""


class Appended(NamedTuple):
    """The result of appending a record.

    Attributes:
        partition: the record's partition.
        batch_is_full: whether the partition has a batch to send.
        new_batch_created: whether the record began a batch.
        appended_bytes: growth of the estimated size of batches, in bytes.
    """

    partition: int
    batch_is_full: bool
    new_batch_created: bool
    appended_bytes: int


class Ready(NamedTuple):
    """Nodes to which batches are ready to be sent.

    Attributes:
        nodes: the nodes.
        next_check_delay_ms: time in ms until the next check; None if nothing waits. Meaningful only if no node is
            ready.
    """

    nodes: set[int]
    next_check_delay_ms: int | None


@dataclass(slots=True, eq=False)
class ProducerBatch:
    """A batch as it is sent.

    Attributes:
        partition: number of the partition.
        node: leader of the partition.
        created_ms: time in ms when the first record arrived.
        drained_ms: time in ms when the batch was taken to be sent.
        count: number of records.
        data: bytes of the batch, with offsets from 0.
    """

    partition: int
    node: int
    created_ms: int
    drained_ms: int
    count: int
    data: bytes
    _ratio: float = field(repr=False)
    _queued: "_Queued" = field(repr=False)


class _Queued:
    """A batch in the queue of its partition (Kafka's `ProducerBatch`)."""

    __slots__ = ("builder", "contents", "created_ms", "is_part", "largest")

    def __init__(self, builder: BatchBuilder, created_ms: int, *, is_part: bool) -> None:
        self.builder = builder
        self.created_ms = created_ms
        self.is_part = is_part
        self.largest = 0
        self.contents: list[Content] = []

    def try_append(self, content: Content, bound: int) -> bool:
        timestamp, key, value, headers = content
        if not self.builder.has_room_for(timestamp, key, value, headers):
            return False
        self.builder.append(timestamp, key, value, headers)
        self.contents.append(content)
        self.largest = max(self.largest, bound)
        return True


class Accumulator:
    """Collects records into batches as a producer with the given settings does; the same calls give the same batches.

    Args:
        partitions: number of partitions of the topic.
        batch_size: `batch.size`, bytes; 0 counts as 1.
        linger_ms: `linger.ms`.
        compression: `compression.type`.
        compression_level: level of the codec; None for Kafka's default.
        max_request_size: `max.request.size`, bytes: the most that one drain takes for a node.
        leaders: node of each partition, None without a leader; by default all have node 0.
        adaptive_partitioning: `partitioner.adaptive.partitioning.enable`.
        random: ints from 0 on, one for each choice of a sticky partition; None for a generator seeded with 0.
        compression_ratio: the first estimate.

    Attributes:
        compression_ratio: the estimate for new batches.

    Raises:
        ValueError: an argument is invalid.
    """

    def __init__(
        self,
        *,
        partitions: int,
        batch_size: int = BATCH_SIZE,
        linger_ms: int = LINGER_MS,
        compression: str = "none",
        compression_level: int | None = None,
        max_request_size: int = MAX_REQUEST_SIZE,
        leaders: Sequence[int | None] | None = None,
        adaptive_partitioning: bool = True,
        random: Iterator[int] | None = None,
        compression_ratio: float = 1.0,
    ) -> None:
        if partitions < 1:
            raise ValueError(f"partitions must be 1 or more, not {partitions}")
        if batch_size < 0 or linger_ms < 0:
            raise ValueError("batch_size and linger_ms must be 0 or more")
        self._leaders = [0] * partitions if leaders is None else list(leaders)
        if len(self._leaders) != partitions:
            raise ValueError(f"leaders must name a node for each of the {partitions} partitions")
        self._is_compressed = codec_of(compression, CURRENT_MAGIC) != Compression.NONE
        self._compression, self._level = compression, compression_level
        self._batch_size = max(1, batch_size)
        self._linger_ms = linger_ms
        self._max_request_size = max_request_size
        self._adaptive = adaptive_partitioning
        self._sticky = StickyPartitioner(self._leaders, self._batch_size, random)
        self._queues: dict[int, deque[_Queued]] = {}
        self._drain_index: dict[int, int] = {}
        self._is_flushing = False
        self._ratio = np.float32(compression_ratio)
        self._builder(0)  # checks codec and level

    @property
    def compression_ratio(self) -> float:
        """The estimate for new batches, as a 32-bit float."""
        return float(self._ratio)

    def append(
        self,
        now: int,
        timestamp: int,
        key: bytes | None,
        value: bytes | None,
        headers: Sequence[Header] = (),
        partition: int | None = None,
    ) -> Appended:
        """Append a record.

        Args:
            now: the clock, ms.
            timestamp: timestamp of the record, ms since the epoch.
            key: bytes, or None.
            value: bytes, or None.
            headers: (name, value) pairs.
            partition: partition of the record; None for that of its key, or without key for the sticky one.

        Raises:
            ValueError: the partition does not exist, or the record does not fit into a batch.
        """
        if partition is None and key is not None:
            partition = partition_for_key(key, len(self._leaders))
        if partition is not None and not 0 <= partition < len(self._leaders):
            raise ValueError(f"no partition {partition}: there are {len(self._leaders)}")
        content = (timestamp, key, value, headers)
        bound = upper_bound(CURRENT_MAGIC, key, value, headers, is_compressed=self._is_compressed)
        while True:
            sticky = self._sticky.current() if partition is None else None
            chosen = partition if sticky is None else sticky.partition
            queue = self._queues.setdefault(chosen or 0, deque())
            if self._has_moved(sticky, queue):
                continue
            appended = self._append_to_last(queue, chosen or 0, content, bound)
            if appended is None:
                # Kafka allocates the buffer here, outside its lock, and so checks again.
                if self._has_moved(sticky, queue):
                    continue
                appended = self._append_new(queue, chosen or 0, content, bound, now)
            self._sticky.add(sticky, appended.appended_bytes, may_switch=_takes_no_more(queue))
            return appended

    def ready(self, now: int) -> Ready:
        """Find the nodes to which something is to be sent now, and weigh the partitions.

        Args:
            now: the clock, ms.
        """
        nodes: set[int] = set()
        delay: int | None = None
        weighs = self._adaptive and len(self._queues) >= len(self._leaders)
        loads: list[tuple[int, int]] = []
        for partition, queue in sorted(self._queues.items()):
            leader = self._leaders[partition]
            if leader is None:
                continue
            loads.append((partition, len(queue)))
            if not queue or leader in nodes:
                continue
            waited = max(0, now - queue[0].created_ms)
            if len(queue) > 1 or queue[0].builder.is_full or waited >= self._linger_ms or self._is_flushing:
                nodes.add(leader)
            else:
                left = self._linger_ms - waited
                delay = left if delay is None else min(left, delay)
        self._sticky.weigh(loads if weighs else (), len(self._queues))
        return Ready(nodes, delay)

    def drain(self, now: int, nodes: Iterable[int]) -> list[ProducerBatch]:
        """Take the first batch of every partition of some nodes, node by node, up to `max_request_size` each.

        Args:
            now: the clock, ms.
            nodes: a result of `ready`, drained in the given order.
        """
        drained = []
        for node in nodes:
            partitions = [number for number, leader in enumerate(self._leaders) if leader == node]
            if partitions:
                drained += self._drain_node(now, node, partitions)
        if not any(self._queues.values()):
            self._is_flushing = False
        return drained

    def flush(self) -> None:
        """Make all waiting batches ready, until all of them are drained."""
        self._is_flushing = True

    def split(self, batch: ProducerBatch) -> int:
        """Put a batch that a broker refused as too large back into its queue, in parts (`splitAndReenqueue`).

        Returns:
            The number of parts.
        """
        queued = batch._queued  # noqa: SLF001 - its own
        self._ratio = np.float32(max(1.0, batch._ratio))  # noqa: SLF001 - its own
        size = max(queued.largest, len(batch.data) // 2) if queued.is_part else self._batch_size
        parts: list[_Queued] = []
        for content in queued.contents:
            bound = upper_bound(CURRENT_MAGIC, *content[1:], is_compressed=self._is_compressed)
            if not parts or not parts[-1].try_append(content, bound):
                parts.append(_Queued(self._builder(max(bound, size)), batch.created_ms, is_part=True))
                parts[-1].try_append(content, bound)
        for part in parts:
            part.builder.close_for_appends()
        self._queues.setdefault(batch.partition, deque()).extendleft(reversed(parts))
        return len(parts)

    def waits(self) -> bool:
        """Whether a batch that can be sent waits: its partition has a leader."""
        return any(queue and self._leaders[partition] is not None for partition, queue in self._queues.items())

    def _has_moved(self, sticky: object, queue: "deque[_Queued]") -> bool:
        """Whether the sticky partition has changed; performs a switch that was postponed until a batch was full."""
        if sticky is None:
            return False
        current = self._sticky.current()
        if current is not sticky:
            return True
        if _takes_no_more(queue):
            self._sticky.add(current, 0, may_switch=True)
        return self._sticky.is_changed(current)

    def _append_to_last(self, queue: "deque[_Queued]", partition: int, content: Content, bound: int) -> Appended | None:
        if not queue:
            return None
        last = queue[-1]
        before = last.builder.estimated_size
        if not last.try_append(content, bound):
            last.builder.close_for_appends()
            return None
        is_full = len(queue) > 1 or last.builder.is_full
        return Appended(
            partition, is_full, new_batch_created=False, appended_bytes=last.builder.estimated_size - before
        )

    def _append_new(self, queue: "deque[_Queued]", partition: int, content: Content, bound: int, now: int) -> Appended:
        batch = _Queued(self._builder(max(self._batch_size, bound)), now, is_part=False)
        batch.try_append(content, bound)
        queue.append(batch)
        size = batch.builder.estimated_size
        return Appended(partition, len(queue) > 1 or batch.builder.is_full, new_batch_created=True, appended_bytes=size)

    def _builder(self, size_limit: int) -> BatchBuilder:
        return BatchBuilder(
            compression=self._compression,
            compression_level=self._level,
            size_limit=size_limit,
            compression_ratio=float(self._ratio),
        )

    def _drain_node(self, now: int, node: int, partitions: list[int]) -> list[ProducerBatch]:
        drained: list[ProducerBatch] = []
        size = 0
        index = start = self._drain_index.get(node, 0) % len(partitions)
        while True:
            partition = partitions[index]
            self._drain_index[node] = index
            index = (index + 1) % len(partitions)
            queue = self._queues.get(partition)
            if queue:
                if drained and size + queue[0].builder.estimated_size > self._max_request_size:
                    return drained
                drained.append(self._send(queue.popleft(), partition, node, now))
                size += len(drained[-1].data)
            if index == start:
                return drained

    def _send(self, queued: _Queued, partition: int, node: int, now: int) -> ProducerBatch:
        data = queued.builder.build()
        ratio = np.float32(queued.builder.compression_ratio)
        if ratio > self._ratio:
            self._ratio = max(self._ratio + _RISE, ratio)
        elif ratio < self._ratio:
            self._ratio = max(self._ratio - _FALL, ratio)
        return ProducerBatch(partition, node, queued.created_ms, now, queued.builder.count, data, float(ratio), queued)


def _takes_no_more(queue: "deque[_Queued]") -> bool:
    """Whether the last batch is full or closed, or there is none (`allBatchesFull`)."""
    return not queue or queue[-1].builder.is_full
