"""The first and last records of a scan: the right ones, with few bytes read."""

import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt import ChecksumError, SourceError
from kafkafmt.files import entry_points
from tests import reads
from tests.golden_cases import Case, cases
from tests.logdir.builders import CONTROL, batch, file_name, segment
from tests.reads import KIB, MIB, index, sparse_log, whole_index

pytestmark = pytest.mark.usefixtures("engine")

Rows = list[dict[str, Any]]


def rows(reader: pa.RecordBatchReader) -> Rows:
    found: Rows = reader.read_all().to_pylist()
    return found


def offsets(reader: pa.RecordBatchReader) -> list[int]:
    return [row["offset"] for row in rows(reader)]


@pytest.mark.volume
@pytest.mark.parametrize("case", cases(), ids=str)
def test_head_and_tail_of_golden_files_are_those_of_the_whole_scan(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    reads.jump_over(monkeypatch, 16)
    monkeypatch.setattr(entry_points, "_LEAST_RANGE", 16)
    columns = ["topic", "partition", "file", "position", "offset", "key"]
    for wanted in ({}, {"control_records": True, "below_log_start": True, "replica": "all"}, {"end_offset": 50}):
        scan = kafkafmt.scan(case.log_dir, columns=columns, on_damage="skip", **wanted)
        whole = scan.to_table().to_pylist()
        damage = [(each.file, each.position, each.length) for each in scan.damage]
        partitions: dict[Any, Rows] = defaultdict(list)
        for row in whole:
            partitions[row["file"].rpartition("/")[0]].append(row)
        for count in (1, 7, 10_000):
            assert rows(scan.head(count)) == whole[:count]
            assert rows(scan.tail(count)) == [row for each in partitions.values() for row in each[-count:]], wanted
            if "end_offset" not in wanted:
                # With it a scan stops before the damage at the end of the log, where a tail begins.
                assert {(each.file, each.position, each.length) for each in scan.damage} <= set(damage)
        if "end_offset" not in wanted:
            assert damage == [(each.file, each.position, each.length) for each in scan.damage]


def test_a_count_of_nothing_gives_nothing_and_one_below_is_refused(tmp_path: Path) -> None:
    segment(tmp_path, 0)
    scan = kafkafmt.scan(tmp_path, columns=["offset"])
    for ask in (scan.head, scan.tail):
        assert offsets(ask(0)) == []
        with pytest.raises(ValueError, match="count must be 0 or more, not -1"):
            ask(-1)
        assert offsets(ask(2**62)) == list(range(10))


def test_a_count_may_be_larger_than_any_log(tmp_path: Path) -> None:
    scan = kafkafmt.scan(segment(tmp_path / "t-0", 0), columns=["offset"])
    for read in (scan.head, scan.tail):
        assert read(10**30).read_all()["offset"].to_pylist() == list(range(10))


def test_tail_is_of_each_partition_and_each_replica(tmp_path: Path) -> None:
    for broker in ("a", "b"):
        for name, base in (("t-0", 0), ("t-0", 20), ("t-1", 5)):
            segment(tmp_path / broker / name, base)
    columns = ["file", "offset"]
    expected = [("t-0", offset) for offset in (7, 8, 9, *range(20, 30))] + [("t-1", each) for each in range(5, 15)]
    found = rows(kafkafmt.scan(tmp_path, columns=columns).tail(13))
    assert [(row["file"].split("/")[1], row["offset"]) for row in found] == expected
    assert {row["file"].split("/")[0] for row in found} == {"a"}
    assert len(rows(kafkafmt.scan(tmp_path, columns=columns, replica="all").tail(13))) == 2 * len(found)


def test_filters_hold_and_reach_as_far_back_as_it_takes(tmp_path: Path) -> None:
    for base in (0, 100, 200):
        segment(tmp_path, base, *(batch(base + n, key=b"%d" % (n % 50)) for n in range(100)))
    scan = kafkafmt.scan(tmp_path, key=b"7", columns=["offset"])
    assert offsets(scan.tail(3)) == [157, 207, 257]
    assert offsets(scan.head(3)) == [7, 57, 107]
    assert offsets(kafkafmt.scan(tmp_path, key=b"x", columns=["offset"]).tail(3)) == []
    bounded = kafkafmt.scan(tmp_path, columns=["offset"], start_offset=150, end_offset=203)
    assert offsets(bounded.tail(5)) == [198, 199, 200, 201, 202]
    assert offsets(bounded.tail(99)) == list(range(150, 203))


def test_control_records_are_no_part_of_a_tail_unless_asked_for(tmp_path: Path) -> None:
    segment(tmp_path, 0, batch(0), batch(1, attributes=CONTROL, key=b"\0\0\0\0"))
    assert offsets(kafkafmt.scan(tmp_path, columns=["offset"]).tail(1)) == [0]
    assert offsets(kafkafmt.scan(tmp_path, columns=["offset"], control_records=True).tail(1)) == [1]


def test_the_last_of_a_batch_are_kept(tmp_path: Path) -> None:
    segment(tmp_path, 0, batch(0, 10), batch(10, 3))
    scan = kafkafmt.scan(tmp_path, columns=["offset"])
    for count in range(1, 14):
        assert offsets(scan.tail(count)) == list(range(13 - count, 13))


# What is read


@pytest.mark.parametrize("size", [16 * KIB, MIB])
def test_head_and_tail_of_a_large_log_read_few_bytes(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 256
    path = sparse_log(tmp_path / file_name(0), size, count, range(1), range(count - 1, count))
    sparse_log(tmp_path / file_name(10_000), size, 4, range(4), first=10_000)
    whole_index(path, count)
    recorded = reads.record(monkeypatch)
    scan = kafkafmt.scan(tmp_path, columns=["offset"])
    assert offsets(scan.head(3)) == [0, 1, 2]
    assert reads.total(recorded) < 2 * size + 64 * KIB
    assert offsets(scan.tail(3)) == [10_037, 10_038, 10_039]
    assert path.name not in recorded
    assert reads.total(recorded) < 5 * size
    scan = kafkafmt.scan(path, columns=["offset"])
    assert offsets(scan.tail(3)) == [2557, 2558, 2559]
    assert reads.total(recorded) < 3 * size + 128 * KIB


def test_without_an_index_the_tail_takes_a_walk_over_headers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sparse_log(tmp_path / file_name(0), MIB, 300, range(299, 300))
    recorded = reads.record(monkeypatch)
    assert offsets(kafkafmt.scan(path, columns=["offset"]).tail(3)) == [2997, 2998, 2999]
    assert reads.total(recorded) < 300 * 5 * KIB + 2 * MIB


def test_the_log_end_of_a_large_log_costs_few_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sparse_log(tmp_path / "t-0" / file_name(0), MIB, 300, range(299, 300))
    recorded = reads.record(monkeypatch)
    assert kafkafmt.Segment(str(path)).next_offset() == 3000
    assert reads.total(recorded) < 300 * 5 * KIB + 2 * MIB
    whole_index(path, 300)
    assert kafkafmt.Partition(str(path.parent)).log_end_offset == 3000
    assert reads.total(recorded) < 3 * MIB


SCAN_IN_A_PROCESS = """
import sys
import kafkafmt
from tests.peak_memory import peak
scan = kafkafmt.scan(sys.argv[1], columns=["offset"])
small = scan.tail(1).read_all()
before = peak()
print(scan.tail(1000).read_all().num_rows, peak() - before)
"""


@pytest.mark.slow
def test_a_tail_holds_what_it_gives_and_no_more(tmp_path: Path) -> None:
    path = segment(tmp_path, 0, *(batch(n * 100, 100, value=bytes(1000)) for n in range(600)))
    index(path)
    done = subprocess.run(
        [sys.executable, "-c", SCAN_IN_A_PROCESS, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    found, more = map(int, done.stdout.split())
    assert found == 1000
    assert more < 32 * MIB


# Damage


def broken(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


def test_damage_counts_in_what_is_visited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_points, "_LEAST_RANGE", 16)
    reads.jump_over(monkeypatch, 16)
    content = [broken(batch(0)), *(batch(n) for n in range(1, 6)), broken(batch(6)), batch(7), bytes(40)]
    path = segment(tmp_path, 0, *content)
    size = len(batch(0))
    index(path, *((number, number * size) for number in range(1, 8)))
    scan = kafkafmt.scan(path, columns=["offset"])
    assert offsets(scan.tail(1)) == [7]
    assert [each.reason for each in scan.damage] == ["zero_tail"]
    with pytest.raises(ChecksumError) as error:
        scan.tail(2).read_all()
    assert error.value.position == 6 * size
    assert [each.reason for each in scan.damage] == []
    with pytest.raises(ChecksumError):
        scan.head(1).read_all()
    skipping = kafkafmt.scan(path, columns=["offset"], on_damage="skip")
    assert offsets(skipping.tail(3)) == [4, 5, 7]
    assert [each.position for each in skipping.damage] == [6 * size, 8 * size]
    assert offsets(skipping.head(3)) == [1, 2, 3]
    assert [each.position for each in skipping.damage] == [0]
    assert offsets(skipping.tail(9)) == [1, 2, 3, 4, 5, 7]
    assert [each.position for each in skipping.damage] == [0, 6 * size, 8 * size]


def test_damage_that_reaches_into_what_was_read_already_is_found_by_reading_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entry_points, "_LEAST_RANGE", 16)
    reads.jump_over(monkeypatch, 16)
    size = len(batch(0))
    # The third entry's size includes the fourth, and a valid one follows both.
    too_long = batch(2)[:8] + (2 * size - 12).to_bytes(4, "big") + batch(2)[12:]
    path = segment(tmp_path, 0, batch(0), batch(1), too_long, batch(3), batch(4))
    index(path, *((number, number * size) for number in range(1, 5)))
    scan = kafkafmt.scan(path, columns=["offset"], on_damage="skip")
    whole = scan.to_table().column("offset").to_pylist()
    assert offsets(scan.tail(2)) == [3, 4]
    assert offsets(scan.tail(9)) == whole == [0, 1, 3, 4]
    assert [(each.position, each.length) for each in scan.damage] == [(2 * size, size)]


def test_damage_is_told_although_an_earlier_segment_cannot_be_read(tmp_path: Path) -> None:
    early = segment(tmp_path, 0)
    segment(tmp_path, 20, batch(20), bytes(30))
    scan = kafkafmt.scan(tmp_path, columns=["offset"])
    early.unlink()
    with pytest.raises(SourceError):
        scan.tail(5).read_all()
    assert [each.reason for each in scan.damage] == ["zero_tail"]
