"""Home: which partition of `__consumer_offsets` keeps a group.

Source: `GroupCoordinatorService.partitionFor`: Kafka's absolute value of Java's hash of the group id, modulo the count.
"""

_WRAP = 1 << 32
_SIGN = 1 << 31


def java_hash(text: str) -> int:
    """Hash a text as Java's `String.hashCode` does, over its UTF-16 code units: a signed 32-bit number."""
    units = text.encode("utf-16-be", "surrogatepass")
    value = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        value = (31 * value + (high << 8 | low)) % _WRAP
    return value - _WRAP if value & _SIGN else value


def home_partition(group: str, partitions: int) -> int:
    """Tell which partition of `__consumer_offsets` holds the offsets, members and state of a group.

        >>> home_partition("payments", 50)
        13

    Args:
        group: the group id.
        partitions: how many partitions `__consumer_offsets` has; a broker makes `offsets.topic.num.partitions` (50).

    Raises:
        ValueError: no such number of partitions.
    """
    if partitions < 1:
        raise ValueError(f"partitions must be at least 1, not {partitions}")
    value = java_hash(group)
    # Java's Math.abs of the smallest int is negative: Kafka takes 0 for it.
    return 0 if value == -_SIGN else abs(value) % partitions
