"""Hostile connections to the server's connection handler, in this process, where no time passes and no thread runs.

A session is a new server of disks that stay open, and some connections at the same time, each a pair of sockets. Time
passes only where all wait: then the clock, which is also `time.monotonic` meanwhile, goes on to the next timer at once.
So a Fetch may wait for 30 s, and a client be silent for ten minutes. What the server has threads do is done where it is
asked for. A session is thus the same each time but for what clients cannot foresee, the ids of members and nonces.
"""

import asyncio
import json
import os
import random
import resource
import selectors
import socket
import struct
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import kafkafmt
from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.frames import read_request
from kafkafmt.protocol.schemas import api_key
from kafkafmt.serving.api import Broker, Memory, ServeOptions
from kafkafmt.serving.broker import HANDLERS
from kafkafmt.serving.refusals import HANDLERS as REFUSED
from kafkafmt.serving.security import Security
from kafkafmt.serving.security.sasl import Credentials
from kafkafmt.serving.served_disks import ServedDisks
from kafkafmt.serving.server import Connections
from tests.golden_cases import GOLDEN
from tests.hostile.hostile_requests import (
    Names,
    answer_to,
    broken_bytes,
    broken_values,
    framed,
    golden_requests,
    of_member,
    requests_about,
)
from tests.hostile.mutations import scramble
from tests.serving.wire import request_frame

SHOP = Path(__file__).parents[2] / "docs" / "examples" / "shop" / "log-dir"
_DISKS = (
    (SHOP, ServeOptions()),
    (SHOP, ServeOptions(follow=True)),
    (SHOP, ServeOptions(groups="none", end="high-watermark", on_damage="stop")),
    (GOLDEN / "modern/04-transactions-4.3.1/log-dir", ServeOptions(open_transactions="abort")),
    (GOLDEN / "modern/08-consumer-groups-4.3.1/log-dir", ServeOptions()),
    (GOLDEN / "legacy/upgrade-0.8.2.2-to-2.8.2/log-dir", ServeOptions()),
)
_USER, _PASSWORD = "audit", "secret, pass=word"
_CONNECTIONS = 48
_JOINING = (api_key("JoinGroup"), api_key("ConsumerGroupHeartbeat"))
_PATIENCE = 60.0
"""Seconds in which what a client asked is answered, and its connection ends once the client has ended its direction."""
_IDLE = 700.0
"""Seconds after which a connection that is not used has ended."""
_LONGEST = 4 * 2**20
_AT_A_TIME = 2**16
_MOST_GROWTH = 256 * 2**20


class _Clock(selectors.DefaultSelector):
    """What a loop waits with: if nothing has happened, the time for which it would wait is over."""

    now = 1000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            if timeout is None:
                raise AssertionError("all wait for something that never happens")
            self.now += max(0.0, timeout)
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self, faults: list[Any]) -> None:
        self._clock = _Clock()
        super().__init__(self._clock)
        self.set_default_executor(_AT_ONCE)
        self.set_exception_handler(lambda _, context: faults.append(context))

    def time(self) -> float:
        return self._clock.now


class _AtOnce(ThreadPoolExecutor):
    def submit(self, call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        done: Future[Any] = Future()
        try:
            done.set_result(call(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - it is raised where the result is asked for
            done.set_exception(error)
        return done


_AT_ONCE = _AtOnce()


class _Accepted(socket.socket):
    """The server's end of a pair, with the addresses and options of TCP."""

    def getpeername(self) -> tuple[str, int]:
        return "127.0.0.1", 40_000

    def getsockname(self) -> tuple[str, int]:
        return "127.0.0.1", 9092

    def setsockopt(self, *_: Any) -> None:
        pass


class _Client:
    """The other end.

    Attributes:
        serving: the task of the server for it.
        sent: all bytes.
        received: all bytes so far.
        is_closed: whether the server has ended its direction.
    """

    def __init__(self, own: socket.socket, serving: "asyncio.Task[None]") -> None:
        self.serving = serving
        self.sent, self.received, self.is_closed = bytearray(), bytearray(), False
        self._socket, self._loop = own, asyncio.get_running_loop()
        self._more = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None

    @property
    def received_frames(self) -> list[bytes]:
        return frames(self.received, least=4)

    async def send(self, data: bytes) -> None:
        """Send, and read from now on: a client that does not can stop the server, and thereby itself."""
        self.sent += data
        self._reading = self._reading or self._loop.create_task(self._read())
        with suppress(ConnectionError):
            await self._loop.sock_sendall(self._socket, data)

    async def _read(self) -> None:
        with suppress(ConnectionError):
            while piece := await self._loop.sock_recv(self._socket, _AT_A_TIME):
                self.received += piece
                self._more.set()
        self.is_closed = True
        self._more.set()

    async def answers(self, number: int) -> bool:
        """Wait for so many answers; returns whether they came before the server closed, or the patience ended."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                while len(self.received_frames) < number and not self.is_closed:
                    self._more.clear()
                    await self._more.wait()
        return len(self.received_frames) >= number

    def ends(self) -> None:
        """Send no more."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    async def close(self) -> None:
        """Close it, whatever was not read."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait((self._reading,))
        self._socket.close()

    async def closed(self, seconds: float = _PATIENCE) -> None:
        """Wait until the server has ended the connection; what it raised goes on."""
        done, _ = await asyncio.wait([each for each in (self.serving, self._reading) if each], timeout=seconds)
        if self.serving not in done or (self._reading is not None and self._reading not in done):
            raise AssertionError("the connection does not end")
        self.serving.result()


def frames(stream: bytes | bytearray, *, least: int = 8) -> list[bytes]:
    """What a stream has of whole frames, without their sizes, up to one that is too small."""
    found, position = [], 0
    while len(stream) - position >= 4:
        (size,) = struct.unpack_from(">i", stream, position)
        if size < least or len(stream) - position - 4 < size:
            break
        found.append(bytes(stream[position + 4 : position + 4 + size]))
        position += 4 + size
    return found


@dataclass(frozen=True)
class Served:
    """Disks that are served, and requests about them, by API; those of APIs that are only refused are apart."""

    disks: ServedDisks
    options: ServeOptions
    requests: Sequence[Sequence[bytes]]
    refused: Sequence[Sequence[bytes]]
    asked: bytes

    @classmethod
    @cache
    def of(cls, number: int) -> "Served":
        path, options = _DISKS[number]
        disks = ServedDisks(kafkafmt.open(path), options, sends_files=True)
        topics = tuple(disks.logs)
        ids = tuple(each for topic in topics if (each := disks.topic_id(topic)) is not None)
        names = Names(topics, ids, (*disks.groups, *disks.transactional_ids, "new-1", "new-2"))
        refused = [*requests_about(names, REFUSED), golden_requests()]
        partitions = [(topic, number) for topic, logs in disks.logs.items() for number in logs][:4]
        return cls(disks, options, requests_about(names, HANDLERS.keys() - REFUSED.keys()), refused, _asked(partitions))


def _asked(partitions: Sequence[tuple[str, int]]) -> bytes:
    """What a client that behaves well asks."""
    wanted = {"FetchOffset": 0, "PartitionMaxBytes": 2**20}
    fetched = [{"Topic": topic, "Partitions": [{"Partition": number, **wanted}]} for topic, number in partitions]
    listed = [
        {"Name": topic, "Partitions": [{"PartitionIndex": number, "Timestamp": -1}]} for topic, number in partitions
    ]
    return b"".join(
        (
            request_frame("ApiVersions", 3, {"ClientSoftwareName": "tests", "ClientSoftwareVersion": "1"}),
            request_frame("Metadata", 12, {"Topics": None}),
            request_frame("Fetch", 12, {"MaxWaitMs": 0, "MinBytes": 0, "MaxBytes": 2**20, "Topics": fetched}),
            request_frame("ListOffsets", 7, {"Topics": listed}),
        )
    )


@cache
def _credentials() -> Credentials:
    return Credentials(_USER, _PASSWORD)


@cache
def _logins() -> tuple[bytes, ...]:
    """What clients sent to authenticate, as it was on their connections."""
    dialogues = json.loads((GOLDEN / "sasl" / "dialogues.json").read_bytes()).values()
    return tuple(b"".join(bytes.fromhex(each["sent"]) for each in dialogue) for dialogue in dialogues)


_LOGIN = b"".join(
    (
        request_frame("SaslHandshake", 1, {"Mechanism": "PLAIN"}),
        request_frame("SaslAuthenticate", 2, {"AuthBytes": f"\0{_USER}\0{_PASSWORD}".encode()}),
    )
)


@dataclass
class _Session:
    served: Served
    has_login: bool
    connections: Connections
    members: list[Value] = field(default_factory=list)
    sockets: list[socket.socket] = field(default_factory=list)
    asked: int = 0

    async def run(self, rnd: random.Random) -> None:
        before = await self._well_behaved()
        chosen = [random.Random(rnd.random()) for _ in range(_CONNECTIONS)]
        hostile = [asyncio.create_task(self._conversation(each)) for each in chosen]
        meanwhile = await self._well_behaved()
        silent = [client for client in [await each for each in hostile] if client is not None]
        # Timers of groups ring: after half an hour the last one.
        await asyncio.sleep(rnd.choice((0, 1, 10, 60)) if rnd.random() < 0.98 else 1900)
        after = await self._well_behaved()
        assert before == meanwhile == after
        assert len(frames(after, least=4)) == len(frames(self.served.asked)) + (2 if self.has_login else 0)
        await self.connections.end()
        for client in silent:
            await client.closed(1)
            await client.close()

    async def _well_behaved(self) -> bytes:
        client = await self._connected()
        await client.send((_LOGIN if self.has_login else b"") + self.served.asked)
        client.ends()
        await client.closed()
        self._judge(client)
        await client.close()
        return bytes(client.received)

    async def _connected(self) -> _Client:
        loop = asyncio.get_running_loop()
        theirs, ours = socket.socketpair()
        theirs.settimeout(0)
        serving: asyncio.Future[asyncio.Task[None]] = loop.create_future()

        def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            serving.set_result(loop.create_task(self.connections.serve(reader, writer)))

        protocol = asyncio.StreamReaderProtocol(asyncio.StreamReader(2**16, loop), accepted, loop)
        await loop.connect_accepted_socket(lambda: protocol, _Accepted(fileno=ours.detach()))
        self.sockets.append(theirs)
        return _Client(theirs, await serving)

    async def _conversation(self, rnd: random.Random) -> _Client | None:
        """What one client does; returns it if it only falls silent."""
        client = await self._connected()
        data = rnd.choice(_logins()) if self.has_login else b""
        how = rnd.choice(("in turns", "in turns", "at once", "at once", "cut"))
        if how == "in turns" and not self.has_login:
            for number in range(1, rnd.choice((2, 2, 3, 5)) + 1):
                await client.send(framed(self._request(rnd)))
                if not await client.answers(number):
                    break
                self._learn(frames(client.sent)[-1], client.received_frames[-1])
        else:
            data += b"".join(framed(self._request(rnd)) for _ in range(rnd.choice((1, 1, 1, 2, 3))))
            if how == "cut":
                data = data[: rnd.randrange(len(data) + 1)]
            elif self.has_login or rnd.random() < 0.1:
                data = scramble(rnd, data)
            await client.send(data)
        self.asked += max(1, len(frames(client.sent)))
        end = "ends" if how != "cut" else rnd.choice(("ends", "closes", "closes", "is silent", "is silent"))
        if end == "is silent":
            if rnd.random() < 0.98:
                return client
            await client.closed(_IDLE)
        elif end == "ends":
            client.ends()
            await client.closed()
        await client.close()
        await client.closed()
        self._judge(client)
        return None

    def _request(self, rnd: random.Random) -> bytes:
        seed = rnd.choice(rnd.choice(self.served.requests if rnd.random() < 0.9 else self.served.refused))
        if self.members and rnd.random() < 0.3:
            seed = of_member(seed, rnd.choice(self.members))
        what = rnd.random()
        if what < 0.25:
            return seed
        return broken_bytes(rnd, seed) if what < 0.85 else broken_values(rnd, seed)[:_LONGEST]

    def _learn(self, request: bytes, answer: bytes) -> None:
        """Take note of what a client is in a group since then, for the requests of others."""
        if int.from_bytes(request[:2]) not in _JOINING or len(self.members) == _CONNECTIONS:
            return
        body, found = read_request(memoryview(request)).body or {}, answer_to(request, answer) or {}
        if found.get("MemberId"):
            epoch = found.get("GenerationId", found.get("MemberEpoch"))
            epochs = dict.fromkeys(("GenerationId", "MemberEpoch", "GenerationIdOrMemberEpoch"), epoch)
            self.members.append({"GroupId": body["GroupId"], "MemberId": found["MemberId"], **epochs})

    def _judge(self, client: _Client) -> None:
        """Each request has its answer, in order, until the connection ended."""
        requests, answers = frames(client.sent), client.received_frames
        if self.has_login:  # bare tokens have no header
            assert len(answers) <= len(requests)
            return
        for request, answer in zip(requests, answers, strict=False):
            if answer_to(request, answer) is None:
                raise AssertionError(f"{request.hex()} -> {answer.hex()}"[:2000])
        assert len(answers) <= len(requests), "more than was asked for"


def check_session(rnd: random.Random) -> int:
    """Let clients do their worst to a server; returns how many requests they sent, whole or not."""
    most, peak = _resident_at_first() + _MOST_GROWTH, _peak()
    served, has_login = Served.of(rnd.randrange(len(_DISKS))), rnd.random() < 0.15
    lines: list[str] = []
    faults: list[Any] = []
    broker = Broker(served.disks, served.options, fetching=_AT_ONCE, coding=_AT_ONCE)
    security = Security(credentials=_credentials() if has_login else None)
    loop = _Loop(faults)
    with patch.object(time, "monotonic", loop.time):
        connections = Connections(broker, lines.append, most=256, logs_requests=rnd.random() < 0.5, security=security)
        session = _Session(served, has_login, connections)
        try:
            loop.run_until_complete(session.run(rnd))
            left = asyncio.all_tasks(loop)
        finally:
            _cancel(loop)
            for each in session.sockets:
                each.close()
    assert not faults, faults
    assert not left, left
    assert broker.memory._left == Memory._MOST
    assert all(each.isprintable() and len(each) < 1000 for each in lines), lines
    # Neither one session nor all so far may take much more than there was before the first one.
    assert _peak() <= max(peak, most), f"{_peak():,} bytes of memory"
    return session.asked


def _cancel(loop: _Loop) -> None:
    """Close a loop after what is left there, as after a failure."""
    left = asyncio.all_tasks(loop)
    for each in left:
        each.cancel()
    if left:
        loop.run_until_complete(asyncio.wait(left, timeout=_PATIENCE))
        loop.run_until_complete(asyncio.sleep(0))
    loop.close()


@cache
def _resident_at_first() -> int:
    return int(Path("/proc/self/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
