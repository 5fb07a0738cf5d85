"""The end of a served partition: as of a time, and at the high watermark; and notes if disks disagree."""

import shutil
from pathlib import Path

from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import Memory
from tests.golden_cases import Case, cases
from tests.logdir.builders import batch, file_name
from tests.serving.test_fetch import end_of, read_all, stored
from tests.serving.wire import fetched, offset_listed, served

KILLED = next(case for case in cases("legacy") if case.name == "killed-preallocated-m2-1.1.1")
TIMED = next(case for case in cases("modern") if case.name == "02-timestamps-4.3.1")


def times_of(case: Case) -> list[tuple[str, int, int, int]]:
    """Topic, partition, time, and the first offset at or after it, as AdminClient.listOffsets answered."""
    found = []
    for each in case.jsonl("lookup.jsonl"):
        if each["kind"] == "listOffsets" and each.get("timestamp", 0) > 0 and each["offset"] > 0:
            topic, _, number = each["partition"].rpartition("-")
            if topic != "__cluster_metadata":
                found.append((topic, int(number), each["timestamp"], each["offset"]))
    return found


def test_a_time_ends_before_the_batch_with_the_first_later_record() -> None:
    batches = stored(TIMED)
    chosen = times_of(TIMED)[::9]
    assert chosen
    ended_inside = 0
    for topic, partition, timestamp, offset in chosen:
        holds = next(each for each in batches[topic, partition] if each["lastOffset"] >= offset)
        ended_inside += holds["baseOffset"] < offset
        with served(TIMED.log_dir, topics=[topic], at_time=timestamp - 1) as wire:
            start = offset_listed(wire, topic, partition, -2)["Offset"]
            end = offset_listed(wire, topic, partition, -1)["Offset"]
            assert end == max(start, min(offset, holds["baseOffset"]))
            records = read_all(wire, topic, partition, start)
            # Served records end there too: a client that continued past the end would get OFFSET_OUT_OF_RANGE.
            assert (end_of(records) if records else start) <= end
            latest = offset_listed(wire, topic, partition, -3)["Timestamp"]
            assert (0 <= latest < timestamp) is (end > start)
    assert ended_inside


def test_the_high_watermark_of_a_broker_that_was_killed() -> None:
    """The broker had checkpointed 0 before it was killed."""
    with served(KILLED.log_dir) as wire:
        assert offset_listed(wire, "normal", 0, -1)["Offset"] == 100
    with served(KILLED.log_dir, end="high-watermark") as wire:
        assert offset_listed(wire, "normal", 0, -1)["Offset"] == 0
        assert read_all(wire, "normal", 0, 0) == b""


def test_a_client_may_be_past_the_high_watermark(tmp_path: Path) -> None:
    """As of a group that committed after the checkpoint: a leader answers as to clients that wait for records."""
    directory = tmp_path / "t-0"
    directory.mkdir()
    (directory / file_name(0)).write_bytes(batch(0, 10) + batch(10, 10))
    (tmp_path / "replication-offset-checkpoint").write_text("0\n1\nt 0 10\n")
    with served(tmp_path, end="high-watermark") as wire:
        assert offset_listed(wire, "t", 0, -1)["Offset"] == 10
        for offset in (10, 15, 20):
            found = fetched(wire, "t", 0, offset)
            assert (found["ErrorCode"], bytes(found["Records"]), found["HighWatermark"]) == (0, b"", 10)
            assert fetched(wire, "t", 0, offset, LastFetchedEpoch=0)["DivergingEpoch"]["Epoch"] == -1
        assert fetched(wire, "t", 0, 21)["ErrorCode"] == ErrorCode.OFFSET_OUT_OF_RANGE
        topics = [{"Topic": "t", "Partitions": [{"Partition": 0, "CurrentLeaderEpoch": -1, "LeaderEpoch": 0}]}]
        (ended,) = wire.ask("OffsetForLeaderEpoch", {"ReplicaId": -1, "Topics": topics})["Topics"][0]["Partitions"]
        assert ended["EndOffset"] == 20


def test_a_high_watermark_inside_a_batch_ends_before_it(tmp_path: Path) -> None:
    ends = {key: found[-1] for key, found in stored(TIMED).items()}
    (topic, partition), last = next(
        (key, batch) for key, batch in ends.items() if batch["lastOffset"] > batch["baseOffset"]
    )
    directory = (TIMED.log_dir / last["file"]).parent
    shutil.copytree(directory, tmp_path / directory.name)
    (tmp_path / "replication-offset-checkpoint").write_text(f"0\n1\n{topic} {partition} {last['lastOffset']}\n")
    with served(tmp_path, end="high-watermark") as wire:
        end = offset_listed(wire, topic, partition, -1)["Offset"]
        assert end == last["baseOffset"]
        start = offset_listed(wire, topic, partition, -2)["Offset"]
        assert end_of(read_all(wire, topic, partition, start)) == end


def test_disks_of_two_clusters_are_told() -> None:
    lines: list[str] = []
    first, second = (case for case in cases("modern") if case.name.startswith("01-codecs"))
    with served(first.log_dir, second.log_dir, say=lines.append) as wire:
        assert wire.ask("Metadata", {"Topics": None})["Topics"]
    assert [line for line in lines if "2 clusters" in line]


def test_nobody_gets_more_than_half_of_the_memory_that_is_left() -> None:
    memory = Memory()
    granted = [memory.take(2**31) for _ in range(300)]
    assert granted[0] > granted[1] > granted[2]
    assert min(granted) >= 2**16
    assert sum(granted) < 128 * 2**20
    for each in granted:
        memory.give_back(each)
    assert memory.take(2**31) == granted[0]
