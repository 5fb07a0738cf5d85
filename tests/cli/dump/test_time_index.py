"""Dumps of time indexes: entries, and the check against the batches of their offsets in one walk over the log."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.files.segment_reader import SegmentReader
from tests.cli.dump.running import Run, dump
from tests.reference.builder import LOG_APPEND_TIME, R, batch, message

NAME = "00000000000000000000.timeindex"
LOG = "00000000000000000000.log"


def index(*entries: tuple[int, int]) -> bytes:
    return b"".join(struct.pack(">qi", *entry) for entry in entries)


@pytest.fixture
def partition(tmp_path: Path) -> Path:
    """A log of four batches, offsets 0 to 1, 2 to 3, 4 to 5, 6 to 7, the latest timestamps 1001, 2001, 3001, 4001."""
    batches = [
        batch([R(0, 1), R(1, 0)], base_offset=2 * number, base_timestamp=1000 * (number + 1)) for number in range(4)
    ]
    (tmp_path / LOG).write_bytes(b"".join(batches))
    return tmp_path


def dumped(directory: Path, content: bytes, *options: str) -> Run:
    (directory / NAME).write_bytes(content)
    return dump(*options, "--files", directory / NAME)


def test_right_entries(partition: Path) -> None:
    run = dumped(partition, index((1001, 1), (3001, 5)))
    assert run.lines[1:] == ["timestamp: 1001 offset: 1", "timestamp: 3001 offset: 5"]
    assert (run.status, run.err) == (0, b"")
    assert dumped(partition, index((1001, 1), (3001, 5)), "--verify-index-only").lines[1:] == []


def test_zeros_are_padding(partition: Path) -> None:
    assert dumped(partition, index((1001, 1)) + bytes(1200)).lines[1:] == ["timestamp: 1001 offset: 1"]
    run = dumped(partition, bytes(1200))
    assert (run.lines[1:], run.status, run.err) == (["timestamp: 0 offset: 0"], 0, b"")
    (partition / LOG).write_bytes(batch())
    run = dumped(partition, bytes(1200))
    assert (run.lines[1:], run.status, run.err) == (["timestamp: 0 offset: 0"], 0, b"")
    (partition / LOG).write_bytes(b"")
    run = dumped(partition, bytes(1200))
    assert (run.lines[1:], run.status, run.err) == (["timestamp: 0 offset: 0"], 0, b"")


def test_an_empty_one_needs_no_log(tmp_path: Path) -> None:
    run = dumped(tmp_path, b"")
    assert (len(run.lines), run.status) == (1, 0)


def test_an_offset_inside_a_batch_is_harmless_if_nothing_up_to_it_is_later(partition: Path) -> None:
    run = dumped(partition, index((2001, 2)))
    assert run.complaints == [
        f"The following indexed offsets are not found in :{partition / NAME}",
        "Indexed offset: 2, found log offset: 3",
        f"kafkafmt: {partition / NAME}: these entries still satisfy the rule of a time index",
    ]
    assert run.status == 0


def test_a_timestamp_that_compaction_took_away_is_harmless(partition: Path) -> None:
    run = dumped(partition, index((1500, 1)))
    assert run.complaints[:2] == [
        f"Found timestamp mismatch in :{partition / NAME}",
        "  Index timestamp: 1500, log timestamp: 1001",
    ]
    assert run.status == 0


def test_a_timestamp_below_those_up_to_its_offset_is_a_finding(partition: Path) -> None:
    run = dumped(partition, index((500, 1)))
    assert run.complaints[2].endswith("position 0: timestamp 500 is below 1001, which comes up to offset 1")
    assert run.status == 1


def test_timestamps_that_do_not_rise_are_a_finding(partition: Path) -> None:
    run = dumped(partition, index((2001, 3), (2001, 5)))
    assert f"Found out of order timestamp in :{partition / NAME}" in run.complaints
    assert "  Index timestamp: 2001, Previously indexed timestamp: 2001" in run.complaints
    assert run.status == 1


def test_an_offset_beyond_the_log_is_a_finding(partition: Path) -> None:
    run = dumped(partition, index((1001, 1), (9999, 70)))
    assert run.complaints[1] == "Indexed offset: 70, found log offset: -1"
    assert run.complaints[2].endswith("position 12: the log ends before offset 70")
    assert run.status == 1


def test_one_wrong_offset_does_not_spoil_the_others(partition: Path) -> None:
    run = dumped(partition, index((1001, 1), (2001, 70), (3001, 5), (4001, 7)))
    assert run.complaints == [
        f"The following indexed offsets are not found in :{partition / NAME}",
        "Indexed offset: 70, found log offset: -1",
        f"kafkafmt: {partition / NAME}: position 12: the log ends before offset 70",
        f"kafkafmt: {partition / NAME}: position 24: offset 5 is below that of the previous entry",
    ]
    assert run.status == 1


def test_of_many_wrong_entries_some_are_told(partition: Path) -> None:
    run = dumped(partition, index(*((5000 + number, 3 - number % 2) for number in range(40))))
    assert len(run.lines) == 41
    assert sum("is below that of the previous entry" in line for line in run.complaints) == 10
    assert run.complaints[-1].endswith("20 entries of the time index are wrong")
    assert run.status == 1


def test_of_log_append_time_the_header_tells(partition: Path) -> None:
    (partition / LOG).write_bytes(batch([R(0, 9), R(1)], attributes=LOG_APPEND_TIME, max_timestamp=7777))
    assert dumped(partition, index((7777, 1))).err == b""
    (partition / LOG).write_bytes(batch([], attributes=LOG_APPEND_TIME, max_timestamp=7777, last_offset_delta=1))
    assert "  Index timestamp: 7777, log timestamp: -1" in dumped(partition, index((7777, 1))).complaints


def test_messages(partition: Path) -> None:
    (partition / LOG).write_bytes(message(0, timestamp=5) + message(1, timestamp=8) + message(2, magic=0))
    run = dumped(partition, index((5, 0), (8, 1)))
    assert (run.status, run.err) == (0, b"")


def test_a_batch_that_cannot_be_read_is_a_finding(partition: Path) -> None:
    (partition / LOG).write_bytes(batch([b"\x0e" + b"\xff" * 8]))
    run = dumped(partition, index((5, 0)))
    assert run.lines[1:] == ["timestamp: 5 offset: 0"]
    assert "record 0 of 1" in run.complaints[0]
    run = dumped(partition, index((5, 0), (6, 0)))
    assert sum("record 0 of 1" in line for line in run.complaints) == 1
    assert run.status == 1


def test_entries_behind_one_of_the_base_offset_are_a_finding(partition: Path) -> None:
    run = dumped(partition, index((1001, 1), (0, 0), (3001, 5)))
    assert run.lines[1:] == ["timestamp: 1001 offset: 1"]
    assert "entry 1 has the base offset" in run.err.decode()
    (partition / LOG).unlink()
    run = dumped(partition, index((1001, 1), (0, 0), (3001, 5)))
    assert (run.lines[1:], run.status) == (["timestamp: 1001 offset: 1"], 3)


def test_without_a_base_offset_in_its_name_it_is_only_printed(partition: Path) -> None:
    (partition / LOG).rename(partition / "some.log")
    (partition / "some.timeindex").write_bytes(index((1, 1), (2, 90)))
    run = dump(partition / "some.timeindex")
    assert run.lines[1:] == ["timestamp: 1 offset: 1", "timestamp: 2 offset: 90"]
    assert run.status == 0


def test_sanity_check(partition: Path) -> None:
    assert dumped(partition, index((1, 1)), "--index-sanity-check").lines[1:] == [
        f"{partition / NAME} passed sanity check."
    ]
    assert dumped(partition, index((1, 1)) + bytes(12), "--index-sanity-check").status == 1


def test_the_log_is_walked_once_whatever_the_number_of_entries(
    partition: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 3000
    batches = [batch(base_offset=number, base_timestamp=number + 1) for number in range(count)]
    (partition / LOG).write_bytes(b"".join(batches))
    visited = 0
    walk = SegmentReader.walk

    def counted(reader: SegmentReader, visit: Any) -> Iterator[Any]:
        def one(entry: Any) -> Any:
            nonlocal visited
            visited += 1
            return visit(entry)

        return walk(reader, one)

    monkeypatch.setattr(SegmentReader, "walk", counted)
    run = dumped(partition, index(*((number + 1, number) for number in range(1, count))))
    assert (len(run.lines), run.status, run.err) == (count, 0, b"")
    assert visited <= count
