"""Declared sizes are never allocated, and decompressed sizes are capped: measured in separate processes."""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard

from kafkafmt.codec.checksum import crc32c
from kafkafmt.codec.compression import Compression
from tests.engines import Engine
from tests.hostile import hostile_bytes
from tests.hostile.hostile_bytes import MIB
from tests.varints import write_varint

pytestmark = pytest.mark.volume

MOST_KIB = 270 * 1024  # more than there was before
MOST_OF_A_BOMB_KIB = 168 * 1024  # with kernels below 400 MiB in all
GIB = 1024 * MIB
ALL_WAYS = ("strict", "skipping", "segment")

BOMBS = [
    pytest.param(magic, codec, id=f"v{magic}-{codec.label}")
    for magic in (0, 1, 2)
    for codec in list(Compression)[1:]
    if magic == 2 or codec is not Compression.ZSTD
]


def read_in_child(engine: Engine, path: Path, *ways: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("child.py")), engine, str(path), *(ways or ALL_WAYS)],
        capture_output=True,
        text=True,
        timeout=900,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="session")
def zeros() -> dict[Compression, bytes]:
    return {codec: hostile_bytes.of_zeros(codec, GIB) for codec in list(Compression)[1:]}


@pytest.mark.parametrize(("magic", "codec"), BOMBS)
def test_a_gibibyte_of_zeros_ends_at_the_limit(
    magic: int, codec: Compression, zeros: dict[Compression, bytes], tmp_path: Path, engine: Engine
) -> None:
    path = tmp_path / "00000000000000000000.log"
    content = zeros[codec]
    path.write_bytes(
        hostile_bytes.batch(content, codec=codec, count=1000)
        if magic == 2
        else hostile_bytes.wrapper(content, magic=magic, codec=codec)
    )
    found = read_in_child(engine, path, "strict")
    assert found["errors"] == ["LimitExceededError"]
    assert found["peak"] - found["before"] < MOST_OF_A_BOMB_KIB, found


def test_declared_counts_and_sizes_allocate_nothing(tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "00000000000000000000.log"
    files = hostile_bytes.declaring()
    # One process for all: memory taken by any of them would show in its peak. Sizes beyond the end come last.
    sized = [name for name in files if name.startswith("size ")]
    for last in sized:
        path.write_bytes(b"".join(content for name, content in files.items() if name not in sized) + files[last])
        found = read_in_child(engine, path)
        assert all(found["errors"][:2]), found
        assert found["peak"] - found["before"] < 48 * 1024, found


def test_a_snapshot_that_declares_too_many_producers_allocates_nothing(tmp_path: Path) -> None:
    path = tmp_path / "00000000000000000000.snapshot"
    content = struct.pack(">i", 2**31 - 1) + bytes(46)
    path.write_bytes(struct.pack(">hI", 1, crc32c(content)) + content)
    found = read_in_child("reference", path, "snapshot")
    assert found["errors"] == ["TruncatedError"]
    assert found["peak"] - found["before"] < 16 * 1024, found


def test_one_record_of_millions_of_headers_stays_within_the_limit(tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "00000000000000000000.log"
    path.write_bytes(hostile_bytes.headers_bomb(40_000_000))
    found = read_in_child(engine, path, "strict")
    assert found["errors"] == ["LimitExceededError"]
    assert found["peak"] - found["before"] < MOST_KIB, found


def test_large_header_values_count_for_the_size_of_arrow_batches(tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "00000000000000000000.log"
    value = bytes(MIB)
    fields = b"\0\0\0\1\1\2\0" + write_varint(len(value)) + value
    path.write_bytes(hostile_bytes.batch(hostile_bytes.record(fields)) * 500)
    found = read_in_child(engine, path, "strict")
    assert found["errors"] == [""]
    assert found["peak"] - found["before"] < MOST_KIB, found


def test_damage_that_is_kept_does_not_keep_the_bytes_of_its_entry(tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "00000000000000000000.log"
    bad = bytearray(hostile_bytes.batch(bytes(4 * MIB)))
    bad[-1] ^= 1
    path.write_bytes(bytes(bad) * 32)
    found = read_in_child(engine, path, "skipping")
    assert found["peak"] - found["before"] < 100 * 1024, found


def schemas_log(place: Path, *schemas: dict[str, Any]) -> Path:
    """A log of `_schemas` that is far smaller than its records."""
    (place / "_schemas-0").mkdir()
    with (place / "_schemas-0" / "00000000000000000000.log").open("wb") as file:
        for number, schema in enumerate(schemas):
            names = {"subject": f"s{number}", "version": 1}
            key = json.dumps({"keytype": "SCHEMA", **names, "magic": 1}).encode()
            value = json.dumps({**names, "id": number, "schema": '"int"', "deleted": False, **schema}).encode()
            fields = b"\0\0\0" + write_varint(len(key)) + key + write_varint(len(value)) + value + b"\0"
            content = zstandard.ZstdCompressor(1).compress(hostile_bytes.record(fields))
            file.write(struct.pack(">q", number) + hostile_bytes.batch(content, codec=Compression.ZSTD)[8:])
    return place


def reference(number: int) -> dict[str, Any]:
    return {"name": "n", "subject": f"s{number}", "version": 1}


SCHEMAS: dict[str, tuple[list[dict[str, Any]], str]] = {
    "large": ([{"schema": "x" * (4 * MIB)}] * 150, "StateTooLargeError"),
    "many references": ([{"references": [reference(0)] * 100_000}] * 50, "StateTooLargeError"),
    "deep references": ([{"references": [reference(number + 1)]} for number in range(5000)], ""),
    "objects": ([{"references": [{}] * (14 * MIB)}], "CorruptError"),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_hostile_schemas(name: str, tmp_path: Path) -> None:
    schemas, error = SCHEMAS[name]
    found = read_in_child("reference", schemas_log(tmp_path, *schemas), "schemas")
    assert found["errors"] == [error]
    assert found["peak"] - found["before"] < MOST_KIB, found


@pytest.fixture(scope="session", params=["none", "zstd"])
def large_record(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One record of nearly 100 MiB, with characters beyond ASCII, which make Python's strings four times as large."""
    value = (b"0123456789 some text\n" * 5_000_000)[: 95 * MIB] + "\N{GRINNING FACE}".encode()
    fields = b"\0\0\0\1" + write_varint(len(value)) + value + b"\0"
    content = hostile_bytes.record(fields)
    codec = Compression.NONE
    if request.param == "zstd":
        codec, content = Compression.ZSTD, zstandard.ZstdCompressor(1).compress(content)
    path = tmp_path_factory.mktemp("large") / "00000000000000000000.log"
    path.write_bytes(hostile_bytes.batch(content, codec=codec))
    return path


def test_a_scan_holds_a_large_record_once(large_record: Path, engine: Engine) -> None:
    found = read_in_child(engine, large_record, "strict")
    assert found["errors"] == [""]
    assert found["peak"] - found["before"] < 150 * 1024, found


MOST_OF_A_LARGE_RECORD_KIB = 270 * 1024  # below 400 MB with the pages of shared libraries, which are about 115 MB


@pytest.mark.parametrize("large_record", ["none"], indirect=True)
@pytest.mark.parametrize(
    "command",
    [
        "cat --output table",
        "cat --output csv",
        "cat --output jsonl",
        "dump --print-data-log",
        "inspect --output table",
        "inspect --output jsonl",
    ],
)
def test_a_command_stays_below_400_mb_with_a_large_record(large_record: Path, command: str) -> None:
    found = read_in_child("reference", large_record, command)
    assert found["errors"] == [""]
    assert found["peak"] < MOST_OF_A_LARGE_RECORD_KIB, found
