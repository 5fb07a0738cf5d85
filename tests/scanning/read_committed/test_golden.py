"""`isolation_level="read_committed"` on real logs, compared with Kafka's consumer."""

import shutil
import struct
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from tests import golden_exceptions
from tests.golden_cases import GOLDEN, Case, cases
from tests.scanning.read_committed.committed_reads import (
    committed,
    offsets,
    told,
)

CONSUMED = [case for case in cases("modern") if case.jsonl("read_committed.jsonl")]
TRANSACTIONS = [case for case in CONSUMED if case.name.startswith("04-")]


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
            # This time the flipped offset cost the consumer only the batch itself.
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


@pytest.mark.slow
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


def test_golden_files_are_there() -> None:
    assert len(CONSUMED) > 30
    assert GOLDEN.is_dir()
    assert len(TRANSACTIONS) == 2
