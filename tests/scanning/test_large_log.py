"""The bytes read for a narrow range of a 1 GiB log, on a disk and on a remote file system."""

import struct
from collections.abc import Callable
from pathlib import Path

import pyarrow.fs as pafs
import pytest

import kafkafmt
from tests import reads
from tests.logdir.builders import batch, file_name
from tests.logdir.indexed_logs import write_offset_index, write_time_index
from tests.reads import KIB, MIB
from tests.remote.counting import counting

SEGMENTS, BATCHES, RECORDS = 4, 4096, 10
SIZE = 64 * KIB
STEP = 1000
WHOLE = {*range(4999, 5004), *range(9997, 10001)}
WHOLE |= {number for number in range(SEGMENTS * BATCHES) if number % BATCHES >= BATCHES - 2}
"""Batches with more than a header: only their records can be read."""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four sparse segments of 256 MiB: batches of 64 KiB with 10 records, one batch per second."""
    directory = tmp_path_factory.mktemp("large") / "t-0"
    directory.mkdir()
    value = b"v" * (SIZE // RECORDS - 20)
    size = len(batch(0, RECORDS, value=value))
    header = batch(0, RECORDS, value=value)[:61]
    for segment in range(SEGMENTS):
        first = segment * BATCHES
        log = directory / file_name(first * RECORDS)
        with log.open("wb") as file:
            for number in range(BATCHES):
                time, offset = STEP * (first + number), (first + number) * RECORDS
                file.seek(number * size)
                if first + number in WHOLE:
                    file.write(batch(offset, RECORDS, value=value, timestamp=time))
                else:
                    times = struct.pack(">qq", time, time + RECORDS - 1)
                    file.write(struct.pack(">q", offset) + header[8:27] + times + header[43:])
            file.truncate(BATCHES * size)
        last_offsets = [number * RECORDS + RECORDS - 1 for number in range(BATCHES)]
        write_offset_index(log, [(last_offsets[number], number * size) for number in range(1, BATCHES)])
        latest = [STEP * (first + number) + RECORDS - 1 for number in range(BATCHES)]
        write_time_index(log, list(zip(latest, last_offsets, strict=True))[1:])
    return directory


def of_offsets(source: str, filesystem: pafs.FileSystem | None, start: int, end: int) -> list[int]:
    scan = kafkafmt.scan(source, filesystem=filesystem, start_offset=start, end_offset=end, columns=["offset"])
    found: list[int] = scan.to_table()["offset"].to_pylist()
    return found


def of_times(source: str, filesystem: pafs.FileSystem | None, start: int, end: int) -> list[int]:
    """The records between two times, read as a consumer does: look up the offsets, then read."""
    partition = kafkafmt.Partition(source, filesystem)
    first, behind = (partition.find_timestamp(time) for time in (start, end))
    assert first is not None
    assert behind is not None
    return of_offsets(source, filesystem, first.offset, behind.offset)


CASES: dict[str, tuple[Callable[[str, pafs.FileSystem | None, int, int], list[int]], int, int, range]] = {
    "offsets inside a segment": (of_offsets, 50_013, 50_027, range(50_013, 50_027)),
    "one offset": (of_offsets, 99_999, 100_000, range(99_999, 100_000)),
    "times inside a segment": (of_times, 5001 * STEP + 3, 5002 * STEP + 1, range(50_013, 50_021)),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_of_a_gigabyte_on_a_disk_some_kilobytes_are_read(
    name: str, large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, start, end, expected = CASES[name]
    recorded = reads.record(monkeypatch)
    assert ask(str(large), None, start, end) == list(expected)
    of_logs = {file: sum(length for _, length in each) for file, each in recorded.items() if file.endswith(".log")}
    of_indexes = sum(length for file, each in recorded.items() if "index" in file for _, length in each)
    asked_of = {file_name(offset // (RECORDS * BATCHES) * RECORDS * BATCHES) for offset in (expected[0], expected[-1])}
    others = sum(length for file, length in of_logs.items() if file not in asked_of)
    if ask is of_offsets:
        assert set(of_logs) == asked_of
    assert others < 256 * KIB
    assert sum(of_logs.values()) < MIB
    assert of_indexes < 200 * KIB


@pytest.mark.parametrize("name", sorted(CASES))
def test_from_afar_a_few_requests_are_made(name: str, large: Path) -> None:
    ask, start, end, expected = CASES[name]
    filesystem, counts = counting(pafs.SubTreeFileSystem(str(large.parent), pafs.LocalFileSystem()))
    assert ask(large.name, filesystem, start, end) == list(expected)
    look_ups = 0 if ask is of_offsets else 2
    assert counts.requests["list"] <= 1 + look_ups
    assert counts.requests["open"] <= 2 + 6 * look_ups
    assert counts.requests["read"] <= 8 + 15 * look_ups
    assert counts.bytes_read < (1 + look_ups) * MIB
