"""`Scan.follow`: what a log that grows, rolls, shrinks and vanishes gives, step by step."""

import gc
import os
import re
import shutil
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs
import pytest

import kafkafmt
from kafkafmt.codec.checksum import crc32c
from kafkafmt.errors import ChecksumError, SourceError
from kafkafmt.io.local import LocalFile
from kafkafmt.logdir.growing_log import GrowingLog
from kafkafmt.logdir.segment import Segment
from tests.golden_cases import GOLDEN, Case, cases, tier_case
from tests.logdir.builders import ABORT_KEY, CONTROL, TRANSACTIONAL, batch, file_name
from tests.remote.counting import counting
from tests.scanning.growing import Broker, entries, follow, offsets, rows

GROWN = {
    "01-codecs-4.3.1": ("codec-gzip-0", "codec-zstd-0", "shapes-0"),
    "05-compacted-4.3.1": ("comp-both-0", "comp-plain-0"),
    "m0-codecs-0.9.0.1": ("m0.gzip-0", "null-and-empty-0"),
    "m1-codecs-0.10.2.2": ("create-time.lz4-0", "append-time-0"),
    "upgrade-0.8.2.2-to-2.8.2": ("long-lived-0",),
}
REMOVED = re.compile(
    r".*: (?:(\d+) of the )?offsets? (\d+)(?: to (\d+))? (?:was|were) removed by compaction before .* read"
)
PRODUCER = 77


@pytest.fixture
def broker(tmp_path: Path) -> Broker:
    return Broker(tmp_path / "logs")


def golden(name: str) -> Case:
    return next(case for case in cases() if case.name == name)


def in_transaction(offset: int, count: int = 1, producer: int = PRODUCER, epoch: int = 0) -> bytes:
    return batch(offset, count, attributes=TRANSACTIONAL, producer=producer, epoch=epoch)


def marker(offset: int, key: bytes, producer: int = PRODUCER) -> bytes:
    return batch(offset, key=key, value=b"\0" * 6, attributes=TRANSACTIONAL | CONTROL, producer=producer)


COMMIT_KEY = b"\0\0\0\1"


@pytest.mark.parametrize("name", GROWN)
def test_golden_segments_come_batch_by_batch(name: str, broker: Broker) -> None:
    case = golden(name)
    records = case.jsonl("records.jsonl")
    for partition in GROWN[name]:
        topic, _, number_of_partition = partition.rpartition("-")
        expected = [
            (record["file"], record["offset"])
            for record in records
            if Path(record["file"]).match(f"{partition}/*.log") and "controlTypeId" not in record
        ]
        files = sorted((case.log_dir / partition).glob("*.log"))
        broker.write(partition, int(files[0].stem))
        follower = follow(broker.log_dir, columns=["file", "offset"], topics={topic: int(number_of_partition)})
        found = []
        for file in files:
            done = 0
            for number, entry in enumerate(entries(file.read_bytes())):
                half = len(entry) // 2 if number % 3 == 0 else 0
                if half:
                    broker.write(partition, int(file.stem), entry[:half])
                    assert rows(follower) == []
                broker.write(partition, int(file.stem), entry[half:])
                done += len(entry)
                new = [(row["file"], row["offset"]) for row in rows(follower)]
                found += new
                # All that is whole by now, and no more.
                assert found == expected[: len(found)]
            of_file = [row for row in expected if row[0] <= f"{partition}/{file.name}"]
            assert found == of_file
        assert (found, follower.damage) == (expected, [])
        # What the golden log lacks is as if it had been cleaned just before it was read.
        of_partition = [row for row in records if Path(row["file"]).match(f"{partition}/*.log")]
        end = kafkafmt.scan(broker.log_dir).end_offsets()[topic, int(number_of_partition)]
        missing = end - int(files[0].stem) - len(of_partition) if "compacted" in name else 0
        said = [REMOVED.fullmatch(note) for note in follower.notes]
        assert all(said)
        assert sum(int(note[1] or int(note[3] or note[2]) - int(note[2]) + 1) for note in said if note) == missing


@pytest.mark.parametrize("engine", ["columnar", "reference"])
def test_committed_records_come_when_their_transaction_ends(engine: str, broker: Broker) -> None:
    follower = None
    found: list[int] = []
    for step, (content, expected) in enumerate(
        [
            (batch(0, 2), [0, 1]),
            (in_transaction(2, 2), []),
            (batch(4), []),  # nothing comes from the first open transaction on
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
    # Aborted data that was written after the last stable offset of a poll, and its marker later still.
    assert found == [0, 1, 2, 3, 4, 10]


def test_committed_records_of_a_golden_log_are_those_of_a_consumer(broker: Broker) -> None:
    case = golden("04-transactions-4.3.1")
    consumed = {each["partition"]: each for each in case.jsonl("read_committed.jsonl") if each["topic"] == "tx"}
    expected = [at for first, last in consumed[0]["offsetRanges"] for at in range(first, last + 1)]
    files = sorted((case.log_dir / "tx-0").glob("*.log"))
    broker.write("tx-0", 0)
    follower = follow(broker.log_dir, isolation_level="read_committed")
    found = []
    for file in files:
        for entry in entries(file.read_bytes()):
            broker.write("tx-0", int(file.stem), entry)
            found += offsets(follower)
            assert found == expected[: len(found)]
    assert found == expected


def test_a_segment_that_rolls_is_read_to_its_end(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0, 3))
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0, 1, 2]
    broker.write("t-0", 0, batch(3, 2))
    broker.write("t-0", 5, batch(5))
    broker.write("t-0", 6, batch(6))
    assert offsets(follower) == [3, 4, 5, 6]
    assert offsets(follower) == []
    assert follower.notes == []


def test_what_is_deleted_before_it_is_read_is_said(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0, 3))
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0, 1, 2]
    broker.write("t-0", 3, batch(3, 4))
    broker.write("t-0", 7, batch(7))
    broker.delete("t-0", 0)
    broker.delete("t-0", 3)
    assert offsets(follower) == [7]
    assert follower.notes == ["t-0: offsets 3 to 6 were deleted before they were read; the log now starts at 7"]
    assert not follower.notes[0].is_finding
    follower.notes.clear()
    broker.write("t-0", 8, batch(8))
    assert offsets(follower) == [8]
    broker.delete("t-0", 7)  # it was read
    assert (offsets(follower), follower.notes) == ([], [])


def test_a_log_start_that_moves_is_said_where_something_was_not_read(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0, 3))
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0, 1, 2]
    broker.checkpoint("log-start-offset-checkpoint", "t-0", 3)
    broker.write("t-0", 0, batch(3, 1))
    assert (offsets(follower), follower.notes) == ([3], [])
    broker.write("t-0", 0, batch(4, 6))
    broker.checkpoint("log-start-offset-checkpoint", "t-0", 7)
    assert offsets(follower) == [7, 8, 9]
    assert follower.notes == ["t-0: offsets 4 to 6 were deleted before they were read; the log now starts at 7"]


def test_a_log_start_beyond_what_was_seen_of_the_log_holds(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0, 3))
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0, 1, 2]
    broker.checkpoint("log-start-offset-checkpoint", "t-0", 6)
    broker.write("t-0", 0, batch(3))
    assert offsets(follower) == []
    broker.write("t-0", 0, batch(4), batch(5), batch(6))
    assert offsets(follower) == [6]
    assert follower.notes == ["t-0: offsets 3 to 5 were deleted before they were read; the log now starts at 6"]


def test_new_partitions_are_read_from_their_start(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0, 2))
    follower = follow(broker.log_dir, last=0, topics=["t", "new"])
    assert rows(follower) == []
    (broker.log_dir / "new-3").mkdir()
    broker.tick(broker.log_dir / "new-3")
    assert rows(follower) == []
    broker.write("new-3", 5, batch(5, 2))
    broker.write("unwanted-0", 0, batch(0))
    found = [(row["topic"], row["partition"], row["offset"], row["file"]) for row in rows(follower)]
    assert found == [("new", 3, at, f"new-3/{file_name(5)}") for at in (5, 6)]
    broker.write("t-1", 0, batch(0))
    broker.write("t-0", 0, batch(2))
    assert [(row["partition"], row["offset"]) for row in rows(follower)] == [(0, 2), (1, 0)]
    assert follower.notes == []


def test_a_log_directory_that_comes_later_is_found(tmp_path: Path) -> None:
    Broker(tmp_path / "one").write("t-0", 0, batch(0))
    follower = follow(tmp_path)
    assert offsets(follower) == [0]
    Broker(tmp_path / "deep" / "er" / "two").write("t-1", 0, batch(4))
    os.utime(tmp_path, ns=(1, 1))
    assert offsets(follower) == [4]


def test_a_deleted_partition_is_said(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    broker.write("u-0", 0, batch(0))
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0, 0]
    (broker.log_dir / "t-0").rename(broker.log_dir / f"t-0.{'0' * 32}-delete")
    broker.tick(broker.log_dir)
    broker.write("u-0", 0, batch(1))
    assert offsets(follower) == [1]
    assert follower.notes == ["t-0: the partition was deleted; it was read up to offset 0"]
    shutil.rmtree(broker.log_dir / f"t-0.{'0' * 32}-delete")
    broker.tick(broker.log_dir)
    assert (offsets(follower), follower.notes) == ([], ["t-0: the partition was deleted; it was read up to offset 0"])


@pytest.mark.parametrize("was_seen", [True, False], ids=["seen to be gone", "between two polls"])
def test_a_topic_that_is_created_again_is_read_from_its_start(broker: Broker, was_seen: bool) -> None:
    broker.write("t-0", 0, batch(0, 3))
    broker.put("t-0/partition.metadata", "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ\n")
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0, 1, 2]
    shutil.rmtree(broker.log_dir / "t-0")
    broker.tick(broker.log_dir)
    if was_seen:
        assert offsets(follower) == []
    # As many records as there were, so that neither the log end nor the size says that it is another log.
    broker.write("t-0", 0, batch(0, 3, value=b"w"))
    broker.put("t-0/partition.metadata", "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAg\n")
    assert [row["value"] for row in rows(follower)] == [b"w"] * 3
    gone = ["t-0: the partition was deleted; it was read up to offset 2"] if was_seen else []
    again = "the deleted one was read up to offset 2, the new one is read from its start"
    assert follower.notes == [*gone, f"t-0: the topic was deleted and created again; {again}"]


def test_a_partition_that_moves_to_another_log_directory_goes_on(tmp_path: Path) -> None:
    one, two = Broker(tmp_path / "one"), Broker(tmp_path / "two")
    two.write("u-0", 0)
    one.write("t-0", 0, batch(0, 3))
    one.put("t-0/partition.metadata", "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ\n")
    follower = follow([one.log_dir, two.log_dir])
    assert offsets(follower) == [0, 1, 2]
    (one.log_dir / "t-0").rename(two.log_dir / "t-0")
    one.tick(one.log_dir)
    two.write("t-0", 0, batch(3))
    assert (offsets(follower), follower.notes) == ([3], [])


def test_a_log_that_became_shorter_goes_on_from_its_end(broker: Broker) -> None:
    first = batch(0, 3)
    broker.write("t-0", 0, first, batch(3, 5))
    follower = follow(broker.log_dir)
    assert offsets(follower) == list(range(8))
    broker.truncate("t-0", 0, len(first))
    assert offsets(follower) == []
    [note] = follower.notes
    assert note.startswith("t-0: the log was truncated to offset 3, and 8 would have been next: ")
    broker.write("t-0", 0, batch(3, value=b"w"))
    assert [(row["offset"], row["value"]) for row in rows(follower)] == [(3, b"w")]
    assert len(follower.notes) == 1


def test_a_log_that_was_truncated_and_written_again_goes_on_where_leader_epochs_part(broker: Broker) -> None:
    first = batch(0, 3)
    broker.put("t-0/leader-epoch-checkpoint", "0\n1\n0 0\n")
    broker.write("t-0", 0, first, batch(3, 5))
    follower = follow(broker.log_dir)
    assert offsets(follower) == list(range(8))
    # Between two polls, and with more bytes than before.
    broker.truncate("t-0", 0, len(first))
    broker.put("t-0/leader-epoch-checkpoint", "0\n2\n0 0\n7 3\n")
    broker.write("t-0", 0, batch(3, 9, value=b"new", epoch=7))
    assert [(row["offset"], row["value"]) for row in rows(follower)] == [(at, b"new") for at in range(3, 12)]
    assert [note.split(",")[0] for note in follower.notes] == ["t-0: the log was truncated to offset 3"]


def test_segments_that_were_truncated_away_are_no_obstacle(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0, 3))
    broker.write("t-0", 3, batch(3))
    broker.write("t-0", 4, batch(4))
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0, 1, 2, 3, 4]
    broker.delete("t-0", 4)
    broker.delete("t-0", 3)
    assert offsets(follower) == []
    assert "truncated to offset 3, and 5" in follower.notes[0]
    broker.write("t-0", 0, batch(3, 2))
    assert offsets(follower) == [3, 4]


def test_preallocated_zeros_wait(broker: Broker) -> None:
    size = 1 << 16
    broker.write("t-0", 0, bytes(size))
    follower = follow(broker.log_dir)
    position, expected = 0, 0
    for count in (1, 4, 2):
        content = batch(expected, count)
        for part in (slice(0, 30), slice(30, 61), slice(61, len(content))):
            assert offsets(follower) == []
            broker.write("t-0", 0, content[part], at=position)
            position += len(content[part])
        assert offsets(follower) == list(range(expected, expected + count))
        expected += count
    broker.truncate("t-0", 0, position)  # as it rolls
    broker.write("t-0", expected, batch(expected))
    assert offsets(follower) == [expected]
    assert (follower.damage, follower.notes) == ([], [])


def test_a_long_stretch_of_preallocated_zeros_is_not_read(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    readinto = LocalFile.readinto_at

    def counted(self: LocalFile, position: int, buffer: memoryview) -> int:
        read.append(len(buffer))
        return readinto(self, position, buffer)

    path = broker.write("t-0", 0, batch(0))
    os.truncate(path, 1 << 30)
    monkeypatch.setattr(LocalFile, "readinto_at", counted)
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0]
    assert sum(read) < 1 << 22


@pytest.mark.parametrize("on_damage", ["raise", "skip"])
def test_damage_counts_once_something_follows_it(on_damage: str, broker: Broker) -> None:
    torn = bytearray(batch(2, 2))
    torn[-1] ^= 1
    broker.write("t-0", 0, batch(0, 2), bytes(torn))
    follower = follow(broker.log_dir, on_damage=on_damage)
    assert (offsets(follower), follower.damage) == ([0, 1], [])
    broker.tick(broker.log_dir / "t-0" / file_name(0))
    assert (offsets(follower), follower.damage) == ([], [])
    broker.write("t-0", 0, batch(4))
    if on_damage == "raise":
        for _ in range(2):
            with pytest.raises(ChecksumError, match=r"t-0/0.*CRC mismatch"):
                offsets(follower)
        return
    assert offsets(follower) == [4]
    [damage] = follower.damage
    assert (damage.reason, damage.first_offset, damage.last_offset, damage.records) == ("checksum", 2, 3, 2)
    broker.write("t-0", 5, batch(5))
    assert (offsets(follower), len(follower.damage)) == ([5], 1)


def test_a_torn_batch_that_is_written_to_its_end_is_given(broker: Broker) -> None:
    whole = batch(0, 2)
    broker.write("t-0", 0, whole[:-1] + b"\1", bytes(100))
    follower = follow(broker.log_dir)
    assert offsets(follower) == []
    broker.write("t-0", 0, whole, at=0)
    assert (offsets(follower), follower.damage) == ([0, 1], [])


def test_a_batch_that_is_cut_off_is_damage_once_the_segment_has_rolled(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0), batch(1)[:-5])
    follower = follow(broker.log_dir, on_damage="skip")
    assert (offsets(follower), follower.damage) == ([0], [])
    broker.write("t-0", 2, batch(2))
    assert offsets(follower) == [2]
    assert [(damage.reason, damage.first_offset) for damage in follower.damage] == [("incomplete_tail", 1)]


def test_zeros_before_a_batch_are_damage_and_do_not_hold_it_up_for_long(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    follower = follow(broker.log_dir, on_damage="skip")
    assert offsets(follower) == [0]
    broker.write("t-0", 0, bytes(200), batch(9))
    found: list[int] = []
    for at in range(10, 14):
        found += offsets(follower)
        broker.write("t-0", 0, batch(at))
    assert found[:1] == [9]
    assert len(follower.damage) == 1


def test_compaction_takes_nothing_and_repeats_nothing(broker: Broker) -> None:
    content = [batch(at) for at in range(6)]
    broker.write("t-0", 0, *content)
    follower = follow(broker.log_dir)
    assert offsets(follower) == list(range(6))
    broker.replace("t-0", 0, content[1] + content[5])
    assert offsets(follower) == []
    broker.write("t-0", 6, batch(6, 2))
    assert offsets(follower) == [6, 7]
    # Two segments become one, and what was not read yet is in it.
    broker.write("t-0", 6, batch(8))
    broker.write("t-0", 9, batch(9))
    broker.delete("t-0", 6)
    broker.replace("t-0", 0, content[5] + batch(6, 2) + batch(8))
    assert offsets(follower) == [8, 9]
    assert follower.notes == []


def test_compaction_between_listing_and_reading_is_no_damage(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    broker.write("t-0", 0, *[batch(at) for at in range(3)])
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0, 1, 2]
    broker.write("t-0", 0, batch(3))
    broker.write("t-0", 4, batch(4))
    broker.write("t-0", 5, batch(5))
    listed = GrowingLog.segments
    merged = [batch(2, value=b"x" * 500) + batch(3) + batch(4)]

    def overtaken(log: GrowingLog) -> Sequence[Segment]:
        found = listed(log)
        while merged:
            broker.replace("t-0", 0, merged.pop())  # larger than the file that was listed
            broker.delete("t-0", 4)
        return found

    monkeypatch.setattr(GrowingLog, "segments", overtaken)
    found = offsets(follower)
    assert found + offsets(follower) == [3, 4, 5]
    assert (follower.notes, follower.damage) == ([], [])


def cleaned(offset: int, last: int, count: int) -> bytes:
    """A batch as the cleaner leaves it: with the offsets that it had, and fewer records."""
    whole = bytearray(batch(offset, count))
    whole[23:27] = (last - offset).to_bytes(4, "big")
    whole[17:21] = crc32c(whole[21:]).to_bytes(4, "big")
    return bytes(whole)


@pytest.mark.parametrize("isolation", ["read_uncommitted", "read_committed"])
@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ([batch(10, 4), batch(14), batch(15)], None),
        ([batch(10), batch(13)], "4 of the offsets 11 to 15 were removed by compaction before they were read"),
        ([batch(12, 4)], "offsets 10 to 11 were removed by compaction before they were read"),
        ([batch(10, 5)], "offset 15 was removed by compaction before it was read"),
        (
            [cleaned(10, 13, 2), cleaned(14, 15, 1)],
            "3 of the offsets 10 to 15 were removed by compaction before they were read",
        ),
        ([], "offsets 10 to 15 were removed by compaction before they were read"),
    ],
    ids=["nothing", "between", "before", "after", "within", "all"],
)
def test_what_compaction_takes_away_unread_is_said(
    kept: list[bytes], said: str | None, isolation: str, broker: Broker
) -> None:
    # What is missing below 9 was missing when following began.
    broker.write("t-0", 0, batch(0), cleaned(4, 8, 2))
    follower = follow(broker.log_dir, isolation_level=isolation)
    assert len(offsets(follower)) == 3
    broker.write("t-0", 0, batch(9))
    assert (offsets(follower), follower.notes) == ([9], [])
    # A segment is written, rolls, and is cleaned into the one before it.
    broker.replace("t-0", 0, cleaned(4, 8, 1) + b"".join(kept))
    broker.write("t-0", 16, batch(16))
    broker.write("t-0", 16, batch(17))
    assert offsets(follower)[-2:] == [16, 17]
    assert follower.notes == ([] if said is None else [f"t-0: {said}"])
    assert not any(note.is_finding for note in follower.notes)
    follower.notes.clear()
    broker.write("t-0", 16, batch(18))
    assert (offsets(follower), follower.notes) == ([18], [])


def test_many_gaps_are_one_note(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    follower = follow(broker.log_dir, start_offset=3)
    assert offsets(follower) == []
    for base in (10, 20, 30):
        broker.write("t-0", base, *[batch(at) for at in range(base + 1, base + 10, 2)])
    assert len(offsets(follower)) == 15
    # 1 and 2 were not asked for; up to where the log ends now.
    assert follower.notes == ["t-0: 22 of the offsets 3 to 38 were removed by compaction before they were read"]


def test_damage_is_not_taken_for_compaction(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    follower = follow(broker.log_dir, on_damage="skip")
    assert offsets(follower) == [0]
    wrong = bytearray(batch(1, 3))
    wrong[8:12] = b"\xff" * 4
    broker.write("t-0", 0, bytes(wrong), batch(4), batch(5))
    broker.write("t-0", 6, batch(6))
    assert offsets(follower) == [4, 5, 6]
    assert (len(follower.damage), follower.notes) == (1, [])


def test_a_partition_that_was_deleted_before_it_was_read(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    follower = follow(broker.log_dir)
    shutil.rmtree(broker.log_dir / "t-0")
    broker.tick(broker.log_dir)
    assert offsets(follower) == []
    assert follower.notes == ["t-0: the partition was deleted; it was not read"]


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
    broker.checkpoint("recovery-point-offset-checkpoint", "t-0", 1)  # it changes the log directory

    def refuse(*_: object) -> None:
        raise AssertionError

    for _ in range(2):
        offsets(follower)
    monkeypatch.setattr(os, "scandir", refuse)
    monkeypatch.setattr(LocalFile, "__init__", refuse)
    assert offsets(follower) == []


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
    # Each partition has its own listing, and the last search or two have all.
    assert len(of_this_test) <= count + 5
    assert sum(len(search.listings) for search in of_this_test) <= 6 * count


def test_a_poll_that_is_not_read_to_its_end_is_taken_up(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    broker.write("t-1", 0, batch(10))
    follower = follow(broker.log_dir)
    follower.poll().close()
    assert offsets(follower) == [0, 10]


def test_a_file_that_cannot_be_read_is_said_when_that_goes_on(broker: Broker) -> None:
    path = broker.write("t-0", 0, batch(0))
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0]
    path.unlink()
    path.symlink_to("nowhere")
    for _ in range(6):
        broker.tick(broker.log_dir / "t-0")
        assert offsets(follower) == []
    assert len(follower.notes) == 1
    assert "it is tried again" in follower.notes[0]
    path.unlink()
    broker.write("t-0", 0, batch(0), batch(1))
    assert offsets(follower) == [1]


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
    with pytest.raises(SourceError, match="no remote storage"):
        kafkafmt.scan("t-0", filesystem=remote).follow()
    with pytest.raises(SourceError, match="no remote storage"):
        kafkafmt.scan(tier_case(1).tier).follow()


def test_what_makes_no_sense(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    with pytest.raises(ValueError, match="count must be 0 or more"):
        kafkafmt.scan(broker.log_dir).follow(last=-1)
    with pytest.raises(ValueError, match="ends at an offset"):
        kafkafmt.scan(broker.log_dir, end_offset=5).follow()


def test_every_golden_log_at_rest_gives_what_a_scan_gives() -> None:
    names = ("06-retention-4.3.1", "05c-swap-4.3.1", "14-running-4.3.1", "killed-preallocated-m2-1.1.1")
    for source in (GOLDEN / "modern" / names[0], GOLDEN / "modern" / names[1], GOLDEN / "modern" / names[2]):
        scan = kafkafmt.scan(source / "log-dir", isolation_level="read_committed")
        follower = scan.follow()
        assert follower.poll().read_all().equals(scan.to_table())
        assert list(chain(follower.damage, follower.poll())) == []
