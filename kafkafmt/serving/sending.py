"""Sending answers, made of memory and ranges of files, to clients that may take them slowly."""

import asyncio
import socket
from collections import deque
from typing import TYPE_CHECKING, Final

from kafkafmt.protocol.message_bytes import Elsewhere
from kafkafmt.serving.sent_files import FileRange

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from concurrent.futures import Executor

    from kafkafmt.protocol.message_bytes import Buffer, Part
    from kafkafmt.serving.open_connections import Connection

SLOW_SECONDS: Final = 30.0
"""Seconds within which a client must send or take at least some bytes once it has begun."""

_PIECE = 2**20
_WORTH_A_SOCKET = 2**16
# `sendmsg` fails for more than IOV_MAX buffers (1024 on Linux).
_MOST_BUFFERS = 256
_A_FEW = 4096
# Sending to a fast client never waits, so it yields after this many bytes; else other clients would not get a turn.
_A_TURN = 8 * 2**20
_MORE_FOLLOWS = getattr(socket, "MSG_MORE", 0)


def held(parts: "Sequence[Part]") -> "Iterable[int]":
    """The sizes in bytes of the memory blocks that the parts keep alive, which may be much larger than the parts."""
    blocks = {}
    for part in parts:
        if isinstance(part, memoryview):
            blocks[id(part.obj)] = memoryview(part.obj).nbytes
        elif not isinstance(part, Elsewhere):
            blocks[id(part)] = len(part)
    return blocks.values()


def alone(part: "Part") -> "Part":
    """The same bytes without the memory around them: records are in a buffer of up to 9 MiB."""
    is_small = isinstance(part, memoryview) and memoryview(part.obj).nbytes > 2 * len(part)
    return bytes(part) if is_small and isinstance(part, memoryview) else part


async def send(connection: "Connection", parts: "Sequence[Part]", threads: "Executor") -> None:
    """Send buffers and ranges of files one after another, each piece within a time limit.

    Args:
        connection: the client to answer. Its transport must have sent earlier answers completely, unless it encrypts.
        parts: the parts of the answer.
        threads: threads that wait for the disk.

    Raises:
        OSError: the connection failed.
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
    # Written to the socket directly: asyncio's transport copies the unsent rest of a buffer after every partial write.
    await _send(connection, deque(parts), threads)


async def _send_encrypted(connection: "Connection", buffers: "Sequence[Buffer]") -> None:
    for buffer in buffers:
        whole = memoryview(buffer)
        for begin in range(0, len(whole), _PIECE):
            connection.writer.write(whole[begin : begin + _PIECE])
            await connection.writer.drain()
            connection.goes_on(SLOW_SECONDS)


async def _send(connection: "Connection", left: "deque[Part]", threads: "Executor") -> None:
    turn = 0
    while left:
        first = left[0]
        try:
            if isinstance(first, FileRange):
                if not first.is_cached(_PIECE):
                    await asyncio.get_running_loop().run_in_executor(threads, first.fetch, _PIECE)
                turn += first.send(connection.own_socket.fileno(), _PIECE)
                if not first.size:
                    left.popleft()
            else:
                turn += _send_buffers(left, connection.own_socket)
        except BlockingIOError:
            # The event loop waits for a socket only through its transport, so the transport sends the next few bytes.
            connection.writer.write(_taken(left))
            await connection.writer.drain()
        connection.goes_on(SLOW_SECONDS)
        if turn > _A_TURN:
            await asyncio.sleep(0)
            turn = 0


def _send_buffers(left: "deque[Part]", to: socket.socket) -> int:
    """Send as much of the leading buffers as the socket accepts at once, and drop it; returns the number of bytes."""
    buffers: list[Buffer] = []
    for part in left:
        if isinstance(part, Elsewhere) or len(buffers) == _MOST_BUFFERS:
            break
        buffers.append(part)
    # MSG_MORE: otherwise the few bytes before a file range would be a packet of their own, and wake the client.
    sent = to.sendmsg(buffers, (), _MORE_FOLLOWS if len(left) > len(buffers) else 0)
    _drop(left, sent)
    return sent


def _drop(left: "deque[Part]", rest: int) -> None:
    """Drop `rest` bytes of the leading buffers."""
    while left and rest >= len(left[0]) and not isinstance(left[0], Elsewhere):
        rest -= len(left.popleft())
    if rest and not isinstance(left[0], Elsewhere):
        left[0] = memoryview(left[0])[rest:]


def _taken(left: "deque[Part]") -> bytes:
    """Take a few bytes from the beginning of the parts."""
    first = left[0]
    if isinstance(first, FileRange):
        taken = first.take(_A_FEW)
        if not first.size:
            left.popleft()
    else:
        taken = bytes(memoryview(first)[:_A_FEW])  # type: ignore[arg-type] # no other `Elsewhere` is sent
        _drop(left, len(taken))
    return taken
