"""A client of a served disk: one connection, requests and answers as dictionaries."""

import socket
import ssl
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import kafkafmt
from kafkafmt.protocol.codec import Value, message
from kafkafmt.protocol.message_bytes import MessageReader, MessageWriter
from kafkafmt.protocol.schemas import api_key, is_flexible, valid_versions

Asked = dict[str, Any]


class Wire:
    """A connection.

    Args:
        address: "host:port".
        trusted: file of the certificate that the server must have; None for plaintext.
    """

    def __init__(self, address: str, *, trusted: Path | None = None) -> None:
        host, _, port = address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=120)
        if trusted is not None:
            self.socket = ssl.create_default_context(cafile=trusted).wrap_socket(self.socket, server_hostname=host)
        self._sent = 0

    def ask(self, api: str, body: Value | None = None, version: int | None = None) -> Value:
        """Send a request, by default in the latest version, and return the answer."""
        version = valid_versions(api)[-1] if version is None else version
        self._sent += 1
        self.send(request_frame(api, version, body or {}, correlation_id=self._sent))
        source = MessageReader(memoryview(self.receive()))
        flexible = api != "ApiVersions" and is_flexible(api, version)
        header = message("ResponseHeader", int(flexible)).decode(source)
        assert header["CorrelationId"] == self._sent
        answer = message(f"{api}Response", version).decode(source)
        assert source.position == source.end
        return answer

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def receive(self) -> bytes:
        """The next frame; empty if the connection is closed."""
        head = self.exactly(4)
        return self.exactly(struct.unpack(">i", head)[0]) if head else b""

    def exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            try:
                piece = self.socket.recv(size - len(data))
            except ConnectionResetError:
                return b""
            if not piece:
                return b""
            data += piece
        return data

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.socket.close()


def request_frame(api: str, version: int, body: Value, *, correlation_id: int = 1) -> bytes:
    """A request prefixed with its size."""
    out = MessageWriter()
    fields = {
        "RequestApiKey": api_key(api),
        "RequestApiVersion": version,
        "CorrelationId": correlation_id,
        "ClientId": "tests",
    }
    message("RequestHeader", 2 if is_flexible(api, version) else 1).encode(out, fields)
    message(f"{api}Request", version).encode(out, body)
    data = out.joined()
    return struct.pack(">i", len(data)) + data


@contextmanager
def served(*paths: Path, **options: Any) -> Iterator[Wire]:
    """Serve some disks with the arguments of `kafkafmt.serve`, and connect."""
    with kafkafmt.serve(list(paths), **options) as server, Wire(server.address) as wire:
        yield wire


def fetched(wire: Wire, topic: str, partition: int, offset: int, **asked: Any) -> Value:
    """The answer of a Fetch for one partition, by default in version 12, the last one with topic names."""
    version = asked.pop("version", 12)
    request = {
        "MaxWaitMs": asked.pop("max_wait_ms", 0),
        "MaxBytes": asked.pop("max_bytes", 2**30),
        "IsolationLevel": asked.pop("isolation", 0),
        "Topics": [
            {
                "Topic": topic,
                "Partitions": [{"Partition": partition, "FetchOffset": offset, "PartitionMaxBytes": 2**20} | asked],
            }
        ],
    }
    answer = wire.ask("Fetch", request, version)
    assert not answer.get("ErrorCode")
    found: Value = answer["Responses"][0]["Partitions"][0]
    return found


def offset_listed(wire: Wire, topic: str, partition: int, timestamp: int, isolation: int = 0) -> Value:
    """The answer of ListOffsets for one partition."""
    topics = [{"Name": topic, "Partitions": [{"PartitionIndex": partition, "Timestamp": timestamp}]}]
    answer = wire.ask("ListOffsets", {"IsolationLevel": isolation, "Topics": topics})
    found: Value = answer["Topics"][0]["Partitions"][0]
    return found
