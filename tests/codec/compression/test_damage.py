"""Damaged streams: every prefix and every bit flip gives bytes or a KafkafmtError, within the limits."""

import gzip
import random
import struct
import zlib
from collections.abc import Iterator

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.codec.compression import Compression, zstd
from kafkafmt.errors import CorruptError, KafkafmtError, TruncatedError
from kafkafmt.limits import Limits
from tests.codec.compression.compressors import compress, lz4_frame, xerial, zstd_frame
from tests.codec.compression.ways import Decompress

CONTENT = b'{"id":1,"name":"one","tags":["a","a","a","a"]}' * 4
STREAMS = {
    "gzip": (Compression.GZIP, compress(Compression.GZIP, CONTENT)),
    "gzip-members": (Compression.GZIP, gzip.compress(CONTENT, 0, mtime=0) + gzip.compress(b"second" * 5, mtime=0)),
    "snappy": (Compression.SNAPPY, xerial(CONTENT, 100)),
    "snappy-streams": (Compression.SNAPPY, xerial(CONTENT, 100) + xerial(b"second" * 5)),
    "snappy-raw": (Compression.SNAPPY, xerial(CONTENT)[20:]),
    "lz4": (Compression.LZ4, lz4_frame(CONTENT)),
    "lz4-block-checksum": (Compression.LZ4, lz4_frame(CONTENT, block_checksum=True)),
    "zstd": (Compression.ZSTD, zstd_frame(CONTENT)),
    "zstd-sizes": (Compression.ZSTD, zstd_frame(CONTENT, content_size=True, checksum=True)),
    "zstd-frames": (Compression.ZSTD, zstd_frame(CONTENT) + zstd_frame(b"second" * 5, checksum=True)),
}
# Complete streams with an end mark: no prefix of them is complete.
GUARDED = ["gzip", "lz4", "lz4-block-checksum", "zstd", "zstd-sizes"]
LIMITS = Limits(max_decompressed_bytes=4096, zstd_window_log=22)


def outcome(decompress: Decompress, codec: Compression, data: bytes, magic: int) -> bytes | KafkafmtError:
    try:
        content = decompress(codec, data, magic=magic, limits=LIMITS)
    except KafkafmtError as error:
        return error
    assert type(content) is bytes
    assert len(content) <= LIMITS.max_decompressed_bytes
    return content


def flipped(data: bytes) -> Iterator[bytes]:
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        yield bytes(damaged)


@pytest.mark.parametrize("name", STREAMS)
def test_every_prefix_keeps_the_law(decompress: Decompress, name: str) -> None:
    codec, data = STREAMS[name]
    whole = decompress(codec, data, magic=2, limits=LIMITS)
    for length in range(len(data)):
        result = outcome(decompress, codec, data[:length], 2)
        assert isinstance(result, CorruptError) or (isinstance(result, bytes) and whole.startswith(result))


@pytest.mark.parametrize("name", GUARDED)
def test_every_prefix_of_a_guarded_stream_is_truncated(decompress: Decompress, name: str) -> None:
    codec, data = STREAMS[name]
    for length in range(0 if codec is not Compression.ZSTD else 1, len(data)):
        assert isinstance(outcome(decompress, codec, data[:length], 2), TruncatedError), length


@pytest.mark.volume
@pytest.mark.parametrize("magic", [0, 2])
@pytest.mark.parametrize("name", STREAMS)
def test_every_bit_flip_keeps_the_law(decompress: Decompress, name: str, magic: int) -> None:
    codec, data = STREAMS[name]
    results = [outcome(decompress, codec, damaged, magic) for damaged in flipped(data)]
    assert any(isinstance(result, CorruptError) for result in results)


@pytest.mark.parametrize("name", ["gzip", "zstd-sizes"])
def test_no_bit_flip_of_a_checked_stream_changes_the_content(decompress: Decompress, name: str) -> None:
    codec, data = STREAMS[name]
    assert {
        result for damaged in flipped(data) if isinstance(result := outcome(decompress, codec, damaged, 2), bytes)
    } <= {
        CONTENT,
        b"",
    }


@pytest.mark.parametrize("codec", list(Compression)[1:])
@given(data=st.binary(max_size=200), magic=st.sampled_from([0, 1, 2]))
def test_any_bytes_keep_the_law(decompress: Decompress, codec: Compression, data: bytes, magic: int) -> None:
    outcome(decompress, codec, data, magic)


@pytest.mark.slow
@pytest.mark.parametrize("name", STREAMS)
@given(
    changes=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 2), st.binary(max_size=6)), min_size=1, max_size=4),
    magic=st.sampled_from([0, 1, 2]),
)
def test_edited_streams_keep_the_law(
    decompress: Decompress, name: str, changes: list[tuple[int, int, bytes]], magic: int
) -> None:
    codec, data = STREAMS[name]
    for place, removed, inserted in changes:
        position = place % (len(data) + 1)
        data = data[:position] + inserted + data[position + removed :]
    outcome(decompress, codec, data, magic)


@given(st.binary(min_size=1, max_size=60), st.integers(0, 30))
def test_gzip_ignores_what_follows_and_is_no_header(decompress: Decompress, rest: bytes, zeros: int) -> None:
    follows = b"\0" * zeros + rest if rest.startswith(b"\x1f") else rest
    if follows.startswith(b"\x1f"):
        follows = b"\0" + follows
    data = compress(Compression.GZIP, CONTENT) + follows
    assert outcome(decompress, Compression.GZIP, data, 2) == CONTENT


def test_gzip_header_fields_longer_than_a_look_at_a_time(decompress: Decompress) -> None:
    plain = compress(Compression.GZIP, CONTENT)
    named = plain[:3] + b"\x08" + plain[4:10] + b"n" * 1000 + b"\0" + plain[10:]
    assert outcome(decompress, Compression.GZIP, named, 2) == CONTENT


def test_every_prefix_of_a_gzip_header_with_all_fields_is_truncated(decompress: Decompress) -> None:
    header = b"\x1f\x8b\x08\x1e" + bytes(6) + b"\x03\x00abc" + b"name\0" + b"comment\0"
    header += struct.pack("<H", zlib.crc32(header) & 0xFFFF)
    deflate = compress(Compression.GZIP, CONTENT)[10:]
    assert outcome(decompress, Compression.GZIP, header + deflate, 2) == CONTENT
    for length in range(len(header)):
        assert isinstance(outcome(decompress, Compression.GZIP, header[:length], 2), TruncatedError), length


def test_gzip_second_member_larger_than_the_first_window(decompress: Decompress) -> None:
    second = bytes(range(256)) * 12
    data = compress(Compression.GZIP, CONTENT) + gzip.compress(second, 0)
    assert outcome(decompress, Compression.GZIP, data, 2) == CONTENT + second


def test_snappy_size_is_refused_before_it_is_allocated(decompress: Decompress) -> None:
    block = b"\xff\xff\xff\xff\x0f" + b"\x08abc"
    for data in (block, xerial(b"x")[:16] + struct.pack(">i", len(block)) + block):
        result = outcome(decompress, Compression.SNAPPY, data, 2)
        assert isinstance(result, CorruptError)
        assert result.found == 2**32 - 1


def test_the_error_of_a_zstd_frame_does_not_depend_on_earlier_frames() -> None:
    # Its block is longer than the memory for it: the library says so only as long as it never needed more.
    frame = bytes.fromhex(
        "28b52ffd000005040092850e10d06538960544db492629654ae1016102c3c8972664434a3c43f5eae54fb7b34a22430a97a9e47cc4379"
        "3d35664f32193c7d5fa3e84100082402720a0d3141edbc8c8b8398ce04ec6c8989371c619cf38e38c670c32d632a3dcba2c089671c61"
        "9cb38e38c67ec8c9ccc46cbee70c30d77b4ed863b1c0c461ba7eb6f01"
    )
    texts = []
    for earlier in (b"small", random.Random(1).randbytes(3 << 20)):
        zstd.decompress(zstandard.ZstdCompressor(write_content_size=False).compress(earlier), Limits(), 2)
        with pytest.raises(CorruptError) as caught:
            zstd.decompress(frame, Limits(), 2)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
