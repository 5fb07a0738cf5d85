"""`Scan.follow`: finding and reading deleted partitions while a broker creates, moves and deletes others."""

import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.errors import SourceError
from kafkafmt.io.local_file import LocalFile
from kafkafmt.logdir import growth
from kafkafmt.logdir.found import Found
from kafkafmt.logdir.growth import GrowingLog, TreeWatch
from kafkafmt.logdir.segment import Segment
from kafkafmt.scanning import unseen_logs
from kafkafmt.scanning.followed_log import FollowedLog
from kafkafmt.scanning.following import Follower
from kafkafmt.scanning.unseen_logs import UnseenLogs
from tests.logdir.builders import batch, file_name
from tests.scanning.following.deleted import DELETED, made, metadata, set_aside, unseen, values
from tests.scanning.growing import Broker, follow, offsets


@pytest.fixture
def broker(broker: Broker) -> Broker:
    """A broker with a partition that always exists."""
    broker.write("seen-0", 0, batch(0))
    return broker


def test_a_change_in_the_tick_of_a_search_is_found_at_the_next_poll(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    follower = follow(broker.log_dir, topics="t")
    now = time.time_ns()
    made(broker, "t-0", batch(0), topic=1)
    os.utime(broker.log_dir, ns=(now, now))
    monkeypatch.setattr(growth, "_TICK", 3600.0, raising=False)
    assert offsets(follower) == [0]
    made(broker, "t-1", batch(7), topic=1)
    os.utime(broker.log_dir, ns=(now, now))
    monkeypatch.setattr(time, "monotonic", lambda: 1e9)
    assert offsets(follower) == [7]


def test_searches_of_a_poll_are_few(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    made(broker, "t-0", batch(0, value=b"0"), topic=1)
    follower = follow(broker.log_dir, topics="t")
    assert offsets(follower) == [0]
    search, look = Follower._search, TreeWatch.has_changed
    searches, looks = [0], [0]

    def overtaken(self: Follower) -> None:
        search(self)
        searches[0] += 1
        if searches[0] < 4:
            set_aside(broker, "t-0", unique=searches[0])
            made(broker, "t-0", batch(0, value=str(searches[0]).encode()), topic=searches[0] + 1)

    def counted(self: TreeWatch) -> bool:
        looks[0] += 1
        return look(self)

    monkeypatch.setattr(Follower, "_search", overtaken)
    monkeypatch.setattr(TreeWatch, "has_changed", counted)
    broker.write("new-0", 0)
    found, most = [], 0
    for _ in range(4):
        searches_before = searches[0]
        found += [row[-1] for row in values(follower)]
        most = max(most, searches[0] - searches_before)
    # Partitions that appear faster than that are delivered, though in another order.
    assert (sorted(found), most) == ([b"1", b"2", b"3"], 2)
    looks[0] = 0
    assert (offsets(follower), looks) == ([], [1])


def test_a_log_that_cannot_be_read_after_a_further_search_is_searched_again(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(broker, "t-0", batch(0), topic=1)
    follower = follow(broker.log_dir, topics="t")
    assert offsets(follower) == [0]
    set_aside(broker, "t-0", unique=1)
    made(broker, "t-0", batch(7), topic=2)
    search, wanted = Follower._search, FollowedLog._wanted
    searches, failures = [0], [0]

    def counted(self: Follower) -> None:
        searches[0] += 1
        search(self)

    def failing(self: FollowedLog, *arguments: Any) -> Any:
        failures[0] += 1
        if failures[0] == 1:
            raise SourceError("gone")
        return wanted(self, *arguments)

    monkeypatch.setattr(Follower, "_search", counted)
    monkeypatch.setattr(FollowedLog, "_wanted", failing)
    assert (offsets(follower), searches) == ([], [2])
    assert (offsets(follower), searches) == ([7], [3])


def test_a_search_asks_no_inode_where_nothing_is_set_aside(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    made(broker, "t-0", batch(0), topic=1)
    follower = follow(broker.log_dir, topics="t")
    assert offsets(follower) == [0]
    asked: list[str] = []
    monkeypatch.setattr(unseen_logs, "directory_inode", asked.append)
    made(broker, "t-1", batch(1), topic=1)
    assert (offsets(follower), asked) == ([1], [])
    made(broker, "t-2", batch(2), topic=None)
    assert (offsets(follower), asked) == ([2], [])


def test_one_that_was_found_and_deleted_has_one_note_where_it_is_not_read(broker: Broker) -> None:
    made(broker, "t-0", batch(0), topic=1)
    broker.checkpoint("replication-offset-checkpoint", "t-0", 1)
    follower = follow(broker.log_dir, end_offset="high_watermark", topics="t")
    name = set_aside(broker, "t-0", unique=1)
    assert offsets(follower) == []
    assert follower.notes == [f"{name}: {DELETED} not read: offset 0; its high watermark is no longer known"]


def test_one_that_was_followed_is_said_where_the_next_one_was_only_found(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(broker, "t-0", batch(0), topic=1)
    follower = follow(broker.log_dir, topics="t")
    assert offsets(follower) == [0]
    broker.write("t-0", 0, batch(1))
    set_aside(broker, "t-0", unique=1)
    made(broker, "t-0", batch(0, 3), topic=2)
    look = FollowedLog.has_changed
    names: list[str] = []

    def overtaken(self: FollowedLog, *arguments: Any) -> bool:
        if not names:
            names.append(set_aside(broker, "t-0", unique=2))
        return look(self, *arguments)

    monkeypatch.setattr(FollowedLog, "has_changed", overtaken)
    assert [offset for _ in range(3) for offset in offsets(follower)] == [0, 1, 2]
    assert sorted(follower.notes) == [
        f"{names[0]}: {DELETED} read to its end, offset 2",
        "t-0: the partition was deleted; it was read up to offset 0, and offset 1 was not",
    ]


def test_two_logs_of_one_name_that_a_search_finds_alive_are_told_apart(tmp_path: Path) -> None:
    one, two = Broker(tmp_path / "one"), Broker(tmp_path / "two")
    one.write("seen-0", 0)
    follower = follow(tmp_path)
    assert offsets(follower) == []
    # It is deleted, and recreated in another log directory, which is searched after the first one.
    made(one, "t-0", batch(0), topic=1)
    made(two, "t-0", batch(0), batch(1), topic=2)
    assert offsets(follower) == [0, 1]
    name = set_aside(one, "t-0", unique=1)
    assert offsets(follower) == [0]
    assert follower.notes == [f"{name}: {DELETED} read to its end, offset 0"]


def test_a_log_that_is_made_again_in_another_log_directory(tmp_path: Path) -> None:
    one, two = Broker(tmp_path / "one"), Broker(tmp_path / "two")
    two.write("seen-0", 0)
    made(one, "t-0", batch(0), topic=1)
    follower = follow(tmp_path)
    assert offsets(follower) == [0]
    one.write("t-0", 0, batch(1, 2))
    set_aside(one, "t-0", unique=1)
    name = unseen(two, "t-0", batch(0), topic=2)
    made(two, "t-0", batch(0), topic=3)
    assert offsets(follower) == [0, 0]
    said = "the deleted one was read up to offset 0, and offsets 1 to 2 were not; the new one is read from its start"
    assert follower.notes == [
        f"{name}: {DELETED} read to its end, offset 0",
        f"t-0: the topic was deleted and created again; {said}",
    ]


@pytest.mark.parametrize("replica", ["best", "all"])
def test_of_several_copies_the_best_one_is_read(replica: str, tmp_path: Path) -> None:
    one, two = Broker(tmp_path / "one"), Broker(tmp_path / "two")
    one.write("seen-0", 0)
    two.write("seen-0", 0)
    follower = follow(tmp_path, replica=replica)
    assert offsets(follower) == []
    unseen(one, "t-0", batch(0, 2), topic=1)
    unseen(two, "t-0", batch(0, 3), topic=1, unique=2)
    assert offsets(follower) == ([0, 1, 2] if replica == "best" else [0, 1, 0, 1, 2])
    # Another copy, which appears later.
    unseen(one, "t-0", batch(0, 3), topic=1, unique=3)
    assert offsets(follower) == []
    assert len(follower.notes) == (1 if replica == "best" else 2)


def test_a_stray_one_is_read_too(broker: Broker) -> None:
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0]
    made(broker, "t-0", batch(0), topic=1)
    name = set_aside(broker, "t-0", unique=1, state="stray")
    assert offsets(follower) == [0]
    assert follower.notes == [f"{name}: {DELETED} read to its end, offset 0"]


def test_a_log_directory_that_is_not_there_for_a_while(tmp_path: Path) -> None:
    source, unmounted = tmp_path / "source", tmp_path / "unmounted"
    broker = Broker(source / "place" / "logs")
    broker.write("seen-0", 0, batch(0))
    unseen(broker, "t-0", batch(0, value=b"before"), topic=1)
    follower = follow(source)
    assert offsets(follower) == [0]
    broker.log_dir.rename(unmounted)
    os.utime(source / "place", ns=(1, 1))
    assert offsets(follower) == []
    unmounted.rename(broker.log_dir)
    os.utime(source / "place", ns=(2, 2))
    unseen(broker, "t-0", batch(0, value=b"meanwhile"), topic=2)
    assert [row[-1] for row in values(follower)] == [b"meanwhile"]


def test_a_topic_whose_name_is_cut_is_named_and_not_read(broker: Broker) -> None:
    follower = follow(broker.log_dir)
    narrow = follow(broker.log_dir, topics=["x" * 249, "t"])
    assert (offsets(follower), offsets(narrow)) == ([0], [])
    made(broker, f"{'x' * 214}-0", batch(0, 2), topic=1)
    names = [f"{letter * 213}-0.{1:032x}-delete" for letter in "xy"]
    (broker.log_dir / f"{'x' * 214}-0").rename(broker.log_dir / names[0])
    shutil.copytree(broker.log_dir / names[0], broker.log_dir / names[1])
    metadata(broker, names[1], 2)
    broker.tick(broker.log_dir)
    assert len(names[0]) == 255
    cut = "the directory's name may have only part of the topic's name"
    said = [f"{name}: {DELETED} not read: offsets 0 to 1; {cut}" for name in names]
    assert (offsets(follower), follower.notes) == ([], said)
    assert (offsets(narrow), narrow.notes) == ([], said[:1])


def vanishing(monkeypatch: pytest.MonkeyPatch, *paths: Path) -> None:
    """Remove files once a directory set aside has been listed."""
    listed = GrowingLog.segments

    def overtaken(log: GrowingLog) -> Sequence[Segment]:
        found = listed(log)
        for path in paths if log.partition.state == "delete" else ():
            path.unlink(missing_ok=True)
        return found

    monkeypatch.setattr(GrowingLog, "segments", overtaken)


def test_a_directory_that_vanishes_while_it_is_read(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0]
    made(broker, "t-0", batch(0, 3), topic=1)
    broker.write("t-0", 3, batch(3, 3))
    broker.write("t-0", 6, batch(6))
    name = set_aside(broker, "t-0", unique=1)
    made(broker, "t-0", batch(0, value=b"alive"), topic=2)
    vanishing(monkeypatch, *(broker.log_dir / name / file_name(base) for base in (3, 6)))
    assert [row[-2:] for row in values(follower)] == [(0, b"v"), (1, b"v"), (2, b"v")]
    assert follower.notes == []
    shutil.rmtree(broker.log_dir / name)
    assert [row[-2:] for row in values(follower)] == [(0, b"alive")]
    assert follower.notes == [f"{name}: {DELETED} read up to offset 2, and at least offsets 3 to 5 were not"]


def test_a_directory_that_is_gone_before_it_is_read(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0]
    name = unseen(broker, "t-0", batch(0, 3), topic=1)
    vanishing(monkeypatch, broker.log_dir / name / file_name(0))
    assert (offsets(follower), follower.notes) == ([], [])
    shutil.rmtree(broker.log_dir / name)
    broker.tick(broker.log_dir)
    assert offsets(follower) == []
    assert follower.notes == [f"{name}: {DELETED} not read"]
    assert (offsets(follower), len(follower.notes)) == ([], 1)


@pytest.mark.parametrize("was_followed", [True, False])
def test_a_directory_that_is_gone_before_it_is_known_whose_it_was(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, *, was_followed: bool
) -> None:
    if was_followed:
        made(broker, "t-0", batch(0), topic=1)
    follower = follow(broker.log_dir, topics="t")
    assert offsets(follower) == ([0] if was_followed else [])
    name = set_aside(broker, "t-0", unique=1) if was_followed else unseen(broker, "t-0", batch(0), topic=1)
    find = UnseenLogs.find

    def overtaken(*arguments: Any) -> list[list[Found]]:
        shutil.rmtree(broker.log_dir / name, ignore_errors=True)
        return find(*arguments)

    monkeypatch.setattr(UnseenLogs, "find", overtaken)
    assert offsets(follower) == []
    deleted = "t-0: the partition was deleted; it was read up to offset 0"
    assert follower.notes == [deleted if was_followed else f"{name}: {DELETED} not read"]


def test_one_that_cannot_be_read_is_given_up(broker: Broker) -> None:
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0]
    name = unseen(broker, "t-0", batch(0), topic=1)
    path = broker.log_dir / name / file_name(0)
    path.unlink()
    path.symlink_to("nowhere")
    made(broker, "t-0", batch(0, value=b"alive"), topic=2)
    for _ in range(4):
        assert (offsets(follower), follower.notes) == ([], [])
    assert [row[-1] for row in values(follower)] == [b"alive"]
    [note] = follower.notes
    assert note.startswith(f"{name}: {DELETED} not read; ")
    assert file_name(0) in note


def test_a_poll_that_is_not_read_to_its_end_is_taken_up(broker: Broker) -> None:
    follower = follow(broker.log_dir, topics="t")
    assert offsets(follower) == []
    unseen(broker, "t-0", batch(0), topic=1)
    follower.poll().close()
    assert offsets(follower) == [0]
    assert len(follower.notes) == 1


@pytest.mark.parametrize("is_made_again", [True, False])
@pytest.mark.parametrize("last", [None, 0])
def test_one_that_was_found_and_deleted_before_it_was_read(
    last: int | None, broker: Broker, *, is_made_again: bool
) -> None:
    made(broker, "t-0", batch(0, value=b"deleted"), topic=1)
    follower = follow(broker.log_dir, last=last, topics="t")
    name = set_aside(broker, "t-0", unique=1)
    if is_made_again:
        made(broker, "t-0", batch(0, value=b"alive"), topic=2)
    found = [row[-1] for row in values(follower)]
    # New records are counted from the first ones, which are missing, so none is known to be new.
    assert found == [b"deleted"] * (last is None) + [b"alive"] * is_made_again
    if last is None:
        assert follower.notes == [f"{name}: {DELETED} read to its end, offset 0"]
    elif is_made_again:
        said = "the deleted one was not read; the new one is read from its start"
        assert follower.notes == [f"t-0: the topic was deleted and created again; {said}"]
    else:
        assert follower.notes == ["t-0: the partition was deleted; it was not read"]


@pytest.mark.parametrize("was_begun", [True, False])
@pytest.mark.parametrize("is_left", [True, False])
def test_one_that_is_made_again_between_the_search_and_the_reading_comes_after_those_before_it(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, *, was_begun: bool, is_left: bool
) -> None:
    if was_begun:
        made(broker, "t-0", batch(0, value=b"followed"), topic=1)
    follower = follow(broker.log_dir, topics="t")
    assert [row[-1] for row in values(follower)] == [b"followed"] * was_begun
    if was_begun:
        set_aside(broker, "t-0", unique=1)
    made(broker, "t-0", batch(0, value=b"found"), topic=2)
    look = FollowedLog.has_changed
    names: list[str] = []

    def overtaken(self: FollowedLog, *arguments: Any) -> bool:
        if not names:
            names.append(set_aside(broker, "t-0", unique=2))
            if not is_left:  # elsewhere, so that its inode is not reused
                (broker.log_dir / names[0]).rename(broker.log_dir.parent / "gone")
            made(broker, "t-0", batch(0, value=b"alive"), topic=3)
        return look(self, *arguments)

    monkeypatch.setattr(FollowedLog, "has_changed", overtaken)
    found = [row[-1] for _ in range(3) for row in values(follower)]
    assert found == [b"found"] * is_left + [b"alive"]
    again = "t-0: the topic was deleted and created again; the deleted one was"
    assert [note.split("; the new")[0] for note in follower.notes] == [
        *([f"{again} read to its end, offset 0"] if was_begun else []),
        *([f"{names[0]}: {DELETED} read to its end, offset 0"] if is_left else []),
        *([] if was_begun or is_left else [f"{again} not read"]),
    ]


def test_a_look_at_what_was_read_costs_nothing_and_little_is_remembered(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unseen_logs, "_MOST_PAST", 2)
    follower = follow(broker.log_dir)
    assert offsets(follower) == [0]
    for topic in range(1, 7):
        unseen(broker, "t-0", batch(topic), topic=topic)
        assert offsets(follower) == [topic]
    for topic in range(1, 7):
        shutil.rmtree(broker.log_dir / f"t-0.{topic:032x}-delete")
    broker.tick(broker.log_dir)
    offsets(follower)
    kept = follower._unseen_logs
    assert (len(kept._past), kept._aside) == (2, {str(broker.log_dir): set()})
    unseen(broker, "t-0", batch(7), topic=7)
    assert offsets(follower) == [7]
    for _ in range(2):
        offsets(follower)

    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(os, "scandir", refuse)
    monkeypatch.setattr(LocalFile, "__init__", refuse)
    assert offsets(follower) == []
