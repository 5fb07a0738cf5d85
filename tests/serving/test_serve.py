"""`kafkafmt serve` and `kafkafmt.serve`: their messages, refusals, and shutdown."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.cli import messages
from kafkafmt.cli import serve as command
from kafkafmt.cli.main import run
from kafkafmt.protocol.error_codes import ErrorCode
from tests.serving.wire import Wire, fetched, offset_listed, served

SHOP = Path(__file__).parents[2] / "docs" / "examples" / "shop" / "log-dir"


def started(*arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "kafkafmt", "serve", str(SHOP), *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ)


def line_of(process: "subprocess.Popen[str]", word: str) -> str:
    assert process.stderr is not None
    return next(line for line in process.stderr if word in line)


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_the_command_names_partitions_that_end_early_and_serves_until_a_signal(number: signal.Signals) -> None:
    process = started("--listen", "127.0.0.1:0")
    assert process.stderr is not None
    serving, early = next(process.stderr), next(process.stderr)  # in this order, however fast the search is
    assert "serving" in serving
    address = serving.split()[-1]
    assert "read_committed ends early in" in early
    assert "orders-" in early
    assert "--open-transactions abort" in early
    with Wire(address) as wire:
        assert wire.ask("Metadata", {"Topics": None})["Topics"]
        assert "page-views" in {each["Name"] for each in wire.ask("Metadata", {"Topics": None})["Topics"]}
        process.send_signal(number)
        process.communicate(timeout=30)
        assert process.returncode == 0
        assert wire.receive() == b""


@pytest.mark.slow
def test_the_command_serves_the_state_as_of_a_time() -> None:
    """`order-late`, offset 8 of orders-0, was written at 20:51:50.772."""
    process = started("--listen", "127.0.0.1:0", "--at-time", "2026-11-21T20:51:45Z")
    with Wire(line_of(process, "serving").split()[-1]) as wire:
        assert offset_listed(wire, "orders", 0, -1)["Offset"] == 8
        assert fetched(wire, "orders", 0, 6)["Records"]
    process.terminate()
    process.communicate(timeout=30)


def test_a_port_in_use_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert run(["serve", str(SHOP), "--listen", f"127.0.0.1:{taken.getsockname()[1]}"]) == 3
    said = capfd.readouterr().err
    assert len(said.splitlines()) == 1
    assert "in use" in said


def test_a_topic_that_does_not_exist_is_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", str(SHOP), "--listen", "127.0.0.1:0", "--topic", "oders"]) == 3
    said = capfd.readouterr().err
    assert "no topic oders" in said
    assert "orders" in said
    assert run(["serve", str(SHOP), "--listen", "127.0.0.1:0", "--topic", "orders", "--topic", "oders"]) == 3
    said = capfd.readouterr().err
    assert "no topic oders. There are: " in said
    assert "serving" not in said


def test_lines_that_nobody_reads_stop_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe that is full lets its writer wait: with --log-requests that was the thread of all connections."""
    is_read = threading.Event()
    said: list[str] = []
    monkeypatch.setattr(command, "_MOST_LINES", 10)

    def say(line: str) -> None:
        is_read.wait()
        said.append(line)

    monkeypatch.setattr(messages, "say", say)
    lines = command._Lines(is_read)
    for number in range(15):
        lines.say(str(number))
    lines.end()
    assert not said
    is_read.set()
    deadline = time.monotonic() + 30
    while len(said) < 11 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert said == [*map(str, range(10)), "5 more lines were left out: nobody read stderr"]
    lines.end()


def test_an_invalid_address_is_named_with_its_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", str(SHOP), "--listen", "9092"]) == 2
    assert "--listen must be HOST:PORT, not '9092'." in capsys.readouterr().err


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "example.org:9092"])
def test_other_machines_are_let_in_by_name_only(address: str) -> None:
    with pytest.raises(ValueError, match="allow_remote"):
        kafkafmt.serve(SHOP, listen=address)


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0"])
def test_another_address_is_allowed_by_name(listen: str) -> None:
    with kafkafmt.serve(SHOP, listen=listen, allow_remote=True) as server:
        port = server.address.rpartition(":")[2]
        with Wire(f"127.0.0.1:{port}") as wire:
            # The broker must keep the address at which the client found it.
            assert wire.ask("Metadata", {"Topics": []})["Brokers"][0]["Host"] == "127.0.0.1"


def test_closing_ends_connections_at_once() -> None:
    server = kafkafmt.serve(SHOP)
    with Wire(server.address) as wire:
        wire.ask("ApiVersions")
        begun = time.monotonic()
        server.close()
        assert time.monotonic() - begun < 10
        assert wire.receive() == b""
    server.close()


def test_open_transactions_are_aborted_by_name() -> None:
    with served(SHOP) as kept, served(SHOP, open_transactions="abort") as wire:
        early = [
            number
            for number in range(3)
            if offset_listed(kept, "orders", number, -1, isolation=1)["Offset"]
            < offset_listed(kept, "orders", number, -1)["Offset"]
        ]
        assert early
        for number in early:
            end = offset_listed(wire, "orders", number, -1, isolation=1)["Offset"]
            assert end == offset_listed(wire, "orders", number, -1)["Offset"]
            assert fetched(wire, "orders", number, 0, isolation=1)["AbortedTransactions"]


def test_what_would_write_is_refused_with_a_reason() -> None:
    with served(SHOP) as wire:
        topics = [{"Name": "new", "NumPartitions": 1, "ReplicationFactor": 1}]
        (answer,) = wire.ask("CreateTopics", {"Topics": topics, "TimeoutMs": 1000})["Topics"]
        assert answer["ErrorCode"] == ErrorCode.POLICY_VIOLATION
        assert "read-only" in answer["ErrorMessage"]
        assert wire.ask("InitProducerId")["ErrorCode"] == ErrorCode.CLUSTER_AUTHORIZATION_FAILED


@pytest.mark.parametrize("begin", [b"\x16\x03\x01\x02", b"GET ", b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"\0\0\0\0"])
def test_other_bytes_close_the_connection_with_a_reason(begin: bytes) -> None:
    lines: list[str] = []
    with served(SHOP, say=lines.append) as wire:
        wire.send(begin + bytes(60))
        assert wire.receive() == b""
        assert len([line for line in lines if "closed, " in line]) == 1


@pytest.mark.parametrize("most", [0, -1, 2.5])
def test_a_wrong_number_of_connections_is_refused(most: Any) -> None:
    with pytest.raises(ValueError, match="max_connections must be an int from 1 on"):
        kafkafmt.serve(SHOP, max_connections=most)
