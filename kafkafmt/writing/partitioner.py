"""The partition that a producer chooses for a record: Kafka's `BuiltInPartitioner` (KIP-794), the default since 3.3."""

import random as _random
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate as running_sums

_MASK = 0xFFFFFFFF
_POSITIVE = 0x7FFFFFFF
# Constants of `Utils.murmur2`, with whose seed the Java producer chooses partitions.
_M, _R, _SEED = 0x5BD1E995, 24, 0x9747B28C


def murmur2(key: bytes) -> int:
    """Hash a key as `Utils.murmur2` does; returns a signed 32-bit number."""
    length = len(key)
    hashed = (_SEED ^ length) & _MASK
    whole = length & ~3
    for start in range(0, whole, 4):
        word = int.from_bytes(key[start : start + 4], "little") * _M & _MASK
        word = (word ^ word >> _R) * _M & _MASK
        hashed = hashed * _M & _MASK ^ word
    if rest := key[whole:]:
        hashed = (hashed ^ int.from_bytes(rest, "little")) * _M & _MASK
    hashed = (hashed ^ hashed >> 13) * _M & _MASK
    hashed ^= hashed >> 15
    return hashed - (1 << 32) if hashed > _POSITIVE else hashed


def partition_for_key(key: bytes, partitions: int) -> int:
    """Partition of a key among all partitions, with or without a leader (`BuiltInPartitioner.partitionForKey`).

    Raises:
        ValueError: there is no partition.
    """
    if partitions < 1:
        raise ValueError(f"partitions must be 1 or more, not {partitions}")
    # As Kafka's `Utils.toPositive`, which clears the sign instead of taking the absolute value.
    return (murmur2(key) & _POSITIVE) % partitions


class StickyPartition:
    """The partition to which records without a key go for a while.

    Attributes:
        partition: number of the partition.
        produced_bytes: bytes appended to it, by the estimates of its batches.
    """

    __slots__ = ("partition", "produced_bytes")

    def __init__(self, partition: int) -> None:
        self.partition = partition
        self.produced_bytes = 0


class StickyPartitioner:
    """Gives records without a key to one partition until it has a batch, then to another.

    Args:
        leaders: node of each partition, None without a leader.
        batch_size: the producer's `batch.size`, bytes.
        random: ints from 0 on, one for each choice; None for a generator seeded with 0.
    """

    def __init__(self, leaders: Sequence[int | None], batch_size: int, random: Iterator[int] | None) -> None:
        self._available = [number for number, leader in enumerate(leaders) if leader is not None] or list(
            range(len(leaders))
        )
        self._batch_size = batch_size
        self._random = random if random is not None else _seeded()
        self._current: StickyPartition | None = None
        # Partitions with a leader and the running sums of their weights; None if all are equal.
        self._weights: tuple[list[int], list[int]] | None = None

    def current(self) -> StickyPartition:
        """The partition chosen at present."""
        if self._current is None:
            self._current = StickyPartition(self._next())
        return self._current

    def is_changed(self, sticky: StickyPartition | None) -> bool:
        """Whether another partition was chosen since; always False for a record with a partition of its own."""
        return sticky is not None and sticky is not self._current

    def add(self, sticky: StickyPartition | None, appended_bytes: int, *, may_switch: bool) -> None:
        """Count appended bytes, and choose another partition if they are enough (`updatePartitionInfo`).

        Args:
            sticky: a result of `current`; None for a record with a partition of its own.
            appended_bytes: growth of the estimate of its batch, in bytes.
            may_switch: whether its last batch takes no more; at twice the batch size another one is chosen anyway.
        """
        if sticky is None:
            return
        sticky.produced_bytes += appended_bytes
        produced = sticky.produced_bytes
        if (produced >= self._batch_size and may_switch) or produced >= 2 * self._batch_size:
            self._current = StickyPartition(self._next())

    def weigh(self, queues: Sequence[tuple[int, int]], partitions: int) -> None:
        """Record the loads by which partitions are chosen from now on (`updatePartitionLoadStats`).

        Args:
            queues: number and queued batches of each partition with a leader, if all partitions have been used;
                otherwise empty.
            partitions: number of partitions.
        """
        self._weights = None
        sizes = [size for _, size in queues]
        if not sizes or partitions < 2 or (len(sizes) == partitions and len(set(sizes)) == 1):
            return
        most = max(sizes) + 1
        self._weights = ([number for number, _ in queues], list(running_sums(most - size for size in sizes)))

    def _next(self) -> int:
        number = next(self._random)
        if self._weights is None:
            return self._available[number % len(self._available)]
        partitions, sums = self._weights
        return partitions[bisect_right(sums, number % sums[-1])]


def _seeded() -> Iterator[int]:
    generator = _random.Random(0)  # noqa: S311 - spreads records, as Kafka's ThreadLocalRandom does
    while True:
        yield generator.getrandbits(31)
