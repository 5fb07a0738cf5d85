"""`isolation_level="read_committed"` on damaged logs: skipped records, and reported damage."""

from pathlib import Path
from typing import Any

import pytest

from kafkafmt import ChecksumError, LimitExceededError, SourceError, TruncatedError
from kafkafmt.io.local_file import LocalFile
from kafkafmt.logdir import producer_runs
from tests import reads
from tests.logdir.builders import file_name
from tests.reference import builder
from tests.scanning.read_committed.committed_reads import (
    LAST,
    PRODUCER_ID,
    before_and_error,
    committed,
    damaged,
    offsets,
    position_of,
    story,
    with_bit_flipped,
)
from tests.transactions import COMMIT, Log, data, marker


@pytest.mark.parametrize("position", [LAST, PRODUCER_ID, 22], ids=["value", "producer id", "attributes"])
def test_a_marker_that_cannot_be_read_leaves_out_what_was_open(tmp_path: Path, position: int, engine: Any) -> None:
    log = Log()
    log.data()  # 0
    log.data(1)  # 1
    log.commit(1)  # 2
    log.data(1)  # 3
    log.data(2)  # 4
    log.commit(1)  # 5: damaged
    log.data(1)  # 6
    log.commit(2)  # 7
    log.commit(1)  # 8
    log.data()  # 9
    damaged(log, 5, position).write(tmp_path)
    at = position_of(log, 5)
    before, error = before_and_error(committed(tmp_path, engine=engine))
    assert (before, type(error), error.position) == ([0, 1], ChecksumError, at)
    with pytest.raises(ChecksumError):
        committed(tmp_path, engine=engine).count(verify_checksums=True)
    with pytest.raises(ChecksumError):
        committed(tmp_path, engine=engine).tail(5).read_all()
    skipping = committed(tmp_path, on_damage="skip", engine=engine)
    assert skipping.to_table().column("offset").to_pylist() == [0, 1, 6, 9]
    assert [(each.position, each.reason) for each in skipping.damage] == [(at, "checksum")]
    assert skipping.count(verify_checksums=True) == 4
    assert skipping.tail(2).read_all().column("offset").to_pylist() == [6, 9]
    assert [each.position for each in skipping.damage] == [at]


def test_a_marker_whose_record_is_broken_is_damage_although_its_crc_is_right(tmp_path: Path, engine: Any) -> None:
    broken = builder.batch([b"\x20broken"], base_offset=2, attributes=0x30, producer_id=1, producer_epoch=1)
    (tmp_path / file_name(0)).write_bytes(data(0) + data(1, 1) + broken + data(3))
    before, error = before_and_error(committed(tmp_path, engine=engine))
    assert (before, type(error)) == ([0], TruncatedError)
    skipping = committed(tmp_path, on_damage="skip", engine=engine)
    assert skipping.to_table().column("offset").to_pylist() == [0, 3]
    assert [each.reason for each in skipping.damage] == ["truncated"]


@pytest.mark.parametrize("which", range(3))
def test_a_producer_id_that_flipped_withholds_nothing_else(tmp_path: Path, which: int, engine: Any) -> None:
    log = Log()
    for producer_id in (1, 1, 1):
        log.data(producer_id)
        log.data()
    log.commit(1)
    log.data()
    damaged(log, 2 * which, PRODUCER_ID, 0x40).write(tmp_path)
    at = position_of(log, 2 * which)
    before, error = before_and_error(committed(tmp_path, engine=engine))
    assert (type(error), error.position) == (ChecksumError, at)
    assert before == list(range(2 * which))
    skipping = committed(tmp_path, on_damage="skip", engine=engine)
    # Transactions open at the damage are skipped, whatever the damaged batch was.
    assert skipping.to_table().column("offset").to_pylist() == [
        each for each in (0, 1, 2, 3, 4, 5, 7) if each != 2 * which and (each % 2 or each > 2 * which)
    ]
    assert [(each.position, each.reason) for each in skipping.damage] == [(at, "checksum")]
    if which == 0:
        believing = committed(tmp_path, engine=engine, verify_checksums=False)
        assert believing.to_table().column("offset").to_pylist() == []


def test_an_aborted_batch_is_checked_before_its_header_is_believed(tmp_path: Path, engine: Any) -> None:
    log = Log()
    log.data(2)
    log.data(1)
    log.abort(1)
    log.data(2)
    log.commit(2)
    damaged(log, 1, LAST).write(tmp_path)
    for wanted in ({}, {"start_offset": 0, "end_offset": 4}):
        before, error = before_and_error(committed(tmp_path, engine=engine, **wanted))
        assert (before, type(error), error.position) == ([0], ChecksumError, position_of(log, 1))
        skipping = committed(tmp_path, on_damage="skip", engine=engine, **wanted)
        assert skipping.to_table().column("offset").to_pylist() == [0, 3]
        assert len(skipping.damage) == 1
        assert skipping.count(verify_checksums=True) == 2
    described = committed(tmp_path, engine=engine).batches(verify_checksums=True)
    assert [each.base_offset for each in described] == [0, 3]


def two_segments(directory: Path, tail: bytes, *, open_at_the_damage: bool) -> Log:
    log = Log()
    log.data()  # 0
    log.data(1)  # 1
    if not open_at_the_damage:
        log.commit(1)
    log.data()  # 2 or 3
    rolled = len(log.batches)
    if open_at_the_damage:
        log.commit(1)
    log.data()
    log.write(directory, rolled)
    with (directory / file_name(0)).open("ab") as file:
        file.write(tail)
    return log


@pytest.mark.parametrize("tail", [bytes(100), b"\0" * 10 + b"\x7f" * 30], ids=["zeros", "cut off"])
def test_damage_outside_of_the_range_counts_if_a_transaction_is_open_there(
    tmp_path: Path, tail: bytes, engine: Any
) -> None:
    for case in (True, False):
        two_segments(tmp_path / str(case) / "t-0", tail, open_at_the_damage=case)
    bounded: dict[str, Any] = {"end_offset": 2, "engine": engine}
    assert offsets(tmp_path / "False", **bounded) == [0, 1]
    before, error = before_and_error(committed(tmp_path / "True", **bounded))
    assert (before, error.file) == ([0], f"t-0/{file_name(0)}")
    skipping = committed(tmp_path / "True", on_damage="skip", **bounded)
    assert skipping.to_table().column("offset").to_pylist() == [0]
    assert [each.file for each in skipping.damage] == [f"t-0/{file_name(0)}"]
    whole = committed(tmp_path / "True", on_damage="skip", engine=engine)
    assert whole.to_table().column("offset").to_pylist() == [0, 2, 4]
    assert len(whole.damage) == 1


def test_damage_in_another_file_of_the_log_is_told_as_if_that_had_been_named(tmp_path: Path) -> None:
    log = Log()
    log.data(1)  # 0
    log.data()  # 1, in the file that is named
    log.data()  # 2
    log.commit(1)  # 3
    log.write(tmp_path / "t-0", 1, 2)
    with (tmp_path / "t-0" / file_name(0)).open("ab") as file:
        file.write(bytes(10))
    named = tmp_path / "t-0" / file_name(1)
    skipping = committed(named, on_damage="skip")
    assert skipping.to_table().column("offset").to_pylist() == [1]
    assert [each.file for each in skipping.damage] == [file_name(0)]
    some = [named, tmp_path / "t-0" / file_name(2)]
    skipping = committed(some, on_damage="skip")
    assert skipping.to_table().column("offset").to_pylist() == [1, 2]
    assert [each.file for each in skipping.damage] == [str(tmp_path / "t-0" / file_name(0))]


def test_a_size_that_is_wrong_hides_no_marker(tmp_path: Path, engine: Any) -> None:
    log = Log()
    log.data()  # 0
    log.data()  # 1: claims one byte too many
    log.data(1)  # 2
    log.abort(1)  # 3
    log.data()  # 4
    damaged(log, 1, 11).write(tmp_path)
    before, error = before_and_error(committed(tmp_path, engine=engine))
    assert (before, type(error), error.position) == ([0], ChecksumError, position_of(log, 1))
    skipping = committed(tmp_path, on_damage="skip", engine=engine)
    assert skipping.to_table().column("offset").to_pylist() == [0, 4]
    assert len(skipping.damage) == 1


def test_a_magic_that_nobody_knows_is_damage(tmp_path: Path, engine: Any) -> None:
    log = Log()
    log.data()
    log.data()
    log.data()
    damaged(log, 1, 16, 0x08).write(tmp_path)
    before, error = before_and_error(committed(tmp_path, engine=engine))
    assert (before, error.position) == ([0], position_of(log, 1))
    skipping = committed(tmp_path, on_damage="skip", engine=engine)
    assert skipping.to_table().column("offset").to_pylist() == [0, 2]
    assert len(skipping.damage) == 1
    believing = committed(tmp_path, on_damage="skip", engine=engine, verify_checksums=False)
    assert believing.to_table().column("offset").to_pylist() == [0, 2]


def test_a_log_that_begins_with_damage_gives_nothing_but_the_error(tmp_path: Path, engine: Any) -> None:
    (tmp_path / file_name(0)).write_bytes(with_bit_flipped(data(0), 16, 0x08) + data(1))
    before, error = before_and_error(committed(tmp_path, engine=engine))
    assert (before, error.position) == ([], 0)


def test_an_open_end_is_no_damage_and_told_once(tmp_path: Path) -> None:
    (tmp_path / file_name(0)).write_bytes(data(0) + data(1, 1) + marker(2, 1, COMMIT) + bytes(99))
    scan = committed(tmp_path)
    assert scan.to_table().column("offset").to_pylist() == [0, 1]
    assert [each.reason for each in scan.damage] == ["zero_tail"]


def test_more_open_transactions_than_are_held_are_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(producer_runs, "MOST_OPEN", 4)
    log = Log()
    log.data()
    for producer_id in range(5):
        log.data(producer_id)
    log.data()
    log.write(tmp_path, 2, 3, 4, 5)
    before, error = before_and_error(committed(tmp_path))
    assert (before, type(error)) == ([0], LimitExceededError)
    skipping = committed(tmp_path, on_damage="skip")
    # All transactions open there are skipped.
    assert skipping.to_table().column("offset").to_pylist() == [0, 6]
    assert [each.reason for each in skipping.damage] == ["limit_exceeded"]


def test_headers_are_described_whatever_is_wrong_with_markers(tmp_path: Path) -> None:
    log = Log()
    log.data()
    log.data(1)
    log.commit(1)
    log.data()
    damaged(log, 2, LAST).write(tmp_path)
    scan = committed(tmp_path, control_records=True)
    assert [(each.base_offset, each.is_valid) for each in scan.batches(verify_checksums=True)] == [
        (0, True),
        (2, False),
        (3, True),
    ]
    assert scan.damage == []


@pytest.mark.parametrize("on_damage", ["raise", "skip"])
def test_a_file_that_cannot_be_read_is_never_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_damage: Any
) -> None:
    story().write(tmp_path, 6)
    reads.jump_over(monkeypatch, 16)
    expected = committed(tmp_path).to_table()
    readinto_at = LocalFile.readinto_at
    for failing in range(1000):
        calls = iter(range(1001))

        def fail_at(self: LocalFile, position: int, buffer: memoryview, at: int = failing, calls: Any = calls) -> int:
            if next(calls) == at:
                raise SourceError("the disk is broken", file=self.name)
            return readinto_at(self, position, buffer)

        monkeypatch.setattr(LocalFile, "readinto_at", fail_at)
        scan = committed(tmp_path, on_damage=on_damage)
        try:
            found = scan.to_table()
        except SourceError:
            continue
        assert found == expected
        break
    assert failing > 20
    monkeypatch.setattr(LocalFile, "readinto_at", readinto_at)
    (tmp_path / file_name(0)).unlink()
    with pytest.raises(SourceError, match="vanished"):
        scan.count()
