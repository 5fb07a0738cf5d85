"""`Scan.follow`: logs that grow, roll, are deleted, are truncated, move and come back, step by step."""

import os
import shutil
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

from kafkafmt.io.local_file import LocalFile
from tests.logdir.builders import batch, file_name
from tests.scanning.growing import Broker, all_freed_at_once, follow, offsets, rows


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
    assert follower.notes == ["t-0: the partition was deleted; it was read to its end, offset 0"]
    shutil.rmtree(broker.log_dir / f"t-0.{'0' * 32}-delete")
    broker.tick(broker.log_dir)
    assert (offsets(follower), follower.notes) == (
        [],
        ["t-0: the partition was deleted; it was read to its end, offset 0"],
    )


UNREAD: dict[str, tuple[dict[str, Any], list[bytes], str]] = {
    "nothing": ({}, [], "read to its end, offset 2"),
    "one record": ({}, [batch(3)], "read up to offset 2, and offset 3 was not"),
    "some": ({}, [batch(3), batch(4, 3)], "read up to offset 2, and offsets 3 to 6 were not"),
    "some below a start": ({"start_offset": 5}, [batch(3, 2), batch(5)], "read up to offset 2, and offset 5 was not"),
    "some of which the filter takes the first": (
        {"filter": pc.field("offset") < 4},
        [batch(3, 4)],
        "read up to offset 2, and offset 3 was not",
    ),
    "some that the filter does not take": ({"filter": pc.field("offset") < 3}, [batch(3)], "read up to offset 2"),
}


@pytest.mark.parametrize("name", UNREAD)
@pytest.mark.parametrize("is_new", [False, True], ids=["deleted", "and created again"])
def test_what_a_deleted_partition_had_unread_is_said(name: str, is_new: bool, broker: Broker) -> None:
    asked, unread, said = UNREAD[name]
    broker.put("t-0/partition.metadata", "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ\n")
    broker.write("t-0", 0, batch(0, 3))
    follower = follow(broker.log_dir, **asked)
    assert offsets(follower) == ([] if "start_offset" in asked else [0, 1, 2])
    for content in unread:
        broker.write("t-0", 3, content)
    (broker.log_dir / "t-0").rename(broker.log_dir / f"t-0.{'0' * 32}-delete")
    # A new partition of the same name; the earlier one was deleted.
    broker.put(f"t-0.{'1' * 32}-delete/partition.metadata", "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAg\n")
    if is_new:
        broker.put("t-0/partition.metadata", "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAw\n")
        broker.write("t-0", 0, b"")
    broker.tick(broker.log_dir)
    assert offsets(follower) == []
    assert follower.notes == [
        f"t-0: the topic was deleted and created again; the deleted one was {said}; the new one is read from its start"
        if is_new
        else f"t-0: the partition was deleted; it was {said}"
    ]


def test_of_a_partition_that_is_gone_at_once_the_last_look_tells_what_was_unread(broker: Broker) -> None:
    for base in (0, 3, 6):
        broker.write("t-0", base, batch(base, 3))
    broker.checkpoint("replication-offset-checkpoint", "t-0", 3)
    follower = follow(broker.log_dir, end_offset="high_watermark")
    assert offsets(follower) == [0, 1, 2]
    shutil.rmtree(broker.log_dir / "t-0")
    broker.tick(broker.log_dir)
    assert offsets(follower) == []
    said = "it was read up to offset 2, and at least offsets 3 to 5 were not"
    assert follower.notes == [f"t-0: the partition was deleted; {said}"]


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
    # The same number of records, so that neither the log end nor the size shows that it is another log.
    broker.write("t-0", 0, batch(0, 3, value=b"w"))
    broker.put("t-0/partition.metadata", "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAg\n")
    assert [row["value"] for row in rows(follower)] == [b"w"] * 3
    gone = ["t-0: the partition was deleted; it was read up to offset 2"] if was_seen else []
    again = "the deleted one was read up to offset 2; the new one is read from its start"
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
    # Between two polls, and larger than before.
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


def test_a_partition_that_was_deleted_before_it_was_read(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    follower = follow(broker.log_dir)
    shutil.rmtree(broker.log_dir / "t-0")
    broker.tick(broker.log_dir)
    assert offsets(follower) == []
    assert follower.notes == ["t-0: the partition was deleted; it was not read"]


@pytest.mark.parametrize("engine", ["columnar", "reference"])
def test_polls_leave_nothing_that_only_a_search_for_cycles_frees(engine: str, broker: Broker) -> None:
    broker.write("t-0", 0, batch(0))
    follower = follow(broker.log_dir, engine=engine)
    assert offsets(follower) == [0]
    with all_freed_at_once(20):
        for offset in range(1, 41):
            broker.write("t-0", offset - offset % 4, batch(offset))
            assert offsets(follower) == [offset]


def test_a_link_that_leads_out_is_left_out_as_in_a_scan(broker: Broker, tmp_path: Path) -> None:
    broker.write("t-0", 0, batch(0, 10))
    outside = tmp_path / "outside.log"
    outside.write_bytes(batch(10, 10))
    (broker.log_dir / "t-0" / file_name(10)).symlink_to(outside)
    follower = follow(broker.log_dir)
    assert offsets(follower) == [*range(10)]
    broker.write("t-0", 20, batch(20, 2))
    assert offsets(follower) == [20, 21]
