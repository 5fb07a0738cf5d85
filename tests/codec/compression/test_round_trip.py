"""Data compressed by the libraries round-trips, in every framing that clients use, and from several threads."""

import gzip
import struct
import zlib
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import lz4.frame
import pytest
import snappy
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.codec.compression import Compression
from kafkafmt.limits import Limits
from tests.codec.compression.compressors import XERIAL_HEADER, compress, lz4_frame, xerial, zstd_frame
from tests.codec.compression.ways import Decompress


@cache
def zlib_noise(size: int) -> bytes:
    """Reproducible bytes that hardly compress."""
    noise = zlib.compress(b"".join(struct.pack("<I", index * 2654435761 % 2**32) for index in range(size)))
    return (noise * (size // len(noise) + 1))[:size]


# Runs and repetitions, so that every kind of block and element occurs; and sizes around the libraries' blocks.
CONTENTS = st.one_of(
    st.binary(max_size=500),
    st.lists(
        st.tuples(st.binary(min_size=1, max_size=12), st.integers(1, 4000)).map(lambda run: run[0] * run[1]), max_size=6
    ).map(b"".join),
    st.sampled_from([32768, 65535, 65536, 65537, 131072, 131073, 262144]).map(zlib_noise),
)
CODECS = [Compression.GZIP, Compression.SNAPPY, Compression.LZ4, Compression.ZSTD]


def back(decompress: Decompress, codec: Compression, data: bytes, magic: int = 2) -> bytes:
    return decompress(codec, data, magic=magic, limits=Limits())


@pytest.mark.slow
@pytest.mark.parametrize("codec", list(Compression))
@given(content=CONTENTS)
def test_what_the_producer_writes(decompress: Decompress, codec: Compression, content: bytes) -> None:
    data = compress(codec, content)
    assert back(decompress, codec, data) == content
    assert decompress(codec, memoryview(b"--" + data)[2:], magic=2, limits=Limits()) == content


@given(st.lists(CONTENTS, min_size=1, max_size=4), st.sampled_from([0, 1, 6, 9]))
def test_gzip_members(decompress: Decompress, contents: list[bytes], level: int) -> None:
    data = b"".join(gzip.compress(content, level, mtime=0) for content in contents)
    assert back(decompress, Compression.GZIP, data) == b"".join(contents)


@given(st.lists(CONTENTS, min_size=1, max_size=4), st.integers(1, 100_000))
def test_snappy_blocks_of_any_size_and_concatenated_streams(
    decompress: Decompress, contents: list[bytes], block_size: int
) -> None:
    block_size = max(block_size, max(map(len, contents)) // 50)
    data = b"".join(xerial(content, block_size) for content in contents)
    assert back(decompress, Compression.SNAPPY, data) == b"".join(contents)


@given(CONTENTS)
def test_snappy_raw_block_of_librdkafka(decompress: Decompress, content: bytes) -> None:
    assert back(decompress, Compression.SNAPPY, snappy.compress(content)) == content


@pytest.mark.slow
@pytest.mark.parametrize("block_checksum", [False, True])
@pytest.mark.parametrize("block_size", [4, 5, 6, 7])
@given(content=CONTENTS, magic=st.sampled_from([0, 1, 2]))
def test_lz4_block_sizes_and_checksums(
    decompress: Decompress, content: bytes, block_size: int, *, block_checksum: bool, magic: int
) -> None:
    data = lz4_frame(content, block_size=block_size, block_checksum=block_checksum)
    assert back(decompress, Compression.LZ4, data, magic) == content


@given(CONTENTS)
def test_lz4_frame_of_another_writer_with_content_size_and_checksum(decompress: Decompress, content: bytes) -> None:
    data = lz4.frame.compress(content, block_linked=False, content_checksum=True, store_size=True)
    assert back(decompress, Compression.LZ4, data) == content


@given(CONTENTS, st.integers(0, 255))
def test_lz4_header_checksum_counts_from_magic_1_on(decompress: Decompress, content: bytes, stored: int) -> None:
    data = bytearray(lz4_frame(content))
    right = data[6]
    data[6] = stored
    assert back(decompress, Compression.LZ4, bytes(data), 0) == content
    data[6] = right
    assert back(decompress, Compression.LZ4, bytes(data), 1) == content


@pytest.mark.slow
@pytest.mark.parametrize("checksum", [False, True])
@pytest.mark.parametrize("content_size", [False, True])
@given(contents=st.lists(CONTENTS, min_size=1, max_size=4), level=st.sampled_from([-5, 1, 3, 19]))
def test_zstd_frames(
    decompress: Decompress, contents: list[bytes], level: int, *, content_size: bool, checksum: bool
) -> None:
    frames = [zstd_frame(content, content_size=content_size, checksum=checksum, level=level) for content in contents]
    skippable = struct.pack("<II", 0x184D2A5F, 5) + b"skip!"
    assert back(decompress, Compression.ZSTD, skippable.join(frames)) == b"".join(contents)


def test_threads_do_not_disturb_each_other(decompress: Decompress) -> None:
    contents = [bytes((65 + index,)) * 3000 + zlib_noise(70_000 + index) for index in range(8)]
    jobs = [(codec, compress(codec, content), content) for codec in CODECS for content in contents] * 4
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda job: back(decompress, job[0], job[1]) == job[2], jobs)) == [True] * len(jobs)


def test_a_failed_batch_leaves_nothing_behind_in_the_thread(decompress: Decompress) -> None:
    for codec in CODECS:
        good = compress(codec, b"kafka " * 50)
        broken = good[: len(good) // 2] + bytes(byte ^ 0x55 for byte in good[len(good) // 2 :])
        for _ in range(3):
            with pytest.raises(Exception, match=codec.label):
                back(decompress, codec, broken)
            assert back(decompress, codec, good) == b"kafka " * 50


def test_no_compression_gives_the_data_as_bytes(decompress: Decompress) -> None:
    content = decompress(Compression.NONE, memoryview(b"as it is"), magic=2, limits=Limits())
    assert type(content) is bytes
    assert content == b"as it is"


def test_numbers_and_labels_are_kafkas() -> None:
    assert [(codec.value, codec.label) for codec in Compression] == list(
        enumerate(["none", "gzip", "snappy", "lz4", "zstd"])
    )


def test_a_xerial_header_alone_is_nothing(decompress: Decompress) -> None:
    assert back(decompress, Compression.SNAPPY, XERIAL_HEADER) == b""


@pytest.mark.parametrize("size", [(4 << 20) + 1, 9 << 20])
def test_lz4_that_is_decoded_in_pieces(size: int, decompress: Decompress) -> None:
    content = bytes(size)
    framed = lz4_frame(content, block_checksum=True)
    assert decompress(Compression.LZ4, framed, magic=2, limits=Limits()) == content
