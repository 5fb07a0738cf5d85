"""The limits: exactly the limit passes, one byte more does not; windows; and bombs in little memory."""

import gzip
import json
import os
import struct
import subprocess
import sys

import pytest
import snappy

from kafkafmt.codec.compression import Compression
from kafkafmt.codec.compression.buffer import CappedOutput
from kafkafmt.errors import LimitExceededError
from kafkafmt.limits import Limits
from tests.codec.compression.compressors import compress, xerial, zstd_frame
from tests.codec.compression.ways import WAYS, Decompress

CODECS = list(Compression)[1:]


def run_alone(program: str, *arguments: str) -> str:
    """Run a program in a separate process, to measure its peak memory separately."""
    finished = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@pytest.mark.parametrize("size", [1, 1000, 65536, 200_000])
@pytest.mark.parametrize("codec", CODECS)
def test_the_limit_itself_passes_and_one_byte_more_does_not(
    decompress: Decompress, codec: Compression, size: int
) -> None:
    data = compress(codec, b"z" * size)
    assert decompress(codec, data, magic=2, limits=Limits(max_decompressed_bytes=size)) == b"z" * size
    data = compress(codec, b"z" * (size + 1))
    with pytest.raises(LimitExceededError) as caught:
        decompress(codec, data, magic=2, limits=Limits(max_decompressed_bytes=size))
    assert caught.value.expected == size
    assert isinstance(caught.value.found, int)
    assert size < caught.value.found <= size + 1


@pytest.mark.parametrize(
    ("codec", "first", "second"),
    [
        (Compression.GZIP, gzip.compress(b"a" * 600, mtime=0), gzip.compress(b"b" * 600, mtime=0)),
        (Compression.SNAPPY, xerial(b"a" * 600), xerial(b"b" * 600)),
        (Compression.ZSTD, zstd_frame(b"a" * 600), zstd_frame(b"b" * 600, content_size=True)),
    ],
    ids=["gzip", "snappy", "zstd"],
)
def test_what_is_concatenated_is_added_up(
    decompress: Decompress, codec: Compression, first: bytes, second: bytes
) -> None:
    data = first + second
    assert decompress(codec, data, magic=2, limits=Limits(max_decompressed_bytes=1200)) == b"a" * 600 + b"b" * 600
    with pytest.raises(LimitExceededError):
        decompress(codec, data, magic=2, limits=Limits(max_decompressed_bytes=1199))


@pytest.mark.parametrize("codec", CODECS)
def test_a_limit_beyond_all_memory_is_no_reason_to_ask_for_it(decompress: Decompress, codec: Compression) -> None:
    limits = Limits(max_decompressed_bytes=2**70)
    assert decompress(codec, compress(codec, b"z" * 5000), magic=2, limits=limits) == b"z" * 5000


@pytest.mark.parametrize("log", [10, 20, 27, 31])
def test_zstd_window_at_the_limit_passes_and_the_next_does_not(decompress: Decompress, log: int) -> None:
    def frame(descriptor: int) -> bytes:
        return b"\x28\xb5\x2f\xfd\x00" + bytes((descriptor,)) + b"\x19\x00\x00abc"

    limits = Limits(zstd_window_log=log)
    assert decompress(Compression.ZSTD, frame(log - 10 << 3), magic=2, limits=limits) == b"abc"
    for data in (frame(log - 10 << 3 | 1), frame(log - 10 << 3) + frame(log - 9 << 3)):
        with pytest.raises(LimitExceededError, match="window") as caught:
            decompress(Compression.ZSTD, data, magic=2, limits=limits)
        assert caught.value.expected == 1 << log


def test_zstd_single_segment_is_its_own_window(decompress: Decompress) -> None:
    content = b"w" * 5000
    data = zstd_frame(content, content_size=True)
    assert data[4] & 0x20
    assert decompress(Compression.ZSTD, data, magic=2, limits=Limits(zstd_window_log=13)) == content
    with pytest.raises(LimitExceededError, match="window") as caught:
        decompress(Compression.ZSTD, data, magic=2, limits=Limits(zstd_window_log=12))
    assert (caught.value.expected, caught.value.found) == (4096, 5000)


def test_parts_are_gathered_with_empty_ones_in_between() -> None:
    output = CappedOutput("gzip", Limits(max_decompressed_bytes=10))
    assert output.content() == b""
    for part in (b"", b"abc", b"", b"def", b"", b"g"):
        output.add(part)
    assert output.content() == b"abcdefg"
    assert output.room == 3
    with pytest.raises(LimitExceededError) as caught:
        output.expect(4)
    assert (caught.value.expected, caught.value.found) == (10, 11)


# Each bomb is 1 GiB of zeros, made by repeating one small compressed piece.
BOMBS = """
from tests.peak_memory import peak
import gzip, json, struct, sys, zlib
import lz4.frame, snappy
from kafkafmt.codec.compression import Compression
from kafkafmt.errors import LimitExceededError
from kafkafmt.limits import Limits
from tests.codec.compression.ways import WAYS

GIB, MIB = 1 << 30, 1 << 20

def gzip_member():
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = deflate.compress(bytes(MIB)) + deflate.flush(zlib.Z_FULL_FLUSH)
    return gzip.compress(b"")[:10] + piece * (GIB // MIB) + deflate.flush() + bytes(4) + struct.pack("<I", GIB)

def gzip_members():
    return gzip.compress(bytes(MIB), 9) * (GIB // MIB)

def snappy_block():
    size = bytearray()
    rest = GIB
    while rest >= 0x80:
        size.append(rest & 0x7F | 0x80)
        rest >>= 7
    size.append(rest)
    return bytes(size) + b"\\x00\\x00" + b"\\xfe\\x01\\x00" * (GIB // 64)

def snappy_chunks():
    block = snappy.compress(bytes(32768))
    chunk = struct.pack(">i", len(block)) + block
    return b"\\x82SNAPPY\\x00" + struct.pack(">ii", 1, 1) + chunk * (GIB // 32768)

def snappy_streams():
    block = snappy.compress(bytes(MIB))
    return (b"\\x82SNAPPY\\x00" + struct.pack(">ii", 1, 1) + struct.pack(">i", len(block)) + block) * (GIB // MIB)

def lz4_blocks():
    frame = lz4.frame.compress(bytes(4 * MIB), block_linked=False, block_size=7, store_size=False)
    return frame[:7] + frame[7:-4] * (GIB // (4 * MIB)) + bytes(4)

def zstd_frame(blocks):
    rle = struct.pack("<I", 131072 << 3 | 2)[:3] + b"\\0"
    return b"\\x28\\xb5\\x2f\\xfd\\x00\\x38" + rle * (blocks - 1) + bytes([rle[0] | 1]) + rle[1:]

BOMBS = {
    "gzip": [gzip_member, gzip_members],
    "snappy": [snappy_block, snappy_chunks, snappy_streams],
    "lz4": [lz4_blocks],
    "zstd": [lambda: zstd_frame(8192), lambda: zstd_frame(8) * 1024],
}
answers = []
for make in BOMBS[sys.argv[1]]:
    bomb = make()
    try:
        WAYS[sys.argv[2]](Compression[sys.argv[1].upper()], bomb, magic=2, limits=Limits())
        answers.append("result")
    except LimitExceededError as error:
        answers.append([error.expected, error.found > error.expected])
    del bomb
print(json.dumps({"answers": answers, "peak": peak()}))
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize(("codec", "bombs"), [("gzip", 2), ("snappy", 3), ("lz4", 1), ("zstd", 2)])
def test_bombs_of_1_gib_end_at_the_limit_in_less_than_400_mib(codec: str, bombs: int, way: str) -> None:
    report = json.loads(run_alone(BOMBS, codec, way))
    assert report["answers"] == [[100 * 1024 * 1024, True]] * bombs
    assert report["peak"] < 400 * 1024 * 1024


MANY_SMALL = """
from tests.peak_memory import peak
import struct, sys
import snappy
from kafkafmt.codec.compression import Compression
from kafkafmt.limits import Limits
from tests.codec.compression.ways import WAYS
block = snappy.compress(b"ab")
data = b"\\x82SNAPPY\\x00" + struct.pack(">ii", 1, 1) + (struct.pack(">i", len(block)) + block) * 500_000
before = peak()
assert WAYS[sys.argv[1]](Compression.SNAPPY, data, magic=2, limits=Limits()) == b"ab" * 500_000
print(peak() - before)
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", list(WAYS))
def test_half_a_million_tiny_blocks_take_hardly_more_than_their_content(way: str) -> None:
    assert int(run_alone(MANY_SMALL, way)) < 8 * 1024 * 1024


def test_snappy_block_within_the_ratio_yet_beyond_the_limit_is_refused_by_its_declared_size(
    decompress: Decompress,
) -> None:
    block = snappy.compress(bytes(50_000))
    data = compress(Compression.SNAPPY, b"")[:16] + struct.pack(">i", len(block)) + block
    with pytest.raises(LimitExceededError) as caught:
        decompress(Compression.SNAPPY, data, magic=2, limits=Limits(max_decompressed_bytes=40_000))
    assert (caught.value.expected, caught.value.found) == (40_000, 50_000)
