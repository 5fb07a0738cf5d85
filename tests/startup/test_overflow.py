"""Segments whose offsets their indexes cannot hold (KAFKA-6264): split as by Kafka, in verify and in repair."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.startup.log_load import load_log
from kafkafmt.startup.outcome import BrokerError, LoadedLog
from tests.golden_cases import field_case
from tests.reference.builder import R, batch

CASES = ("overflow-split-v2", "high-bit-of-last-offset")
FAR = 1 << 31


def kafka(name: str) -> Any:
    return field_case(name).answer["kafka"]["UnifiedLog.create after a kill (4.4.0)"]


def findings(path: Path, kind: str) -> list[dict[str, Any]]:
    rows = kafkafmt.open(path).verify(level="headers").findings.to_pylist()
    return [row for row in rows if row["kind"] == kind]


@pytest.mark.parametrize("name", CASES)
def test_verify_says_how_kafka_splits_it(name: str, tmp_path: Path) -> None:
    # Without meta.properties a missing metadata log makes nothing a stray.
    shutil.copytree(field_case(name).input / "t-0", tmp_path / "t-0")
    bases = [each["base"] for each in kafka(name)["segments"]]
    for path in (tmp_path, field_case(name).input):
        (overflow,) = findings(path, "overflow")
        assert (overflow["level"], overflow["position"]) == ("finding", kafka(name)["segments"][0]["size"])
        assert f"splits the segment at offset {bases[1]}" in overflow["message"]
    (split,) = findings(tmp_path, "split")
    assert split["message"].endswith(": " + ", ".join(map(str, bases)))
    (row,) = kafkafmt.open(tmp_path).verify(level="headers").partitions.to_pylist()
    assert row["logEndOffset"] == kafka(name)["end"]
    indexes = {each.partition(":")[0] for each in kafka(name)["files"] if "index" in each}
    assert set(row["rebuilt"]) == indexes
    assert (row["lostRecords"], row["lostBytes"], row["truncateFrom"]) == (0, 0, None)


def test_repair_splits_it_too(tmp_path: Path) -> None:
    name = "overflow-split-v2"
    answer = kafkafmt.repair(field_case(name).input, tmp_path / "out")
    (row,) = answer.partitions.to_pylist()
    assert (row["keptRecords"], row["droppedRanges"]) == (field_case(name).answer["answer"]["repair_kept_records"], 0)
    wanted = {f"{each['base']:020}.log": each["size"] for each in kafka(name)["segments"]}
    assert {path.name: path.stat().st_size for path in (tmp_path / "out" / "t-0").glob("*.log")} == wanted
    assert findings(tmp_path / "out", "overflow") == []


def test_repair_leaves_out_a_batch_that_one_bit_moved_away(tmp_path: Path) -> None:
    answer = kafkafmt.repair(field_case("high-bit-of-last-offset").input, tmp_path / "out")
    (dropped,) = answer.dropped.to_pylist()
    assert (dropped["position"], dropped["reason"], dropped["firstOffset"]) == (70, "refuted_offset", 1)


def loaded(tmp_path: Path, offsets: list[int], end: bytes = b"", base: int = 0, *, clean: bool = False) -> LoadedLog:
    partition = tmp_path / "t-0"
    partition.mkdir()
    log = partition / f"{base:020}.log"
    log.write_bytes(b"".join(batch([R()], base_offset=offset) for offset in offsets) + end)
    (place,) = kafkafmt.Partition(partition).location.list()
    return load_log([place], recovery_point=0, log_start_offset=0, clean_shutdown=clean)


# Expected values are what UnifiedLog.create of Kafka 4.4.0 makes of the same bytes.
@pytest.mark.parametrize(
    ("offsets", "bases", "end"),
    [
        ([0, 1, FAR - 1], None, FAR),
        ([0, 1, FAR], [0, FAR], FAR + 1),
        ([5, FAR + 5, FAR + 6], [5, FAR + 5], FAR + 7),
        ([FAR + 5, FAR + 6], [FAR + 5], FAR + 7),
        ([0, FAR, 2 * FAR, 2 * FAR + 1], [0, FAR, 2 * FAR], 2 * FAR + 2),
        ([0, 1 << 62, 2, 1 << 61], [0, 1 << 62, 2, 1 << 61], (1 << 62) + 1),
    ],
)
def test_kafka_splits(offsets: list[int], bases: list[int] | None, end: int, tmp_path: Path) -> None:
    log = loaded(tmp_path, offsets)
    assert [each for _, each in log.splits] == ([] if bases is None else [bases])
    assert (log.log_end_offset, log.lost_bytes) == (end, 0)


def test_kafka_fails_to_split(tmp_path: Path) -> None:
    with pytest.raises(BrokerError, match=r"^java.util.NoSuchElementException") as raised:
        loaded(tmp_path, [0, FAR], b"torn" * 8)
    assert raised.value.position == 2 * len(batch([R()]))


def test_what_lies_between_two_jumps_is_kept(tmp_path: Path) -> None:
    offsets = [0, 1, FAR + 7, FAR + 8, 3 * FAR, 3 * FAR + 1]
    loaded(tmp_path, offsets)
    shutil.copy(field_case(CASES[0]).input / "meta.properties", tmp_path)
    answer = kafkafmt.repair(tmp_path, tmp_path.with_name("out"))
    assert answer.dropped.num_rows == 0
    assert kafkafmt.scan(tmp_path.with_name("out")).to_table()["offset"].to_pylist() == offsets
