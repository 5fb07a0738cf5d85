"""OpenConnections: the connections of a broker, and which of them are closed when there are too many.

Where a connection more than allowed comes, the one that was active least recently gives way to it: first those that
never had an answer, then those that were not active for some seconds. Clients of Kafka connect again when they need to.
A connection that waits for an answer also ends when its client is gone, and one that takes its answer slowly when the
others have no memory left.
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
"""Seconds of inactivity before a connection that had an answer may be closed in favour of another one."""
_SWEEP_SECONDS = 0.5
_SWEEPS_TO_TIDY = 20
_SLOW_SECONDS = 2.0
"""Seconds that sending an answer may take while there is no memory for others."""

_STREAM = socket.SOCK_STREAM | getattr(socket, "SOCK_NONBLOCK", 0)
"""Without waiting, whatever the default timeout of the process is; where systems know no such type, a call says so."""

_PEER_ENDED = getattr(select, "POLLRDHUP", 0)  # Linux; elsewhere only ends of both directions are reported

Doing = Literal["idle", "sending", "asking", "taking"]


@dataclass(slots=True, eq=False)
class Connection:
    """An open connection.

    Attributes:
        task: that serves it.
        reader: its bytes.
        writer: its other direction.
        since: `time.monotonic` when it last began to do what it does.
        doing: "idle" between requests, "sending" a request, "asking" while it is answered, "taking" while the answer is
            sent.
        until: `time.monotonic` by which the client must have done its part.
        was_answered: whether a request was answered.
        end: why it was ended from here, or None.
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
        """Its socket, to send by without the transport, which must have nothing to send then.

        The transport's object does not send. It closes the socket at any await, and this one must not.

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
        """Take note of what it does from now on, for so long at most: then it is ended."""
        self.doing, self.since = doing, time.monotonic()
        self.until = self.since + seconds

    def goes_on(self, seconds: float) -> None:
        """Allow more seconds for its work."""
        self.until = time.monotonic() + seconds

    @property
    def is_gone(self) -> bool:
        """Whether the client has ended the connection, or its direction of it."""
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
        most: how many are open at most.
        memory: bytes that requests and answers may take.
        tidy: called now and then, for what is kept for the next requests.

    Attributes:
        is_ending: whether all are ended: one that was accepted just before must not begin.
    """

    def __init__(self, most: int, memory: Memory, tidy: Callable[[], None] = lambda: None) -> None:
        self._most, self._memory, self._tidy = most, memory, tidy
        self._sweeps = 0
        self._open: dict[Connection, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self.is_ending = False

    def add(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Connection | None:
        """Add the connection of the current task; None if there are too many, and none gives way."""
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
        """End the least recently active connection; returns whether there was one that may be."""
        unanswered = [each for each in self._open if not each.was_answered]
        inactive = [each for each in self._open if now - each.since > _ACTIVE_SECONDS]
        found = min(unanswered or inactive, key=lambda each: each.since, default=None)
        if found is not None:
            self._end(found, f"another takes its place: {self._most} connections are open")
        return found is not None

    def _sweep(self) -> None:
        now = time.monotonic()
        self._timer = asyncio.get_running_loop().call_later(_SWEEP_SECONDS, self._sweep)
        self._sweeps += 1
        if self._sweeps % _SWEEPS_TO_TIDY == 0:
            self._tidy()
        for each in list(self._open):
            if now > each.until:
                self._end(each, "the client does not go on")
            elif each.doing == "asking" and each.is_gone and now - each.since > _SWEEP_SECONDS:
                self._end(each, "")
        if self._memory.is_short:
            taking = (each for each in self._open if each.doing == "taking" and now - each.since > _SLOW_SECONDS)
            slowest = min(taking, key=lambda each: each.since, default=None)
            if slowest is not None:
                self._end(slowest, "the client takes its answer slowly, and there is no memory for others")
