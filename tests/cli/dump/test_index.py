"""Dumps of offset indexes: entries, checks against the log, and inputs that kill Kafka's tool."""

import struct
from pathlib import Path

import pytest

from tests.cli.dump.running import Run, dump
from tests.reads import record, total
from tests.reference.builder import R, batch, message, with_size, wrapper

NAME = "00000000000000000000.index"


def index(*entries: tuple[int, int]) -> bytes:
    return b"".join(struct.pack(">ii", *entry) for entry in entries)


@pytest.fixture
def partition(tmp_path: Path) -> Path:
    """A log of four batches: offsets 0 to 1 at 0, 2 to 3 at 77, 4 to 5 at 154, 6 to 7 at 231."""
    batches = [batch([R(), R(1)], base_offset=offset) for offset in range(0, 8, 2)]
    assert {len(each) for each in batches} == {77}
    (tmp_path / "00000000000000000000.log").write_bytes(b"".join(batches))
    return tmp_path


def dumped(directory: Path, content: bytes, *options: str, name: str = NAME) -> Run:
    (directory / name).write_bytes(content)
    run = dump(*options, "--files", directory / name)
    assert run.lines[0] == f"Dumping {directory / name}"
    return run


def test_right_entries(partition: Path) -> None:
    run = dumped(partition, index((3, 77), (7, 231)))
    assert run.lines[1:] == ["offset: 3 position: 77", "offset: 7 position: 231"]
    assert (run.status, run.err) == (0, b"")


def test_verify_only_prints_no_entries(partition: Path) -> None:
    assert dumped(partition, index((3, 77), (7, 231)), "--verify-index-only").lines[1:] == []


def test_zeros_at_the_end_are_padding(partition: Path) -> None:
    run = dumped(partition, index((3, 77)) + bytes(800))
    assert (run.lines[1:], run.status, run.err) == (["offset: 3 position: 77"], 0, b"")


def test_an_index_of_zeros_beside_an_empty_log_is_empty(tmp_path: Path) -> None:
    (tmp_path / "00000000000000000000.log").touch()
    run = dumped(tmp_path, bytes(80))
    assert (run.lines[1:], run.status, run.err) == ([f"{tmp_path / NAME} is empty."], 0, b"")


def test_an_index_of_zeros_beside_a_log_is_printed_as_kafka_does_without_its_false_complaint(partition: Path) -> None:
    run = dumped(partition, bytes(80))
    assert (run.lines[1:], run.status, run.err) == (["offset: 0 position: 0"], 0, b"")


def test_an_empty_index_needs_no_log(tmp_path: Path) -> None:
    run = dumped(tmp_path, b"")
    assert (run.lines[1:], run.status) == ([f"{tmp_path / NAME} is empty."], 0)


def test_entries_behind_a_zero_one_are_a_finding(partition: Path) -> None:
    run = dumped(partition, index((3, 77), (0, 0), (7, 231)))
    assert run.lines[1:] == ["offset: 3 position: 77"]
    assert "entry 1 has the base offset" in run.complaints[0]
    assert run.status == 1


def test_entries_of_first_offsets_as_old_releases_wrote_them_lead_to_the_right_places(partition: Path) -> None:
    run = dumped(partition, index((2, 77), (4, 154), (7, 231)))
    assert run.complaints == [
        f"Mismatches in :{partition / NAME}",
        "  Index offset: 4, log offset: 5",
        "  Index offset: 2, log offset: 3",
        f"kafkafmt: {partition / NAME}: these index entries still lead to the right batches",
    ]
    assert run.status == 0


def test_an_entry_behind_its_offset_is_a_finding(partition: Path) -> None:
    run = dumped(partition, index((3, 154), (5, 231), (8, 231)))
    assert run.complaints[0] == f"Mismatches in :{partition / NAME}"
    assert "index entries point past the batches of their offsets (found 2 of 3)" in run.complaints[4]
    assert run.complaints[5].endswith("2 index entries are wrong")
    assert run.status == 1


@pytest.mark.parametrize("position", [-1, 1, 76, 231 + 77, 10**6])
def test_an_entry_that_points_to_no_batch_is_a_finding(partition: Path, position: int) -> None:
    run = dumped(partition, index((3, position)))
    assert run.lines[1:] == [f"offset: 3 position: {position}"]
    assert run.status == 1
    assert len(run.complaints) >= 1


def test_an_entry_that_points_into_a_value_is_a_finding(partition: Path) -> None:
    outer = batch([R(value=batch(base_offset=5))], base_offset=5)
    (partition / "00000000000000000000.log").write_bytes(outer + batch(base_offset=6))
    position = outer.index(batch(base_offset=5), 1)
    run = dumped(partition, index((4, position), (6, len(outer))))
    assert "  Index offset: 4, log offset: 5" in run.complaints
    assert run.status == 1


def test_only_the_first_entry_that_leads_astray_is_told_in_full(partition: Path) -> None:
    run = dumped(partition, index((3, 5000), (5, 6000)))
    assert run.complaints == [
        f"kafkafmt: {partition / NAME}: position 0: an entry points to 5000, where the log has no entry",
        f"kafkafmt: {partition / NAME}: 2 index entries are wrong",
    ]


def test_batches_that_cannot_be_are_no_target(partition: Path) -> None:
    log = partition / "00000000000000000000.log"
    log.write_bytes(with_size(batch(), 5) + batch())
    assert dumped(partition, index((3, 0))).status == 1
    log.write_bytes(with_size(batch(), 500) + batch())
    assert dumped(partition, index((3, 0))).status == 1
    log.write_bytes(batch(magic=9) + wrapper(4, message(4)))
    assert dumped(partition, index((0, 0), (4, 69))).err == b""


def test_without_its_log_an_index_is_printed_and_not_checked(tmp_path: Path) -> None:
    run = dumped(tmp_path, index((3, 77), (0, 0), (4, 1)))
    assert run.lines[1:] == ["offset: 3 position: 77"]
    assert "the index is not checked: its log cannot be read" in run.complaints[0]
    assert run.status == 3
    assert dumped(tmp_path, index((3, 77)), "--verify-index-only").lines[1:] == []


@pytest.mark.parametrize("log", ["00000000000000000000.log", "00000000000000000000.log.deleted"])
def test_an_index_to_be_deleted_belongs_to_the_log_to_be_deleted(partition: Path, log: str) -> None:
    (partition / "00000000000000000000.log").rename(partition / log)
    run = dumped(partition, index((3, 77)), name=f"{NAME}.deleted")
    assert (run.lines[1:], run.status) == (["offset: 3 position: 77"], 0)


def test_without_a_base_offset_in_its_name_offsets_are_relative(partition: Path) -> None:
    (partition / "00000000000000000000.log").rename(partition / "some.log")
    run = dumped(partition, index((3, 77), (9, 154)), name="some.index")
    assert run.lines[1:] == ["offset: 3 position: 77", "offset: 9 position: 154"]
    assert "the file name has no base offset" in run.complaints[0]
    assert run.status == 0


def test_indexes_of_the_cache_of_tiered_storage_have_their_offset_before_an_underscore(tmp_path: Path) -> None:
    run = dumped(tmp_path, index((3, 77)), name="100_O9XCkdwTQDWkRV8OUCuQ2w.index")
    assert run.lines[1:] == ["offset: 103 position: 77"]


def test_bytes_behind_the_last_entry_are_a_finding(partition: Path) -> None:
    run = dumped(partition, index((3, 77)) + b"\0\0\1")
    assert run.lines[1:] == ["offset: 3 position: 77"]
    assert "ends inside an entry" in run.complaints[0]
    assert dumped(partition, b"\0\0\1").status == 1


def test_sanity_check(partition: Path) -> None:
    assert dumped(partition, index((3, 77)), "--index-sanity-check").lines[1:] == [
        f"{partition / NAME} passed sanity check."
    ]
    run = dumped(partition, index((3, 77)) + b"\1", "--index-sanity-check")
    assert run.lines[1:] == []
    assert run.complaints[1].endswith(
        "brokers before 4.0 rebuild this index when they start; later ones do not check it"
    )
    assert run.status == 1


def test_entries_close_together_are_checked_in_few_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batches = [batch(base_offset=number) for number in range(5000)]
    (tmp_path / "00000000000000000000.log").write_bytes(b"".join(batches))
    reads = record(monkeypatch)
    run = dumped(tmp_path, index(*((number, 69 * number) for number in range(1, 5000))))
    assert (len(run.lines), run.status, run.err) == (5000, 0, b"")
    assert len(reads["00000000000000000000.log"]) < 10
    assert total(reads, ".log") < 69 * 5000 + 2**16
