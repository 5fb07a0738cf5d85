"""What a server does with few descriptors: connections and files have their parts of them, and give them back."""

import errno
import os
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import patch

import kafkafmt
from kafkafmt.io.local_file import LocalFile
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.descriptor_limit import raise_descriptor_limit
from kafkafmt.serving.sent_files import SentFiles
from tests.reference import builder
from tests.serving.wire import Wire, fetched, served

PARTITIONS = 40
CLIENTS = 24
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
        assert len(os.listdir("/dev/fd")) == before + 2 * len(wires)  # this process is the clients too
        for wire in wires:
            wire.socket.close()


def test_with_few_descriptors_all_partitions_are_read_by_many_clients(tmp_path: Path) -> None:
    written(tmp_path, PARTITIONS)
    command = [sys.executable, "-m", "kafkafmt", "serve", str(tmp_path), "--listen", "127.0.0.1:0"]
    limited = ["sh", "-c", 'ulimit -n 64 && exec "$@"', "sh", *command]
    with subprocess.Popen(limited, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[-1]
        wires = [Wire(address) for _ in range(CLIENTS)]
        seen = Counter(fetched(wire, "t", number, 0)["ErrorCode"] for wire in wires for number in range(PARTITIONS))
        for wire in wires:
            wire.socket.close()
        process.terminate()
        assert process.stderr.read() == ""
    assert seen == {ErrorCode.NONE: CLIENTS * PARTITIONS}


def failing(times: int) -> Any:
    whole, left = os.open, [times]

    def opened(path: Any, flags: int, *more: int) -> int:
        if str(path).endswith(".log") and left[0]:
            left[0] -= 1
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
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


def test_connections_that_are_not_accepted_are_one_line(tmp_path: Path) -> None:
    lines: list[str] = []
    with kafkafmt.serve(written(tmp_path), say=lines.append) as server:
        for _ in range(3):
            error = OSError(errno.EMFILE, os.strerror(errno.EMFILE))
            server._connections.failed(server._loop, {"exception": error})
    assert lines == ["connections are not accepted: Too many open files"]


def test_the_command_may_have_as_many_descriptors_as_its_user() -> None:
    with (
        patch.object(resource, "getrlimit", return_value=(256, 1024)),
        patch.object(resource, "setrlimit", side_effect=ValueError) as setting,
    ):
        raise_descriptor_limit()
    setting.assert_called_once_with(resource.RLIMIT_NOFILE, (1024, 1024))
