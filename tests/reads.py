"""Records which bytes of local files are read, and makes large sparse logs: for tests that data is not read."""

import struct
from collections import defaultdict
from pathlib import Path

import pytest

from kafkafmt.io.base import File
from kafkafmt.io.local_file import LocalFile
from tests.logdir.builders import batch

KIB = 1024
MIB = 1 << 20
Reads = dict[str, list[tuple[int, int]]]


def record(monkeypatch: pytest.MonkeyPatch) -> Reads:
    """From now on, record (position, length) of each read by the base name of the file."""
    reads: Reads = defaultdict(list)
    readinto_at, read_at = LocalFile.readinto_at, LocalFile.read_at

    def recording(self: LocalFile, position: int, buffer: memoryview) -> int:
        count = readinto_at(self, position, buffer)
        reads[Path(self.name).name].append((position, count))
        return count

    def recording_too(self: LocalFile, position: int, length: int) -> bytes:
        data = read_at(self, position, length)
        reads[Path(self.name).name].append((position, len(data)))
        return data

    monkeypatch.setattr(LocalFile, "readinto_at", recording)
    monkeypatch.setattr(LocalFile, "read_at", recording_too)
    return reads


def total(reads: Reads, suffix: str = "") -> int:
    """Return the bytes read from files with this suffix, and reset the record."""
    count = sum(length for name, each in reads.items() if name.endswith(suffix) for _, length in each)
    reads.clear()
    return count


def jump_over(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Make gaps of this size worth skipping, as golden files are too small for the real threshold."""
    monkeypatch.setattr(File, "worth_skipping", size)


def index(path: Path, *entries: tuple[int, int], padding: int = 0) -> Path:
    """Write the offset index of a log file: relative offset and position of each entry, then padding."""
    target = path.with_suffix(".index")
    target.write_bytes(b"".join(struct.pack(">ii", *entry) for entry in entries) + bytes(8 * padding))
    return target


def sparse_log(path: Path, size: int, count: int, *real: range, first: int = 0, per_batch: int = 10) -> Path:
    """Write a log of batches of about `size` bytes, all but the `real` ones with only zeros after the header.

    Reading one of the others is noticed by its wrong CRC.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    one = batch(0, per_batch, value=b"v" * (size // per_batch - 20))
    with path.open("wb") as file:
        for number in range(count):
            file.seek(number * len(one))
            content = one if any(number in each for each in real) else one[:61]
            file.write(struct.pack(">q", first + number * per_batch) + content[8:])
        file.truncate(count * len(one))
    return path


def whole_index(path: Path, count: int, per_batch: int = 10) -> Path:
    """Write a sparse log's index, with an entry for each batch but the first: its last offset, as Kafka writes it."""
    size = path.stat().st_size // count
    return index(path, *((number * per_batch + per_batch - 1, number * size) for number in range(1, count)))
