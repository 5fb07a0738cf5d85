"""Which files show stable offsets, open and aborted transactions, and when the log is walked as they must be wrong."""

import os
import struct
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from kafkafmt.files import clean_shutdown
from kafkafmt.logdir import partition_transactions
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.partition_transactions import PartitionTransactions
from kafkafmt.logdir.producer_states import ProducerStates
from kafkafmt.logdir.transaction_plan import TransactionPlanner
from kafkafmt.reference.entry import Entry
from tests import reads
from tests.logdir.builders import checkpoint
from tests.transactions import Log

# Base offsets of the segments of `log`.
BASES = (0, 6, 12, 19)
RANGES = [(begin, end) for begin in range(0, 24, 3) for end in range(begin + 1, 25)]


def log() -> tuple[Log, list[int]]:
    """A log of four segments with transactions across them, and the first batch of each segment."""
    made, rolled = Log(), []
    made.data(1, 2)  # 0
    made.data(2)  # 2
    made.abort(1)  # 3
    made.data(3, 2)  # 4
    rolled.append(len(made.batches))
    made.abort(2)  # 6
    made.data(1)  # 7
    made.data()  # 8
    made.commit(1)  # 9
    made.data(4, 2)  # 10
    rolled.append(len(made.batches))
    made.data(1, 3)  # 12
    made.abort(3)  # 15
    made.abort(1)  # 16
    made.data(2, 2)  # 17
    rolled.append(len(made.batches))
    made.abort(4)  # 19
    made.data(1)  # 20
    made.abort(1)  # 21
    made.data(1, 2)  # 22
    return made, rolled


def write(directory: Path, made: Log, rolled: list[int], *, is_closed: bool = True) -> Path:
    """Write a partition as left by a broker that was shut down cleanly, or killed."""
    partition = made.write(directory / "t-0", *rolled)
    states = ProducerStates()
    for begin, end in pairwise([0, *rolled, len(made.batches)]):
        path = partition / f"{made.batches[begin].first:020d}.log"
        if begin:
            path.with_suffix(".snapshot").write_bytes(states.snapshot())
        path.with_suffix(".index").touch()
        aborted = []
        for each in made.batches[begin:end]:
            append = states.prepare()
            append.add(Entry(each.content).header(), each.content)
            aborted += append.commit()
        if aborted:
            rows = [
                (each.version, each.producer_id, each.first_offset, each.last_offset, each.last_stable_offset)
                for each in aborted
            ]
            path.with_suffix(".txnindex").write_bytes(b"".join(struct.pack(">hqqqq", *row) for row in rows))
    if is_closed:
        (partition / f"{made.end:020d}.snapshot").write_bytes(states.snapshot())
        (directory / clean_shutdown.FILE_NAME).touch()
    return partition


@pytest.fixture
def partition(tmp_path: Path) -> Path:
    return write(tmp_path, *log())


def opened(directory: Path, end: int = 24, start: int = 0) -> PartitionTransactions:
    return PartitionTransactions(Partition(directory), start, end)


def assert_right(directory: Path, end: int = 24) -> None:
    """Require that all answers equal those of a walk over the whole log."""
    found = opened(directory, end)
    plan = TransactionPlanner(Partition(directory).segments, end, end, "skip").plan().transactions
    assert found.last_stable_offset() == (end if plan.last_stable_offset is None else plan.last_stable_offset)
    for begin, until in RANGES:
        expected = [each for each in plan.aborted if each[2] >= begin and each[1] < min(until, end) and begin < end]
        assert found.aborted(begin, until) == sorted(expected, key=lambda each: each[2]), (begin, until)


def changed(path: Path, position: int, number: int) -> None:
    content = bytearray(path.read_bytes())
    content[position : position + 8] = struct.pack(">q", number)
    path.write_bytes(content)


def named(directory: Path, base_offset: int, suffix: str) -> Path:
    return directory / f"{base_offset:020d}.{suffix}"


def test_after_a_clean_shutdown_no_batch_is_read(partition: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = opened(partition)
    seen = reads.record(monkeypatch)
    assert found.last_stable_offset() == 17
    assert set(seen) == {f"{24:020d}.snapshot"}
    seen.clear()
    assert found.aborted(0, 12) == [(1, 0, 3), (2, 2, 6), (3, 4, 15), (4, 10, 19)]
    assert found.aborted(20, 22) == [(1, 20, 21)]
    assert {Path(name).suffix for name in seen} == {".txnindex"}
    seen.clear()
    assert found.aborted(0, 12)
    assert found.aborted(3, 7) == [(1, 0, 3), (2, 2, 6), (3, 4, 15)]
    assert not seen
    monkeypatch.undo()
    assert_right(partition)


def test_indexes_are_read_until_their_last_stable_offsets_show_that_the_rest_begins_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Log()
    for _ in range(8):
        made.data(1)
        made.abort(1)
    partition = write(tmp_path, made, [4, 8, 12])
    found = opened(partition, 16)
    found.last_stable_offset()
    seen = reads.record(monkeypatch)
    assert found.aborted(0, 2) == [(1, 0, 1)]
    assert {name for name in seen if name.endswith(".txnindex")} == {f"{0:020d}.txnindex"}
    seen.clear()
    assert found.aborted(5, 7) == [(1, 4, 5), (1, 6, 7)]
    assert {name for name in seen if name.endswith(".txnindex")} == {f"{4:020d}.txnindex", f"{8:020d}.txnindex"}


def test_a_walk_begins_at_the_newest_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    partition = write(tmp_path, *log(), is_closed=False)
    seen = reads.record(monkeypatch)
    assert opened(partition).last_stable_offset() == 17
    assert {name for name in seen if name.endswith(".log")} == {f"{19:020d}.log"}
    monkeypatch.undo()
    assert_right(partition)


@pytest.mark.parametrize("end", range(25))
def test_transactions_are_as_they_were_at_an_end_before_that_of_the_log(partition: Path, end: int) -> None:
    assert_right(partition, end)


def test_open_transactions_may_count_as_aborted(partition: Path) -> None:
    found = PartitionTransactions(Partition(partition), 0, 24, aborts_open=True)
    assert found.last_stable_offset() == 24
    assert [(each.producer_id, each.first_offset) for each in found.open_transactions()] == [(2, 17), (1, 22)]
    assert found.aborted(12, 18) == [(3, 4, 15), (1, 12, 16), (4, 10, 19), (2, 17, 24)]
    assert found.aborted(23, 24) == [(2, 17, 24), (1, 22, 24)]
    assert found.may_have_aborted
    as_of = PartitionTransactions(Partition(partition), 0, 6, aborts_open=True)
    assert as_of.last_stable_offset() == 6
    assert as_of.aborted(3, 6) == [(1, 0, 3), (2, 2, 6), (3, 4, 6)]


def odd_length(partition: Path) -> None:
    path = named(partition, 6, "txnindex")
    path.write_bytes(path.read_bytes()[:-1])


def trailing_bytes(partition: Path) -> None:
    with named(partition, 6, "txnindex").open("ab") as file:
        file.write(b"\0")


def unknown_version(partition: Path) -> None:
    path = named(partition, 6, "txnindex")
    path.write_bytes(b"\0\1" + path.read_bytes()[2:])


def marker_before_the_segment(partition: Path) -> None:
    changed(named(partition, 6, "txnindex"), 18, 5)


def marker_after_the_segment(partition: Path) -> None:
    changed(named(partition, 6, "txnindex"), 18, 12)


def marker_before_the_data(partition: Path) -> None:
    changed(named(partition, 6, "txnindex"), 10, 6)


def no_producer(partition: Path) -> None:
    changed(named(partition, 6, "txnindex"), 2, -1)


def stable_beyond_the_marker(partition: Path) -> None:
    changed(named(partition, 6, "txnindex"), 26, 8)


def entries_out_of_order(partition: Path) -> None:
    path = named(partition, 12, "txnindex")
    content = path.read_bytes()
    path.write_bytes(content[34:] + content[:34])


def begins_before_it_was_stable(partition: Path) -> None:
    changed(named(partition, 12, "txnindex"), 34 + 10, 3)


def a_directory_for_an_index(partition: Path) -> None:
    path = named(partition, 6, "txnindex")
    path.unlink()
    path.mkdir()
    named(partition, 6, "index").unlink()


def no_offset_index(partition: Path) -> None:
    for base_offset in (6, 12):
        named(partition, base_offset, "index").unlink()
        named(partition, base_offset, "txnindex").unlink()


def no_offset_index_nor_snapshot(partition: Path) -> None:
    no_offset_index(partition)
    for path in partition.glob("*.snapshot"):
        path.unlink()


def only_logs(partition: Path) -> None:
    for path in partition.iterdir():
        if path.suffix != ".log":
            path.unlink()


def lost_indexes(partition: Path) -> None:
    """Without the snapshot at the end the walk sees an abort, which must be in an index."""
    named(partition, 24, "snapshot").unlink()
    for path in partition.glob("*.txnindex"):
        path.unlink()


def another_producer_in_the_tail(partition: Path) -> None:
    named(partition, 24, "snapshot").unlink()
    changed(named(partition, 19, "txnindex"), 34 + 2, 9)


def flipped_snapshot(partition: Path) -> None:
    path = named(partition, 24, "snapshot")
    content = bytearray(path.read_bytes())
    content[20] ^= 1
    path.write_bytes(content)


def broken_snapshots(partition: Path) -> None:
    for path in partition.glob("*.snapshot"):
        path.write_bytes(path.read_bytes()[:-1])


def a_directory_for_a_snapshot(partition: Path) -> None:
    path = named(partition, 24, "snapshot")
    path.unlink()
    path.mkdir()


def a_snapshot_beyond_the_end(partition: Path) -> None:
    os.rename(named(partition, 24, "snapshot"), named(partition, 99, "snapshot"))
    changed(named(partition, 99, "snapshot"), 10, 77)


def unflushed(partition: Path) -> None:
    """Files after the recovery point may have been lost in a power failure."""
    (partition.parent / clean_shutdown.FILE_NAME).unlink()
    checkpoint(partition.parent, "recovery-point-offset-checkpoint", {("t", 0): 13})
    named(partition, 12, "txnindex").unlink()
    named(partition, 19, "txnindex").write_bytes(b"")
    states = ProducerStates()
    for base_offset in (19, 24):
        named(partition, base_offset, "snapshot").write_bytes(states.snapshot())


@pytest.mark.parametrize(
    ("damage", "walked"),
    [
        (odd_length, {6}),
        (trailing_bytes, {6}),
        (unknown_version, {6}),
        (marker_before_the_segment, {6}),
        (marker_after_the_segment, {6}),
        (marker_before_the_data, {6}),
        (no_producer, {6}),
        (stable_beyond_the_marker, {6}),
        (entries_out_of_order, {12}),
        (begins_before_it_was_stable, {12}),
        (a_directory_for_an_index, {6}),
        (no_offset_index, {6, 12}),
        (no_offset_index_nor_snapshot, {0, 6, 12, 19}),
        (only_logs, {0, 6, 12, 19}),
        (lost_indexes, {0, 6, 12, 19}),
        (another_producer_in_the_tail, {19}),
        (flipped_snapshot, {19}),
        (broken_snapshots, {0, 6, 12, 19}),
        (a_directory_for_a_snapshot, {19}),
        (a_snapshot_beyond_the_end, {19}),
        (unflushed, {12, 19}),
    ],
)
def test_only_the_segments_are_walked_whose_files_cannot_be_right(
    partition: Path, damage: Callable[[Path], None], walked: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    damage(partition)
    found = opened(partition)
    seen = reads.record(monkeypatch)
    found.aborted(0, 24)
    assert {int(name[:20]) for name in seen if name.endswith(".log")} == walked
    monkeypatch.undo()
    assert_right(partition)


def test_damage_in_the_tail_ends_the_transactions_that_are_open_there(tmp_path: Path) -> None:
    made, rolled = log()
    partition = write(tmp_path, made, rolled, is_closed=False)
    path = named(partition, 19, "log")
    content = bytearray(path.read_bytes())
    content[70] ^= 1  # the marker of 4, which is open in the snapshot as 2 is
    path.write_bytes(content)
    found = opened(partition)
    assert found.last_stable_offset() == 22
    assert [(each.producer_id, each.first_offset) for each in found.open_transactions()] == [(1, 22)]
    assert found.aborted(17, 19) == [(2, 17, 19), (4, 10, 19)]
    assert found.aborted(10, 12) == [(3, 4, 15), (4, 10, 19)]


def test_a_transaction_that_began_below_the_log_start_is_stable_up_to_the_batch_there(partition: Path) -> None:
    named(partition, 24, "snapshot").unlink()
    assert opened(partition, 24, 18).last_stable_offset() == 17
    assert [each.first_offset for each in opened(partition, 24, 18).open_transactions()] == [17, 22]


def test_a_transaction_all_of_whose_data_are_below_the_log_start_is_forgotten(partition: Path) -> None:
    for path in (*partition.glob("*.snapshot"), named(partition, 19, "txnindex")):
        path.unlink()
    assert opened(partition, 24, 19).last_stable_offset() == 22


def test_few_entries_are_kept(partition: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition_transactions, "MOST_KEPT", 2)
    assert_right(partition)


def test_threads_share_it(partition: Path) -> None:
    found = opened(partition)
    expected = [opened(partition).aborted(*each) for each in RANGES]
    answers: list[list[object]] = []

    def ask() -> None:
        answers.append([found.last_stable_offset(), *(found.aborted(*each) for each in RANGES)])

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [[17, *expected]] * 4


def test_a_partition_without_a_segment_has_nothing(tmp_path: Path) -> None:
    directory = tmp_path / "t-0"
    directory.mkdir()
    found = opened(directory, 0)
    assert (found.last_stable_offset(), found.open_transactions(), found.aborted(0, 9)) == (0, (), [])
    assert found.producers() == ()
    assert not found.may_have_aborted


def begun_below_the_log_start(directory: Path) -> Path:
    """A log whose start, 2, is in the transactions of producers 1 and 3; no snapshot has these."""
    made = Log()
    made.data(1, 2)  # 0
    made.data(1, 2)  # 2
    made.data(3, 2)  # 4
    made.abort(1)  # 6
    made.abort(3)  # 7
    partition = write(directory, made, [])
    for path in partition.glob("*.snapshot"):
        path.unlink()
    return partition


def test_an_index_has_transactions_that_began_below_the_log_start(tmp_path: Path) -> None:
    partition = begun_below_the_log_start(tmp_path)
    assert opened(partition, 8, start=2).aborted(2, 8) == [(1, 0, 6), (3, 4, 7)]


def test_an_index_without_a_transaction_that_is_open_at_the_log_start_is_not_used(tmp_path: Path) -> None:
    partition = begun_below_the_log_start(tmp_path)
    index = partition / f"{0:020d}.txnindex"
    index.write_bytes(index.read_bytes()[34:])
    assert opened(partition, 8, start=2).aborted(2, 8) == [(1, 2, 6), (3, 4, 7)]
