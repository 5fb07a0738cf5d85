"""`isolation_level="read_committed"`: what Kafka's consumer returned from real logs, and would from made ones.

It is long because it is a catalogue: a short log, and what a consumer gets of it, for each way a transaction can go.
"""

import shutil
import struct
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt
from kafkafmt import ChecksumError, LimitExceededError, SourceError, TruncatedError
from kafkafmt.io.local import LocalFile
from kafkafmt.logdir import producer_runs
from kafkafmt.logdir.transactions import TransactionPlanner
from tests import golden_exceptions, reads
from tests.golden_cases import GOLDEN, Case, cases
from tests.logdir.builders import checkpoint, file_name
from tests.reads import KIB, MIB, sparse_log
from tests.reference import builder
from tests.reference.builder import R
from tests.transactions import ABORT, COMMIT, Appended, Log, consumed, data, marker

CONSUMED = [case for case in cases("modern") if case.jsonl("read_committed.jsonl")]
TRANSACTIONS = [case for case in CONSUMED if case.name.startswith("04-")]


@pytest.fixture(params=["columnar", "reference"])
def engine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def committed(source: Any, **wanted: Any) -> kafkafmt.Scan:
    wanted = {"columns": ["offset"], **wanted}
    return kafkafmt.scan(source, isolation_level="read_committed", **wanted)


def offsets(source: Any, **wanted: Any) -> list[int]:
    found: list[int] = committed(source, **wanted).to_table().column("offset").to_pylist()
    return found


def told(scan: kafkafmt.Scan) -> list[Any]:
    return [(each.file, each.position, each.length, each.reason, str(each.error)) for each in scan.damage]


# What a real consumer got


@pytest.mark.parametrize("case", CONSUMED, ids=str)
def test_the_default_view_is_what_a_real_consumer_got(case: Case, engine: Any) -> None:
    recovered = case.log_dir / "recovered"
    source = recovered if recovered.is_dir() else case.log_dir
    scan = committed(source, columns=["topic", "partition", "offset", "isControl"], on_damage="skip", engine=engine)
    found: dict[tuple[str, int], list[int]] = defaultdict(list)
    for row in scan.to_table().to_pylist():
        assert not row["isControl"]
        found[row["topic"], row["partition"]].append(row["offset"])
    for answer in case.jsonl("read_committed.jsonl"):
        delivered = found[answer["topic"], answer["partition"]]
        expected = [o for first, last in answer["offsetRanges"] for o in range(first, last + 1)]
        if (case.name, answer["topic"]) in golden_exceptions.BEYOND_THE_CONSUMER:
            # Of the flipped offset the consumer lost this time nothing but the batch itself.
            assert [each for each in delivered if each in expected] == expected
            assert len(delivered) > len(expected)
        else:
            assert delivered == expected, answer


@pytest.mark.parametrize("case", cases(), ids=str)
def test_count_tail_and_head_agree_with_the_table(case: Case) -> None:
    for wanted in ({}, {"below_log_start": True, "replica": "all", "control_records": True}):
        columns = ["topic", "partition", "file", "offset", "isControl"]
        scan = committed(case.log_dir, columns=columns, on_damage="skip", **wanted)
        rows = scan.to_table().to_pylist()
        damage = [(each.file, each.position) for each in scan.damage]
        assert len(set(damage)) == len(damage)
        assert scan.count(verify_checksums=True) == len(rows)
        assert scan.head(7).read_all().to_pylist() == rows[:7]
        partitions: dict[str, list[Any]] = defaultdict(list)
        for row in rows:
            partitions[row["file"].rpartition("/")[0]].append(row)
        assert scan.tail(5).read_all().to_pylist() == [row for each in partitions.values() for row in each[-5:]]


@pytest.mark.parametrize("case", [case for case in cases("legacy") if "transactions" not in case.name], ids=str)
def test_old_formats_know_no_transactions(case: Case) -> None:
    for engine in ("columnar", "reference"):
        all_records = kafkafmt.scan(case.log_dir, columns=["offset"], on_damage="skip", engine=engine)
        found = committed(case.log_dir, on_damage="skip", engine=engine)
        assert found.to_table() == all_records.to_table()
        assert told(found) == told(all_records)


@pytest.mark.parametrize("case", TRANSACTIONS, ids=str)
@pytest.mark.parametrize("how", ["absent", "empty", "garbage", "all aborted", "none aborted"])
def test_the_transaction_index_changes_nothing(case: Case, how: str, tmp_path: Path) -> None:
    expected = offsets(case.log_dir)
    log_dir = shutil.copytree(case.log_dir, tmp_path / "copy")
    indexes = sorted(log_dir.rglob("*.txnindex"))
    assert indexes
    for path in indexes:
        if how == "absent":
            path.unlink()
            continue
        everything = b"".join(struct.pack(">hqqqq", 0, each, 0, 10**6, 10**6) for each in range(-1, 20))
        wrong = {"empty": b"", "garbage": b"\xff\x80garbage" * 99, "all aborted": everything}
        path.write_bytes(wrong.get(how, struct.pack(">hqqqq", 0, 10**6, 0, 1, 1)))
    assert offsets(log_dir) == expected


@pytest.mark.parametrize("case", TRANSACTIONS, ids=str)
def test_a_range_a_split_and_a_single_file_are_parts_of_the_whole(case: Case, engine: Any) -> None:
    directory = case.log_dir / "tx-0"
    whole = offsets(directory)
    assert whole
    assert whole != offsets(directory, start_offset=1)
    for start in range(0, 192, 7):
        for end in (start + 5, start + 60, None):
            expected = [each for each in whole if each >= start and (end is None or each < end)]
            scan = committed(directory, start_offset=start, end_offset=end, engine=engine)
            assert scan.to_table().column("offset").to_pylist() == expected
            assert scan.count() == len(expected)
    files = sorted(directory.glob("*.log"))
    assert len(files) > 1
    found = [offsets(path, engine=engine) for path in files]
    assert [each for some in found for each in some] == whole
    assert offsets(files) == whole
    assert offsets([files[-1], files[0]]) == found[0] + found[-1]


# What it would get from made logs


def story() -> Log:
    """One transaction of each kind, some interleaved: what is committed is named."""
    log = Log()
    log.data()  # 0
    log.data(1, 2)  # 1, 2: committed at 5
    log.data(2, 2)  # 3, 4: aborted at 8
    log.commit(1)  # 5
    log.data(1)  # 6: aborted at 9
    log.idempotent(2)  # 7: of a producer that is in a transaction, but no part of it
    log.abort(2)  # 8
    log.abort(1)  # 9
    log.data(2)  # 10: committed at 13
    log.data()  # 11
    log.data(3)  # 12: open
    log.commit(2)  # 13
    log.data()  # 14
    return log


COMMITTED = [0, 1, 2, 7, 10, 11]


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
    # Of the transaction that ends at 8 nothing is left but its marker.
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


# Random logs


actions = st.lists(
    st.tuples(st.sampled_from(["data", "data", "plain", "idempotent", "commit", "abort"]), st.integers(0, 3)),
    max_size=40,
)


def appended(done: list[tuple[str, int]]) -> Log:
    log = Log()
    for action, producer_id in done:
        if action == "data":
            log.data(producer_id, 1 + producer_id)
        elif action == "plain":
            log.data(count=2)
        elif action == "idempotent":
            log.idempotent(producer_id + 10)
        else:
            log.end_of(producer_id, ABORT if action == "abort" else COMMIT, epoch=producer_id % 2)
    return log


@given(
    actions,
    st.sets(st.integers(1, 39), max_size=4),
    st.integers(0, 60),
    st.integers(0, 60),
    st.sampled_from(["columnar", "reference"]),
)
def test_a_random_interleaving_is_read_as_the_consumer_reads_it(
    done: list[tuple[str, int]], rolled: set[int], start: int, length: int, engine: str
) -> None:
    log = appended(done)
    expected, _ = consumed(log.batches)
    wanted: dict[str, Any] = {"engine": engine}
    with TemporaryDirectory() as name:
        directory = log.write(Path(name) / "t-0", *sorted(each for each in rolled if each < len(log.batches)))
        scan = committed(directory, **wanted)
        assert scan.to_table().column("offset").to_pylist() == expected
        assert scan.count() == len(expected)
        assert scan.tail(3).read_all().column("offset").to_pylist() == expected[-3:]
        assert scan.head(3).read_all().column("offset").to_pylist() == expected[:3]
        inside = [each for each in expected if start <= each < start + length]
        bounded = committed(directory, start_offset=start, end_offset=start + length, **wanted)
        assert bounded.to_table().column("offset").to_pylist() == inside
        assert bounded.count() == len(inside)
        assert bounded.tail(2).read_all().column("offset").to_pylist() == inside[-2:]
        checkpoint(Path(name), "replication-offset-checkpoint", {("t", 0): start})
        at_mark = [each for each in consumed(log.batches, start)[0] if each < start]
        assert offsets(directory, end_offset="high_watermark", **wanted) == at_mark


def cleaned(log: Log, fates: list[int]) -> list[Appended]:
    """What a cleaner may leave: nothing of what is open changes; a marker goes when its data have gone."""
    _, stable = consumed(log.batches)
    left: list[Appended] = []
    data_left: dict[int, bool] = {}
    for number, each in enumerate(log.batches):
        fate = fates[number % len(fates)] if fates else 0
        decided = stable is None or each.last < stable
        if not decided or fate == 0 or (each.kind is not None and data_left.get(each.producer_id)):
            left.append(each)
        elif each.kind is None and fate == 1:
            attributes, sequence = (0x10, 0) if each.is_transactional and each.producer_id >= 0 else (0, -1)
            content = builder.batch(
                [],
                base_offset=each.first,
                last_offset_delta=each.last - each.first,
                attributes=attributes,
                producer_id=each.producer_id,
                base_sequence=sequence,
                base_timestamp=-1,
            )
            left.append(Appended(content, each.first, each.last, each.producer_id, -1))
        data_left[each.producer_id] = each.kind is None and (
            bool(data_left.get(each.producer_id)) or (bool(left) and left[-1] is each)
        )
    return left


@given(actions, st.lists(st.integers(0, 2), max_size=40))
def test_a_compacted_log_has_the_records_that_are_left(done: list[tuple[str, int]], fates: list[int]) -> None:
    log = appended(done)
    left = cleaned(log, fates)
    kept = {offset for each in left if each.kind is None for offset in each.offsets}
    with TemporaryDirectory() as name:
        (Path(name) / file_name(0)).write_bytes(b"".join(each.content for each in left))
        assert offsets(name) == [each for each in consumed(log.batches)[0] if each in kept]


# Damage


def with_bit_flipped(content: bytes, position: int, bit: int = 1) -> bytes:
    return content[:position] + bytes([content[position] ^ bit]) + content[position + 1 :]


PRODUCER_ID = 50  # its last byte, in a batch
LAST = -1


def damaged(log: Log, number: int, position: int, bit: int = 1) -> Log:
    one = log.batches[number]
    position %= len(one.content)
    log.batches[number] = Appended(with_bit_flipped(one.content, position, bit), one.first, one.last, one.producer_id)
    return log


def before_and_error(scan: kafkafmt.Scan) -> tuple[list[int], kafkafmt.KafkafmtError]:
    found: list[int] = []

    def read() -> None:
        for batch in scan.to_reader():
            found.extend(batch.column("offset").to_pylist())

    with pytest.raises(kafkafmt.KafkafmtError) as error:
        read()
    return found, error.value


def position_of(log: Log, number: int) -> int:
    return sum(len(each.content) for each in log.batches[:number])


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
    # What was open at the damage is left out, whatever the damaged batch was.
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
    # All that are open there are left out.
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


@given(actions, st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 7)), min_size=1, max_size=4))
def test_whatever_flips_both_engines_agree_and_each_damage_is_told_once(
    done: list[tuple[str, int]], flips: list[tuple[int, int]]
) -> None:
    log = appended(done)
    content = bytearray(b"".join(each.content for each in log.batches))
    if not content:
        return
    for position, bit in flips:
        content[position % len(content)] ^= 1 << bit
    with TemporaryDirectory() as name:
        (Path(name) / file_name(0)).write_bytes(content)
        found = []
        for engine in ("reference", "columnar"):
            scan = committed(name, on_damage="skip", engine=engine)
            rows = scan.to_table()
            places = [(each.file, each.position) for each in scan.damage]
            assert len(set(places)) == len(places)
            found.append((rows, told(scan)))
            try:
                sound = offsets(name, engine=engine)
            except kafkafmt.KafkafmtError:
                continue
            assert sound == rows.column("offset").to_pylist()
        assert found[0] == found[1]


@given(actions, st.integers(0, 39), st.integers(21, 120), st.integers(0, 7))
def test_a_bit_that_flips_where_a_crc_covers_it_frees_nothing_that_was_aborted_or_open(
    done: list[tuple[str, int]], which: int, position: int, bit: int
) -> None:
    log = appended(done)
    uncommitted = {
        offset for each in log.batches if each.is_transactional for offset in each.offsets if each.producer_id >= 0
    } - set(consumed([*log.batches, *(Appended(b"", 10**6, 10**6, who, ABORT) for who in range(4))])[0])
    if which >= len(log.batches) or position >= len(log.batches[which].content):
        return
    damaged(log, which, position, 1 << bit)
    with TemporaryDirectory() as name:
        log.write(Path(name))
        scan = committed(name, on_damage="skip")
        found = scan.to_table().column("offset").to_pylist()
        assert uncommitted.isdisjoint(found)
        assert len(scan.damage) <= 1
        if scan.damage:
            with pytest.raises(ChecksumError):
                offsets(name)
        else:
            # What is open is not read, so what is damaged there is not noticed.
            assert offsets(name) == found == consumed(log.batches)[0]


@given(actions, st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 7)), max_size=3), st.booleans())
def test_a_plan_made_in_bulk_is_the_one_made_entry_by_entry(
    done: list[tuple[str, int]],
    flips: list[tuple[int, int]],
    checked: bool,
) -> None:
    content = bytearray(b"".join(each.content for each in appended(done).batches) + data(10**6))
    for position, bit in flips:
        content[position % len(content)] ^= 1 << bit
    plans = []
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patched:
        (Path(name) / file_name(0)).write_bytes(content)
        for _ in range(2):
            for on_damage in ("raise", "skip"):
                partition = kafkafmt.Partition(name)
                planner = TransactionPlanner(partition.segments, on_damage=on_damage, verify_checksums=checked)
                plan = planner.plan()
                damage = [(each.position, each.length, str(each.error)) for each in plan.damage]
                found = (plan.transactions.aborted, plan.transactions.last_stable_offset, damage, str(plan.error))
                plans.append(found)
            reads.jump_over(patched, 1)
    assert plans[:2] == plans[2:]


# What it costs


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


def test_a_long_log_of_small_transactions_is_planned_in_bulk(tmp_path: Path) -> None:
    count = 20_000
    with (tmp_path / file_name(0)).open("wb") as file:
        for number in range(count):
            file.write(data(2 * number, number % 7) + marker(2 * number + 1, number % 7, number % 2))
    assert committed(tmp_path).count() == count // 2


def test_golden_files_are_there() -> None:
    assert len(CONSUMED) > 30
    assert GOLDEN.is_dir()
    assert len(TRANSACTIONS) == 2
