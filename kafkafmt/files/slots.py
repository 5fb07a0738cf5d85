"""The end of the entries in an index file: a broker preallocates zeros after them, trimmed only when it rolls.

Kafka's AbstractIndex maps `segment.index.bytes` (10 MiB) for both indexes of each active segment.
"""

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkafmt.io.base import File


@dataclass(frozen=True, slots=True)
class Slots:
    """The end of the entries in an index file.

    Attributes:
        count: number of whole slots in the file, used or not; Kafka's number of entries.
        used: number of slots before the padding.
        trailing_bytes: number of bytes after the last whole slot, which Kafka ignores.
    """

    count: int
    used: int
    trailing_bytes: int


def find_slots(data: bytes | memoryview, size: int, file_size: int) -> Slots:
    """Distinguish the entries of an index from its padding, by all its bytes.

    The first slot counts as used even if it is zero, as in DumpLogSegments: a record of timestamp 0 at the base offset
    gives a time index just that entry.

    Args:
        data: the file, or at least everything before the zeros at its end.
        size: size of a slot, in bytes.
        file_size: size of the file, in bytes.
    """
    count, trailing = divmod(file_size, size)
    written = len(bytes(data[: count * size]).rstrip(b"\0"))
    return Slots(count, min(count, max(1, -(-written // size))), trailing)


def content_size(file: "File", size: int) -> int:
    """Size of an index file's content without padding, in bytes, by a binary search for the first slot of zeros.

    It reads a few slots, where `find_slots` needs all: a copy that fills holes with zeros has 10 MiB of them in each
    index. A single slot of zeros counts as padding. A slot of zeros between entries, which is damage, may end the
    content early.

    Args:
        file: the open file.
        size: size of a slot, in bytes.

    Raises:
        SourceError: reading failed.
    """
    slots = file.size // size

    def is_unused(number: int) -> bool:
        return not any(file.read_at(number * size, size))

    if not slots or not is_unused(slots - 1):
        return file.size
    # The first entry may be zero: timestamp 0 at the base offset.
    used = bisect_left(range(slots), 1, lo=1, key=is_unused)
    return 0 if used == 1 and is_unused(0) else used * size
