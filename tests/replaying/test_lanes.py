"""Records packed as batches of a transaction: the same records that Kafka's classes read (tests/golden)."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

import kafkafmt
from kafkafmt.logdir.abort_index import AbortedRange
from kafkafmt.replaying.cluster import Position
from kafkafmt.replaying.lanes import Lane, LaneRecords, Progress, WantedRecords, pieces
from kafkafmt.replaying.source import lanes_of, with_open_ended
from kafkafmt.scanning import scan_bytes
from tests.golden_cases import GOLDEN

CASES = [
    "modern/01-codecs-4.3.1",
    "modern/02-timestamps-4.3.1",
    "modern/04-transactions-4.3.1",
    "modern/05-compacted-4.3.1",
]
LEGACY = ["legacy/m0-codecs-0.9.0.1", "legacy/m1-codecs-0.10.2.2", "legacy/mixed-magic-2.8.2"]
COLUMNS = ["key", "value", "timestamp", "headers"]


def lanes(source: Path) -> tuple[kafkafmt.Disks, list[Lane]]:
    opened = kafkafmt.open(source)
    return opened, lanes_of(opened, None, None)


def batches(found: list[LaneRecords], limit: int) -> list[memoryview]:
    sequence, made = 2**31 - 100, []
    for piece in found:
        for batch, count in piece.batches((7, 3), sequence, limit):
            made.append(batch)
            sequence = (sequence + count) & 0x7FFFFFFF
    return made


@pytest.mark.parametrize("case", [*CASES, *LEGACY])
def test_batches_hold_the_records_as_they_were(case: str) -> None:
    opened, found = lanes(GOLDEN / case / "log-dir")
    for lane in found:
        records = list(pieces(opened, WantedRecords(), lane, lane.start))
        expected = WantedRecords().scan(opened, {lane: lane.start}, ["offset", *COLUMNS]).with_stored_names().to_table()
        offsets = np.concatenate([np.empty(0, np.int64), *(piece.rows.offsets for piece in records)])
        assert offsets.tolist() == expected["offset"].to_pylist()
        made, sequence, rows = batches(records, 2000), 2**31 - 100, 0
        for batch in made:
            table = scan_bytes(bytes(batch), file="t-0/00000000000000000000.log")
            count = table.num_rows
            assert table["offset"].to_pylist() == list(range(count))
            assert set(table["producerId"].to_pylist()) == {7}
            assert set(table["producerEpoch"].to_pylist()) == {3}
            assert set(table["isTransactional"].to_pylist()) == {True}
            assert table["sequence"].to_pylist()[0] == sequence
            assert set(table["timestampType"].to_pylist()) == {0}
            part = expected.slice(rows, count)
            for name in COLUMNS[:3]:
                assert table[name].equals(part[name]) or table[name].to_pylist() == part[name].to_pylist()
            names = [
                [(each["key"].decode(), each["value"]) for each in row or ()] for row in part["headers"].to_pylist()
            ]
            assert [
                [(each["key"], each["value"]) for each in row or ()] for row in table["headers"].to_pylist()
            ] == names
            sequence, rows = (sequence + count) & 0x7FFFFFFF, rows + count
        assert rows == expected.num_rows


def test_codecs_stay() -> None:
    opened, found = lanes(GOLDEN / "modern/01-codecs-4.3.1" / "log-dir")
    for lane in found:
        for piece in pieces(opened, WantedRecords(), lane, lane.start):
            if lane.topic.startswith("codec-") and lane.topic[6:] in ("gzip", "lz4", "none", "snappy", "zstd"):
                assert piece.compression == lane.topic[6:]


def test_aborted_transactions_are_left_out_where_an_open_one_ends_the_partition() -> None:
    opened, found = lanes(Path("docs/examples/shop/log-dir"))
    kept, said = with_open_ended(found, aborts=False)
    assert kept == found
    assert [each.partition(" is sent")[0] for each in said] == ["orders-0", "orders-1"]
    kept, said = with_open_ended(found, aborts=True)
    with_aborted = [lane for lane in kept if lane.aborted is not None]
    assert [str(lane) for lane in with_aborted] == ["orders-0", "orders-1"]
    read = {str(lane): [piece.rows for piece in pieces(opened, WantedRecords(), lane, 0)] for lane in with_aborted}
    # The third transaction of orders-1 was aborted, the open ones are refund-6 and order-late (docs/examples/shop).
    assert {name: [key for rows in found for key in rows.keys.to_pylist()] for name, found in read.items()} == {
        "orders-0": [b"order-0", b"order-3", b"order-6", b"order-9", b"order-102"],
        "orders-1": [b"order-1", b"order-4", b"order-10", b"refund-3", b"order-100", b"order-103"],
    }


def test_ranges_of_other_producers_leave_records() -> None:
    opened, found = lanes(Path("docs/examples/shop/log-dir"))
    (lane,) = (lane for lane in found if str(lane) == "orders-2")
    other = Lane(lane.source, lane.topic, lane.partition, "", lane.target, [AbortedRange(99, 0, 100)])
    assert sum(map(len, pieces(opened, WantedRecords(), other, 0))) == 6


@given(offset=some.integers(0, 2**63 - 1), records=some.integers(0, 2**62), is_complete=some.booleans())
def test_a_position_is_read_as_it_was_committed(offset: int, records: int, *, is_complete: bool) -> None:
    progress = Progress(offset, "a topic", 3, "id", records, 5, 2, has_groups=True, is_complete=is_complete)
    assert Progress.of(progress.position) == progress
    assert len(progress.position.metadata) < 4096


@pytest.mark.parametrize("text", ["", "null", "[]", "{", '{"topic":"t"}', '{"another":1}'])
def test_other_metadata_are_no_position(text: str) -> None:
    assert Progress.of(Position(1, text)) is None
