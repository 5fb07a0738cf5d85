"""LZ4 frames by a kernel: what it takes is what `Scratch` makes of it, and what is broken or odd it leaves alone."""

import random
import struct
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import lz4.block
import lz4.frame
import numpy as np
import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt.codec.compression import Compression
from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.codec.compression.scratch import Scratch
from kafkafmt.columnar import payloads, unpacking
from kafkafmt.columnar.headers import Batches
from kafkafmt.columnar.unpacking import LZ4_FUNCTION, unpack
from kafkafmt.errors import KafkafmtError
from kafkafmt.limits import Limits
from tests.columnar.decoding import assert_same, columnar, headers
from tests.engines import Engine
from tests.reference.builder import R, batch

LZ4 = Compression.LZ4.value
GUARD = 1 << 17
ENOUGH = 1 << 22
MANY = 1 << 20

pytestmark = pytest.mark.skipif(not LZ4_FUNCTION, reason="the lz4 wheel exports nothing here")


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
    """A frame of such blocks; each is compressed, or as it is."""
    sized = (struct.pack("<I", len(data) | (0 if packed else 1 << 31)) + data for data, packed in stored)
    return start + b"".join(sized) + end


def packed(content: bytes) -> bytes:
    block: bytes = lz4.block.compress(content, store_size=False)
    return block


def unpacked(
    batches: Batches, *, room: int = ENOUGH, enough: int = ENOUGH, most: int = MANY, checked: bool = True
) -> tuple[int, list[bytes]]:
    """How many batches the kernel goes over, and what those hold that it decompresses; nothing else is written."""
    around = np.full(room + SLACK + 2 * GUARD, 0xA5, np.uint8)
    target = around[GUARD : GUARD + room + SLACK]
    count = len(batches)
    numbers, edges = np.full(count, -1, np.int64), np.zeros(count + 1, np.int64)
    source = np.frombuffer(batches.data.toreadonly(), np.uint8)
    chosen = batches.headers["num_records"] > 0
    bounds = (enough, most, MANY, 1 << 20, MANY)
    over, found = unpack(
        LZ4_FUNCTION,
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


def one(payload: bytes, *, room: int = ENOUGH, most: int = MANY, behind: bytes = bytes(SLACK)) -> bytes | None:
    """What the kernel makes of a payload, whatever its records are; None if it leaves it alone."""
    batches = headers(batch(count=1, attributes=LZ4, payload=payload), behind)
    assert len(batches) == 1
    over, found = unpacked(batches, room=room, most=most)
    return found[0] if over else None


CONTENTS = {
    "little": b"a little text",
    "text": b"checkout cart order payment " * 900,
    "no room for packing": random.Random(1).randbytes(150_000),
    "both": random.Random(2).randbytes(70_000) + bytes(200_000) + b"end",
    "whole blocks": bytes(3 * 65536),
}
WAYS: dict[str, Callable[[bytes], bytes]] = {
    "as Kafka does": frame,
    "large blocks": lambda content: frame(content, lz4.frame.BLOCKSIZE_MAX4MB),
    "with a checksum": lambda content: frame(content, checksum=True),
    "level 9": lambda content: frame(content, lz4.frame.BLOCKSIZE_MAX256KB, 9),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CONTENTS)
def test_ordinary_frames(name: str, way: str) -> None:
    content = CONTENTS[name]
    payload = WAYS[way](content)
    assert one(payload) == content
    assert one(payload + b"what follows the frame") == content
    assert one(payload, room=len(content)) == content
    assert one(payload, room=len(content) - 1) is None
    assert one(payload, most=len(content)) == content
    assert one(payload, most=len(content) - 1) is None


def test_odd_frames_are_left_alone() -> None:
    good = packed(b"0123456789" * 5)
    assert one(blocks((good, True), (b"as it is", False))) == b"0123456789" * 5 + b"as it is"
    start = frame(b"")[:7]
    odd = {
        "empty": blocks(),
        "no bytes": b"",
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
        if payload:
            assert one(payload) is None, name
        assert columnar(headers(batch(attributes=LZ4, count=1, payload=payload)))[1] == 0, name


@pytest.mark.parametrize("seed", range(8))
def test_whatever_the_bytes_are_it_is_what_scratch_makes_of_them(seed: int) -> None:
    rnd = random.Random(seed)
    taken = refused = 0
    for _ in range(300):
        payload = bytearray(WAYS[rnd.choice(list(WAYS))](CONTENTS[rnd.choice(["little", "text", "both"])]))
        for _ in range(rnd.choice((0, 1, 1, 2, 5))):
            at = rnd.randrange(min(len(payload), rnd.choice((12, 40, 1 << 20))))
            payload[at] = rnd.choice((0, 255, payload[at] ^ 1 << rnd.randrange(8)))
        del payload[rnd.choice((len(payload), len(payload), rnd.randrange(1, len(payload)))) :]
        found = one(bytes(payload), behind=rnd.randbytes(rnd.choice((0, 1, SLACK))))
        scratch = Scratch(Limits())
        if found is None:
            refused += 1
            continue
        taken += 1
        assert scratch.add(LZ4, bytes(payload), 2) == len(found)
        assert bytes(scratch.content()[:-SLACK]) == found
    assert taken > 20
    assert refused > 20


def test_it_stops_in_front_of_what_is_broken_or_of_another_codec() -> None:
    def lz4_batch(number: int, crc: int | None = None) -> bytes:
        return batch([R(0, value=b"%d" % number * 50)], attributes=LZ4, crc=crc)

    good = b"".join(map(lz4_batch, range(5)))
    none = batch([], attributes=LZ4, payload=b"", last_offset_delta=0)
    assert unpacked(headers(good))[0] == 5
    assert len(unpacked(headers(good + none + good))[1]) == 10
    for odd in (lz4_batch(1, crc=7), batch([R(0, value=b"v" * 50)]), batch([R(0)], attributes=4)):
        over, found = unpacked(headers(good + odd + good))
        assert (over, len(found)) == (5, 5)
        assert assert_same(headers(good + odd + good), checked=[True] * 11) in (5, 11)
    assert unpacked(headers(good + lz4_batch(1, crc=7)), checked=False)[0] == 6
    assert unpacked(headers(good), enough=200)[0] == 3


@pytest.mark.parametrize("wanted", [[True] * 9, [True, False] * 4 + [True], [False] * 8 + [True]])
@pytest.mark.parametrize("has_function", [True, False])
def test_side_by_side_with_the_reference_engine(
    wanted: list[bool], has_function: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_function:
        monkeypatch.setattr(payloads, "LZ4_FUNCTION", 0)
    data = b"".join(
        batch([R(n, n, b"k%d" % n, b"v" * 40 * number) for n in range(9)], base_offset=9 * number, attributes=LZ4)
        for number in range(9)
    )
    assert assert_same(headers(data), wanted=wanted) == 9
    assert assert_same(headers(data), limits=Limits(max_decompressed_bytes=2000)) in range(2, 9)
    rows = [columnar(headers(data), limits=Limits(max_decompressed_bytes=most))[1] for most in (10, 10_000)]
    assert rows == [0, 9]


def test_scans_are_the_same_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rnd = random.Random(3)
    data = b"".join(
        batch(
            [R(n, n, rnd.randbytes(9), rnd.randbytes(20) * rnd.randrange(200)) for n in range(rnd.randrange(1, 60))],
            attributes=rnd.choice((LZ4, LZ4, LZ4, LZ4, 0, 4)),
        )
        for _ in range(400)
    )
    log = tmp_path / "a.log"
    log.write_bytes(data)
    found: list[pa.Table] = [kafkafmt.scan(log).to_table()]
    monkeypatch.setattr(payloads, "LZ4_FUNCTION", 0)
    found += [kafkafmt.scan(log).to_table(), kafkafmt.scan(log, engine="reference").to_table()]
    assert found[0].equals(found[1])
    assert found[0].equals(found[2])


def test_a_wheel_that_exports_nothing_or_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    class Library:
        def __init__(self, _: str) -> None:
            pass

    assert unpacking._function() == LZ4_FUNCTION
    monkeypatch.setattr("ctypes.CDLL", Library)
    assert unpacking._function() == 0


def test_broken_frames_have_the_errors_of_the_reference_engine(tmp_path: Path) -> None:
    good = batch([R(0, value=b"v" * 500)], attributes=LZ4)
    payload = bytearray(frame(bytes(batch([R(0, value=b"v" * 500)]))[61:]))
    payload[12] ^= 0xFF
    log = tmp_path / "a.log"
    log.write_bytes(good * 30 + batch(count=1, attributes=LZ4, payload=bytes(payload)) + good * 30)
    errors = []
    engines: tuple[Engine, ...] = ("columnar", "reference")
    for engine in engines:
        with pytest.raises(KafkafmtError) as caught:
            kafkafmt.scan(log, engine=engine).to_table()
        errors.append((type(caught.value), str(caught.value), caught.value.position))
    assert errors[0] == errors[1]
