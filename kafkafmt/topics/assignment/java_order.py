"""The order in which Java's hash maps give their keys, which decides in Kafka's assignors who keeps a partition."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

_LEAST_BUCKETS = 16

Key = TypeVar("Key")


def java_string_key(text: str) -> bytes:
    """A sort key that orders texts as Java's `String.compareTo` does: by UTF-16 units."""
    return text.encode("utf-16-be", "surrogatepass")


def java_string_hash(text: str) -> int:
    """What Java's `String.hashCode` is, as an unsigned 32-bit int."""
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")
    code = 0
    for unit in units:
        code = (31 * code + unit) & 0xFFFFFFFF
    return code


def kafka_uuid_hash(bits: int) -> int:
    """What Kafka's `Uuid.hashCode` is of its 128 bits, as an unsigned 32-bit int."""
    folded = bits >> 64 ^ bits & 0xFFFFFFFFFFFFFFFF
    return folded >> 32 ^ folded & 0xFFFFFFFF


def java_hash_map_order(keys: Iterable[str]) -> list[str]:
    """Order different texts as a `HashMap` gives them into which they were put one after the other."""
    return java_bucket_order(list(keys), java_string_hash)


def java_bucket_order(keys: Sequence[Key], code: Callable[[Key], int]) -> list[Key]:
    """Order different keys as a `HashMap` gives them into which they were put one after the other, by their hashes.

    Keys of one bucket come as they were put, which holds unless more than seven meet in one.
    """
    buckets = _buckets(len(keys))
    return sorted(keys, key=lambda key: _bucket(code(key), buckets))


def java_hash_set_copy_order(keys: Sequence[Key], code: Callable[[Key], int]) -> list[Key]:
    """Order different keys as a `HashSet` gives them that was made of a collection of them, which has more room."""
    buckets = _LEAST_BUCKETS
    while buckets < len(keys) * 4 // 3 + 1:
        buckets *= 2
    return sorted(keys, key=lambda key: _bucket(code(key), buckets))


def first_of_java_hash_set(topic: str, partitions: Sequence[int], most: int) -> int:
    """Tell which of a topic's partitions a `HashSet` of `TopicPartition` gives first.

    Args:
        topic: their topic.
        partitions: in the order in which they were added.
        most: how many there were at once at most: the set does not shrink.
    """
    topic_hash = java_string_hash(topic)
    buckets = _buckets(most)
    return min(partitions, key=lambda partition: _bucket(31 * (31 + partition) + topic_hash & 0xFFFFFFFF, buckets))


def _buckets(count: int) -> int:
    buckets = _LEAST_BUCKETS
    while count > buckets * 3 // 4:
        buckets *= 2
    return buckets


def _bucket(code: int, buckets: int) -> int:
    return (code ^ code >> 16) & (buckets - 1)
