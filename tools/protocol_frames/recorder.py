"""Proxies that record requests and responses of Kafka's protocol."""

import asyncio
import struct
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

_SIZE = struct.Struct(">i")
_HEADER = struct.Struct(">hhih")  # API key and version, correlation id, size of the client id
_PRODUCE = 0


@dataclass(frozen=True)
class Exchange:
    """A request and its response, both with their sizes; an empty response if there is none."""

    request: bytes
    response: bytes

    @property
    def key_and_version(self) -> tuple[int, int]:
        """API key and version."""
        key, version, _, _ = _HEADER.unpack_from(self.request, _SIZE.size)
        return key, version

    @property
    def client_id(self) -> bytes:
        """The client id, a name that the client chose."""
        begin = _SIZE.size + _HEADER.size
        return self.request[begin : begin + max(_HEADER.unpack_from(self.request, _SIZE.size)[3], 0)]

    @property
    def size(self) -> int:
        """The size of request and response in bytes."""
        return len(self.request) + len(self.response)


class Recorder:
    """Proxies on loopback that run during a `with` block.

    Attributes:
        exchanges: recorded exchanges, in the order of the responses.
    """

    def __init__(self, ports: Sequence[tuple[int, int]]) -> None:
        """Prepare the proxies; they start with the block.

        Args:
            ports: for each proxy its port, and that of the broker or controller behind it.
        """
        self.exchanges: list[Exchange] = []
        self._ports = ports
        self._servers: list[asyncio.Server] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        for proxy, target in self._ports:
            asyncio.run_coroutine_threadsafe(self._listen(proxy, target), self._loop).result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close(self) -> None:
        for server in self._servers:
            server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _listen(self, proxy: int, target: int) -> None:
        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                there = await asyncio.open_connection("127.0.0.1", target)
            except OSError:
                writer.close()
                return
            waiting: deque[bytes] = deque()
            await asyncio.gather(
                self._pass(reader, there[1], waiting, are_requests=True),
                self._pass(there[0], writer, waiting, are_requests=False),
            )

        self._servers.append(await asyncio.start_server(connected, "127.0.0.1", proxy))

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, waiting: deque[bytes], *, are_requests: bool
    ) -> None:
        """Forward one direction of a connection; both directions share the requests that wait for responses."""
        with suppress(OSError, asyncio.IncompleteReadError), closing(writer):
            while True:
                size = await reader.readexactly(_SIZE.size)
                frame = size + await reader.readexactly(*_SIZE.unpack(size))
                if not are_requests:
                    self.exchanges.append(Exchange(waiting.popleft(), frame))
                elif acks_nothing(frame):
                    self.exchanges.append(Exchange(frame, b""))
                else:
                    waiting.append(frame)
                writer.write(frame)
                await writer.drain()


def acks_nothing(frame: bytes) -> bool:
    """Whether a frame is a Produce request with `acks=0`, which gets no response: acks follow the transactional id."""
    key, version, _, size = _HEADER.unpack_from(frame, _SIZE.size)
    if key != _PRODUCE:
        return False
    position = _SIZE.size + _HEADER.size + max(size, 0)
    if version >= 9:  # tagged fields without tags, and a compact string
        position += 1
        size = frame[position]
        position += 1 + max(size - 1, 0)
    else:
        (size,) = struct.unpack_from(">h", frame, position)
        position += 2 + max(size, 0)
    return frame[position : position + 2] == b"\0\0"
