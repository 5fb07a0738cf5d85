"""The scratch buffer: the same answers as `decompress` for any input, straight from the library for ordinary ones."""

import gzip
import random
import struct
from concurrent.futures import ThreadPoolExecutor

import lz4.block
import lz4.frame
import numpy as np
import pytest
import snappy
from hypothesis import example, given
from hypothesis import strategies as st

from kafkafmt.codec.compression import Compression, decompress
from kafkafmt.codec.compression import scratch as scratch_module
from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.codec.compression.scratch import Scratch
from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.limits import Limits
from tests.codec.compression.compressors import compress, lz4_frame, xerial, zstd_frame
from tests.codec.compression.ways import answer, through_scratch

CODECS = list(Compression)[1:]
LIMITS = Limits(max_decompressed_bytes=300_000, zstd_window_log=22)
TEXT = b"".join(b'{"id":%d,"name":"name %d","sum":%d}' % (n, n * n % 97, n * 7919) for n in range(9000))
NOISE = random.Random(5).randbytes(200_000)
CONTENTS = {
    "text": TEXT[:20_000],
    "long": TEXT[:250_000],
    "noise": NOISE,
    "zeros": bytes(150_000),
    "smallest": b"7 bytes",
}
LZ4_HEADER = lz4_frame(b"")[:7]


def lz4_frame_of(*blocks: bytes) -> bytes:
    return LZ4_HEADER + b"".join(struct.pack("<I", len(block)) + block for block in blocks) + bytes(4)


def ordinary() -> dict[str, tuple[Compression, bytes, bytes]]:
    """Streams as Kafka's producer and librdkafka write them."""
    streams = {
        f"{codec.label}-{name}": (codec, compress(codec, content), content)
        for codec in CODECS
        for name, content in CONTENTS.items()
    }
    for block_size in (4, 5, 6, 7):
        streams[f"lz4-{block_size}"] = Compression.LZ4, lz4_frame(TEXT[:200_000], block_size=block_size), TEXT[:200_000]
    checked = lz4.frame.compress(TEXT[:9000], block_linked=False, content_checksum=True, store_size=False)
    streams["lz4-content-checksum"] = Compression.LZ4, checked, TEXT[:9000]
    streams["snappy-raw"] = Compression.SNAPPY, snappy.compress(TEXT[:9000]), TEXT[:9000]
    for level in (1, 9):
        streams[f"zstd-{level}"] = Compression.ZSTD, zstd_frame(TEXT[:200_000], level=level), TEXT[:200_000]
        streams[f"gzip-{level}"] = Compression.GZIP, gzip.compress(TEXT[:9000], level, mtime=0), TEXT[:9000]
    return streams


ORDINARY = ordinary()


@pytest.mark.parametrize("buffer", [bytes, memoryview])
@pytest.mark.parametrize("name", ORDINARY)
def test_what_kafkas_clients_write_goes_straight_to_the_buffer(
    monkeypatch: pytest.MonkeyPatch, name: str, buffer: type
) -> None:
    codec, data, content = ORDINARY[name]
    monkeypatch.setattr(scratch_module, "decompress", None)
    assert through_scratch(codec, buffer(data), magic=2, limits=Limits()) == content


def test_lz4_of_format_0_goes_straight_there_with_the_wrong_header_checksum_of_its_clients(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = bytearray(compress(Compression.LZ4, TEXT[:9000]))
    data[6] ^= 0x5A
    monkeypatch.setattr(scratch_module, "decompress", None)
    assert through_scratch(Compression.LZ4, bytes(data), magic=0, limits=Limits()) == TEXT[:9000]


SMALL = b'{"id":1,"name":"one","tags":["a","a","a","a"]}' * 4
STREAMS = [
    (codec, compress(codec, content)) for codec in CODECS for content in (b"", b"1", SMALL, SMALL * 40, NOISE[:99])
]
STREAMS += [
    (Compression.SNAPPY, snappy.compress(SMALL)),
    (Compression.SNAPPY, xerial(SMALL, 20)),
    (Compression.SNAPPY, xerial(SMALL) + xerial(SMALL)),
    (Compression.GZIP, gzip.compress(SMALL) + gzip.compress(SMALL)),
    (Compression.LZ4, lz4.frame.compress(SMALL, block_linked=False, content_checksum=True)),
    (Compression.LZ4, lz4.frame.compress(SMALL, block_linked=False, content_checksum=True, store_size=False)),
    (Compression.LZ4, lz4_frame(SMALL, block_checksum=True)),
    (Compression.LZ4, lz4_frame_of(*(lz4.block.compress(SMALL, store_size=False) for _ in range(3)))),
    (Compression.ZSTD, zstd_frame(SMALL, checksum=True)),
    (Compression.ZSTD, zstd_frame(SMALL, content_size=True)),
    (Compression.ZSTD, zstd_frame(SMALL) + zstd_frame(SMALL)),
    (Compression.ZSTD, zstd_frame(bytes(300_000))),
]
# The critical bytes are at both ends; negative positions count from the end.
EDITS = st.lists(
    st.tuples(
        st.one_of(st.integers(0, 24), st.integers(-12, -1), st.integers(0, 4000)),
        st.integers(0, 4),
        st.one_of(st.binary(max_size=4), st.sampled_from([b"\0", b"\x80", b"\xff", b"\0\0\0\0", b"\0\0\0\x80"])),
    ),
    max_size=3,
)


@given(
    stream=st.sampled_from(STREAMS),
    edits=EDITS,
    magic=st.sampled_from([0, 1, 2]),
    cap=st.sampled_from([1, 183, 184, 7359, 7360, 300_000]),
    window=st.sampled_from([10, 20, 21, 22]),
)
def test_any_stream_gets_the_answer_of_decompress(
    stream: tuple[Compression, bytes], edits: list[tuple[int, int, bytes]], magic: int, cap: int, window: int
) -> None:
    codec, data = stream
    for place, removed, inserted in edits:
        position = place % (len(data) + 1)
        data = data[:position] + inserted + data[position + removed :]
    limits = Limits(max_decompressed_bytes=cap, zstd_window_log=window)
    assert answer(through_scratch, codec, data, magic, limits) == answer(decompress, codec, data, magic, limits)


@given(
    blocks=st.lists(
        st.one_of(
            st.binary(min_size=1, max_size=40),
            st.tuples(st.integers(0, 70_000), st.binary(max_size=60)).map(
                lambda sized: struct.pack("<I", sized[0]) + lz4.block.compress(sized[1], store_size=False)
            ),
            st.binary(max_size=60).map(lambda content: bytes(lz4.block.compress(content, store_size=False))),
        ),
        max_size=4,
    )
)
@example(blocks=[struct.pack("<I", 184) + lz4.block.compress(SMALL, store_size=False)])
@example(blocks=[b"\x10a", b"\x00", b"\x10b"])
@example(blocks=[b"\x10a", b"\x00", lz4.block.compress(NOISE[:300], store_size=False)])
def test_lz4_blocks_are_never_taken_for_blocks_behind_their_size(blocks: list[bytes]) -> None:
    data = lz4_frame_of(*blocks)
    assert answer(through_scratch, Compression.LZ4, data, 2, LIMITS) == answer(
        decompress, Compression.LZ4, data, 2, LIMITS
    )


@pytest.mark.parametrize("size", [0x80000000, 0x80000001, 0x80010000, 0x80010001, 0x00010001, 0x7FFFFFFF, 0xFFFFFFFF])
def test_sizes_of_lz4_blocks_at_their_edges(size: int) -> None:
    data = LZ4_HEADER + struct.pack("<I", size) + NOISE[:65536] + bytes(10)
    assert answer(through_scratch, Compression.LZ4, data, 2, LIMITS) == answer(
        decompress, Compression.LZ4, data, 2, LIMITS
    )


@pytest.mark.parametrize("name", ORDINARY)
def test_the_limit_is_the_same_to_the_byte(name: str) -> None:
    codec, data, content = ORDINARY[name]
    for cap in (len(content) - 1, len(content), len(content) + 1):
        limits = Limits(max_decompressed_bytes=max(cap, 1))
        assert answer(through_scratch, codec, data, 2, limits) == answer(decompress, codec, data, 2, limits)


def test_a_frame_that_could_hold_more_than_all_memory_is_judged_by_what_it_holds() -> None:
    blocks = 300_000
    block = struct.pack("<I", 2 << 3 | 2 << 1)[:3] + b"??"
    data = b"\x28\xb5\x2f\xfd\x00\x58" + block * blocks + b"\x01\x00\x00"
    limits = Limits(max_decompressed_bytes=2**70)
    assert answer(through_scratch, Compression.ZSTD, data, 2, limits) == answer(
        decompress, Compression.ZSTD, data, 2, limits
    )


def test_batches_stand_side_by_side_and_what_fails_leaves_nothing() -> None:
    scratch = Scratch(LIMITS)
    expected = b""
    for codec, data, content in ORDINARY.values():
        with pytest.raises(CorruptError):
            scratch.add(codec, data[: len(data) // 2], 2)
        assert scratch.add(codec, data, 2) == len(content)
        expected += content
    assert scratch.add(0, memoryview(b"as it is"), 2) == 8
    expected += b"as it is"
    assert scratch.used == len(expected)
    array = np.frombuffer(scratch.buffer, np.uint8)
    assert array[: scratch.used].tobytes() == expected
    assert len(array) >= scratch.used + SLACK


def test_more_than_may_be_appended_is_refused_and_leaves_nothing() -> None:
    scratch = Scratch(LIMITS)
    for codec, data, content in [*ORDINARY.values(), (0, b"as it is", b"as it is")]:
        with pytest.raises(LimitExceededError) as caught:
            scratch.add(codec, data, 2, len(content) - 1)
        assert (caught.value.expected, caught.value.found) == (len(content) - 1, len(content))
        assert scratch.used == 0
        assert scratch.add(codec, data, 2, len(content)) == len(content)
        scratch.clear()


def test_arrays_over_the_buffer_outlive_its_growth() -> None:
    scratch = Scratch(Limits())
    scratch.add(0, b"first", 2)
    earlier = scratch.buffer
    first = np.frombuffer(earlier, np.uint8)
    scratch.add(0, bytes(len(earlier)), 2)
    assert first[:5].tobytes() == b"first"
    assert bytes(scratch.buffer[:5]) == b"first"
    assert scratch.buffer is not earlier


def test_the_slack_is_there_when_the_content_fits_exactly() -> None:
    for missing in range(SLACK + 2):
        scratch = Scratch(Limits())
        capacity = len(scratch.buffer)
        scratch.add(0, bytes(capacity - missing), 2)
        assert len(scratch.buffer) >= scratch.used + SLACK
        assert (len(scratch.buffer) == capacity) is (missing >= SLACK)


def test_clearing_keeps_the_memory_but_for_a_huge_one() -> None:
    scratch = Scratch(Limits())
    scratch.add(0, bytes(5 << 20), 2)
    kept = scratch.buffer
    scratch.clear()
    assert scratch.used == 0
    assert scratch.buffer is kept
    scratch.add(0, bytes(65 << 20), 2)
    scratch.clear()
    assert len(scratch.buffer) < len(kept)


def test_threads_with_a_scratch_each_do_not_disturb_each_other() -> None:
    def decompress_all(turn: int) -> bytes:
        scratch = Scratch(Limits())
        streams = list(ORDINARY.values())
        for codec, data, _ in streams[turn:] + streams[:turn]:
            scratch.add(codec, data, 2)
        return bytes(memoryview(scratch.buffer)[: scratch.used])

    contents = [content for _, _, content in ORDINARY.values()]
    with ThreadPoolExecutor(4) as pool:
        for turn, result in enumerate(pool.map(decompress_all, range(len(contents)))):
            assert result == b"".join(contents[turn:] + contents[:turn])


def test_a_batch_that_fails_or_is_out_of_the_ordinary_leaves_no_huge_memory_behind() -> None:
    limits = Limits(max_decompressed_bytes=80 << 20)
    bomb = compress(Compression.LZ4, bytes(81 << 20))
    scratch = Scratch(limits)
    scratch.add(0, b"kept", 2)
    small = len(scratch.buffer)
    with pytest.raises(LimitExceededError):
        scratch.add(Compression.LZ4, bomb, 2)
    assert len(scratch.buffer) == small
    assert bytes(scratch.buffer[:4]) == b"kept"
    assert scratch.used == 4


def test_what_has_content_is_not_given_back() -> None:
    scratch = Scratch(Limits())
    scratch.add(0, bytes(65 << 20), 2)
    full = scratch.buffer
    scratch.give_back()
    assert scratch.buffer is full
