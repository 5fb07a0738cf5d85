"""Files that consist almost entirely of holes: holes are not read, and data after a hole is found."""

import os
import random
import struct
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.cli.main import COMMANDS
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.base import MemoryFile
from tests.cli.conftest import Call
from tests.cli.conftest import kafkafmt as command  # noqa: F401 - a fixture
from tests.hostile.doses import no_hang
from tests.reference.builder import R, batch

TIB = 2**40
SOUND = batch(base_offset=0)
LARGE = batch([R(value=random.Random(7).randbytes(40_000))], base_offset=1)  # its CRC is derived, not computed


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log-dir" / "t-0" / "00000000000000000000.log"
    path.parent.mkdir(parents=True)
    path.write_bytes(SOUND)
    os.truncate(path, TIB)
    if path.stat().st_blocks * 512 > TIB // 2:
        pytest.skip("the file system has no holes")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "ls DIR",
        "ls DIR --quick",
        "ls DIR --verify-checksums",
        "verify DIR --level records",
        "cat DIR",
        "cat DIR --last 1",
        "batches LOG",
        "inspect LOG",
        "dump LOG",
        "space DIR",
        "grep v DIR",
        "grep v DIR --everywhere",
        "find PARTITION --latest",
        "repair DIR --dry-run",
    ],
)
def test_a_command_does_not_read_a_tebibyte_of_zeros(line: str, log: Path, command: Call) -> None:  # noqa: F811
    places = {"DIR": log.parents[1], "LOG": log, "PARTITION": log.parent}
    assert line.split(maxsplit=1)[0] in COMMANDS
    with no_hang():
        answer = command(*(str(places.get(word, word)) for word in line.split()))
    assert answer.status in (0, 1), answer.stderr
    assert answer.stdout


@pytest.mark.parametrize("content", [batch(base_offset=1), LARGE], ids=["small", "large"])
@pytest.mark.parametrize("at", [TIB - 2**20 + 5, TIB // 2], ids=["near the end", "in the middle"])
def test_a_batch_after_a_hole_is_found(log: Path, content: bytes, at: int) -> None:
    with log.open("r+b") as file:
        file.seek(at)
        file.write(content)
    scan = kafkafmt.scan(log, on_damage="skip").without_warnings()
    with no_hang():
        table = scan.to_table()
    assert table["offset"].to_pylist() == [0, 1]
    damage = [(each.position, each.length) for each in scan.damage]
    assert damage == [(len(SOUND), at - len(SOUND)), (at + len(content), TIB - at - len(content))]


def test_a_torn_batch_before_a_hole_is_damage(log: Path) -> None:
    following, at = batch(base_offset=2), 40 * 2**30
    with log.open("r+b") as file:
        file.seek(len(SOUND))
        file.write(LARGE[:1000])
        file.seek(at)
        file.write(following)
    scan = kafkafmt.scan(log, on_damage="skip").without_warnings()
    with no_hang():
        assert scan.to_table()["offset"].to_pylist() == [0, 2]
    first, _ = scan.damage
    assert (first.position, first.length) == (len(SOUND), at - len(SOUND))


def test_headers_whose_entries_lie_around_a_far_one_take_no_more_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CRCs of one format are asked for far behind, then for many before: each would read all of it."""
    monkeypatch.setattr("kafkafmt.files.entry_finder._FAR", 2**18)
    read, end, count = 0, 2**20, 2000

    def header(offset: int, size: int, magic: int) -> bytes:
        return struct.pack(">qiiB", offset, size - 12, 1, magic)

    class Counting(MemoryFile):
        def readinto_at(self, position: int, buffer: memoryview) -> int:
            nonlocal read
            read += len(buffer)
            return super().readinto_at(position, buffer)

    content = header(0, end, 1) + header(5, end // 2, 2).ljust(24, b"\1") * count
    content = content.ljust(end, b"\0") + header(1, 20_000, 2).ljust(20_000, b"\2")
    damage: list[kafkafmt.Damage] = []
    file = Counting("a.log", content.ljust(2 * end, b"\0"))
    assert not list(SegmentReader(file, on_damage="skip", report=damage.append).walk(lambda entry: entry.records()))
    assert damage
    assert read < 200 * len(content)


def test_bytes_after_a_hole_are_damage(log: Path) -> None:
    with log.open("r+b") as file:
        file.seek(TIB - 100)
        file.write(b"x" * 50)
    scan = kafkafmt.scan(log, on_damage="skip").without_warnings()
    with no_hang():
        assert scan.to_table()["offset"].to_pylist() == [0]
    (damage,) = scan.damage
    assert (damage.position, damage.reason) == (len(SOUND), "garbage_tail")
    assert not damage.is_open_end


def test_a_torn_batch_before_a_hole_is_an_open_end(log: Path) -> None:
    os.truncate(log, len(SOUND))
    with log.open("ab") as file:
        file.write(batch(base_offset=1)[:64])
    os.truncate(log, TIB)
    scan = kafkafmt.scan(log, on_damage="skip").without_warnings()
    with no_hang():
        assert scan.to_table()["offset"].to_pylist() == [0]
    assert scan.damage


def test_what_is_found_beyond_a_hole(log: Path) -> None:
    with log.open("r+b") as file:
        file.seek(TIB - 100)
        file.write(b"x" * 50)
    with kafkafmt.Segment(str(log)).open() as file:
        block = file.next_data(2**30)
        assert TIB - 100 - 2**20 < block <= TIB - 100
        assert file.next_data(TIB - 60) == TIB - 60
        assert file.next_data(0) == 0
