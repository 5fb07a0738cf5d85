"""`Scan.follow`: partitions created and deleted between two polls, found by the directories that brokers leave."""

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.errors import ChecksumError
from kafkafmt.io.local import LocalLocation
from tests.golden_cases import cases
from tests.logdir.builders import TRANSACTIONAL, batch, file_name
from tests.scanning.following.deleted import DELETED, WITHOUT_ID, made, set_aside, unseen, values
from tests.scanning.growing import Broker, follow, offsets, rows


@pytest.fixture
def broker(broker: Broker) -> Broker:
    """A broker with a partition that always exists."""
    broker.write("seen-0", 0, batch(0))
    return broker


def test_the_records_of_a_golden_log_are_given_before_its_directory_is_gone(broker: Broker) -> None:
    follower = follow(broker.log_dir, columns=["topic", "partition", "file", "offset"])
    assert offsets(follower) == [0]
    case = next(case for case in cases() if case.name == "01-codecs-4.3.1")
    shutil.copytree(case.log_dir / "shapes-0", broker.log_dir / "shapes-0")
    name = set_aside(broker, "shapes-0", unique=1)
    expected = [record["offset"] for record in case.jsonl("records.jsonl") if record["file"].startswith("shapes-0/")]
    assert rows(follower) == [
        {"topic": "shapes", "partition": 0, "file": f"{name}/{file_name(0)}", "offset": offset} for offset in expected
    ]
    assert follower.notes == [f"{name}: {DELETED} read to its end, offset {expected[-1]}"]
    assert not follower.notes[0].is_finding
    shutil.rmtree(broker.log_dir / name)
    broker.tick(broker.log_dir)
    broker.write("seen-0", 0, batch(1))
    assert (offsets(follower), len(follower.notes)) == ([1], 1)


@pytest.mark.parametrize("was_followed", [True, False])
def test_those_of_one_name_come_in_the_order_in_which_they_were_made(broker: Broker, *, was_followed: bool) -> None:
    topics = iter([1, 2, 3, 4])
    if was_followed:
        made(broker, "t-0", batch(0, value=b"followed"), topic=next(topics))
    follower = follow(broker.log_dir, topics="t" if was_followed else ["t", "seen"])
    assert [row[-1] for row in values(follower)] == [b"followed" if was_followed else b"v"]
    if was_followed:
        set_aside(broker, "t-0", unique=9)
    # The names of the remaining directories do not help.
    first = unseen(broker, "t-0", batch(0, 2, value=b"first"), topic=next(topics), unique=8)
    second = unseen(broker, "t-0", batch(0, value=b"second"), batch(1, value=b"second"), topic=next(topics), unique=1)
    made(broker, "t-0", batch(0, value=b"alive"), topic=next(topics))
    assert [row[-2:] for row in values(follower)] == [
        (0, b"first"),
        (1, b"first"),
        (0, b"second"),
        (1, b"second"),
        (0, b"alive"),
    ]
    again = "the topic was deleted and created again; the deleted one was read"
    assert [note.split("; the new")[0] for note in follower.notes] == [
        f"{first}: {DELETED} read to its end, offset 1",
        f"{second}: {DELETED} read to its end, offset 1",
        *([f"t-0: {again} to its end, offset 0"] if was_followed else []),
    ]


def test_those_of_brokers_without_topic_ids_are_said_and_not_read(broker: Broker) -> None:
    made(broker, "t-0", batch(0, value=b"followed"), topic=None)
    follower = follow(broker.log_dir, topics="t")
    assert [row[-1] for row in values(follower)] == [b"followed"]
    set_aside(broker, "t-0", unique=1)
    name = unseen(broker, "t-0", batch(0, 2), topic=None, unique=2)
    made(broker, "t-0", batch(0, value=b"alive"), topic=None)
    assert [row[-1] for row in values(follower)] == [b"alive"]
    assert [note.split("; the new")[0] for note in follower.notes] == [
        f"{name}: {DELETED} not read: offsets 0 to 1; {WITHOUT_ID}",
        "t-0: the topic was deleted and created again; the deleted one was read up to offset 0",
    ]


def test_one_that_was_followed_is_not_taken_for_one_that_was_not(broker: Broker) -> None:
    made(broker, "t-0", batch(0), topic=1)
    follower = follow(broker.log_dir, topics="t")
    assert offsets(follower) == [0]
    set_aside(broker, "t-0", unique=1)
    shutil.rmtree(broker.log_dir / f"t-0.{1:032x}-delete")  # so that its inode can be reused
    name = unseen(broker, "t-0", batch(0, 2), topic=2)
    assert offsets(follower) == [0, 1]
    deleted = "t-0: the partition was deleted; it was read up to offset 0"
    assert follower.notes == [deleted, f"{name}: {DELETED} read to its end, offset 1"]


def test_those_of_the_first_look_of_other_topics_and_without_records_are_set_aside(broker: Broker) -> None:
    unseen(broker, "t-0", batch(0, value=b"before"), topic=1)
    follower = follow(broker.log_dir, topics={"t": [0]})
    assert offsets(follower) == []
    unseen(broker, "other-0", batch(0), topic=2)
    unseen(broker, "t-1", batch(0), topic=3)
    unseen(broker, "t-0", topic=4)
    name = unseen(broker, "t-0", batch(0, value=b"wanted"), topic=5)
    assert [row[-1] for row in values(follower)] == [b"wanted"]
    assert follower.notes == [f"{name}: {DELETED} read to its end, offset 0"]


SELECTED: dict[str, tuple[dict[str, Any], list[bytes], list[int], str]] = {
    "from its start": ({"last": 0}, [batch(0, 2)], [0, 1], "read to its end, offset 1"),
    "from an offset": ({"start_offset": 3}, [batch(0, 5)], [3, 4], "read to its end, offset 4"),
    "committed records": (
        {"isolation_level": "read_committed"},
        [batch(0, 2), batch(2, 2, attributes=TRANSACTIONAL, producer=7), batch(4)],
        [0, 1],
        "read up to offset 1, and offsets 2 to 4 were not",
    ),
    "no committed records": (
        {"isolation_level": "read_committed"},
        [batch(0, 2, attributes=TRANSACTIONAL, producer=7)],
        [],
        "not read: offsets 0 to 1",
    ),
    "to the high watermark": (
        {"end_offset": "high_watermark"},
        [batch(0, 2)],
        [],
        "not read: offsets 0 to 1; its high watermark is no longer known",
    ),
    "torn at its end": ({}, [batch(0, 2), batch(2, 2)[:-1]], [0, 1], "read to its end, offset 1"),
    "zeros in it and at its end": (
        {"on_damage": "skip"},
        [batch(0, 2), bytes(200), batch(2), bytes(99)],
        [0, 1, 2],
        "read to its end, offset 2",
    ),
}


@pytest.mark.parametrize("name", SELECTED)
def test_what_is_given_and_what_is_said_of_the_rest(name: str, broker: Broker) -> None:
    asked, content, expected, said = SELECTED[name]
    broker.checkpoint("replication-offset-checkpoint", "seen-0", 1)
    follower = follow(broker.log_dir, **asked)
    offsets(follower)
    left = unseen(broker, "t-0", *content, topic=1)
    assert offsets(follower) == expected
    assert follower.notes == [f"{left}: {DELETED} {said}"]
    assert (offsets(follower), len(follower.damage)) == ([], name.startswith("zeros"))


@pytest.mark.parametrize("has_more", [True, False])
def test_damage_is_reported_and_ends_a_poll_that_is_to_raise_it(broker: Broker, *, has_more: bool) -> None:
    broken = bytearray(batch(1))
    broken[-1] ^= 1
    follower = follow(broker.log_dir, on_damage="skip")
    strict = follow(broker.log_dir)
    assert (offsets(follower), offsets(strict)) == ([0], [0])
    name = unseen(broker, "t-0", batch(0), bytes(broken), *([batch(2)] if has_more else []), topic=1)
    assert offsets(follower) == ([0, 2] if has_more else [0])
    assert [damage.first_offset for damage in follower.damage] == [1]
    assert follower.notes == [f"{name}: {DELETED} read {'to its end, offset 2' if has_more else 'up to offset 1'}"]
    for _ in range(2):
        with pytest.raises(ChecksumError, match=rf"{re.escape(name)}/.*CRC mismatch"):
            offsets(strict)


@pytest.mark.parametrize("has_ids", [True, False])
@pytest.mark.parametrize("was_seen_twice", [True, False])
def test_what_a_move_between_log_directories_leaves_is_not_read_again(
    tmp_path: Path, *, has_ids: bool, was_seen_twice: bool
) -> None:
    one, two = Broker(tmp_path / "one"), Broker(tmp_path / "two")
    two.write("seen-0", 0)
    made(one, "t-0", batch(0, 3), topic=1 if has_ids else None)
    follower = follow(tmp_path)
    assert offsets(follower) == [0, 1, 2]
    future = two.log_dir / f"t-0.{5:032x}-future"
    shutil.copytree(one.log_dir / "t-0", future)
    two.tick(future)
    assert offsets(follower) == []
    future.rename(two.log_dir / "t-0")
    two.tick(two.log_dir / "t-0")
    if was_seen_twice:
        assert offsets(follower) == []
    set_aside(one, "t-0", unique=1)
    two.write("t-0", 0, batch(3))
    # Beside a partition that is read.
    name = unseen(one, "u-0", batch(7), topic=2)
    assert offsets(follower) == [3, 7]
    assert follower.notes == [f"{name}: {DELETED} read to its end, offset 7"]
    # A cancelled move, and the move of a new partition.
    made(one, f"t-0.{6:032x}-future", batch(0, 2), topic=1 if has_ids else None)
    (one.log_dir / f"t-0.{6:032x}-future").rename(one.log_dir / f"t-0.{6:032x}-delete")
    one.tick(one.log_dir)
    if has_ids:
        made(one, "new-0", batch(0, 2), topic=3)
        shutil.copytree(one.log_dir / "new-0", two.log_dir / "new-0")
        set_aside(one, "new-0", unique=3)
        two.tick(two.log_dir / "new-0")
    assert offsets(follower) == ([0, 1] if has_ids else [])
    # Without a topic id it looks like a partition that was created and deleted.
    left = f"t-0.{6:032x}-delete"
    assert follower.notes[1:] == ([] if has_ids else [f"{left}: {DELETED} not read: offsets 0 to 1; {WITHOUT_ID}"])


def test_a_move_from_one_name_to_the_other_while_both_are_listed_is_no_other_log(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(broker, "t-0", batch(0, 2), topic=None)
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0, 0, 1]
    list_ = LocalLocation.list
    names: list[str] = []

    def overtaken(self: LocalLocation) -> Any:
        if self.name == "t-0" and not names:
            names.append(set_aside(broker, "t-0", unique=1))
        return list_(self)

    monkeypatch.setattr(LocalLocation, "list", overtaken)
    broker.write("new-0", 0)
    for _ in range(3):
        assert offsets(follower) == []
    assert (len(names), follower.notes) == (1, ["t-0: the partition was deleted; it was read to its end, offset 1"])


def test_a_log_directory_that_comes_later_has_deleted_ones_already(tmp_path: Path) -> None:
    source = tmp_path / "source"
    Broker(source / "one").write("seen-0", 0)
    follower = follow(source)
    assert offsets(follower) == []
    two = Broker(source / "two")
    two.write("other-0", 0, batch(7))
    unseen(two, "t-0", batch(0, value=b"before"), topic=1)
    os.utime(source, ns=(1, 1))
    assert (offsets(follower), follower.notes) == ([7], [])
    name = unseen(two, "t-0", batch(0, value=b"meanwhile"), topic=2)
    assert [row[-1] for row in values(follower)] == [b"meanwhile"]
    assert follower.notes == [f"{name}: {DELETED} read to its end, offset 0"]
