"""Files in chunks: a read returns the bytes of a plain file, by one request; lost bytes are zeros and are reported."""

import zlib
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import CorruptError, DataError, TruncatedError
from kafkafmt.io import chunks
from kafkafmt.io.base import MemoryFile
from kafkafmt.io.chunks import ChunkedFile, ChunkIndex

NAME = "object"
WHAT = "the segment"


class Stored(MemoryFile):
    """An object that records which of its ranges were read, and whether it was closed."""

    def __init__(self, data: bytes) -> None:
        super().__init__(NAME, data)
        self.reads: list[tuple[int, int]] = []
        self.is_closed = False

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        self.reads.append((position, len(buffer)))
        return super().readinto_at(position, buffer)

    def close(self) -> None:
        self.is_closed = True


def decode(piece: memoryview, target: memoryview) -> int:
    try:
        content = zlib.decompress(piece)
    except zlib.error as error:
        raise CorruptError("no zlib stream") from error
    room = len(target)
    target[: len(content)] = content[:room]
    return len(content)


def packed(data: bytes, size: int) -> tuple[ChunkIndex, list[bytes]]:
    """The chunks of a file, compressed, and their index."""
    pieces = [zlib.compress(data[begin : begin + size]) for begin in range(0, len(data), size)]
    return ChunkIndex(size, len(data), [len(piece) for piece in pieces]), pieces


def chunked(data: bytes, size: int) -> tuple[ChunkedFile, Stored]:
    index, pieces = packed(data, size)
    stored = Stored(b"".join(pieces))
    return ChunkedFile(NAME, stored, index, decode, what=WHAT), stored


def zeroed(data: bytes, begin: int, end: int) -> bytes:
    return data[:begin] + bytes(len(data[begin:end])) + data[end:]


DATA = Random(1).randbytes(1000)


@given(
    data=st.binary(max_size=200),
    size=st.integers(1, 70),
    reads=st.lists(st.tuples(st.integers(0, 220), st.integers(-1, 220)), max_size=12),
)
def test_any_read_gives_what_a_plain_file_gives(data: bytes, size: int, reads: list[tuple[int, int]]) -> None:
    file, stored = chunked(data, size)
    plain = MemoryFile(NAME, data)
    assert (file.name, file.size) == (NAME, len(data))
    for position, length in reads:
        before = len(stored.reads)
        assert file.read_at(position, length) == plain.read_at(position, length)
        assert len(stored.reads) - before <= 1
    assert file.lost(0, len(data)) is None


def test_contiguous_chunks_are_one_read_of_just_their_bytes() -> None:
    file, stored = chunked(DATA, 100)
    index, _ = packed(DATA, 100)
    assert file.read_at(250, 500) == DATA[250:750]
    assert stored.reads == [(index.starts[2], index.starts[8] - index.starts[2])]
    # The chunks at both ends are kept, those between them are not.
    assert file.read_at(299, 1) == DATA[299:300]
    assert file.read_at(700, 100) == DATA[700:800]
    assert len(stored.reads) == 1
    assert file.read_at(290, 20) == DATA[290:310]
    assert stored.reads[1:] == [(index.starts[3], index.starts[4] - index.starts[3])]


def test_reading_on_and_on_fetches_each_chunk_once() -> None:
    file, stored = chunked(DATA, 100)
    assert b"".join(file.read_at(position, 30) for position in range(0, 1000, 30)) == DATA
    assert sum(length for _, length in stored.reads) == stored.size
    assert len(stored.reads) == 10


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "_KEPT_BYTES", 250)
    file, stored = chunked(DATA, 100)
    for chunk in range(3):
        file.read_at(100 * chunk, 1)
    assert len(stored.reads) == 3
    file.read_at(100, 200)
    assert len(stored.reads) == 3
    file.read_at(0, 1)
    assert len(stored.reads) == 4


def test_a_chunk_larger_than_what_is_kept_is_kept_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "_KEPT_BYTES", 50)
    file, stored = chunked(DATA, 100)
    for position in (0, 50, 99):
        file.read_at(position, 1)
    assert len(stored.reads) == 1


@given(data=st.data())
def test_chunks_that_are_broken_read_as_zeros_and_say_so(data: st.DataObject) -> None:
    index, pieces = packed(DATA, 100)
    broken = data.draw(st.sets(st.integers(0, 9), min_size=1))
    expected = DATA
    for chunk in broken:
        pieces[chunk] = bytes(len(pieces[chunk]))
        expected = zeroed(expected, 100 * chunk, 100 * chunk + 100)
    file = ChunkedFile(NAME, Stored(b"".join(pieces)), index, decode, what=WHAT)
    touched = set()
    for begin, length in data.draw(st.lists(st.tuples(st.integers(0, 999), st.integers(1, 400)), min_size=1)):
        assert file.read_at(begin, length) == expected[begin : begin + length]
        touched |= set(range(begin // 100, (min(begin + length, 1000) - 1) // 100 + 1)) & broken
        for first in range(10):
            error = file.lost(100 * first, 1000)
            lost = [chunk for chunk in sorted(touched) if chunk >= first]
            if not lost:
                assert error is None
                continue
            assert isinstance(error, CorruptError)
            where = f"chunk {lost[0]}, bytes {100 * lost[0]} to {100 * lost[0] + 99} of the segment"
            assert error.message == f"{where}: no zlib stream"
            assert (error.file, error.position) == (NAME, index.starts[lost[0]])


def test_lost_tells_of_the_range_that_is_asked_for() -> None:
    index, pieces = packed(DATA, 100)
    pieces[3] = bytes(len(pieces[3]))
    file = ChunkedFile(NAME, Stored(b"".join(pieces)), index, decode, what=WHAT)
    assert file.lost(0, 1000) is None
    file.read_at(0, 1000)
    for begin, end in ((300, 301), (399, 400), (0, 301), (399, 1000), (350, 360)):
        assert file.lost(begin, end) is not None
    for begin, end in ((0, 300), (400, 1000), (0, 0), (400, 400)):
        assert file.lost(begin, end) is None


def test_a_lost_chunk_is_not_fetched_again() -> None:
    index, pieces = packed(DATA, 100)
    pieces[3] = bytes(len(pieces[3]))
    stored = Stored(b"".join(pieces))
    file = ChunkedFile(NAME, stored, index, decode, what=WHAT)
    for _ in range(3):
        assert file.read_at(310, 20) == bytes(20)
    assert len(stored.reads) == 1


def test_a_lost_chunk_takes_no_memory_for_what_it_only_claims() -> None:
    huge = 1 << 50
    file = ChunkedFile(NAME, Stored(b"x"), ChunkIndex(huge, huge, [huge]), decode, what=WHAT)
    assert file.read_at(huge - 10, 20) == bytes(10)
    assert isinstance(file.lost(0, 1), TruncatedError)


@pytest.mark.parametrize("size", [99, 101, 0])
def test_a_chunk_that_decodes_to_another_size_is_lost(size: int) -> None:
    _, pieces = packed(DATA, 100)
    pieces[4] = zlib.compress(bytes([7]) * size)
    sizes = [len(piece) for piece in pieces]
    file = ChunkedFile(NAME, Stored(b"".join(pieces)), ChunkIndex(100, 1000, sizes), decode, what=WHAT)
    assert file.read_at(0, 1000) == zeroed(DATA, 400, 500)
    error = file.lost(0, 1000)
    assert isinstance(error, CorruptError)
    assert (error.expected, error.found) == (100, size)


@given(cut=st.integers(0, 1000))
def test_of_a_truncated_object_the_chunks_in_front_are_read(cut: int) -> None:
    index, pieces = packed(DATA, 100)
    whole = b"".join(pieces)[:cut]
    file = ChunkedFile(NAME, Stored(whole), index, decode, what=WHAT)
    there = sum(end <= len(whole) for end in index.starts[1:])
    assert file.read_at(0, 1000) == zeroed(DATA, 100 * there, 1000)
    error = file.lost(0, 1000)
    if there == 10:
        assert error is None
    else:
        assert isinstance(error, TruncatedError)
        assert error.position == index.starts[there]
    assert file.lost(0, 100 * there) is None


def test_an_object_that_is_too_large_is_lost_as_a_whole() -> None:
    index, pieces = packed(DATA, 100)
    file = ChunkedFile(NAME, Stored(b"".join(pieces) + b"x"), index, decode, what=WHAT)
    assert file.read_at(0, 1000) == bytes(1000)
    error = file.lost(500, 501)
    assert isinstance(error, CorruptError)
    assert "does not add up" in error.message
    assert (error.file, error.found) == (NAME, f"{index.stored_size + 1} bytes")


@pytest.mark.parametrize("reason", [None, CorruptError("no key")])
def test_a_missing_object_is_lost_as_a_whole(reason: DataError | None) -> None:
    with ChunkedFile(NAME, None, ChunkIndex(100, 1000, [100] * 10), decode, what=WHAT, lost=reason) as file:
        assert file.read_at(900, 200) == bytes(100)
        error = file.lost(0, 1)
    assert error is reason or (reason is None and error is not None and "the object of the segment" in error.message)


def test_a_file_without_bytes_has_no_chunks() -> None:
    file, stored = chunked(b"", 100)
    assert (file.size, file.read_at(0, 10), stored.reads) == (0, b"", [])


def test_closing_closes_the_object_and_is_harmless_twice() -> None:
    file, stored = chunked(DATA, 100)
    with file:
        file.read_at(0, 10)
    file.close()
    assert stored.is_closed


def test_threads_share_a_file() -> None:
    index, pieces = packed(DATA, 10)
    pieces[50] = bytes(len(pieces[50]))
    file = ChunkedFile(NAME, Stored(b"".join(pieces)), index, decode, what=WHAT)
    expected = zeroed(DATA, 500, 510)

    def read(seed: int) -> bool:
        rnd = Random(seed)
        ranges = [(rnd.randrange(1000), rnd.randrange(1, 60)) for _ in range(300)]
        return all(file.read_at(begin, length) == expected[begin : begin + length] for begin, length in ranges)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(read, range(16)))
    assert file.lost(0, 500) is None
    assert file.lost(500, 510) is not None
