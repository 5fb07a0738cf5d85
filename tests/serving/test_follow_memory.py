"""Memory of a server that follows disks for a long time: nothing kept of finished or deleted partitions."""

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.errors import KafkafmtError
from kafkafmt.protocol.codec import Encoded
from kafkafmt.serving.api import Broker, ServeOptions
from kafkafmt.serving.following import DiskFollower
from kafkafmt.serving.kept_batches import KeptBatches
from kafkafmt.serving.served_disks import ServedDisks
from kafkafmt.serving.served_log import ServedLog
from kafkafmt.serving.topics import EncodedTopics
from tests.reference import builder
from tests.scanning.growing import all_freed_at_once

ROUNDS = 40


def batch(offset: int, size: int = 100) -> bytes:
    return builder.batch([builder.R(0, 0, value=b"v" * size)], base_offset=offset)


def test_states_that_were_replaced_are_free_at_once(tmp_path: Path) -> None:
    log = tmp_path / "t-0" / f"{0:020d}.log"
    log.parent.mkdir()
    log.write_bytes(batch(0))
    disks = ServedDisks(kafkafmt.open(tmp_path), ServeOptions(follow=True), report=lambda _: None)
    following = DiskFollower(disks, Broker(disks).arrivals)
    following.close()  # it looks when it is told to
    following._look()
    served = disks.logs["t"][0]
    with all_freed_at_once(ROUNDS // 2):
        for offset in range(1, ROUNDS):
            if offset % 4 == 0:
                log = log.with_name(f"{offset:020d}.log")
            with log.open("ab") as file:
                file.write(batch(offset))
            following._look()
            assert disks.logs["t"][0] is not served
            served = disks.logs["t"][0]
            found = served.read(offset, 2**20, end=served.last_stable_offset, is_first=True)
            assert found is not None
            assert served.aborted(offset, found) == []
            assert served.end_of_epoch(0) == (0, offset + 1)
            assert served.largest_timestamp() is not None


def test_batches_that_a_reader_has_read_are_not_kept(tmp_path: Path) -> None:
    faults: list[str] = []
    log = tmp_path / "t-0" / f"{0:020d}.log"
    log.parent.mkdir()
    log.touch()
    disks = ServedDisks(kafkafmt.open(tmp_path), ServeOptions(follow=True), report=faults.append)
    following = DiskFollower(disks, Broker(disks).arrivals)
    following.close()  # it looks when it is told to
    for offset in range(ROUNDS):
        with log.open("ab") as file:
            file.write(batch(offset))
        following._look()
        served = disks.logs["t"][0]
        found = served.read(offset, 2**20, end=served.end, is_first=True)
        assert found is not None
        assert found.end == offset + 1
    assert len(disks._ahead._kept) == disks._ahead._size == 0
    assert not faults


@pytest.mark.parametrize("change", ["a segment", "no directory", "nothing"])
def test_what_was_read_ahead_of_a_log_that_is_another_now_is_free(change: str, tmp_path: Path) -> None:
    log = tmp_path / "t-0" / f"{0:020d}.log"
    log.parent.mkdir()
    log.write_bytes(b"".join(batch(offset) for offset in range(10)))
    shutil.copytree(log.parent, tmp_path / "u-0")
    os.utime(log.parent, (1.0, 1.0))  # a directory that has just changed is listed twice
    disks = ServedDisks(kafkafmt.open(tmp_path), ServeOptions(follow=True), report=lambda _: None)
    following = DiskFollower(disks, Broker(disks).arrivals)
    following.close()  # it looks when it is told to
    following._look()
    before = disks.logs["t"][0]
    before.read(0, 250, end=10, is_first=True)
    assert len(disks._ahead._kept) == 1
    if change == "a segment":
        log.with_name(f"{10:020d}.log").write_bytes(batch(10))
    elif change == "no directory":
        shutil.rmtree(log.parent)
    following._needs_search = True
    following._look()
    assert len(disks._ahead._kept) == (change == "nothing")
    assert (disks._ahead._size > 0) is (change == "nothing")
    with suppress(KafkafmtError):
        before.read(0, 250, end=10, is_first=True)  # an answer in progress
    assert len(disks._ahead._kept) == (change == "nothing")


def test_what_is_kept_counts_with_the_memory_around_it(tmp_path: Path) -> None:
    log = tmp_path / "t-0" / f"{0:020d}.log"
    log.parent.mkdir()
    log.write_bytes(b"".join(batch(offset, 10_000) for offset in range(100)))
    faults: list[str] = []
    kept = KeptBatches()
    served = ServedLog(kafkafmt.scan(tmp_path).partitions[0], ServeOptions(), faults.append, kept)
    large = kept.buffer(2**22)  # free from now on; it may hold a window of a few bytes
    del large
    served.read(0, 1, end=100, is_first=True)
    ((batches, size),) = kept._kept.items()
    assert batches.held == size == kept._size
    assert size >= sum(memoryview(each.data.obj).nbytes for each in batches._pieces or () if each.data is not None)


def test_lines_are_kept_for_an_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "t-0" / f"{0:020d}.log"
    log.parent.mkdir()
    log.write_bytes(batch(0))
    said: list[str] = []
    disks = ServedDisks(kafkafmt.open(tmp_path), ServeOptions(follow=True), report=said.append)
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    for number in range(2 * ROUNDS):
        now += 3600 / ROUNDS
        disks.report(f"file {number} vanished")
        disks.report("a fault that stays")
    assert said.count("a fault that stays") == 2
    assert len(said) == 2 * ROUNDS + 2
    assert len(disks._told) <= ROUNDS + 2


def test_answers_about_topics_that_were_deleted_are_not_kept(tmp_path: Path) -> None:
    for name in ("t-0", "u-0"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{0:020d}.log").write_bytes(batch(0))
    disks = ServedDisks(kafkafmt.open(tmp_path), ServeOptions(follow=True), report=lambda _: None)
    topics = EncodedTopics(Broker(disks), 1, with_operations=False)
    assert isinstance(topics.of({"Name": "t"}), Encoded)
    shutil.rmtree(tmp_path / "t-0")
    disks.search(kafkafmt.open(tmp_path))
    assert isinstance(topics.of({"Name": "u"}), Encoded)
    assert [*topics._kept] == ["u"]
