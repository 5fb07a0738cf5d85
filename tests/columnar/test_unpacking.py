"""Batches decompressed by a kernel: the result equals that of `Scratch`, or the batch is left alone."""

import gzip
import random
import struct
import zlib
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import lz4.block
import lz4.frame
import numpy as np
import pyarrow as pa
import pytest
import snappy
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt
from kafkafmt.codec.compression import Compression
from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.codec.compression.scratch import Scratch
from kafkafmt.columnar import libraries as c_functions
from kafkafmt.columnar import payloads
from kafkafmt.columnar.headers import Batches
from kafkafmt.columnar.kernels import unpack
from kafkafmt.columnar.libraries import Libraries, libraries
from kafkafmt.errors import KafkafmtError
from kafkafmt.limits import Limits
from kafkafmt.reference.record_batch import SMALLEST_RECORD
from tests.codec.compression.compressors import XERIAL_HEADER, compress, lz4_frame, xerial, zstd_frame
from tests.columnar.decoding import assert_same, columnar, headers
from tests.engines import Engine
from tests.reference.builder import R, batch

NONE, GZIP, SNAPPY, LZ4, ZSTD = list(Compression)[:5]
CODECS = [GZIP, SNAPPY, LZ4, ZSTD]
GUARD = 1 << 17
ENOUGH = 1 << 22
MANY = 1 << 20
LIBRARIES = libraries()

pytestmark = pytest.mark.skipif(
    not (LIBRARIES.lz4 and LIBRARIES.zstd and LIBRARIES.inflate), reason="the wheels export too little here"
)


def unpacked(
    batches: Batches,
    *,
    room: int = ENOUGH,
    enough: int = ENOUGH,
    most: int = MANY,
    window_log: int = Limits().zstd_window_log,
    checked: bool = True,
) -> tuple[int, list[bytes]]:
    """The number of batches the kernel processes, and the decompressed contents; no other byte may be written."""
    around = np.full(room + SLACK + 2 * GUARD, 0xA5, np.uint8)
    target = around[GUARD : GUARD + room + SLACK]
    count = len(batches)
    numbers, edges = np.full(count, -1, np.int64), np.zeros(count + 1, np.int64)
    source = np.frombuffer(batches.data.toreadonly(), np.uint8)
    chosen = batches.headers["num_records"] > 0
    bounds = (enough, most, MANY, 1 << 20, MANY, window_log)
    over, found = unpack(
        LIBRARIES,
        source,
        batches.starts,
        batches.ends,
        batches.headers,
        chosen,
        np.full(count, checked),
        bounds,
        target,
        numbers,
        edges,
    )
    assert numbers[:found].tolist() == np.flatnonzero(chosen[:over]).tolist()
    assert (around[:GUARD] == 0xA5).all()
    assert (around[GUARD + room + SLACK :] == 0xA5).all()
    return over, [bytes(target[begin:end]) for begin, end in pairwise(edges[: found + 1])]


def one(
    codec: Compression,
    payload: bytes,
    *,
    room: int = ENOUGH,
    most: int = MANY,
    behind: bytes = bytes(SLACK),
    window_log: int = Limits().zstd_window_log,
) -> bytes | None:
    """The kernel's output for a payload, whatever its records are; None if it leaves the payload alone."""
    batches = headers(batch(count=1, attributes=codec, payload=payload), behind)
    assert len(batches) == 1
    over, found = unpacked(batches, room=room, most=most, window_log=window_log)
    return found[0] if over else None


CONTENTS = {
    "little": b"a little text",
    "text": b"checkout cart order payment " * 900,
    "words": b" ".join(b"%x" % (n * n % 7919) for n in range(9000)),
    "no room for packing": random.Random(1).randbytes(150_000),
    "both": random.Random(2).randbytes(70_000) + bytes(200_000) + b"end",
    "whole blocks": bytes(3 * 65536),
    "short patterns": b"".join(bytes(range(n)) * (200 // n) for n in range(1, 40)),
}


def _gzip_fixed(content: bytes) -> bytes:
    compressor = zlib.compressobj(6, zlib.DEFLATED, 31, strategy=zlib.Z_FIXED)
    return compressor.compress(content) + compressor.flush()


WAYS: list[tuple[Compression, str, Callable[[bytes], bytes]]] = [
    *((codec, "as Kafka does", lambda content, codec=codec: compress(codec, content)) for codec in CODECS),
    (GZIP, "stored", lambda content: gzip.compress(content, 0)),
    (GZIP, "fixed codes", _gzip_fixed),
    (SNAPPY, "raw", snappy.compress),
    (SNAPPY, "blocks of 999", lambda content: xerial(content, 999)),
    (LZ4, "large blocks", lambda content: lz4_frame(content, block_size=lz4.frame.BLOCKSIZE_MAX4MB)),
    (LZ4, "a content checksum", lambda content: frame(content, checksum=True)),
    (LZ4, "level 9", lambda content: frame(content, lz4.frame.BLOCKSIZE_MAX256KB, 9)),
    (ZSTD, "level 1", lambda content: zstd_frame(content, level=1)),
    (ZSTD, "level 19", lambda content: zstd_frame(content, level=19)),
]


def frame(content: bytes, size: int = lz4.frame.BLOCKSIZE_MAX64KB, level: int = 0, *, checksum: bool = False) -> bytes:
    framed: bytes = lz4.frame.compress(
        content,
        block_size=size,
        block_linked=False,
        compression_level=level,
        content_checksum=checksum,
        store_size=False,
    )
    return framed


def blocks(*stored: tuple[bytes, bool], start: bytes = frame(b"")[:7], end: bytes = bytes(4)) -> bytes:
    """An LZ4 frame of such blocks, each compressed or stored."""
    sized = (struct.pack("<I", len(data) | (0 if packed else 1 << 31)) + data for data, packed in stored)
    return start + b"".join(sized) + end


def packed(content: bytes) -> bytes:
    block: bytes = lz4.block.compress(content, store_size=False)
    return block


@pytest.mark.parametrize(("codec", "way"), [(codec, way) for codec, way, _ in WAYS])
@pytest.mark.parametrize("name", CONTENTS)
def test_ordinary_payloads(name: str, codec: Compression, way: str) -> None:
    content = CONTENTS[name]
    payload = next(make for of, called, make in WAYS if (of, called) == (codec, way))(content)
    if len(payload) < 16:
        payload = compress(codec, content)  # a shorter raw snappy block is not ordinary
    assert one(codec, payload) == content
    assert one(codec, payload, room=len(content)) == content
    assert one(codec, payload, room=len(content) - 1) is None
    assert one(codec, payload, most=len(content)) == content
    assert one(codec, payload, most=len(content) - 1) is None
    # Kafka ignores bytes after an LZ4 frame; for other codecs another check handles them.
    assert one(codec, payload + b"what follows") == (content if codec is LZ4 else None)


def test_odd_frames_of_lz4_are_left_alone() -> None:
    good = packed(b"0123456789" * 5)
    assert one(LZ4, blocks((good, True), (b"as it is", False))) == b"0123456789" * 5 + b"as it is"
    start = frame(b"")[:7]
    odd = {
        "empty": blocks(),
        "no block": start,
        "no size behind a block": blocks((good, True), end=b""),
        "half a size": blocks((good, True), end=b"\0\0"),
        "an empty block": blocks((b"\0", True), (good, True)),
        "a block of nothing as it is": blocks((b"", False), (good, True)),
        "a broken block": blocks((good[:-3], True)),
        "a block beyond the end": blocks((good, True))[:-10],
        "a block larger than allowed": blocks((bytes(65537), False)),
        "a block that holds more than allowed": blocks((packed(bytes(65537)), True)),
        "a wrong header checksum": blocks((good, True), start=start[:6] + b"\0"),
        "block checksums": lz4.frame.compress(b"text" * 99, block_checksum=True, block_linked=False),
        "linked blocks": lz4.frame.compress(b"text" * 99_000, block_linked=True),
        "a content size": lz4.frame.compress(b"text" * 99, block_linked=False, store_size=True),
        "no frame": b"\x05" + start[1:] + blocks((good, True))[7:],
        "no content checksum": frame(b"text" * 99, checksum=True)[:-1],
        "a size of 2^31 - 1": start + struct.pack("<I", 2**31 - 1) + good,
        "a size of 2^32 - 1": start + struct.pack("<I", 2**32 - 1) + good,
    }
    for name, payload in odd.items():
        assert one(LZ4, payload) is None, name
        assert columnar(headers(batch(attributes=LZ4, count=1, payload=payload)))[1] == 0, name


def raw(size: int, *elements: bytes) -> bytes:
    """A snappy block in xerial's framing, with a size of one or two bytes."""
    block = bytes((size,) if size < 128 else (size & 127 | 128, size >> 7)) + b"".join(elements)
    return XERIAL_HEADER + struct.pack(">i", len(block)) + block


def test_blocks_of_snappy_element_by_element() -> None:
    literal = b"\x1c01234567"
    text = b"01234567"
    whole = {
        "a literal": (raw(8, literal), text),
        "a near copy": (raw(12, literal, b"\x01\x08"), text + b"0123"),
        "a far copy": (raw(18, literal, b"\x26\x03\x00"), text + b"5675675675"),
        "the farthest kind": (raw(11, literal, b"\x0b\x01\x00\x00\x00"), text + b"777"),
        "a literal of one byte of size": (raw(100, b"\xf0\x63" + b"a" * 100), b"a" * 100),
        "a literal of four bytes of size": (raw(70, b"\xfc\x45\0\0\0" + b"b" * 70), b"b" * 70),
        "overlapping": (raw(72, literal, b"\xfe\x08\x00"), text * 9),
    }
    for name, (payload, content) in whole.items():
        assert one(SNAPPY, payload) == content, name
    odd = {
        "more than declared": raw(7, literal),
        "less than declared": raw(9, literal),
        "a copy of nothing before": raw(12, b"\x01\x08", literal),
        "a copy from before the block": raw(12, literal, b"\x01\x09"),
        "a copy at no distance": raw(12, literal, b"\x01\x00"),
        "a copy beyond the size": raw(11, literal, b"\x01\x08"),
        "a literal beyond the end": raw(9, b"\x20" + text),
        "half a far copy": raw(18, literal, b"\x26\x03"),
        "half of the farthest kind": raw(11, literal, b"\x0b\x01\x00\x00"),
        "a large literal beyond the end": raw(100, b"\xf0\x63" + b"a" * 99),
        "a literal of 4 GB": raw(70, b"\xfc\xff\xff\xff\xff" + b"b" * 70),
        "bytes behind the size": raw(8, literal, b"\x01"),
        "more than it can hold": raw(16383, literal),
        "a size of five bytes": XERIAL_HEADER + struct.pack(">i", 14) + b"\x88\x80\x80\x80\x00" + literal,
        "no end of the size": XERIAL_HEADER + struct.pack(">i", 1) + b"\x88",
        "a length of zero": raw(8, literal) + bytes(4),
        "a negative length": raw(8, literal) + b"\xff\xff\xff\xff",
        "half a length": raw(8, literal) + b"\0\0",
        "a length beyond the end": raw(8, literal)[:-1],
        "two headers": raw(8, literal) + raw(8, literal),
        "no chunk": XERIAL_HEADER,
    }
    for name, payload in odd.items():
        assert one(SNAPPY, payload) is None, name
    assert one(SNAPPY, raw(8, literal), behind=bytes(SLACK - 1)) is None


def test_odd_members_of_gzip_are_left_alone() -> None:
    content = b"text " * 99
    good = gzip.compress(content, mtime=0)
    streaming = zlib.compressobj(6, zlib.DEFLATED, 31)
    unfinished = streaming.compress(content) + streaming.flush(zlib.Z_SYNC_FLUSH)
    odd = {
        "two members": good + good,
        "a name": good[:3] + b"\x08" + good[4:10] + b"name\0" + good[10:],
        "no last block": unfinished + good[-8:],
        "a wrong CRC": good[:-8] + b"\0\0\0\0" + good[-4:],
        "a size that is larger": good[:-4] + struct.pack("<I", len(content) + 1),
        "a size that is smaller": good[:-4] + struct.pack("<I", len(content) - 1),
        "no trailer": good[:-8],
        "a byte between stream and trailer": good[:-8] + b"\0" + good[-8:],
        "another method": good[:2] + b"\x07" + good[3:],
        "a broken stream": good[:12] + b"\xff" * 8 + good[20:],
        "no stream": good[:10] + good[-8:],
        "nothing in it": gzip.compress(b""),
    }
    for name, payload in odd.items():
        assert one(GZIP, payload) is None, name


def test_odd_frames_of_zstd_are_left_alone() -> None:
    content = b"text " * 99
    good = zstd_frame(content)
    skippable = struct.pack("<II", 0x184D2A50, 4) + b"skip"
    odd = {
        "two frames": good + good,
        "a skippable frame first": skippable + good,
        "a skippable frame last": good + skippable,
        "a content size": zstd_frame(content, content_size=True),
        "a checksum": zstd_frame(content, checksum=True),
        "a reserved bit": good[:4] + b"\x08" + good[5:],
        "cut off": good[:-1],
        "an unknown block": good[:6] + bytes((good[6] | 6,)) + good[7:],
    }
    for name, payload in odd.items():
        assert one(ZSTD, payload) is None, name
    log = 10 + (good[5] >> 3)
    assert [one(ZSTD, good, window_log=most) for most in (log, log + 1)] == [None, content]
    # A block that refers to data beyond its window, which a stream decoder does not have.
    small = zstandard.ZstdCompressor(
        compression_params=zstandard.ZstdCompressionParameters(window_log=10, write_content_size=False)
    )
    stream = small.compressobj()
    windows = stream.compress(content * 9) + stream.flush()
    assert windows[5] >> 3 == 0
    assert one(ZSTD, windows) is None
    assert columnar(headers(batch([R(0, value=content * 9)], attributes=ZSTD)))[1] == 1


def mutated(payload: bytes, rnd: random.Random) -> bytes:
    changed = bytearray(payload)
    for _ in range(rnd.choice((0, 1, 1, 2, 5))):
        at = rnd.randrange(min(len(changed), rnd.choice((12, 40, 1 << 20))))
        changed[at] = rnd.choice((0, 255, changed[at] ^ 1 << rnd.randrange(8)))
    del changed[rnd.choice((len(changed), len(changed), rnd.randrange(1, len(changed)))) :]
    return bytes(changed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("codec", CODECS)
def test_whatever_the_bytes_are_it_is_what_scratch_makes_of_them(codec: Compression, seed: int) -> None:
    rnd = random.Random(seed)
    ways = [make for of, _, make in WAYS if of is codec]
    taken = refused = 0
    for _ in range(300):
        content = CONTENTS[rnd.choice(["little", "text", "words", "both", "short patterns"])]
        payload = mutated(rnd.choice(ways)(content), rnd)
        found = one(codec, payload, behind=rnd.randbytes(rnd.choice((0, 1, SLACK))))
        scratch = Scratch(Limits())
        if found is None:
            refused += 1
            continue
        taken += 1
        assert scratch.add(codec, payload, 2) == len(found)
        assert bytes(scratch.content()[:-SLACK]) == found
    assert taken > 20
    assert refused > 20


@st.composite
def elements(draw: st.DrawFn) -> bytes:
    """Snappy elements, most of them valid; other code decides which."""
    written = 0
    found = bytearray()
    for _ in range(draw(st.integers(1, 12))):
        length = draw(st.integers(1, 64))
        if written == 0 or draw(st.booleans()):
            literal = draw(st.binary(min_size=length, max_size=length))
            found += (bytes(((length - 1) << 2,)) if length <= 60 else bytes((60 << 2, length - 1))) + literal
        else:
            distance = draw(st.one_of(st.integers(1, written), st.integers(0, 70_000)))
            kind = draw(st.integers(1, 3))
            if kind == 1:
                length = draw(st.integers(4, 11))
                found += bytes((distance >> 8 & 7) << 5 | length - 4 << 2 | 1 for _ in "1") + bytes((distance & 255,))
            else:
                found += bytes(((length - 1) << 2 | kind,)) + (distance & (1 << 16 * (kind - 1)) - 1).to_bytes(
                    2 * (kind - 1), "little"
                )
        written += length
    size = written + draw(st.sampled_from((0, 0, 0, 0, 1, -1)))
    return raw(min(size, 16383), bytes(found))


@pytest.mark.hypothesis
@given(elements(), st.binary(min_size=SLACK, max_size=SLACK))
def test_elements_of_snappy_are_what_scratch_makes_of_them(payload: bytes, behind: bytes) -> None:
    scratch = Scratch(Limits())
    try:
        scratch.add(SNAPPY, payload, 2)
        expected: bytes | None = bytes(scratch.content()[:-SLACK])
    except KafkafmtError:
        expected = None
    if expected is not None and len(expected) < SMALLEST_RECORD:
        expected = None  # as there is a record in it
    assert one(SNAPPY, payload, behind=behind) == expected


def compressed(number: int, codec: Compression, crc: int | None = None) -> bytes:
    return batch([R(0, value=b"%d" % number * 50)], attributes=codec, crc=crc)


def test_it_stops_in_front_of_what_is_broken() -> None:
    good = b"".join(compressed(number, codec) for number, codec in enumerate([NONE, *CODECS]))
    none = batch([], attributes=LZ4, payload=b"", last_offset_delta=0)
    assert unpacked(headers(good))[0] == 5
    assert len(unpacked(headers(good + none + good))[1]) == 10
    two = zstd_frame(batch([R(0)])[61:]) * 2
    for odd in (compressed(1, LZ4, crc=7), batch(count=1, attributes=ZSTD, payload=two)):
        over, found = unpacked(headers(good + odd + good))
        assert (over, len(found)) == (5, 5)
        assert assert_same(headers(good + odd + good), checked=[True] * 11) in (5, 11)
    assert unpacked(headers(good + compressed(1, LZ4, crc=7)), checked=False)[0] == 6
    assert unpacked(headers(good), enough=200)[0] == 3
    # Uncompressed data is copied only if readable bytes follow.
    assert unpacked(headers(compressed(1, NONE), b""))[0] == 0


@pytest.mark.parametrize("codec", [NONE, *CODECS])
def test_few_that_are_left_are_taken_with_the_others(codec: Compression) -> None:
    size = len(batch([R(0, value=b"v" * 1000)])) - 61
    log = headers(b"".join(batch([R(0, value=b"v" * 1000)], attributes=codec) for _ in range(100)))
    over = [unpacked(log, enough=most * size)[0] for most in (100, 95, 85, 79, 60)]
    assert over == [100, 100, 100, 79, 60]


@pytest.mark.parametrize("wanted", [[True] * 9, [True, False] * 4 + [True], [False] * 8 + [True]])
@pytest.mark.parametrize("there_are_functions", [True, False])
@pytest.mark.parametrize("codec", CODECS)
def test_side_by_side_with_the_reference_engine(
    codec: Compression, wanted: list[bool], there_are_functions: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not there_are_functions:
        monkeypatch.setattr(payloads, "libraries", Libraries)
    data = b"".join(
        batch([R(n, n, b"k%d" % n, b"v" * 40 * number) for n in range(9)], base_offset=9 * number, attributes=codec)
        for number in range(9)
    )
    assert assert_same(headers(data), wanted=wanted) == 9
    assert assert_same(headers(data), limits=Limits(max_decompressed_bytes=2000)) in range(2, 9)
    rows = [columnar(headers(data), limits=Limits(max_decompressed_bytes=most))[1] for most in (10, 10_000)]
    assert rows == [0, 9]


@pytest.mark.slow
def test_scans_are_the_same_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rnd = random.Random(3)
    data = b"".join(
        batch(
            [R(n, n, rnd.randbytes(9), rnd.randbytes(20) * rnd.randrange(200)) for n in range(rnd.randrange(1, 60))],
            attributes=rnd.choice(list(Compression)),
        )
        for _ in range(400)
    )
    log = tmp_path / "a.log"
    log.write_bytes(data)
    found: list[pa.Table] = [kafkafmt.scan(log).to_table()]
    # A different limit, so that no decoder left by an earlier scan is reused.
    limits = Limits(max_headers_per_record=12345)
    for there in (Libraries(), LIBRARIES._replace(zstd=0), LIBRARIES._replace(lz4=0, inflate=0)):
        limits = Limits(max_headers_per_record=limits.max_headers_per_record + 1)
        monkeypatch.setattr(payloads, "libraries", lambda there=there: there)
        found.append(kafkafmt.scan(log, limits=limits).to_table())
    found.append(kafkafmt.scan(log, engine="reference").to_table())
    assert all(table.equals(found[0]) for table in found)


@pytest.fixture
def _nothing_known() -> Iterator[None]:
    known = c_functions._lz4, c_functions._zstd_library, c_functions._inflate_library
    for function in known:
        function.cache_clear()
    yield
    for function in known:
        function.cache_clear()


@pytest.mark.usefixtures("_nothing_known")
def test_wheels_that_export_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Library:
        def __init__(self, _: str) -> None:
            pass

    monkeypatch.setattr("ctypes.CDLL", Library)
    assert [*map(int, libraries()[:2]), libraries().inflate] == [0, 0, 0]


@pytest.mark.usefixtures("_nothing_known")
def test_functions_that_do_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_functions, "_TEXT", b"hallo hallo hallo hallo")
    assert [*map(int, libraries()[:2]), libraries().inflate] == [0, 0, 0]


@pytest.mark.usefixtures("_nothing_known")
def test_wheels_without_their_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_functions, "find_spec", lambda _: None)
    assert [*map(int, libraries()[:2]), libraries().inflate] == [0, 0, 0]


@pytest.mark.parametrize("codec", CODECS)
def test_broken_payloads_have_the_errors_of_the_reference_engine(codec: Compression, tmp_path: Path) -> None:
    good = compressed(1, codec)
    payload = bytearray(good[61:])
    payload[-12] ^= 0xFF
    payload[-11] ^= 0xFF
    log = tmp_path / "a.log"
    log.write_bytes(good * 30 + batch(count=1, attributes=codec, payload=bytes(payload)) + good * 30)
    errors = []
    engines: tuple[Engine, ...] = ("columnar", "reference")
    for engine in engines:
        with pytest.raises(KafkafmtError) as caught:
            kafkafmt.scan(log, engine=engine).to_table()
        errors.append((type(caught.value), str(caught.value), caught.value.position))
    assert errors[0] == errors[1]
