"""The sockets of a broker: connections, frames, their bounds, and the end of a connection.

Requests of a connection are answered in order, as by a broker. Any bytes get a response or a closed connection, with
one line for the operator; sizes are checked before memory is taken for them.
"""

import asyncio
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from kafkafmt.errors import KafkafmtError
from kafkafmt.io.local_file import TOO_MANY_OPEN, let_go, reason_of
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.protocol.frames import RequestFrame, read_request, response
from kafkafmt.protocol.message_bytes import MOST_ELEMENTS
from kafkafmt.protocol.schemas import messages, valid_versions, versions
from kafkafmt.serving.api import Broker, Client, Request
from kafkafmt.serving.broker import HANDLERS
from kafkafmt.serving.open_connections import Connection, OpenConnections
from kafkafmt.serving.reports import Reports
from kafkafmt.serving.security import Security, sasl, tls
from kafkafmt.serving.sending import SLOW_SECONDS, alone, held, send

if TYPE_CHECKING:
    from kafkafmt.protocol.codec import Value
    from kafkafmt.protocol.message_bytes import Part

MOST_REQUEST_BYTES: Final = 16 * 2**20
"""Largest request in bytes; a client of a read-only broker sends a few kilobytes."""

# API key, version and correlation id, with which every request begins.
_FEWEST_BYTES = 8
_IDLE_SECONDS = 600.0
"""`connections.max.idle.ms` of a broker."""
_LOGIN_SECONDS = 30.0
"""Seconds within which a client must authenticate, as until then it occupies one of the connections."""
_FAREWELL_SECONDS = 1.0
"""Seconds within which a client must end TLS after the server has ended it."""
_PIECE = 2**20
_LEAST_RATE = 2**17
"""Bytes per second at which a request must arrive at least."""
_LARGE = 2**14
"""Size in bytes from which a request is decoded, and its answer encoded, in a thread: other clients would wait."""
_ELEMENT_BYTES = 300
"""Estimated memory of an array's element in bytes."""
_FEW_ELEMENTS = 100
_LONG_ANSWERS = frozenset(
    {
        "ConsumerGroupDescribe",
        "DescribeAcls",
        "DescribeClientQuotas",
        "DescribeConfigs",
        "DescribeGroups",
        "DescribeLogDirs",
        "DescribeProducers",
        "DescribeTopicPartitions",
        "DescribeTransactions",
        "ListConfigResources",
        "ListGroups",
        "ListTransactions",
        "Metadata",
        "OffsetFetch",
    }
)
"""APIs whose answers may be much larger than their requests, and are therefore encoded in a thread."""

_OTHERS = {b"\x16\x03": "TLS", b"GET ": "HTTP", b"POST": "HTTP", b"HEAD": "HTTP", b"PUT ": "HTTP"}


class _RefusedError(Exception):
    """Raised to close the connection for a reason."""


class Connections:
    """The open connections of a broker.

    Args:
        broker: the broker that answers.
        say: takes a line for the operator.
        most: upper bound of open connections.
        logs_requests: whether each request is reported.
        security: which clients may connect.
    """

    def __init__(
        self, broker: Broker, say: Callable[[str], None], *, most: int, logs_requests: bool, security: Security
    ) -> None:
        self._broker, self._reports, self._most, self._logs = broker, Reports(say), most, logs_requests
        self._security = security
        self._open = OpenConnections(most, broker.memory, broker.disks.close_old)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until it ends."""
        peer = writer.get_extra_info("peername")
        if peer is None or self._open.is_ending:  # gone already, or about to be
            writer.close()
            return
        host, port = _plain(peer[0]), peer[1]
        own = writer.get_extra_info("sockname")
        client = Client(host, port, _plain(own[0]), own[1])
        connection = self._open.add(reader, writer)
        if connection is None:
            self._reports.closed(f"{host}:{port}", f"{self._most} connections are open")
            writer.close()
            return
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._security.tls is None:
            writer.transport.set_write_buffer_limits(0)  # `drain` waits until nothing is left
        try:
            if self._security.tls is not None:
                await tls.shake_hands(writer, self._security.tls)
            if self._security.credentials is not None:
                client.principal = await self._login(connection, client, self._security.credentials)
            while True:
                await self._answer_next(connection, lambda data: self._answer(data, client))
                connection.was_answered = True
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        except asyncio.CancelledError:
            if connection.end is None:
                raise
            if connection.end:
                self._reports.closed(f"{host}:{port}", connection.end)
        except TimeoutError:
            self._reports.closed(f"{host}:{port}", "the client stopped sending or reading")
        except ssl.SSLError as error:
            self._reports.closed(f"{host}:{port}", tls.fault_of(error))
        except (_RefusedError, sasl.LoginError, KafkafmtError, OSError) as error:
            self._reports.closed(f"{host}:{port}", error)
        finally:
            self._open.discard(connection)
            self._close(connection)

    def failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle an event loop's error; a failed accept is reported in a line, without a traceback at each attempt."""
        error = context.get("exception")
        if "socket" in context and isinstance(error, OSError):
            if error.errno in TOO_MANY_OPEN:
                let_go()
            self._reports.refused(reason_of(error))
        else:
            loop.default_exception_handler(context)

    async def end(self) -> None:
        """Close all connections."""
        await self._open.end()

    def _close(self, connection: Connection) -> None:
        """Close a connection; bytes that the client does not take are dropped."""
        connection.release()
        transport, has_tls = connection.writer.transport, self._security.tls is not None
        if transport.get_write_buffer_size() or (has_tls and connection.end is not None):
            transport.abort()
            return
        transport.close()
        if has_tls:
            asyncio.get_running_loop().call_later(_FAREWELL_SECONDS, transport.abort)

    async def _login(self, connection: Connection, client: Client, credentials: sasl.Credentials) -> str:
        """Authenticate a client; returns the user."""
        login = sasl.Login(credentials, lambda frame: self._note(frame, client))

        async def answer(data: memoryview) -> "Sequence[Part]":
            parts = login.answer(data)
            return await self._answer(data, client) if parts is None else parts

        async with asyncio.timeout(_LOGIN_SECONDS):
            try:
                while login.user is None:
                    await self._answer_next(connection, answer, most=sasl.MOST_BYTES)
            except sasl.LoginError as error:
                await asyncio.sleep(sasl.DELAY_SECONDS)
                await self._send(connection, error.answer)
                raise
        return login.user

    async def _answer_next(
        self,
        connection: Connection,
        answer: "Callable[[memoryview], Awaitable[Sequence[Part]]]",
        *,
        most: int = MOST_REQUEST_BYTES,
    ) -> None:
        """Answer the next request, up to a size in bytes."""
        reader = connection.reader
        connection.does("idle", _IDLE_SECONDS)
        head = await reader.readexactly(4)
        (size,) = struct.unpack(">i", head)
        if not _FEWEST_BYTES <= size <= most:
            raise _RefusedError(_about(head, size))
        memory = self._broker.memory
        if not await memory.reserve(size, SLOW_SECONDS):
            raise _RefusedError(f"there is no memory for a request of {size:,} bytes")
        try:
            connection.does("sending", SLOW_SECONDS + size / _LEAST_RATE)
            data = await _read(reader, size)
            connection.does("asking")
            parts = await answer(data)
        finally:
            memory.give_back(size)
        del data
        if memory.is_short:
            parts = list(map(alone, parts))
        size = sum(held(parts))
        memory.hold(size)
        try:
            await self._send(connection, parts)
        finally:
            memory.give_back(size)

    async def _send(self, connection: Connection, parts: "Sequence[Part]") -> None:
        await send(connection, parts, self._broker.fetching)

    async def _answer(self, data: memoryview, client: Client) -> "Sequence[Part]":
        is_large, memory = len(data) > _LARGE, self._broker.memory
        held = await self._reserve(min(len(data), MOST_ELEMENTS)) if is_large else 0
        try:
            if is_large:
                frame = await asyncio.get_running_loop().run_in_executor(self._broker.coding, read_request, data)
                kept = min(held, frame.elements * _ELEMENT_BYTES)
                memory.give_back(held - kept)
                held = kept
            else:
                frame = read_request(data)
                held = await self._reserve(frame.elements) if frame.elements > _FEW_ELEMENTS else 0
            return await self._answer_frame(frame, client, is_large=is_large)
        finally:
            memory.give_back(held)

    async def _reserve(self, elements: int) -> int:
        """Take memory for the elements of a request; returns the number of bytes."""
        size = elements * _ELEMENT_BYTES
        if not await self._broker.memory.reserve(size, SLOW_SECONDS):
            raise _RefusedError(f"there is no memory for a request of {elements:,} elements")
        return size

    async def _answer_frame(self, frame: RequestFrame, client: Client, *, is_large: bool) -> "Sequence[Part]":
        self._note(frame, client)
        handler = HANDLERS.get(frame.api)
        version, body = frame.version, frame.body
        if frame.api == "ApiVersions" and body is None:
            body, version = {}, 0
        if handler is None or body is None:
            return _unsupported(frame.api, version, frame.correlation_id)
        if frame.api == "Produce" and body["Acks"] == 0:
            raise _RefusedError("a producer with acks=0 cannot be told that this broker is read-only")
        answer = await handler(self._broker, Request(frame.api, frame.version, body, client))
        arguments = frame.api, version, frame.correlation_id, answer
        if is_large or frame.api in _LONG_ANSWERS:
            return await asyncio.get_running_loop().run_in_executor(self._broker.coding, response, *arguments)
        return response(*arguments)

    def _note(self, frame: RequestFrame, client: Client) -> None:
        client.client_id = frame.client_id or ""
        if self._logs:
            self._reports.say(f"{client.host}:{client.port} {client.client_id}: {frame.api} {frame.version}")


def _plain(host: str) -> str:
    """An address; an IPv4 one as such, where a socket of IPv6 took the connection."""
    return host.removeprefix("::ffff:")


async def _read(reader: asyncio.StreamReader, size: int) -> memoryview:
    """Read a request; memory grows only as bytes arrive."""
    if size <= _LARGE:
        return memoryview(await reader.readexactly(size))
    data = bytearray()
    while len(data) < size:
        piece = await reader.read(min(size - len(data), _PIECE))
        if not piece:
            raise asyncio.IncompleteReadError(bytes(data[:0]), size)
        data += piece
    return memoryview(data).toreadonly()


def _unsupported(api: str, version: int, correlation_id: int) -> "Sequence[Part]":
    """UNSUPPORTED_VERSION, if the API's answers have an error code at the top level.

    Raises:
        _RefusedError: the answers have none, or the version, and thus the layout of its answers, is unknown.
    """
    fields = messages().get(f"{api}Response", {}).get("fields", ())
    has_code = any(field["name"] == "ErrorCode" and version in versions(field["versions"]) for field in fields)
    if version not in valid_versions(api) or not has_code:
        raise _RefusedError(f"{api} version {version} is not supported")
    body: Value = {"ErrorCode": ErrorCode.UNSUPPORTED_VERSION}
    return response(api, version, correlation_id, body)


def _about(head: bytes, size: int) -> str:
    """Why a request of a size is refused; other protocols are recognized by the bytes read as the size."""
    other = _OTHERS.get(head[:2]) or _OTHERS.get(head)
    return f"the client speaks {other}, which this port does not" if other else f"a request of {size:,} bytes"
