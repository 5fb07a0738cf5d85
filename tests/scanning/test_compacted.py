"""Compacted scans: the latest record of each key, compared with brokers' records and the output of Kafka's cleaner."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kafkafmt
from kafkafmt.columnar.offset_map import hash_keys
from kafkafmt.scanning.compacting import LatestOffsets
from tests.golden_cases import Case, cases
from tests.logdir.builders import batch, segment
from tests.operations.golden_operations import Question, questions

CASES = [
    case for case in cases("modern") if case.name in ("01-codecs-4.3.1", "04-transactions-4.3.1", "05-compacted-4.3.1")
]
COLUMNS = ["topic", "partition", "offset", "timestamp", "key", "value"]
CLEANED = [question for question in questions("compaction") if question.asked.get("out")]


def latest(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The latest row of each key, computed in plain Python."""
    found: dict[tuple[str, int, bytes], dict[str, Any]] = {}
    for row in rows:
        if row["key"] is not None:
            found.pop((row["topic"], row["partition"], row["key"]), None)
            found[row["topic"], row["partition"], row["key"]] = row
    return sorted(found.values(), key=lambda row: (row["topic"], row["partition"], row["offset"]))


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("isolation", ["read_uncommitted", "read_committed"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_latest_record_of_each_key(case: Case, isolation: Any) -> None:
    scan = kafkafmt.scan(case.log_dir, columns=COLUMNS, isolation_level=isolation)
    compacted = kafkafmt.scan(case.log_dir, columns=COLUMNS, isolation_level=isolation, compacted=True)
    expected = latest(scan.to_table().to_pylist())
    assert 0 < len(expected) < scan.count()
    assert compacted.to_table().to_pylist() == expected
    assert compacted.count() == len(expected)
    assert compacted.head(3).read_all().to_pylist() == expected[:3]
    narrow = kafkafmt.scan(case.log_dir, columns=["value"], isolation_level=isolation, compacted=True)
    assert narrow.to_table().column("value").to_pylist() == [row["value"] for row in expected]


@pytest.mark.parametrize("question", CLEANED, ids=str)
def test_the_same_is_left_after_the_cleaner_of_kafka(question: Question, tmp_path: Path) -> None:
    """The cleaner removes none of the latest records but tombstones."""
    log_dir = question.unpack(tmp_path)
    policies = {
        (row["topic"], row["partition"]) for row in question.expected() if row.get("removableRecords") is not None
    }
    left: dict[tuple[str, int], set[tuple[int, Any]]] = {}
    for row in question.expected_out():
        if row.get("isControl") is False:
            topic, _, partition = Path(row["file"]).parent.name.rpartition("-")
            offsets = left.setdefault((topic, int(partition)), set())
            offsets |= {(record[0], record[2]) for record in row["records"]}
    checked = 0
    scan = kafkafmt.scan(
        log_dir, columns=COLUMNS, isolation_level="read_committed", compacted=True, below_log_start=True
    )
    for row in scan.to_table().to_pylist():
        place = row["topic"], row["partition"]
        if place in policies and row["value"] is not None:
            checked += 1
            assert row["offset"] in {offset for offset, _ in left[place]}, row
    assert checked


def test_what_decides_and_what_chooses(tmp_path: Path) -> None:
    keys = [b"a", b"b", b"a", None, b"c", b"b", b"a"]
    segment(
        tmp_path / "data-0",
        0,
        *[batch(offset, key=key, value=b"%d" % offset, timestamp=1000 - offset) for offset, key in enumerate(keys)],
    )

    def offsets(**arguments: Any) -> list[int]:
        return kafkafmt.scan(tmp_path, compacted=True, **arguments).to_table().column("offset").to_pylist()  # type: ignore[no-any-return]

    assert offsets() == [4, 5, 6]
    assert offsets(end_offset=5) == [1, 2, 4], "as of an offset"
    assert offsets(start_offset=5) == [5, 6]
    assert offsets(key=b"a") == [6]
    assert offsets(filter=pc.field("offset") < 5) == [4], "a filter chooses among the latest"
    assert offsets(filter=(pc.field("key") == b"a") & (pc.field("offset") < 5)) == []
    assert offsets(filter=pc.field("partition") == 1) == []
    assert offsets(start_timestamp=996) == [4], "and so do times"
    scan = kafkafmt.scan(tmp_path, compacted=True)
    assert scan.select(["offset"]).filter(pc.field("value") == b"5").to_table().to_pydict() == {"offset": [5]}
    assert scan.tail(2).read_all().column("offset").to_pylist() == [5, 6]
    assert [str(note) for note in scan.notes] == [
        "data-0: records without a key are left out, as compaction deletes them: 1"
    ]


def test_control_records_come_if_they_are_wanted() -> None:
    log_dir = next(case for case in CASES if case.name.startswith("04")).log_dir
    control = kafkafmt.scan(log_dir, control_records=True, filter=pc.field("isControl")).to_table()
    both = kafkafmt.scan(log_dir, control_records=True, compacted=True).to_table()
    assert control.num_rows
    assert both.filter(pc.field("isControl")) == control
    assert both.filter(~pc.field("isControl")) == kafkafmt.scan(log_dir, compacted=True).to_table()


def test_damage_is_reported_once(tmp_path: Path) -> None:
    path = segment(tmp_path / "data-0", 0, *[batch(offset, key=b"k%d" % (offset % 3)) for offset in range(6)])
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(kafkafmt.ChecksumError):
        kafkafmt.scan(tmp_path, compacted=True).to_table()
    scan = kafkafmt.scan(tmp_path, compacted=True, on_damage="skip")
    assert scan.to_table().column("offset").to_pylist() == [2, 3, 4]
    assert [damage.first_offset for damage in scan.damage] == [5]


def test_what_needs_records_as_they_come_is_refused(tmp_path: Path) -> None:
    segment(tmp_path / "data-0", 0, *[batch(0, key=b"k")])
    scan = kafkafmt.scan(tmp_path, compacted=True)
    for refused in (scan.follow, scan.plan):
        with pytest.raises(ValueError, match="a compacted scan cannot be"):
            refused()


def test_progress_counts_both_readings(tmp_path: Path) -> None:
    segment(tmp_path / "data-0", 0, *[batch(offset, key=b"k") for offset in range(6)])
    scan = kafkafmt.scan(tmp_path, compacted=True)
    passed: list[int] = []
    scan.watch(passed.append)
    assert scan.to_table().num_rows == 1
    assert sum(passed) == scan.size_in_bytes() == 2 * (tmp_path / "data-0" / f"{0:020}.log").stat().st_size


@settings(max_examples=30)
@given(st.lists(st.integers(0, 60)), st.sampled_from([1, 2, 5, 1000]))
def test_keys_beyond_memory_go_to_files(numbers: list[int], most_keys: int) -> None:
    latest = {number: offset for offset, number in enumerate(numbers)}
    keys = pa.array([b"%d" % number for number in numbers], pa.binary())
    offsets = np.arange(len(numbers), dtype=np.int64)
    with LatestOffsets(most_keys) as found:
        for begin in range(0, len(numbers), 7):
            found.add(hash_keys(keys[begin : begin + 7], offsets[begin : begin + 7]))
        found.settle()
        assert len(found) == len(latest)
        assert offsets[found.holds(offsets)].tolist() == sorted(latest.values())
        assert found.holds(offsets[::-1]).tolist() == found.holds(offsets)[::-1].tolist()
