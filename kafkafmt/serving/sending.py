"""Sending answers: memory and ranges of files, to clients that may take them slowly."""

import asyncio
import os
import socket
from collections import deque
from typing import TYPE_CHECKING, Final, Self

from kafkafmt.protocol.codec import Elsewhere
from kafkafmt.serving.sent_files import FileRange

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from concurrent.futures import Executor

    from kafkafmt.protocol.codec import Buffer, Part
    from kafkafmt.serving.open_connections import Connection

SLOW_SECONDS: Final = 30.0
"""Seconds in which a client sends or takes at least some bytes once it has begun."""

_PIECE = 2**20
_WORTH_A_SOCKET = 2**16
_MOST_BUFFERS = 256
_A_TURN = 8 * 2**20
_CORK = getattr(socket, "TCP_CORK", None)


def held(parts: "Sequence[Part]") -> "Iterable[int]":
    """Bytes of the memory that buffers hold, which may be much more than theirs."""
    in_memory = (part for part in parts if not isinstance(part, Elsewhere))
    blocks = {id(whole): memoryview(whole).nbytes for whole in (getattr(part, "obj", part) for part in in_memory)}
    return blocks.values()


def alone(part: "Part") -> "Part":
    """The same bytes, without the memory around them: records are in a buffer of up to 9 MiB."""
    is_small = isinstance(part, memoryview) and memoryview(part.obj).nbytes > 2 * len(part)
    return bytes(part) if is_small and isinstance(part, memoryview) else part


async def send(connection: "Connection", parts: "Sequence[Part]", threads: "Executor") -> None:
    """Send buffers and ranges of files one after another; each piece within some time.

    Args:
        connection: to whom. Its transport has nothing left of earlier answers, unless it encrypts.
        parts: what.
        threads: wait for the disk.

    Raises:
        OSError: of the connection.
        SourceError: a file cannot be read.
    """
    connection.does("taking", SLOW_SECONDS)
    buffers = [part for part in parts if not isinstance(part, Elsewhere)]
    if len(buffers) == len(parts):
        if sum(map(len, parts)) < _WORTH_A_SOCKET:
            connection.writer.write(b"".join(buffers))
            await connection.writer.drain()
            return
        if connection.writer.get_extra_info("ssl_object") is not None:
            await _send_encrypted(connection, buffers)
            return
    # The transport copies all that the kernel does not take at once, again and again.
    with _Socket(connection) as to:
        await _send(connection, deque(parts), to, threads)


async def _send_encrypted(connection: "Connection", buffers: "Sequence[Buffer]") -> None:
    for buffer in buffers:
        whole = memoryview(buffer)
        for begin in range(0, len(whole), _PIECE):
            connection.writer.write(whole[begin : begin + _PIECE])
            await connection.writer.drain()
            connection.goes_on(SLOW_SECONDS)


async def _send(connection: "Connection", left: "deque[Part]", to: "_Socket", threads: "Executor") -> None:
    turn = 0
    while left:
        first = left[0]
        try:
            if isinstance(first, FileRange):
                if not first.is_cached(_PIECE):
                    await asyncio.get_running_loop().run_in_executor(threads, first.fetch, _PIECE)
                turn += first.send(to.descriptor, _PIECE)
                if not len(first):
                    left.popleft()
            else:
                turn += _send_buffers(left, to.descriptor)
        except BlockingIOError:
            await to.writable()
            turn = 0
        connection.goes_on(SLOW_SECONDS)
        if turn > _A_TURN:
            await asyncio.sleep(0)
            turn = 0


def _send_buffers(left: "deque[Part]", descriptor: int) -> int:
    """Send what a socket takes at once of the buffers with which parts begin, and drop it; returns how many bytes."""
    buffers: list[Buffer] = []
    for part in left:
        if isinstance(part, Elsewhere) or len(buffers) == _MOST_BUFFERS:
            break
        buffers.append(part)
    sent = rest = os.writev(descriptor, buffers)
    while left and rest >= len(left[0]) and not isinstance(left[0], Elsewhere):
        rest -= len(left.popleft())
    if rest and not isinstance(left[0], Elsewhere):
        left[0] = memoryview(left[0])[rest:]
    return sent


class _Socket:
    """The socket of a connection without its transport, which has nothing to send meanwhile."""

    def __init__(self, connection: "Connection") -> None:
        self._transport = connection.writer.transport
        self._own: int | None = None
        self._shared: socket.socket = connection.writer.get_extra_info("socket")

    def __enter__(self) -> Self:
        self._set_cork(is_set=True)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._set_cork(is_set=False)
        finally:
            if self._own is not None:
                os.close(self._own)

    def _set_cork(self, *, is_set: bool) -> None:
        # Many small packets wake the client as often.
        if _CORK is not None and not self._transport.is_closing():
            self._shared.setsockopt(socket.IPPROTO_TCP, _CORK, is_set)

    @property
    def descriptor(self) -> int:
        """Its descriptor.

        Raises:
            ConnectionResetError: the connection is lost.
        """
        if self._transport.is_closing():
            raise ConnectionResetError
        return self._shared.fileno()

    async def writable(self) -> None:
        """Wait until it takes bytes."""
        loop = asyncio.get_running_loop()
        if self._own is None:
            self._own = os.dup(self.descriptor)  # only the transport may watch its own
        ready = loop.create_future()
        loop.add_writer(self._own, _set, ready)
        try:
            await ready
        finally:
            loop.remove_writer(self._own)


def _set(ready: "asyncio.Future[None]") -> None:
    if not ready.done():
        ready.set_result(None)
