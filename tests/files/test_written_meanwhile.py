"""A walk over a preallocated file while a broker writes it: zeros that become a batch are not damage."""

import random
from collections.abc import Callable

import pytest

from kafkafmt import Damage
from kafkafmt.files.read_window import ReadWindow
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.base import MemoryFile
from kafkafmt.reference.entry import Entry
from tests.reference.builder import R, batch

BATCHES = [batch(base_offset=number) for number in range(4)]
SIZE = len(BATCHES[0])
ROOM = 4096


class Growing(MemoryFile):
    """A preallocated file whose later batches are written while it is read.

    Args:
        states: the content for each successive read; the last one for all later reads.
        room: size of the file.
    """

    may_change = True

    def __init__(self, *states: bytes, room: int = ROOM) -> None:
        self._states = [each.ljust(room, b"\0") for each in states]
        super().__init__("a.log", self._states[0])

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        data = self._states.pop(0) if len(self._states) > 1 else self._states[0]
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
    """The first read may see part of a batch, since a write is not atomic."""
    before = b"".join(BATCHES[:2]) + BATCHES[2][:half]
    damage: list[Damage] = []
    reader = SegmentReader(Growing(before, b"".join(BATCHES)), on_damage="skip", report=damage.append, ahead=ROOM)
    assert walk(reader) == [0, 1, 2, 3]
    assert [(each.position, each.is_open_end) for each in damage] == [(4 * SIZE, True)]


def large(size: int) -> list[bytes]:
    return [batch([R(value=random.Random(number).randbytes(size))], base_offset=number) for number in range(4)]


@pytest.mark.parametrize("size", [20_000, 200_000])
@pytest.mark.parametrize("reads", [1, 2])
def test_a_batch_that_takes_several_writes_is_no_damage(size: int, reads: int) -> None:
    batches = large(size)
    whole, length, room = b"".join(batches), len(batches[0]), 2**20
    file = Growing(whole[: length + 50], *[whole[: length + size // 2]] * reads, whole, room=room)
    damage: list[Damage] = []
    assert list(SegmentReader(file, on_damage="skip", report=damage.append, ahead=room).walk(visit)) == [0, 1, 2, 3]
    assert [(each.position, each.is_open_end) for each in damage] == [(4 * length, True)]


@pytest.mark.parametrize("reads", range(1, 9))
def test_crcs_of_bytes_that_were_written_meanwhile_are_not_kept(reads: int) -> None:
    """A search for the next entry computes CRCs in advance."""

    def look(entry: Entry) -> int:
        entry.crc_unchecked = True
        return entry.frame.offset

    batches = large(20_000)
    whole, length, room = b"".join(batches), len(batches[0]), 2**20
    file = Growing(whole[:length], *[whole[: length + 5000]] * reads, whole, room=room)
    damage: list[Damage] = []
    assert list(SegmentReader(file, on_damage="skip", report=damage.append, ahead=room).walk(look)) == [0, 1, 2, 3]
    assert [(each.position, each.is_open_end) for each in damage] == [(4 * length, True)]


def test_bytes_that_stay_as_they_are_are_damage_once() -> None:
    content = b"".join(BATCHES[:2]) + bytes(SIZE) + BATCHES[3]
    damage: list[Damage] = []
    reader = SegmentReader(Growing(content, content), on_damage="skip", report=damage.append, ahead=ROOM)
    assert list(reader.walk(visit)) == [0, 1, 3]
    assert [each.position for each in damage] == [2 * SIZE, 4 * SIZE]
