"""Answers that need no file do not wait for threads that read files."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import pytest

import kafkafmt
from kafkafmt.serving import fetch
from kafkafmt.serving.api import Broker, Client, Request, ServeOptions
from kafkafmt.serving.sent_files import NotAtHandError
from kafkafmt.serving.served_disks import ServedDisks
from kafkafmt.serving.topic_ids import TopicIds
from tests.transactions import ABORT, data, marker

LOG = data(0, 7) + marker(1, 7, ABORT) + data(2)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    for number in range(2):
        (tmp_path / f"t-{number}").mkdir()
        (tmp_path / f"t-{number}" / f"{0:020d}.log").write_bytes(LOG)
    options = ServeOptions()
    broker = Broker(ServedDisks(kafkafmt.open(tmp_path), options, sends_files=True), options)
    yield broker
    broker.disks.close()
    broker.fetching.shutdown()
    broker.coding.shutdown()


def request(version: int, *numbers: int, **topic: Any) -> Request:
    partitions = [{"Partition": number, "FetchOffset": 0, "PartitionMaxBytes": 10**6} for number in numbers]
    body = {"IsolationLevel": fetch.READ_COMMITTED, "Topics": [{"Partitions": partitions, **topic}]}
    return Request("Fetch", version, body, Client("", 0, "", 0))


@contextmanager
def held(lock: Any) -> Iterator[None]:
    """Hold a lock in a thread, as a reading thread does."""
    has, ends = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            has.set()
            ends.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    assert has.wait(60)
    try:
        yield
    finally:
        ends.set()
        thread.join()


def test_what_is_known_needs_no_lock(broker: Broker) -> None:
    asked = request(12, 0, Topic="t")
    before = fetch._read(broker, asked, 10**6)
    assert before[0][0]["Partitions"][0]["AbortedTransactions"] == [{"ProducerId": 7, "FirstOffset": 0}]
    found: list[Any] = []
    log = broker.disks.log("t", 0)
    assert log is not None
    answering = threading.Thread(
        target=lambda: found.append(fetch._read(broker, asked, 10**6, waits=False)), daemon=True
    )
    with held(log.transactions._lock):
        answering.start()
        answering.join(10)
        assert found == [before]


def test_what_is_not_known_is_left_to_a_thread(broker: Broker) -> None:
    log = broker.disks.log("t", 0)
    assert log is not None
    with pytest.raises(NotAtHandError):
        fetch._read(broker, request(12, 0, Topic="t"), 10**6, waits=False)
    log.is_known = True
    found = log.read(0, 10**6, end=3, is_first=True)
    assert found is not None
    with pytest.raises(NotAtHandError):
        log.aborted(0, found, waits=False)
    assert log.aborted(0, found) == [(7, 0)]


def test_ids_of_topics_are_read_in_a_thread(broker: Broker) -> None:
    asked = request(13, 0, TopicId=uuid4())
    with (
        patch.object(TopicIds, "of", side_effect=AssertionError("a file was read")),
        pytest.raises(NotAtHandError),
    ):
        fetch._read(broker, asked, 10**6, waits=False)
    assert fetch._read(broker, asked, 10**6)[0][0]["Topic"] is None
    assert fetch._read(broker, asked, 10**6, waits=False)[0][0]["Topic"] is None


def test_a_partition_for_which_no_time_is_left_is_read_in_a_thread(broker: Broker) -> None:
    fetch._read(broker, request(12, 0, Topic="t"), 10**6)
    with patch.object(fetch, "_LONGEST_READ", -1), pytest.raises(NotAtHandError):
        fetch._read(broker, request(12, 0, 1, Topic="t"), 10**6, waits=False)
