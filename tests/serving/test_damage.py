"""Fetch on damaged disks: `skip` serves the records of a scan, `stop` an error before the damage."""

from bisect import bisect_left
from collections import defaultdict
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.scanning import scan_bytes
from tests.golden_cases import Case, cases
from tests.logdir.builders import TRANSACTIONAL, batch, file_name
from tests.serving.test_fetch import end_of
from tests.serving.wire import Wire, fetched, offset_listed, served

CRASHED = [case for case in cases("modern") if case.name.startswith("12-crash")]
DAMAGED = [case for case in cases("legacy") if "damaged" in case.name]


def offsets_served(wire: Wire, topic: str, partition: int) -> list[int]:
    """Offsets of all records of a partition, as `scan_bytes` decodes the fetched bytes."""
    offset = offset_listed(wire, topic, partition, -2)["Offset"]
    data = b""
    while records := bytes(fetched(wire, topic, partition, offset)["Records"] or b""):
        data += records
        assert end_of(records) > offset
        offset = end_of(records)
    offsets: list[int] = scan_bytes(data, file="x", columns=["offset"])["offset"].to_pylist()
    return offsets


def rising(offsets: list[int]) -> list[int]:
    """The longest rising subsequence: a consumer continues after the highest offset, so others are not served."""
    best: list[list[int]] = []
    for offset in offsets:
        at = bisect_left(best, offset, key=lambda part: part[-1])
        part = [*(best[at - 1] if at else []), offset]
        best[at : at + 1] = [part]
    return best[-1]


@pytest.mark.parametrize("case", [*CRASHED, *DAMAGED], ids=str)
def test_damage_is_skipped_as_a_scan_skips_it(case: Case) -> None:
    expected: dict[tuple[str, int], list[int]] = defaultdict(list)
    scan = kafkafmt.scan(case.log_dir, columns=["topic", "partition", "offset"], on_damage="skip").without_warnings()
    for row in scan.to_table().to_pylist():
        if row["topic"] != "__cluster_metadata":
            expected[row["topic"], row["partition"]].append(row["offset"])
    for (topic, _), offsets in expected.items():
        if "flip-offset" in topic:
            offsets[:] = rising(offsets)
    lines: list[str] = []
    assert scan.damage
    with served(case.log_dir, say=lines.append) as wire:
        for (topic, partition), offsets in expected.items():
            assert offsets_served(wire, topic, partition) == offsets, (topic, partition)
    assert [line for line in lines if "skipped" in line]
    assert len(lines) == len(set(lines))


@pytest.mark.parametrize("case", CRASHED[-1:], ids=str)
def test_damage_stops_a_client_before_it(case: Case) -> None:
    scan = kafkafmt.scan(case.log_dir, columns=["offset"], on_damage="skip").without_warnings()
    scan.to_table()
    broken = {
        (each.topic, each.partition): each
        for each in reversed(scan.damage)
        if each.topic not in (None, "__cluster_metadata") and each.partition is not None and not each.is_open_end
    }
    assert broken
    stopped = 0
    with served(case.log_dir, on_damage="stop") as wire:
        for (topic, partition), damage in broken.items():
            assert topic is not None
            assert partition is not None
            offset = offset_listed(wire, topic, partition, -2)["Offset"]
            while True:
                answer = fetched(wire, topic, partition, offset)
                records = bytes(answer["Records"] or b"")
                if not records:
                    break
                offset = end_of(records)
            if answer["ErrorCode"] == ErrorCode.CORRUPT_MESSAGE:
                assert damage.first_offset in (None, offset)
                stopped += 1
    assert stopped


@pytest.mark.parametrize("follows", ["an open transaction", "an empty segment"])
def test_a_client_gets_to_the_end_after_the_last_sound_batch(tmp_path: Path, follows: str) -> None:
    """A batch without records leads it past the damage, as its last offset counts."""
    damaged = bytearray(batch(10, 10))
    damaged[-1] ^= 1
    opened = batch(20, attributes=TRANSACTIONAL, producer=1) if follows == "an open transaction" else b""
    partition = tmp_path / "t-0"
    partition.mkdir()
    (partition / file_name(0)).write_bytes(batch(0, 10) + damaged)
    (partition / file_name(20)).write_bytes(opened)
    with served(tmp_path) as wire:
        assert offset_listed(wire, "t", 0, -1, isolation=1)["Offset"] == 20
        for offset in (10, 15):
            found = fetched(wire, "t", 0, offset, isolation=1)
            records = bytes(found["Records"])
            assert (end_of(records), found["AbortedTransactions"]) == (20, [])
            assert scan_bytes(records, file="x", columns=["offset"]).num_rows == 0
        assert fetched(wire, "t", 0, 20, isolation=1)["Records"] == b""
        partitions = [{"Partition": 0, "FetchOffset": offset, "PartitionMaxBytes": 1} for offset in (0, 10)]
        body = {
            "MaxWaitMs": 0,
            "MaxBytes": 1,
            "IsolationLevel": 1,
            "Topics": [{"Topic": "t", "Partitions": partitions}],
        }
        first, second = wire.ask("Fetch", body, 12)["Responses"][0]["Partitions"]
        assert (bytes(first["Records"]), bytes(second["Records"])) == (batch(0, 10), b"")
    with served(tmp_path, on_damage="stop") as wire:
        assert fetched(wire, "t", 0, 10, isolation=1)["ErrorCode"] == ErrorCode.CORRUPT_MESSAGE
