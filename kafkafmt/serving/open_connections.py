"""OpenConnections: the connections of a broker, and the choice of those to close when there are too many.

A connection beyond the limit replaces the least recently active one: first of those that never got an answer, then of
those that were inactive for some seconds. Kafka's clients connect again when they need to. A connection that waits for
an answer also ends when its client is gone, and a connection whose client reads its answer slowly ends when no memory
is left for the others.
"""

import asyncio
import math
import select
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from kafkafmt.serving.api import Memory

_ACTIVE_SECONDS = 5.0
"""Seconds of inactivity after which a connection that got an answer may be closed in favour of another one."""
_SWEEP_SECONDS = 0.5
_SWEEPS_TO_TIDY = 20
_SLOW_SECONDS = 2.0
"""Seconds that sending an answer may take while no memory is left for others."""

_STREAM = socket.SOCK_STREAM | getattr(socket, "SOCK_NONBLOCK", 0)
"""Non-blocking whatever the process's default timeout is; systems without this type set it by a call."""

_PEER_ENDED = getattr(select, "POLLRDHUP", 0)  # Linux only; other systems report only the end of both directions

Doing = Literal["idle", "sending", "asking", "taking"]


@dataclass(slots=True, eq=False)
class Connection:
    """An open connection.

    Attributes:
        task: the task that serves the connection.
        reader: the stream from the client.
        writer: the stream to the client.
        since: `time.monotonic` when the present activity began.
        doing: "idle" between requests, "sending" a request, "asking" while it is answered, "taking" while the answer is
            sent.
        until: `time.monotonic` by which the client must have done its part.
        was_answered: whether a request was answered.
        end: the reason why this side ended the connection, or None.
    """

    task: "asyncio.Task[None]"
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    since: float
    doing: Doing = "idle"
    until: float = math.inf
    was_answered: bool = False
    end: str | None = None
    _own: socket.socket | None = None

    @property
    def own_socket(self) -> socket.socket:
        """The connection's socket, to send without the transport, which must have nothing to send then.

        The transport's own socket object cannot send. The transport may close the socket at any await; this object must
        not be used after one.

        Raises:
            ConnectionResetError: the connection is lost.
        """
        if self.writer.transport.is_closing():
            raise ConnectionResetError
        if self._own is None:
            self._own = socket.socket(socket.AF_INET, _STREAM, 0, self.writer.get_extra_info("socket").fileno())
            if _STREAM == socket.SOCK_STREAM:
                self._own.settimeout(0)
        return self._own

    def release(self) -> None:
        """Leave the socket to the transport."""
        if self._own is not None:
            self._own.detach()
            self._own = None

    def does(self, doing: Doing, seconds: float = math.inf) -> None:
        """Record the present activity and its time limit, after which the connection is ended."""
        self.doing, self.since = doing, time.monotonic()
        self.until = self.since + seconds

    def goes_on(self, seconds: float) -> None:
        """Extend the time limit of the present activity, counted from now."""
        self.until = time.monotonic() + seconds

    @property
    def is_gone(self) -> bool:
        """Whether the client has closed the connection, or its own direction."""
        if self.reader.at_eof() or self.writer.transport.is_closing():
            return True
        # With pipelined requests still unread, the reader does not report the end of the stream, so the socket is
        # polled.
        poll = select.poll()
        poll.register(self.writer.get_extra_info("socket").fileno(), _PEER_ENDED)
        return bool(poll.poll(0))


class OpenConnections:
    """The open connections.

    Args:
        most: upper bound of open connections.
        memory: bounds the bytes of requests and answers.
        tidy: called regularly, to release what is kept for later requests.

    Attributes:
        is_ending: whether all connections are being ended, so that one accepted just before must not begin.
    """

    def __init__(self, most: int, memory: Memory, tidy: Callable[[], None] = lambda: None) -> None:
        self._most, self._memory, self._tidy = most, memory, tidy
        self._sweeps = 0
        self._open: dict[Connection, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self.is_ending = False

    def add(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Connection | None:
        """Add the connection of the current task; None if there are too many, and none may be closed."""
        now, task = time.monotonic(), asyncio.current_task()
        if task is None or (len(self._open) >= self._most and not self._give_way(now)):
            return None
        connection = Connection(task, reader, writer, now)
        self._open[connection] = None
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_SWEEP_SECONDS, self._sweep)
        return connection

    def discard(self, connection: Connection) -> None:
        """Remove a connection that has ended."""
        self._open.pop(connection, None)

    async def end(self) -> None:
        """End all connections."""
        self.is_ending = True
        if self._timer is not None:
            self._timer.cancel()
        ended = list(self._open)
        for connection in ended:
            self._end(connection, "")
        if ended:
            await asyncio.wait([each.task for each in ended], timeout=1)

    def _end(self, connection: Connection, why: str) -> None:
        self.discard(connection)
        connection.end = why
        connection.task.cancel()

    def _give_way(self, now: float) -> bool:
        """End the least recently active connection that may be closed; returns whether there was one."""
        unanswered = [each for each in self._open if not each.was_answered]
        inactive = [each for each in self._open if now - each.since > _ACTIVE_SECONDS]
        found = min(unanswered or inactive, key=lambda each: each.since, default=None)
        if found is not None:
            self._end(found, f"to make room for a new one: {self._most} connections are open")
        return found is not None

    def _sweep(self) -> None:
        now = time.monotonic()
        self._timer = asyncio.get_running_loop().call_later(_SWEEP_SECONDS, self._sweep)
        self._sweeps += 1
        if self._sweeps % _SWEEPS_TO_TIDY == 0:
            self._tidy()
        for each in list(self._open):
            if now > each.until:
                self._end(each, "the client stopped sending or reading")
            elif each.doing == "asking" and each.is_gone and now - each.since > _SWEEP_SECONDS:
                self._end(each, "")
        if self._memory.is_short:
            taking = (each for each in self._open if each.doing == "taking" and now - each.since > _SLOW_SECONDS)
            slowest = min(taking, key=lambda each: each.since, default=None)
            if slowest is not None:
                self._end(slowest, "the client reads its answer slowly, and there is no memory for others")
