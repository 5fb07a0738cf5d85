"""A walk over a preallocated file that a broker writes: what was read as zeros is no damage once it is a batch."""

from collections.abc import Callable

import pytest

from kafkafmt import Damage
from kafkafmt.files.read_window import ReadWindow
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.base import MemoryFile
from kafkafmt.reference.entry import Entry
from tests.reference.builder import batch

BATCHES = [batch(base_offset=number) for number in range(4)]
SIZE = len(BATCHES[0])
ROOM = 4096


class Growing(MemoryFile):
    """A preallocated file whose later batches are written after its first read.

    Args:
        before: what the first read gives.
        after: what every later one gives.
    """

    may_change = True

    def __init__(self, before: bytes, after: bytes) -> None:
        super().__init__("a.log", before.ljust(ROOM, b"\0"))
        self._states = [before.ljust(ROOM, b"\0")]
        self._after = after.ljust(ROOM, b"\0")

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        data = self._states.pop() if self._states else self._after
        part = data[position : position + len(buffer)]
        buffer[: len(part)] = part
        return len(part)


def visit(entry: Entry) -> int:
    entry.verify_checksum()
    return entry.frame.offset


def by_entries(reader: SegmentReader) -> list[int]:
    return list(reader.walk(visit))


def by_windows(reader: SegmentReader) -> list[int]:
    found: list[int] = []
    for item in reader.bulk_walk(visit):
        if isinstance(item, ReadWindow):
            batches = item.batches()
            sound = [each for each in batches.headers["base_offset"].tolist() if each < 2]
            item.take(batches[: len(sound)])
            found += sound
        else:
            found.append(item)
    return found


@pytest.mark.parametrize("walk", [by_entries, by_windows])
@pytest.mark.parametrize("half", [0, 1, 17, SIZE - 1])
def test_batches_that_are_written_during_a_walk_are_no_damage(
    walk: Callable[[SegmentReader], list[int]], half: int
) -> None:
    """Some of a batch may be there at the first read, since a write is no single step."""
    before = b"".join(BATCHES[:2]) + BATCHES[2][:half]
    damage: list[Damage] = []
    reader = SegmentReader(Growing(before, b"".join(BATCHES)), on_damage="skip", report=damage.append, ahead=ROOM)
    assert walk(reader) == [0, 1, 2, 3]
    assert [(each.position, each.is_open_end) for each in damage] == [(4 * SIZE, True)]


def test_bytes_that_stay_as_they_are_are_damage_once() -> None:
    content = b"".join(BATCHES[:2]) + bytes(SIZE) + BATCHES[3]
    damage: list[Damage] = []
    reader = SegmentReader(Growing(content, content), on_damage="skip", report=damage.append, ahead=ROOM)
    assert list(reader.walk(visit)) == [0, 1, 3]
    assert [each.position for each in damage] == [2 * SIZE, 4 * SIZE]
