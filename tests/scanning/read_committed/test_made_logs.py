"""`isolation_level="read_committed"` on made logs: one for each course of a transaction, and the cost of each."""

from pathlib import Path
from typing import Any

import pytest

from tests import reads
from tests.logdir.builders import checkpoint, file_name
from tests.reads import KIB, MIB, sparse_log
from tests.reference import builder
from tests.reference.builder import R
from tests.scanning.read_committed.committed_reads import COMMITTED, committed, offsets, story
from tests.transactions import ABORT, COMMIT, Log, consumed, data, marker


def test_a_story(tmp_path: Path, engine: Any) -> None:
    log = story()
    assert consumed(log.batches) == (COMMITTED, 12)
    for rolled in ((), (3,), (2, 5, 8, 11), tuple(range(1, 13))):
        directory = log.write(tmp_path / f"{len(rolled)}" / "t-0", *rolled)
        scan = committed(directory, engine=engine)
        assert scan.to_table().column("offset").to_pylist() == COMMITTED
        assert scan.count() == len(COMMITTED)
        assert scan.tail(2).read_all().column("offset").to_pylist() == COMMITTED[-2:]
        assert scan.head(2).read_all().column("offset").to_pylist() == COMMITTED[:2]
        assert scan.damage == []
        assert [each.base_offset for each in scan.batches()] == [0, 1, 7, 10, 11]
        assert offsets(directory, control_records=True) == [0, 1, 2, 5, 7, 8, 9, 10, 11]
        assert offsets(directory, key=b"no such key") == []
        assert offsets(directory, start_timestamp=0) == COMMITTED


def test_a_range_inside_a_transaction_has_the_fate_of_the_transaction(tmp_path: Path, engine: Any) -> None:
    log = Log()
    for _ in range(3):
        log.data(1, 5)
    log.abort(1)
    for _ in range(3):
        log.data(1, 5)
    log.commit(1)
    log.write(tmp_path, 2, 5)
    for start, end, expected in ((7, 12, []), (12, 18, [16, 17]), (18, 24, range(18, 24)), (18, 99, range(18, 31))):
        assert offsets(tmp_path, start_offset=start, end_offset=end, engine=engine) == list(expected)


def test_nothing_is_delivered_behind_a_transaction_that_was_open_before_the_range(tmp_path: Path) -> None:
    log = Log()
    log.data(1)
    for _ in range(10):
        log.data()
    log.write(tmp_path, 3, 6)
    assert offsets(tmp_path, start_offset=4) == []
    assert committed(tmp_path, start_offset=4).count() == 0
    log.commit(1)
    log.write(tmp_path, 3, 6)
    assert offsets(tmp_path, start_offset=4) == list(range(4, 11))


def test_the_log_may_start_inside_a_transaction(tmp_path: Path) -> None:
    log = story()
    log.write(tmp_path / "t-0", 4)
    for start in range(14):
        checkpoint(tmp_path, "log-start-offset-checkpoint", {("t", 0): start})
        assert offsets(tmp_path) == [each for each in COMMITTED if each >= start]
    (tmp_path / "t-0" / file_name(0)).unlink()
    # Only the marker is left of the transaction that ends at 8.
    checkpoint(tmp_path, "log-start-offset-checkpoint", {})
    assert offsets(tmp_path) == [each for each in COMMITTED if each >= 6]


def test_markers_behind_the_high_watermark_do_not_count(tmp_path: Path) -> None:
    log = story()
    log.write(tmp_path / "t-0", 6)
    for mark in range(16):
        checkpoint(tmp_path, "replication-offset-checkpoint", {("t", 0): mark})
        expected, _ = consumed(log.batches, mark)
        expected = [each for each in expected if each < mark]
        scan = committed(tmp_path, end_offset="high_watermark")
        assert scan.to_table().column("offset").to_pylist() == expected
        assert scan.count() == len(expected)
        named = [offsets(each, end_offset="high_watermark") for each in sorted((tmp_path / "t-0").glob("*.log"))]
        assert [each for some in named for each in some] == expected


def test_the_epoch_of_a_marker_does_not_matter(tmp_path: Path) -> None:
    log = Log()
    for epoch in (0, 1, 2, 30000):
        log.data(1)
        log.end_of(1, ABORT, epoch=epoch)
        log.data(1)
        log.end_of(1, COMMIT, epoch=epoch)
    log.write(tmp_path)
    assert offsets(tmp_path) == [2, 6, 10, 14]


def test_other_control_batches_end_no_transaction(tmp_path: Path, engine: Any) -> None:
    others = [
        marker(1, 1, 2),
        marker(2, 1, 99),
        marker(3, 1, ABORT, key=b"\0"),
        marker(4, -1, ABORT),
        builder.batch([], base_offset=5, last_offset_delta=0, attributes=0x30, producer_id=1),
    ]
    content = [data(0, 1), *others, data(6, 1), marker(7, 1, COMMIT, value=b""), data(8)]
    (tmp_path / file_name(0)).write_bytes(b"".join(content))
    assert offsets(tmp_path, engine=engine) == [0, 6, 8]


def test_a_marker_needs_no_transactional_bit_and_may_be_compacted_or_compressed(tmp_path: Path) -> None:
    horizon = 0x40
    content = [
        data(0, 1),
        marker(1, 1, ABORT, attributes=0x20),
        data(2, 1),
        marker(3, 1, ABORT, attributes=0x30 | horizon, timestamp_delta=-(10**12)),
        data(4, 1),
        marker(5, 1, ABORT, attributes=0x30 | 4),
        data(6, 1),
        marker(7, 1, COMMIT),
    ]
    (tmp_path / file_name(0)).write_bytes(b"".join(content))
    assert offsets(tmp_path) == [6]


def test_empty_batches_open_nothing(tmp_path: Path, engine: Any) -> None:
    empty = builder.batch([], base_offset=0, last_offset_delta=3, attributes=0x10, producer_id=1, base_sequence=0)
    (tmp_path / file_name(0)).write_bytes(empty + data(4) + data(5, 1) + marker(6, 1, COMMIT))
    assert offsets(tmp_path, engine=engine) == [4, 5]


def test_transactional_batches_without_a_producer_are_data(tmp_path: Path, engine: Any) -> None:
    batch = builder.batch([R()], base_offset=0, attributes=0x10)
    (tmp_path / file_name(0)).write_bytes(batch + data(1))
    assert offsets(tmp_path, engine=engine) == [0, 1]


def test_old_messages_between_batches_are_passed(tmp_path: Path, engine: Any) -> None:
    old = [builder.message(n, magic=n % 2) for n in range(5)]
    content = [*old, data(5, 1), builder.message(6), marker(7, 1, ABORT), builder.wrapper(9, old[1]), data(10)]
    (tmp_path / file_name(0)).write_bytes(b"".join(content))
    assert offsets(tmp_path, engine=engine, on_damage="skip")[:6] == [0, 1, 2, 3, 4, 6]
    assert offsets(tmp_path, engine=engine, on_damage="skip")[-1] == 10
    assert 5 not in offsets(tmp_path, engine=engine, on_damage="skip")


def test_offsets_that_go_back_free_nothing_that_was_aborted(tmp_path: Path, engine: Any) -> None:
    content = [
        data(50, 1),
        data(1, 1),
        data(2),
        marker(3, 1, ABORT),
        data(4, 2),
        data(5),
        marker(6, 2, COMMIT),
        data(7),
    ]
    (tmp_path / file_name(0)).write_bytes(b"".join(content))
    assert offsets(tmp_path, engine=engine) == [2, 4, 5, 7]


def test_a_file_that_is_no_part_of_the_log_is_a_log_of_its_own(tmp_path: Path) -> None:
    log = Log()
    log.data(1)
    log.abort(1)
    log.write(tmp_path / "t-0")
    deleted = tmp_path / "t-0" / f"{file_name(0)}.deleted"
    deleted.write_bytes(data(0, 1) + marker(1, 1, COMMIT) + data(2))
    lone = tmp_path / "t-0" / "saved.log"
    lone.write_bytes(data(0) + data(1, 1))
    assert offsets(deleted) == [0, 2]
    assert offsets(lone) == [0]
    assert offsets(tmp_path) == []


def test_each_replica_has_its_own_transactions(tmp_path: Path) -> None:
    log = Log()
    log.data()
    log.data(1)
    log.write(tmp_path / "a" / "t-0")
    log.commit(1)
    log.write(tmp_path / "b" / "t-0")
    assert offsets(tmp_path) == [0, 1]
    assert offsets(tmp_path, replica="all") == [0, 0, 1]
    assert committed(tmp_path, replica="all").tail(1).read_all().column("offset").to_pylist() == [0, 1]


def test_without_transactions_it_costs_a_walk_over_headers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sparse_log(tmp_path / file_name(0), MIB, 100, range(100))
    recorded = reads.record(monkeypatch)
    assert committed(tmp_path).count() == 1000
    assert reads.total(recorded) < 2 * (100 * 5 * KIB + 2 * MIB)


def test_behind_a_range_nothing_is_read_but_where_a_transaction_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Log()
    for _ in range(10):
        log.data(1)
        log.data()
        log.commit(1)
    log.write(tmp_path, 6, 12, 18)
    recorded = reads.record(monkeypatch)
    assert offsets(tmp_path, end_offset=5) == [0, 1, 3, 4]
    assert {name for name in recorded if name.endswith(".log")} == {file_name(0)}
    assert offsets(tmp_path / file_name(6)) == [6, 7, 9, 10]
    assert not {file_name(12), file_name(18)} & set(recorded)
    open_at_7 = offsets(tmp_path, end_offset=7)
    assert open_at_7 == [0, 1, 3, 4, 6]
    assert file_name(12) not in recorded


@pytest.mark.slow
def test_a_long_log_of_small_transactions_is_planned_in_bulk(tmp_path: Path) -> None:
    count = 20_000
    with (tmp_path / file_name(0)).open("wb") as file:
        for number in range(count):
            file.write(data(2 * number, number % 7) + marker(2 * number + 1, number % 7, number % 2))
    assert committed(tmp_path).count() == count // 2
