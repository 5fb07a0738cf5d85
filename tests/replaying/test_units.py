"""Pace, offset maps, group offsets, and batches that were already sent."""

import os
import shutil
import struct
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as some

import kafkafmt
from kafkafmt import SourceError
from kafkafmt.logdir.partition_transactions import PartitionTransactions
from kafkafmt.replaying.cluster import Position
from kafkafmt.replaying.earlier import _batches
from kafkafmt.replaying.group_offsets import GroupOffset, GroupOffsets
from kafkafmt.replaying.lanes import Lane, Progress, WantedRecords
from kafkafmt.replaying.pace import Pace
from kafkafmt.replaying.replayed_offsets import OFFSET_MAP, ReplayedOffsets
from kafkafmt.replaying.source import lanes_of
from tests.golden_cases import GOLDEN

SHOP = Path("docs/examples/shop/log-dir")
PARTITION = kafkafmt.open(SHOP).partition("orders", 2)


@pytest.fixture(scope="module")
def lane() -> Lane:
    return lanes_of(kafkafmt.open(SHOP), "orders", 2)[0]


@pytest.mark.parametrize(
    ("rate", "pace"),
    [
        (None, Pace()),
        (5000, Pace(per_second=5000)),
        ("2500.5", Pace(per_second=2500.5)),
        ("1x", Pace(speed=1)),
        (" 0.5X ", Pace(speed=0.5)),
    ],
)
def test_rates(rate: float | str | None, pace: Pace) -> None:
    assert Pace.of(rate) == pace


@pytest.mark.parametrize("rate", ["0", "-1", "fast", "x", "", "nan", "inf", "infx"])
def test_wrong_rates(rate: str) -> None:
    with pytest.raises(ValueError, match="rate must be"):
        Pace.of(rate)


def written(tmp_path: Path, timestamps: dict[int, list[int]]) -> tuple[kafkafmt.Disks, list[Lane]]:
    rows = [(partition, time) for partition, times in timestamps.items() for time in times]
    partitions, times = zip(*rows, strict=True)
    table = pa.table(
        {"topic": ["t"] * len(rows), "partition": pa.array(partitions, pa.int32()), "value": [b""] * len(rows)}
    )
    kafkafmt.write(table.append_column("timestamp", pa.array(times)), tmp_path / "made")
    opened = kafkafmt.open(tmp_path / "made")
    return opened, lanes_of(opened, None, None)


def test_the_original_pace_is_that_of_the_timestamps(tmp_path: Path) -> None:
    opened, found = written(tmp_path, {0: [1000, 1100, 61_000, 60_000], 1: [31_000, 31_050, 62_000], 2: [500]})
    begun, order, moments = time.monotonic(), [], []
    for step in Pace(speed=100).pieces(opened, WantedRecords(), dict.fromkeys(found, 0)):
        if step is None:
            continue
        lane, piece = step
        moments.append(time.monotonic() - begun)
        order.append((lane.partition, None if piece is None else piece.rows.timestamps.tolist()))
    assert order == [
        (2, [500]),
        (2, None),
        (0, [1000, 1100]),
        (1, [31_000, 31_050]),
        (0, [61_000, 60_000]),
        (0, None),
        (1, [62_000]),
        (1, None),
    ]
    assert moments[3] >= 0.305
    assert 0.615 <= moments[-1] < 3


def test_a_rate_bounds_records_a_second(tmp_path: Path) -> None:
    opened, found = written(tmp_path, {0: list(range(100)), 1: list(range(50))})
    begun = time.monotonic()
    steps = Pace(per_second=300).pieces(opened, WantedRecords(), dict.fromkeys(found, 0))
    sizes = [0 if step[1] is None else len(step[1]) for step in steps if step is not None]
    assert sizes == [30, 30, 30, 10, 0, 30, 20, 0]
    assert time.monotonic() - begun >= 0.4


@given(some.lists(some.tuples(some.integers(1, 4), some.integers(1, 3), some.integers(0, 2)), max_size=30))
def test_the_map_has_a_row_a_record(steps: list[tuple[int, int, int]]) -> None:
    lane = Lane(PARTITION, "t", 1, "", ("new", 2))
    offsets: list[int] = []
    targets: list[int] = []
    found = ReplayedOffsets()
    source = target = 0
    for count, gap, marker in steps:
        some_offsets = np.arange(source, source + gap * count, gap)
        found.add(lane, some_offsets, np.arange(target, target + count))
        offsets += some_offsets.tolist()
        targets += range(target, target + count)
        source, target = source + gap * count, target + count + marker
    table = found.to_table()
    assert table.schema == OFFSET_MAP
    assert (table["offset"].to_pylist(), table["targetOffset"].to_pylist()) == (offsets, targets)
    assert found.records == len(offsets)
    assert set(table["targetTopic"].to_pylist()) <= {"new"}


def test_while_nothing_is_to_be_sent_transactions_can_be_committed(tmp_path: Path) -> None:
    opened, found = written(tmp_path, {0: [0, 2500]})
    steps = [step is None for step in Pace(speed=1).pieces(opened, WantedRecords(), dict.fromkeys(found, 0))]
    assert steps == [False, True, True, True, False, False]


def test_the_map_is_a_file_of_parquet(tmp_path: Path, lane: Lane) -> None:
    found, more = ReplayedOffsets(), ReplayedOffsets()
    found.add(lane, np.arange(5), np.arange(100, 105))
    more.add(lane, np.arange(7, 9), np.arange(106, 108))
    found.extend(more)
    found.write(tmp_path / "map.parquet")
    assert [each.name for each in tmp_path.iterdir()] == ["map.parquet"]
    table = pq.read_table(tmp_path / "map.parquet")
    assert table.equals(found.to_table())
    assert table["targetOffset"].to_pylist() == [100, 101, 102, 103, 104, 106, 107]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_map_on_a_full_disk_leaves_nothing(tmp_path: Path, lane: Lane) -> None:
    found = ReplayedOffsets()
    found.add(lane, np.arange(5), np.arange(100, 105))
    (tmp_path / ".map.parquet.part").symlink_to("/dev/full")
    with pytest.raises(SourceError, match=r"cannot be written: No space left on device\. The records are sent"):
        found.write(tmp_path / "map.parquet")
    assert not list(tmp_path.iterdir())


def progress(offset: int, target: int, *, groups: str = "", is_complete: bool = False) -> Progress:
    return Progress(offset, "orders", 2, "", target, target, 0, bool(groups), groups, is_complete)


def groups(*offsets: int) -> list[GroupOffset]:
    return [GroupOffset(f"g{offset}", offset, "") for offset in offsets]


def passed(
    found: GroupOffsets, lane: Lane, before: Progress, after: Progress, *sent: tuple[list[int], int]
) -> dict[str, int]:
    batches = [(lane, np.array(offsets), base) for offsets, base in sent]
    return {
        group: position.offset
        for group, places in found.passed({lane: before}, {lane: after}, batches).items()
        for position in places.values()
    }


def test_offsets_of_groups_become_those_of_the_next_records(lane: Lane) -> None:
    found = GroupOffsets({lane: groups(0, 2, 3, 9, 10, 11, 50)}, {})
    first = passed(found, lane, progress(2, 0), progress(10, 102), ([2, 4, 5], 100), ([9], 104))
    assert first == {"g0": 100, "g2": 100, "g3": 101, "g9": 104}
    begun = progress(10, 105, groups=found.digest(lane))
    last = passed(found, lane, begun, progress(12, 107, is_complete=True), ([10], 106))
    assert last == {"g10": 106, "g11": 107, "g50": 107}


def test_a_complete_lane_moves_no_group_back(lane: Lane) -> None:
    found = GroupOffsets({lane: groups(3, 12, 50)}, {})
    done = progress(12, 107, groups=found.digest(lane), is_complete=True)
    assert passed(found, lane, done, done) == {}
    grown = passed(found, lane, done, progress(60, 110, is_complete=True), ([49, 51], 108))
    assert grown == {"g50": 109}


def test_groups_that_are_asked_for_later_are_translated_by_what_was_sent(lane: Lane) -> None:
    found = GroupOffsets({lane: groups(1, 3, 7)}, {lane: (np.array([0, 2, 4]), np.array([10, 11, 13]))})
    before = progress(5, 14)
    assert passed(found, lane, before, progress(8, 16), ([7], 15)) == {"g1": 11, "g3": 13, "g7": 15}
    complete = passed(found, lane, before, progress(5, 14, is_complete=True))
    assert complete == {"g1": 11, "g3": 13, "g7": 14}


def test_groups_that_have_moved_in_a_newer_copy_of_the_source_move_in_the_target_but_not_back(lane: Lane) -> None:
    before = GroupOffsets({lane: [GroupOffset("a", 1, ""), GroupOffset("b", 2, ""), GroupOffset("c", 2, "")]}, {})
    begun = progress(5, 14, groups=before.digest(lane), is_complete=True)
    newer = [GroupOffset("a", 4, ""), GroupOffset("b", 2, ""), GroupOffset("c", 3, ""), GroupOffset("new", 0, "")]
    assert GroupOffsets({lane: newer}, {}).needs_earlier(lane, begun)
    assert not before.needs_earlier(lane, begun)
    assert GroupOffsets({lane: newer}, {}).changed({lane: begun}) == {"a", "b", "c", "new"}
    current = {group: {lane.target: Position(at, "")} for group, at in (("a", 10), ("b", 11), ("c", 14))}
    found = GroupOffsets({lane: newer}, {lane: (np.array([0, 2, 4]), np.array([10, 11, 13]))}, current)
    after = progress(8, 16, groups=found.digest(lane), is_complete=True)
    assert passed(found, lane, begun, after, ([7], 15)) == {"a": 13, "new": 10}
    assert passed(found, lane, after, after) == {}


@pytest.mark.parametrize("case", ["04-transactions-3.9.1", "04-transactions-4.3.1"])
def test_batches_in_an_answer_are_visible_as_to_a_consumer(case: str) -> None:
    opened = kafkafmt.open(GOLDEN / "modern" / case / "log-dir")
    for each in opened.partitions:
        if each.topic is None or each.topic.startswith("__") or len(each.segments) != 1:
            continue
        start, end = each.log_start_offset or 0, each.log_end_offset or 0
        transactions = PartitionTransactions(each, start, end)
        stable = transactions.last_stable_offset()
        aborted = [
            {"ProducerId": found.producer_id, "FirstOffset": found.first_offset}
            for found in transactions.aborted(start, end)
        ]
        with each.segments[0].open() as file:
            data = file.read_at(0, file.size)
        found = [
            offset
            for first, count, _, is_visible in _batches(memoryview(bytes(data)), aborted)
            if is_visible
            for offset in range(first, first + count)
            if offset < stable
        ]
        scan = opened.scan(
            topics={each.topic: [each.partition or 0]}, columns=["offset"], isolation_level="read_committed"
        )
        assert found == scan.to_table()["offset"].to_pylist()
        assert (
            list(_batches(memoryview(bytes(data))[:-1], aborted))
            == list(_batches(memoryview(bytes(data)), aborted))[:-1]
        )


def test_records_without_timestamps_are_sent_at_once(tmp_path: Path) -> None:
    opened, found = written(tmp_path, {0: [-1, -1], 1: [1_795_294_301_100, 1_795_294_301_200]})
    begun = time.monotonic()
    steps = Pace(speed=10).pieces(opened, WantedRecords(), dict.fromkeys(found, 0))
    sent = [piece.rows.timestamps.tolist() for step in steps if step and (piece := step[1]) is not None]
    assert [time for times in sent for time in times] == [-1, -1, 1_795_294_301_100, 1_795_294_301_200]
    assert time.monotonic() - begun < 2


@pytest.mark.parametrize("size", [-12, -2000, 0, 20, 2**31 - 1])
def test_batches_of_impossible_sizes_end_an_answer(size: int) -> None:
    header = struct.pack(">qiibiHiqqqhii", 0, size, 0, 2, 0, 0, 9, 0, 0, -1, -1, -1, 10)
    assert list(_batches(header + bytes(40), ())) == []
    many = struct.pack(">qiibiHiqqqhii", 0, len(header) - 12, 0, 2, 0, 0, 9, 0, 0, -1, -1, -1, 2**31 - 1)
    assert list(_batches(many, ())) == []


def test_a_map_that_cannot_be_written_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    with pytest.raises(kafkafmt.SourceError, match="does not exist"):
        kafkafmt.replay(SHOP, "127.0.0.1:1", offset_map=tmp_path / "none" / "map.parquet")
    shutil.copytree(SHOP, tmp_path / "disk")
    with pytest.raises(kafkafmt.SourceError, match="choose another directory"):
        kafkafmt.replay(SHOP, "127.0.0.1:1", offset_map=tmp_path / "disk" / "map.parquet")
