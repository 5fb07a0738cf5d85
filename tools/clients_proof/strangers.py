"""Clients that do not speak Kafka, or an unknown version: they must get an error, or be disconnected and reported."""

import socket
import struct
import time
from collections.abc import Iterator

from clients_proof.commands import Answer
from clients_proof.served import Served
from proof_frame import ProofError

_SECONDS = 30
_UNKNOWN_API = 32_000
_HUGE = 2**31 - 1


def _framed(content: bytes) -> bytes:
    return struct.pack(">i", len(content)) + content


_API_VERSIONS, _METADATA, _UNKNOWN_VERSION = 18, 3, 99
_HEADER = struct.Struct(">hhih")  # API key, version, correlation id, length of the client id
_STRANGERS = {
    "a browser (HTTP)": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a client with TLS": bytes.fromhex("16030100c8010000c40303") + bytes(194),
    "a request of 2 GiB": struct.pack(">i", _HUGE),
    "an unknown API": _framed(_HEADER.pack(_UNKNOWN_API, 0, 1, -1)),
    "an unknown version of Metadata": _framed(_HEADER.pack(_METADATA, _UNKNOWN_VERSION, 1, -1) + b"\0"),
}


def ask(server: Served) -> Iterator[Answer]:
    """Connect as each of these clients.

    Raises:
        ProofError: the server does not close the connection.
    """
    for name, sent in _STRANGERS.items():
        answer = Answer(name, "", "a closed connection, and a line that says why")
        said = len(server.said())
        if received := _answer(server, sent):
            answer.differences.append(f"got {received[:50]!r}")
        if not _is_reported(server, said):
            answer.differences.append("nothing is said on stderr")
        yield answer
    answer = Answer("ApiVersions in an unknown version", "", "UNSUPPORTED_VERSION in version 0, with all versions")
    # A header of version 2 and a body of version 3: no tagged fields, a name and a version.
    sent = _framed(_HEADER.pack(_API_VERSIONS, _UNKNOWN_VERSION, 7, -1) + b"\0" + b"\2a\2b\0")
    received = _answer(server, sent, most=12)
    if received[4:10] != struct.pack(">ih", 7, 35):
        answer.differences.append(f"got {received!r}")
    yield answer
    if not server.is_running:
        raise ProofError(f"kafkafmt serve has ended:\n{server.said()}")


def _is_reported(server: Served, begin: int) -> bool:
    """Whether the output after its first `begin` characters has the line of a closed connection, or soon will."""
    deadline = time.monotonic() + _SECONDS
    while "closed, " not in server.said()[begin:]:  # a thread of the server writes its lines
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _answer(server: Served, sent: bytes, *, most: int = 1) -> bytes:
    host, _, port = server.bootstrap_servers.rpartition(":")
    received = b""
    with socket.create_connection((host, int(port)), timeout=_SECONDS) as connection:
        try:
            connection.sendall(sent)
            while len(received) < most and (more := connection.recv(most)):
                received += more
        except ConnectionError:
            pass
        except TimeoutError as error:
            raise ProofError(f"kafkafmt serve neither answers nor closes a connection within {_SECONDS} s") from error
    return received
