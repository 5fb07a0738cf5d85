"""Bytes sent from files are those that were checked, whatever happens to the files and the clients."""

import errno
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import kafkafmt
from kafkafmt.errors import SourceError
from kafkafmt.io.local import LocalLocation
from kafkafmt.io.local_file import LocalFile
from kafkafmt.serving import log_reader, sent_files
from kafkafmt.serving.api import ServeOptions
from kafkafmt.serving.kept_batches import KeptBatches
from kafkafmt.serving.sent_files import Descriptors, FileRange, NotAtHandError, SentFile, SentFiles
from kafkafmt.serving.served_log import ServedLog
from kafkafmt.serving.sound_batches import StoredBytes
from tests.reference import builder
from tests.serving.test_fetch import read_all
from tests.serving.test_read_ahead import bytes_of
from tests.serving.wire import Wire, fetched, request_frame, served

BATCHES = 30
LARGE = 100_000  # bytes of a batch: sent from the file, not read


def batch(offset: int, fill: bytes = b"v", size: int = LARGE) -> bytes:
    return builder.batch([builder.R(0, 0, value=fill * size)], base_offset=offset)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    directory = tmp_path / "t-0"
    directory.mkdir()
    (directory / f"{0:020d}.log").write_bytes(b"".join(map(batch, range(BATCHES))))
    return directory


@pytest.fixture
def reader(log: Path) -> Iterator[ServedLog]:
    faults: list[str] = []
    kept = KeptBatches(sends_files=True)
    yield ServedLog(kafkafmt.scan(log).partitions[0], ServeOptions(), faults.append, kept)
    assert not faults
    assert kept.files is not None
    kept.files.close()
    assert kept.files.descriptors.left == Descriptors().left


def data_of(log: Path) -> bytes:
    return (log / f"{0:020d}.log").read_bytes()


def read(reader: ServedLog, offset: int = 0, most: int = 10**6, **asked: Any) -> bytes:
    found = reader.read(offset, most, end=BATCHES, is_first=True, **asked)
    assert found is not None
    assert any(isinstance(part, FileRange) for part in found.parts)
    return bytes_of(found)


def test_all_is_sent_from_the_file_after_it_was_judged_once(log: Path, reader: ServedLog) -> None:
    assert read(reader) == data_of(log)[: 9 * len(batch(0))]
    with patch.object(log_reader, "SegmentJudge", side_effect=AssertionError("it was judged again")):
        assert read(reader, waits=False) == data_of(log)[: 9 * len(batch(0))]
        assert read(reader, 4, 10, waits=False) == batch(4)


@pytest.mark.parametrize("is_replaced", [False, True], ids=["in place", "by another file"])
@pytest.mark.parametrize("keeps_time", [False, True], ids=["later", "of the same time"])
def test_a_file_that_was_written_to_is_judged_again(
    log: Path, reader: ServedLog, keeps_time: bool, is_replaced: bool
) -> None:
    before = read(reader)
    wrong = bytearray(data_of(log))
    wrong[2 * len(batch(0)) - 1] ^= 1
    path = log / f"{0:020d}.log"
    status = path.stat()
    time.sleep(0.02)  # inode times are coarse
    written = log / "new" if is_replaced else path
    written.write_bytes(wrong)
    if keeps_time:
        os.utime(written, ns=(status.st_atime_ns, status.st_mtime_ns))
    written.replace(path)
    with patch.object(reader._listed, "_report") as report:
        found = reader.read(0, 10**6, end=BATCHES, is_first=True)
        assert found is not None
        assert bytes_of(found) == before[: len(batch(0))] + bytes(wrong[2 * len(batch(0)) : 10 * len(batch(0))])
        assert "CRC mismatch" in report.call_args.args[0]


def test_without_descriptors_bytes_are_read(log: Path, reader: ServedLog) -> None:
    with patch.object(Descriptors, "take", return_value=False):
        found = reader.read(0, 10**6, end=BATCHES, is_first=True)
        assert found is not None
        assert all(isinstance(part, memoryview) for part in found.parts)
        assert bytes_of(found) == data_of(log)[: 9 * len(batch(0))]


def test_the_place_of_a_file_that_was_not_used_longest_goes_to_another(log: Path) -> None:
    with patch.object(sent_files, "_most_files", return_value=2):
        files = SentFiles()
    [segment] = kafkafmt.scan(log).partitions[0].segments
    first, second = (files.keep(name, segment.open()) for name in "ab")
    assert first is not None
    assert files.find("b") is second
    assert files.find("a") is first
    with segment.open() as third:
        assert files.keep("c", third) is None  # both are being sent from
    assert (files.find("b"), files.find("a")) == (second, first)
    opened = first.file
    del first
    fourth = files.keep("d", segment.open())
    assert fourth is not None
    assert (files.find("b"), files.find("d")) == (second, fourth)
    assert opened.descriptor is None
    files.close()
    assert fourth.file.descriptor is not None


def test_files_are_closed_after_a_while(log: Path, reader: ServedLog) -> None:
    read(reader)
    files = reader._ahead.files
    assert files is not None
    files.drop_old()
    read(reader, waits=False)
    assert files.descriptors.left == Descriptors().left - 1
    files.drop_old()
    assert files.descriptors.left == Descriptors().left


def test_a_directory_that_another_takes_the_place_of_is_read(log: Path, reader: ServedLog) -> None:
    before = read(reader)
    log.rename(log.with_name("before"))
    log.mkdir()
    (log / f"{0:020d}.log").write_bytes(b"".join(batch(offset, b"w") for offset in range(BATCHES)))
    files = reader._ahead.files
    assert files is not None
    files.drop_old()
    assert read(reader, waits=False) == before
    files.drop_old()
    found = reader.read(0, 10**6, end=BATCHES, is_first=True)
    assert found is not None
    assert bytes_of(found) == data_of(log)[: 9 * len(batch(0))] != before


def test_a_file_may_be_dropped_where_another_is_looked_for(log: Path) -> None:
    files = SentFiles()
    [segment] = kafkafmt.scan(log).partitions[0].segments
    dropped = [files.keep("a", segment.open())]
    files._kept.clear()

    def drop() -> None:
        with files._lock:  # as the garbage collector does, at any time
            dropped.clear()

    thread = threading.Thread(target=drop, daemon=True)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()
    assert files.descriptors.left == Descriptors().left


def test_where_no_one_can_tell_what_is_in_memory_bytes_are_read(log: Path, reader: ServedLog) -> None:
    with patch.object(sent_files, "tells", return_value=False):
        found = reader.read(0, 10**6, end=BATCHES, is_first=True)
        assert found is not None
        assert all(isinstance(part, memoryview) for part in found.parts)
        assert bytes_of(found) == data_of(log)[: 9 * len(batch(0))]
        with pytest.raises(NotAtHandError):
            read(reader, waits=False)


def test_an_open_file_that_is_gone_is_opened_again(log: Path, reader: ServedLog) -> None:
    before = read(reader)
    with patch.object(os, "fstat", failing(errno.ESTALE)), pytest.raises(NotAtHandError):
        read(reader, waits=False)
    with patch.object(LocalFile, "version_now", return_value=None):
        assert read(reader) == before


def test_a_file_that_cannot_be_opened_at_once_costs_other_clients_nothing(log: Path) -> None:
    goes_on, waits, whole = threading.Event(), threading.Event(), LocalLocation.open

    def opened(place: LocalLocation) -> Any:
        if place.name.endswith(".log"):
            waits.set()
            goes_on.wait(60)
        return whole(place)

    with kafkafmt.serve(log) as server, Wire(server.address) as slow, Wire(server.address) as other:
        asked = {"Topic": "t", "Partitions": [{"Partition": 0, "FetchOffset": 0, "PartitionMaxBytes": 2**30}]}
        body = {"MaxWaitMs": 0, "MaxBytes": 2**30, "IsolationLevel": 0, "Topics": [asked]}
        assert read_all(other, "t", 0, 0) == data_of(log)
        for _ in range(2):
            server._disks.close_old()
        with patch.object(LocalLocation, "open", opened):
            slow.send(request_frame("Fetch", 12, body))
            assert waits.wait(60)
            assert other.ask("Metadata", {"Topics": None}, 12)["Topics"]
            goes_on.set()
            assert data_of(log) in slow.receive()


def test_a_file_that_shrinks_is_an_error(log: Path) -> None:
    with kafkafmt.scan(log).partitions[0].segments[0].open() as file:
        given = Descriptors()
        part = FileRange(SentFile(file, given), StoredBytes(0, file.size))
        os.truncate(log / f"{0:020d}.log", 100)
        read_end, write_end = os.pipe()
        try:
            assert part.send(write_end, 1000) == 100
            with pytest.raises(SourceError, match="shrank"):
                part.send(write_end, 1000)
        finally:
            os.close(read_end)
            os.close(write_end)


def test_a_client_whose_file_shrinks_is_told_by_a_closed_connection(log: Path) -> None:
    lines: list[str] = []
    with served(log, say=lines.append) as wire:
        fetched(wire, "t", 0, 0)
        whole = FileRange.send

        def send(part: FileRange, descriptor: int, most: int) -> int:
            os.truncate(log / f"{0:020d}.log", 100)
            return whole(part, descriptor, most)

        with patch.object(FileRange, "send", send), pytest.raises(Exception, match="ends inside"):
            fetched(wire, "t", 0, 0)
    assert [line for line in lines if "shrank" in line]


@pytest.mark.parametrize("is_cached", [True, False], ids=["cached", "on a disk"])
def test_answers_are_the_same_wherever_the_bytes_are(log: Path, is_cached: bool) -> None:
    fetches: list[int] = []
    whole = FileRange.fetch

    def fetch(part: FileRange, most: int) -> None:
        fetches.append(most)
        whole(part, most)

    with (
        served(log) as wire,
        patch.object(sent_files, "is_cached", return_value=is_cached),
        patch.object(log_reader, "is_cached", return_value=is_cached),
        patch.object(FileRange, "fetch", fetch),
    ):
        for most in (1, 250_000, 2**20):
            assert read_all(wire, "t", 0, 0, PartitionMaxBytes=most) == data_of(log)
    assert bool(fetches) is not is_cached


def test_a_client_that_takes_nothing_for_a_while_gets_all(log: Path) -> None:
    with kafkafmt.serve(log) as server, Wire(server.address) as slow, Wire(server.address) as other:
        asked = {"Topic": "t", "Partitions": [{"Partition": 0, "FetchOffset": 0, "PartitionMaxBytes": 2**30}]}
        body = {"MaxWaitMs": 0, "MaxBytes": 2**30, "IsolationLevel": 0, "Topics": [asked]}
        for _ in range(2):
            slow.send(request_frame("Fetch", 12, body))
        assert read_all(other, "t", 0, 0) == data_of(log)
        for _ in range(2):
            assert data_of(log) in slow.receive()


def test_a_file_that_grows_all_the_time_is_read(log: Path, reader: ServedLog) -> None:
    before, whole = data_of(log), log_reader.LogReader._opened

    def opened(*arguments: Any, **how: Any) -> Any:
        with (log / f"{0:020d}.log").open("ab") as file:
            file.write(batch(BATCHES))
        return whole(*arguments, **how)

    with patch.object(log_reader.LogReader, "_opened", opened):
        for offset in (0, 9, 0, 21):
            found = reader.read(offset, 10**6, end=BATCHES, is_first=True)
            assert found is not None
            assert bytes_of(found) == before[offset * len(batch(0)) : (offset + 9) * len(batch(0))]


def failing(number: int) -> Callable[..., int]:
    def sendfile(*_: int) -> int:
        raise OSError(number, os.strerror(number))

    return sendfile


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP], ids=errno.errorcode.get)
def test_a_file_system_from_which_nothing_is_sent_is_read(log: Path, number: int) -> None:
    lines: list[str] = []
    with (
        served(log, say=lines.append) as wire,
        patch.object(os, "sendfile", failing(number)),
    ):
        assert read_all(wire, "t", 0, 0) == data_of(log)
    assert not [line for line in lines if "closed" in line]


def test_a_disk_that_fails_is_an_error_of_the_file(log: Path) -> None:
    with kafkafmt.scan(log).partitions[0].segments[0].open() as file:
        part = FileRange(SentFile(file, Descriptors()), StoredBytes(0, file.size))
        with patch.object(os, "sendfile", failing(errno.EIO)), pytest.raises(SourceError) as raised:
            part.send(0, 1000)
        assert (raised.value.file, raised.value.position) == (file.name, 0)
