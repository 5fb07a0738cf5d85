"""The sockets of a broker: connections, frames, their bounds, and the end of a connection.

Requests of a connection are answered in order, as by a broker. Any bytes get a response or a closed connection, with
one line for the operator; sizes are checked before memory is taken for them.
"""

import asyncio
import os
import socket
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from kafkafmt.errors import KafkafmtError
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.protocol.frames import read_request, response
from kafkafmt.protocol.schemas import messages, valid_versions, versions
from kafkafmt.serving.api import Broker, Client, Request
from kafkafmt.serving.broker import HANDLERS

if TYPE_CHECKING:
    from kafkafmt.protocol.codec import Buffer, Value

MOST_REQUEST_BYTES: Final = 48 * 2**20
"""Largest request; a client of a broker that only reads sends a few kilobytes."""

_FEWEST_BYTES = 8
_IDLE_SECONDS = 600.0
"""`connections.max.idle.ms` of a broker."""
_SLOW_SECONDS = 30.0
"""Seconds in which a client sends or takes at least some bytes once it has begun."""
_PIECE = 2**20
_WORTH_A_SOCKET = 2**16
_LONG_ANSWERS = frozenset({"DescribeConfigs"})
"""Encoded in a thread of their own: the configs of 10,000 topics take seconds, in which other clients would wait."""

_OTHERS = {b"\x16\x03": "TLS", b"GET ": "HTTP", b"POST": "HTTP", b"HEAD": "HTTP", b"PUT ": "HTTP"}


class _RefusedError(Exception):
    """The connection is closed, for a reason."""


class Connections:
    """The open connections of a broker.

    Args:
        broker: who answers.
        say: takes a line for the operator.
        most: how many connections are open at most.
        logs_requests: whether each request is a line.
    """

    def __init__(self, broker: Broker, say: Callable[[str], None], *, most: int, logs_requests: bool) -> None:
        self._broker, self._say, self._most, self._logs = broker, say, most, logs_requests
        self._open: set[asyncio.Task[None]] = set()
        self._is_ending = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until it ends."""
        host, port = writer.get_extra_info("peername")[:2]
        client = Client(host, port, *writer.get_extra_info("sockname")[:2])
        task = asyncio.current_task()
        if task is None or len(self._open) >= self._most:
            self._say(f"{host}:{port}: closed, {self._most} connections are open")
            writer.close()
            return
        self._open.add(task)
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            while True:
                await self._answer_next(reader, writer, client)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        except asyncio.CancelledError:
            if not self._is_ending:
                raise
        except TimeoutError:
            self._say(f"{host}:{port}: closed, the client does not go on")
        except (_RefusedError, KafkafmtError) as error:
            self._say(f"{host}:{port}: closed, {error}")
        finally:
            self._open.discard(task)
            writer.transport.abort() if writer.transport.get_write_buffer_size() else writer.close()

    async def end(self) -> None:
        """Close all connections."""
        self._is_ending = True
        tasks = list(self._open)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=1)

    async def _answer_next(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, client: Client) -> None:
        """Answer a request."""
        async with asyncio.timeout(_IDLE_SECONDS):
            head = await reader.readexactly(4)
        (size,) = struct.unpack(">i", head)
        if not _FEWEST_BYTES <= size <= MOST_REQUEST_BYTES:
            raise _RefusedError(_about(head, size))
        granted = self._broker.memory.take(size)
        try:
            if granted < size:
                raise _RefusedError(f"there is no memory for a request of {size:,} bytes")
            data = await _read(reader, size)
            parts = await self._answer(data, client)
        finally:
            self._broker.memory.give_back(granted)
        del data
        sent = sum(map(len, parts))
        held = self._broker.memory.take(sent)
        try:
            await _send(writer, parts)
        finally:
            self._broker.memory.give_back(held)

    async def _answer(self, data: memoryview, client: Client) -> "Sequence[Buffer]":
        frame = read_request(data)
        client.client_id = frame.client_id or ""
        if self._logs:
            self._say(f"{client.host}:{client.port} {client.client_id}: {frame.api} {frame.version}")
        handler = HANDLERS.get(frame.api)
        version, body = frame.version, frame.body
        if frame.api == "ApiVersions" and body is None:
            body, version = {}, 0
        if handler is None or body is None:
            return _unsupported(frame.api, version, frame.correlation_id)
        request = Request(frame.api, frame.version, body, client)
        answer = await handler(self._broker, request)
        if frame.api in _LONG_ANSWERS:
            return await asyncio.to_thread(response, frame.api, version, frame.correlation_id, answer)
        return response(frame.api, version, frame.correlation_id, answer)


async def _read(reader: asyncio.StreamReader, size: int) -> memoryview:
    """Read a request; each piece within some time, so that memory grows only as bytes come."""
    data = bytearray()
    while len(data) < size:
        async with asyncio.timeout(_SLOW_SECONDS):
            piece = await reader.read(min(size - len(data), _PIECE))
        if not piece:
            raise asyncio.IncompleteReadError(bytes(data[:0]), size)
        data += piece
    return memoryview(data).toreadonly()


async def _send(writer: asyncio.StreamWriter, parts: "Sequence[Buffer]") -> None:
    """Send buffers one after another; each piece within some time."""
    plain: socket.socket | None = None
    if writer.get_extra_info("ssl_object") is None and max(map(len, parts), default=0) >= _WORTH_A_SOCKET:
        plain = socket.socket(fileno=os.dup(writer.get_extra_info("socket").fileno()))
    try:
        for part in parts:
            for begin in range(0, len(part), _PIECE):
                piece = memoryview(part)[begin : begin + _PIECE]
                async with asyncio.timeout(_SLOW_SECONDS):
                    if plain is not None and not writer.transport.get_write_buffer_size():
                        # The transport copies all that the kernel does not take at once, again and again.
                        await asyncio.get_running_loop().sock_sendall(plain, piece)
                    else:
                        writer.write(piece)
                        await writer.drain()
    finally:
        if plain is not None:
            plain.close()


def _unsupported(api: str, version: int, correlation_id: int) -> "Sequence[Buffer]":
    """UNSUPPORTED_VERSION, as far as the API's answers have an error code of their own.

    Raises:
        _RefusedError: they have none, or the version is unknown, and so is the layout of its answers.
    """
    fields = messages().get(f"{api}Response", {}).get("fields", ())
    has_code = any(field["name"] == "ErrorCode" and version in versions(field["versions"]) for field in fields)
    if version not in valid_versions(api) or not has_code:
        raise _RefusedError(f"{api} version {version} is not on offer")
    body: Value = {"ErrorCode": ErrorCode.UNSUPPORTED_VERSION}
    return response(api, version, correlation_id, body)


def _about(head: bytes, size: int) -> str:
    """Why a size is refused; other protocols show as one."""
    other = _OTHERS.get(head[:2]) or _OTHERS.get(head)
    return f"the client speaks {other}, which this port does not" if other else f"a request of {size:,} bytes"
