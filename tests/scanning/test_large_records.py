"""Records too large to copy: Arrow refers to the buffers they were read into, with the same content."""

import hashlib
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.codec.compression import Compression
from tests.engines import Engine, load_kernels
from tests.reference.builder import R, batch

MIB = 1 << 20


def large(letter: bytes, size: int = 17 * MIB) -> bytes:
    return hashlib.sha256(letter).digest() * (size // 32)


def written(path: Path, batches: Sequence[Sequence[R]], codec: Compression) -> Path:
    """A segment of batches whose offsets follow each other."""
    content, offset = b"", 0
    for records in batches:
        placed = [R(number, 0, r.key, r.value, r.headers) for number, r in enumerate(records)]
        content += batch(placed, base_offset=offset, attributes=codec)
        offset += len(records)
    file = path / "00000000000000000000.log"
    file.write_bytes(content)
    return file


@pytest.mark.slow
@pytest.mark.parametrize("codec", [Compression.NONE, Compression.ZSTD, Compression.LZ4], ids=lambda codec: codec.label)
def test_large_records_are_the_same_as_small_ones(codec: Compression, engine: Engine, tmp_path: Path) -> None:
    if engine == "columnar":
        load_kernels()
    batches = [
        [R(key=b"a"), R(value=None)],
        [R(key=b"b", value=large(b"b"))],
        [R(key=b"c"), R(key=b"d", value=large(b"d"), headers=[(b"h", large(b"h", 2 * MIB)), (b"n", None)]), R()],
        [R(key=large(b"k", 5 * MIB), value=large(b"e", 5 * MIB))] * 2,
        [R(value=large(b"f"))] * 2,
        [R()] * 3,
    ]
    expected = [
        (r.key, r.value, [(k.decode(), v) for k, v in r.headers if k is not None] or None)
        for records in batches
        for r in records
    ]
    file = written(tmp_path, batches, codec)
    # All of them are held at once: no buffer that one refers to may be overwritten.
    table = kafkafmt.scan(file, engine=engine).to_table()
    table.validate(full=True)
    rows = table.select(["key", "value", "headers"]).to_pylist()
    found = [(r["key"], r["value"], r["headers"] and [(h["key"], h["value"]) for h in r["headers"]]) for r in rows]
    assert found == expected
    assert table["offset"].to_pylist() == list(range(len(expected)))
    assert [(r.key, r.value, r.headers or None) for r in kafkafmt.Segment(file).records()] == expected
    for most in range(1, 6):
        assert kafkafmt.scan(file, engine=engine).head(most).read_all().equals(table.slice(0, most))


def test_one_small_record_does_not_hold_the_large_ones_beside_it(engine: Engine, tmp_path: Path) -> None:
    if engine == "columnar":
        load_kernels()
    file = written(tmp_path, [[R(value=large(b"b")), R(key=b"k", value=large(b"c", 2 * MIB))]], Compression.NONE)
    tracemalloc.start()
    try:
        table = kafkafmt.scan(file, engine=engine, start_offset=1).to_table()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert table["value"].to_pylist() == [large(b"c", 2 * MIB)]
    assert held < 16 * MIB  # the batch has 19


def test_a_record_that_is_broken_after_a_large_one_ends_the_scan(engine: Engine, tmp_path: Path) -> None:
    broken = batch([R(value=large(b"b"))], base_offset=1, count=2)
    path = tmp_path / "00000000000000000000.log"
    path.write_bytes(batch() + broken)
    scan = kafkafmt.scan(path, engine=engine)
    with pytest.raises(kafkafmt.TruncatedError, match="record 1 of 2"):
        scan.to_table()
