"""File sizes: preallocated index tails do not count, and allocated blocks count as in `du`."""

import json
import struct
import subprocess
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.files.sizes import Sizes, content_size
from kafkafmt.io.source import locate
from tests.cli.conftest import Call

MIB = 1 << 20


def index(path: Path, entries: list[bytes], size: int) -> None:
    """An index of a running broker: memory-mapped at full size, the rest a hole."""
    with path.open("wb") as file:
        file.write(b"".join(entries))
        file.truncate(size)


OFFSETS = [struct.pack(">ii", number * 10, number * 4096) for number in range(1, 700)]


@pytest.mark.parametrize(
    ("name", "entries", "size", "content"),
    [
        ("00000000000000000000.index", OFFSETS, 10 * MIB, len(OFFSETS) * 8),
        ("00000000000000000000.index", OFFSETS[:1], 10 * MIB, 8),
        ("00000000000000000000.index", [], 10 * MIB, 0),
        ("00000000000000000000.index", OFFSETS, len(OFFSETS) * 8, len(OFFSETS) * 8),
        ("00000000000000000000.index.deleted", OFFSETS[:3], 10 * MIB, 24),
        ("00000000000000000000.timeindex", [struct.pack(">qi", 0, 0), struct.pack(">qi", 5, 9)], 10 * MIB - 4, 24),
        ("00000000000000000000.timeindex", [bytes(12), b"\1" * 7], 10 * MIB, 24),
        ("00000000000000000000.txnindex", [b"\1"], 8192, 8192),
        ("notes.txt", [b"\1"], 8192, 8192),
    ],
)
def test_zeros_that_a_broker_preallocates_do_not_count(
    tmp_path: Path, name: str, entries: list[bytes], size: int, content: int
) -> None:
    index(tmp_path / name, entries, size)
    (entry,) = locate(str(tmp_path)).list()
    assert (entry.size, content_size(entry)) == (size, content)


def test_a_copy_without_holes_has_the_same_content(tmp_path: Path) -> None:
    (tmp_path / "00000000000000000000.index").write_bytes(OFFSETS[0] + bytes(MIB))
    (entry,) = locate(str(tmp_path)).list()
    assert content_size(entry) == 8
    assert entry.allocated is not None
    assert entry.allocated >= MIB


def test_what_the_file_system_does_not_tell_is_not_known() -> None:
    assert Sizes(3, 4096) + Sizes(2, None) == Sizes(5, None)


def empty_partition(log_dir: Path) -> Path:
    directory = log_dir / "orders-0"
    directory.mkdir(parents=True)
    (directory / "00000000000000000000.log").write_bytes(b"")
    index(directory / "00000000000000000000.index", [], 10 * MIB)
    index(directory / "00000000000000000000.timeindex", [], 10 * MIB - 4)
    return directory


def test_an_empty_partition_of_a_running_broker_has_no_size(tmp_path: Path, kafkafmt: Call) -> None:
    directory = empty_partition(tmp_path)
    (row,) = [json.loads(line) for line in kafkafmt("ls", tmp_path, "--rows", "partitions", "-o", "jsonl").lines]
    assert (row["sizeInBytes"], row["sizeOnDisk"]) == (0, 0)
    (row,) = [json.loads(line) for line in kafkafmt("ls", tmp_path, "--rows", "log-dirs", "-o", "jsonl").lines]
    assert (row["sizeInBytes"], row["sizeOnDisk"]) == (0, 0)
    files = [json.loads(line) for line in kafkafmt("verify", tmp_path, "--show", "files", "-o", "jsonl").lines]
    assert {Path(row["path"]).name: (row["sizeInBytes"], row["sizeOnDisk"]) for row in files} == {
        path.name: (0, 0) for path in directory.iterdir()
    }
    text = kafkafmt("ls", tmp_path).text
    assert "MiB" not in text
    assert "1 partition, 0 B, 0 records" in text


def test_sizes_on_disk_are_those_of_du(tmp_path: Path) -> None:
    directory = empty_partition(tmp_path)
    index(directory / "00000000000000000000.index", OFFSETS, 10 * MIB)
    (directory / "00000000000000000000.log.deleted").write_bytes(bytes(100_000))
    (found,) = kafkafmt.open(tmp_path).inspect.partitions().to_pylist()
    files = subprocess.run(
        ["du", "--block-size=1", *directory.iterdir()], check=True, capture_output=True, text=True
    ).stdout
    assert found["sizeOnDisk"] == sum(int(line.split()[0]) for line in files.splitlines())
    assert found["sizeInBytes"] == len(OFFSETS) * 8 + 100_000
