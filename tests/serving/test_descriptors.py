"""A server with few file descriptors: connections and files have their shares, and release them."""

import errno
import os
import resource
import socket
import subprocess
import sys
import time
from collections import Counter, deque
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

import pytest

import kafkafmt
from kafkafmt.io.local_file import LocalFile
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.descriptor_limit import raise_descriptor_limit
from kafkafmt.serving.open_connections import Connection
from kafkafmt.serving.sending import _send_buffers
from kafkafmt.serving.sent_files import SentFiles
from tests.reference import builder
from tests.serving.wire import Wire, fetched, offset_listed, served

PARTITIONS = 40
CLIENTS = 24
_SECONDS = 20
SIZE = 100_000  # bytes of a batch: sent from the file, not read


def written(root: Path, partitions: int = 1) -> Path:
    data = builder.batch([builder.R(0, 0, value=b"v" * SIZE)])
    for number in range(partitions):
        (root / f"t-{number}").mkdir()
        (root / f"t-{number}" / f"{0:020d}.log").write_bytes(data)
    return root


def test_a_connection_has_one_descriptor(tmp_path: Path) -> None:
    with kafkafmt.serve(written(tmp_path), open_transactions="abort") as server, Wire(server.address) as first:
        assert fetched(first, "t", 0, 0)["Records"]
        before = len(os.listdir("/dev/fd"))
        wires = [Wire(server.address) for _ in range(10)]
        for wire in wires:
            assert fetched(wire, "t", 0, 0)["Records"]
        assert len(os.listdir("/dev/fd")) == before + 2 * len(wires)  # this process is also the clients
        for wire in wires:
            wire.socket.close()


def test_with_few_descriptors_all_partitions_are_read_by_many_clients(tmp_path: Path) -> None:
    written(tmp_path, PARTITIONS)
    command = [sys.executable, "-m", "kafkafmt", "serve", str(tmp_path), "--listen", "127.0.0.1:0"]
    limited = ["sh", "-c", 'ulimit -n 64 && exec "$@"', "sh", *command]
    with subprocess.Popen(limited, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            bound, ready = (process.stderr.readline() for _ in range(2))
            wires = [Wire(ready.split()[-1]) for _ in range(CLIENTS)]
            seen = Counter(fetched(wire, "t", number, 0)["ErrorCode"] for wire in wires for number in range(PARTITIONS))
            for wire in wires:
                wire.socket.close()
        finally:
            process.terminate()
        assert "at most 32 connections: the process may have 64 open files (ulimit -n)" in bound
        assert process.stderr.read() == ""
    assert seen == {ErrorCode.NONE: CLIENTS * PARTITIONS}


def failing(times: int, number: int = errno.EMFILE, suffix: str = ".log") -> Any:
    whole, left = os.open, [times]

    def opened(path: Any, flags: int, *more: int) -> int:
        if str(path).endswith(suffix) and left[0]:
            left[0] -= 1
            raise OSError(number, os.strerror(number))
        return whole(path, flags, *more)

    return patch.object(os, "open", opened)


def test_where_no_file_can_be_opened_those_are_closed_that_nobody_reads(tmp_path: Path) -> None:
    path = str(written(tmp_path) / "t-0" / f"{0:020d}.log")
    files = SentFiles()
    assert files.keep(path, LocalFile(path)) is not None
    with failing(1), LocalFile(path) as opened:
        assert opened.size > SIZE
    assert files.find(path) is None


def test_a_file_that_cannot_be_opened_is_not_damage(tmp_path: Path) -> None:
    lines: list[str] = []
    with served(written(tmp_path), say=lines.append) as wire:
        with failing(10**6):
            assert fetched(wire, "t", 0, 0)["ErrorCode"] == ErrorCode.KAFKA_STORAGE_ERROR
        assert "Too many open files" in lines[0]
        assert fetched(wire, "t", 0, 0)["Records"]


def test_an_answer_for_lack_of_descriptors_waits_as_an_empty_one(tmp_path: Path) -> None:
    with served(written(tmp_path)) as wire, failing(10**6):
        begun = time.monotonic()
        answer = fetched(wire, "t", 0, 0, max_wait_ms=300, version=5)
        assert answer["ErrorCode"] == ErrorCode.NOT_LEADER_OR_FOLLOWER  # its clients end at KAFKA_STORAGE_ERROR
        assert time.monotonic() - begun >= 0.3


def test_a_file_that_cannot_be_read_ends_the_consumer(tmp_path: Path) -> None:
    lines: list[str] = []
    with served(written(tmp_path), say=lines.append) as wire, failing(10**6, errno.EIO):
        assert fetched(wire, "t", 0, 0)["ErrorCode"] == ErrorCode.CORRUPT_MESSAGE
    assert "Input/output error" in lines[0]


def _errors(wire: Wire) -> dict[str, ErrorCode]:
    """The errors of several APIs for the same partition."""
    epochs = {"Topics": [{"Topic": "t", "Partitions": [{"Partition": 0, "CurrentLeaderEpoch": -1, "LeaderEpoch": 0}]}]}
    ends = wire.ask("OffsetForLeaderEpoch", {"ReplicaId": -1} | epochs)["Topics"][0]["Partitions"][0]
    producers = wire.ask("DescribeProducers", {"Topics": [{"Name": "t", "PartitionIndexes": [0]}]})
    return {
        "latest": ErrorCode(offset_listed(wire, "t", 0, -1)["ErrorCode"]),
        "time": ErrorCode(offset_listed(wire, "t", 0, 0)["ErrorCode"]),
        "epoch": ErrorCode(ends["ErrorCode"]),
        "producers": ErrorCode(producers["Topics"][0]["Partitions"][0]["ErrorCode"]),
    }


@pytest.mark.parametrize(
    ("number", "error"),
    [(errno.EIO, ErrorCode.UNKNOWN_SERVER_ERROR), (errno.EMFILE, ErrorCode.KAFKA_STORAGE_ERROR)],
)
def test_clients_fail_at_files_that_cannot_be_read_and_ask_again_for_lack_of_descriptors(
    tmp_path: Path, number: int, error: ErrorCode
) -> None:
    # AdminClient and consumers do so: `OffsetFetcherUtils`, `ListOffsetsHandler`.
    with served(written(tmp_path), say=lambda _: None) as wire:
        with failing(10**6, number):
            assert set(_errors(wire).values()) == {error}
        assert set(_errors(wire).values()) == {ErrorCode.NONE}


def test_leader_epochs_are_read_again_that_could_not_be_opened(tmp_path: Path) -> None:
    log = written(tmp_path) / "t-0"
    (log / "leader-epoch-checkpoint").write_text("0\n1\n7 0\n")

    def epoch(wire: Wire) -> int:
        topics = wire.ask("Metadata", {"Topics": [{"Name": "t"}]})["Topics"]
        found: int = topics[0]["Partitions"][0]["LeaderEpoch"]
        return found

    with served(tmp_path, say=lambda _: None) as wire:
        with failing(10**6, suffix="leader-epoch-checkpoint"):
            assert epoch(wire) == 0
        assert epoch(wire) == 7


def _send_until_full(to: socket.socket) -> None:
    writer = Mock(**{"transport.is_closing.return_value": False, "get_extra_info.return_value": to})
    connection = Connection(Mock(), Mock(), writer, 0)
    try:
        while True:
            _send_buffers(deque([bytes(2**16)]), connection.own_socket)
    finally:
        connection.release()


def test_sending_waits_for_nobody_whatever_the_default_timeout_is() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(0)
        socket.setdefaulttimeout(_SECONDS)
        try:
            begun = time.monotonic()
            with pytest.raises(BlockingIOError):
                _send_until_full(ours)
            assert time.monotonic() - begun < _SECONDS
        finally:
            socket.setdefaulttimeout(None)


def test_connections_that_are_not_accepted_are_one_line(tmp_path: Path) -> None:
    lines: list[str] = []
    with kafkafmt.serve(written(tmp_path), say=lines.append) as server:
        for _ in range(3):
            error = OSError(errno.EMFILE, os.strerror(errno.EMFILE))
            server._connections.failed(server._loop, {"socket": None, "exception": error})
    assert lines == ["connections are not accepted: Too many open files"]


def test_the_command_may_have_as_many_descriptors_as_its_user() -> None:
    with (
        patch.object(resource, "getrlimit", return_value=(256, resource.RLIM_INFINITY)),
        patch.object(resource, "setrlimit", side_effect=[ValueError, None]) as setting,
    ):
        raise_descriptor_limit()
    wanted = [(each, resource.RLIM_INFINITY) for each in (65_536, 10_240)]
    assert [each.args for each in setting.call_args_list] == [(resource.RLIMIT_NOFILE, each) for each in wanted]
