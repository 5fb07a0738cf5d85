"""`Scan.follow`: its start, its selection, records whose transaction ends later, and the cost of a poll."""

import gc
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs
import pytest

import kafkafmt
from kafkafmt.errors import SourceError
from kafkafmt.io.local_file import LocalFile
from tests.golden_cases import tier_case
from tests.logdir.builders import ABORT_KEY, CONTROL, TRANSACTIONAL, batch
from tests.remote.counting import counting
from tests.scanning.growing import Broker, follow, offsets, rows

PRODUCER = 77


def in_transaction(offset: int, count: int = 1, producer: int = PRODUCER, epoch: int = 0) -> bytes:
    return batch(offset, count, attributes=TRANSACTIONAL, producer=producer, epoch=epoch)


def marker(offset: int, key: bytes, producer: int = PRODUCER) -> bytes:
    return batch(offset, key=key, value=b"\0" * 6, attributes=TRANSACTIONAL | CONTROL, producer=producer)


COMMIT_KEY = b"\0\0\0\1"


@pytest.mark.parametrize("engine", ["columnar", "reference"])
def test_committed_records_come_when_their_transaction_ends(engine: str, broker: Broker) -> None:
    follower = None
    found: list[int] = []
    for step, (content, expected) in enumerate(
        [
            (batch(0, 2), [0, 1]),
            (in_transaction(2, 2), []),
            (batch(4), []),  # no records from the first open transaction on
            (in_transaction(5, producer=8), []),
            (marker(6, COMMIT_KEY), [2, 3, 4]),
            (in_transaction(7), []),
            (marker(8, ABORT_KEY, producer=8), []),
            (marker(9, ABORT_KEY), []),
            (batch(10), [10]),
        ]
    ):
        broker.write("t-0", 0, content)
        if follower is None:
            follower = follow(broker.log_dir, isolation_level="read_committed", engine=engine)
        new = offsets(follower)
        found += new
        assert new == expected, step
    # Aborted data written after the last stable offset of a poll, with a marker later still.
    assert found == [0, 1, 2, 3, 4, 10]


def test_it_stays_with_the_replica_that_it_chose(tmp_path: Path) -> None:
    best, other = Broker(tmp_path / "b"), Broker(tmp_path / "a")
    best.write("t-0", 0, batch(0, 3))
    other.write("t-0", 0, batch(0, 2))
    follower = follow([other.log_dir, best.log_dir])
    assert offsets(follower) == [0, 1, 2]
    other.write("t-0", 0, batch(2, 5))
    other.write("t-1", 0, batch(0))
    assert [(row["partition"], row["offset"]) for row in rows(follower)] == [(1, 0)]
    best.write("t-0", 0, batch(3))
    assert offsets(follower) == [3]
    both = follow([other.log_dir, best.log_dir], replica="all", partitions=0)
    assert offsets(both) == [0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3]
    other.write("t-0", 0, batch(7))
    best.write("t-0", 0, batch(4))
    assert offsets(both) == [7, 4]


@pytest.mark.parametrize(
    ("arguments", "last", "first", "then"),
    [
        ({}, 2, [6, 7], [8, 9]),
        ({}, 0, [], [8, 9]),
        ({}, 100, [0, 1, 2, 3, 4, 5, 6, 7], [8, 9]),
        ({"start_offset": 5}, None, [5, 6, 7], [8, 9]),
        ({"start_offset": 9}, None, [], [9]),
        ({"start_timestamp": 1009}, None, [], [9]),
        ({"key": b"no"}, None, [], []),
        ({"key": b"no"}, 3, [], []),
        ({"filter": pc.field("offset").isin([0, 2, 4, 6, 8])}, 2, [4, 6], [8]),
        ({"isolation_level": "read_committed"}, 2, [6, 7], [8, 9]),
    ],
    ids=str,
)
def test_where_it_begins_and_what_it_selects(
    arguments: dict[str, object], last: int | None, first: list[int], then: list[int], broker: Broker
) -> None:
    broker.write("t-0", 0, batch(0, 5))
    broker.write("t-0", 5, batch(5, 3))
    follower = follow(broker.log_dir, last=last, **arguments)
    assert offsets(follower) == first
    broker.write("t-0", 5, batch(8, 2, timestamp=1008))
    assert offsets(follower) == then
    assert (follower.notes, follower.damage) == ([], [])


def test_the_last_records_are_those_before_a_torn_batch(broker: Broker) -> None:
    whole = batch(2, 2)
    path = broker.write("t-0", 0, batch(0, 2), whole[:-3])
    follower = follow(broker.log_dir, last=1)
    assert offsets(follower) == [1]
    broker.write("t-0", 0, whole[-3:])
    assert path.stat().st_size == len(batch(0, 2)) + len(whole)
    assert offsets(follower) == [2, 3]


def test_the_last_committed_records(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0, 2), in_transaction(2), batch(3))
    follower = follow(broker.log_dir, last=1, isolation_level="read_committed")
    assert offsets(follower) == [1]
    broker.write("t-0", 0, marker(4, COMMIT_KEY))
    assert offsets(follower) == [2, 3]


def test_the_high_watermark_holds_records_back(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0, 2), batch(2), batch(3))
    broker.checkpoint("replication-offset-checkpoint", "t-0", 3)
    follower = follow(broker.log_dir, end_offset="high_watermark")
    assert offsets(follower) == [0, 1, 2]
    broker.write("t-0", 0, batch(4))
    assert offsets(follower) == []
    broker.checkpoint("replication-offset-checkpoint", "t-0", 5)
    assert offsets(follower) == [3, 4]


def test_a_file_named_by_itself_is_followed_alone(broker: Broker) -> None:
    path = broker.write("t-0", 0, batch(0))
    follower = follow(path)
    assert offsets(follower) == [0]
    broker.write("t-0", 0, batch(1))
    broker.write("t-0", 2, batch(2))
    assert offsets(follower) == [1]


def test_a_look_at_what_has_not_changed_opens_and_lists_nothing(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        broker.write(f"t-{number}", 0, batch(0))
    follower = follow(broker.log_dir)
    for _ in range(3):
        offsets(follower)
    broker.checkpoint("recovery-point-offset-checkpoint", "t-0", 1)  # writing it changes the log directory

    def refuse(*_: object) -> None:
        raise AssertionError

    for _ in range(2):
        offsets(follower)
    monkeypatch.setattr(os, "scandir", refuse)
    monkeypatch.setattr(LocalFile, "__init__", refuse)
    assert offsets(follower) == []


@pytest.mark.slow
def test_what_a_search_listed_is_not_kept_for_each_partition(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    follower = follow(broker.log_dir)
    count = 30
    for number in range(count):
        broker.write(f"made-{number}", 0, batch(0))
        offsets(follower)
    gc.collect()
    searches = [found for found in gc.get_objects() if type(found).__name__ == "_Search"]
    of_this_test = [search for search in searches if str(broker.log_dir) in search.root]
    # Each partition has its own listing; the last one or two searches list all.
    assert len(of_this_test) <= count + 5
    assert sum(len(search.listings) for search in of_this_test) <= 6 * count


def test_a_poll_that_is_not_read_to_its_end_is_taken_up(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    broker.write("t-1", 0, batch(10))
    follower = follow(broker.log_dir)
    follower.poll().close()
    assert offsets(follower) == [0, 10]


def test_iterating_polls_for_ever(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    broker.write("t-0", 0, batch(0))
    follower = follow(broker.log_dir, columns=["offset"])
    written = iter(range(1, 4))
    monkeypatch.setattr(follower, "wait", lambda: broker.write("t-0", 0, batch(next(written))))
    found = []
    with follower:
        for rows_of_batch in follower:
            found += rows_of_batch.column("offset").to_pylist()
            if len(found) == 4:
                break
    assert found == [0, 1, 2, 3]
    assert follower.schema == pa.schema([kafkafmt.columns.SCHEMA.field("offset")])


def test_remote_storage_is_refused(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    remote, _ = counting(pyarrow.fs.SubTreeFileSystem(str(broker.log_dir), pyarrow.fs.LocalFileSystem()))
    with pytest.raises(SourceError, match="not remote storage"):
        kafkafmt.scan("t-0", filesystem=remote).follow()
    with pytest.raises(SourceError, match="not remote storage"):
        kafkafmt.scan(tier_case(1).tier).follow()


def test_what_makes_no_sense(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    with pytest.raises(ValueError, match="count must be 0 or more"):
        kafkafmt.scan(broker.log_dir).follow(last=-1)
    with pytest.raises(ValueError, match="ends at an offset"):
        kafkafmt.scan(broker.log_dir, end_offset=5).follow()
