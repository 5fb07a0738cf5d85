"""The interface between the server and API handlers: Broker, Request and Client."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from uuid import UUID

from kafkafmt.errors import OnServedDamage
from kafkafmt.files.text import kafka_uuid
from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.reference.header import INT32_MIN
from kafkafmt.serving.arrivals import Arrivals

if TYPE_CHECKING:
    from kafkafmt.serving.served_disks import ServedDisks

T = TypeVar("T")

NO_ID = UUID(int=0)
"""The id of a topic or directory without an id."""

ABSENT = -1
"""An offset, timestamp, epoch or id that is absent from an answer."""

NOT_ASKED = INT32_MIN
"""The authorized operations of an answer if the client has not asked for them."""

THREADS = "kafkafmt-serve"
"""Prefix of the names of all threads of a server."""

_POLL_SECONDS = 0.02
_SLICE_SECONDS = 0.1
_ELEMENTS_A_TURN = 500

READ_ONLY = "kafkafmt serve is read-only: it never writes to the disks"

ServedGroups = Literal["disk", "none"]
ServedEnd = Literal["log", "high-watermark"]
OpenTransactions = Literal["keep", "abort"]


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """How disks are served.

    Attributes:
        groups: "disk" to begin with the groups of `__consumer_offsets`, "none" to begin without groups.
        end: whether a partition ends at the "log" end, or at the "high-watermark" of the checkpoint.
        open_transactions: "keep" them, as a broker does: read_committed ends at the first one; or "abort" them.
        on_damage: "skip" damaged batches, or "stop" before them with CORRUPT_MESSAGE.
        at_time: time in ms since the epoch as of which everything is served; None for now.
        follow: whether changes of the disks are followed.
    """

    groups: ServedGroups = "disk"
    end: ServedEnd = "log"
    open_transactions: OpenTransactions = "keep"
    on_damage: OnServedDamage = "skip"
    at_time: int | None = None
    follow: bool = False


@dataclass(slots=True)
class Client:
    """A client's connection.

    Attributes:
        host: the client's address.
        port: the client's port.
        local_host: the address that the client connected to.
        local_port: the port that the client connected to.
        client_id: the client id of the last request.
        principal: the user authenticated by SASL, or None.
    """

    host: str
    port: int
    local_host: str
    local_port: int
    client_id: str = ""
    principal: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A decoded request.

    Attributes:
        api: name of the API.
        version: version of the API.
        body: the request's fields.
        client: the connection that sent the request.
    """

    api: str
    version: int
    body: Value
    client: Client


class Memory:
    """Bounds the bytes of requests and answers held at once. A single request gets at most half of what is left.

    Therefore a client that never reads its answer only reduces what the others can get.
    """

    _MOST = 96 * 2**20
    _LEAST = 64 * 2**10

    def __init__(self) -> None:
        self._left = self._MOST
        self._lock = threading.Lock()

    def take(self, wanted: int) -> int:
        """Take bytes, at most as many as wanted; returns the number granted."""
        with self._lock:
            granted = min(wanted, max(self._LEAST, self._left // 2))
            self._left -= granted
            return granted

    def hold(self, size: int) -> None:
        """Account for bytes that exist already, even if too little memory is left."""
        with self._lock:
            self._left -= size

    def give_back(self, granted: int) -> None:
        """Return bytes to the pool."""
        with self._lock:
            self._left += granted

    @property
    def is_short(self) -> bool:
        """Whether little memory is left."""
        return self._left < self._MOST // 8

    async def reserve(self, size: int, seconds: float) -> bool:
        """Wait until the bytes can be taken; returns False if that takes more than the given seconds."""
        deadline = time.monotonic() + seconds
        while (granted := self.take(size)) < size:
            self.give_back(granted)
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(_POLL_SECONDS)
        return True


@dataclass(slots=True)
class Broker:
    """The only broker of the served cluster: it leads all partitions and coordinates all groups.

    Attributes:
        disks: the served disks.
        options: how the disks are served.
        advertised: host and port in Metadata; None for the address that the client connected to.
        memory: bounds the bytes of requests and answers.
        arrivals: wakes requests that wait for records of followed disks.
        state: what a group of APIs keeps between requests, by a name of its own.
        fetching: threads that read records; other APIs have their own threads, as some take seconds.
        coding: threads that decode and encode large messages.
    """

    disks: "ServedDisks"
    options: ServeOptions = field(default_factory=ServeOptions)
    advertised: tuple[str, int] | None = None
    memory: "Memory" = field(default_factory=Memory)
    arrivals: Arrivals = field(default_factory=Arrivals)
    state: dict[str, Any] = field(default_factory=dict)
    fetching: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(8, f"{THREADS}-fetching"))
    coding: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(2, f"{THREADS}-coding"))

    @property
    def node_id(self) -> int:
        """`node.id` of the first served log directory, as configs of brokers belong to a node."""
        return self.disks.node_id

    @property
    def cluster_id(self) -> str:
        """The cluster id."""
        return self.disks.cluster_id

    def address(self, client: Client) -> tuple[str, int]:
        """The host and port at which a client shall connect."""
        return self.advertised or (client.local_host, client.local_port)


_T = TypeVar("_T")


async def in_turns(elements: Iterable[_T]) -> AsyncIterator[_T]:
    """Iterate over elements on the event loop, yielding to other tasks now and then."""
    for number, each in enumerate(elements, 1):
        yield each
        if number % _ELEMENTS_A_TURN == 0:
            await asyncio.sleep(0)


async def collected(elements: Iterator[T]) -> list[T]:
    """All elements of an answer, made in a thread.

    They are made in chunks, so that an answer about thousands of partitions does not occupy the thread.
    """

    def some() -> bool:
        deadline = time.monotonic() + _SLICE_SECONDS
        for each in elements:
            found.append(each)
            if time.monotonic() > deadline:
                return True
        return False

    found: list[T] = []
    while await asyncio.to_thread(some):
        pass
    return found


Handler = Callable[[Broker, Request], Awaitable[Value]]
Handlers = Mapping[str, Handler]


def refused(error: ErrorCode, message: str | None = None) -> Value:
    """The fields of an answer that reports an error."""
    return {"ErrorCode": error, "ErrorMessage": message}


def uuid_of(kafka_id: str | None) -> UUID:
    """The UUID of a topic or directory id of 22 characters, as Kafka prints it; `NO_ID` for None."""
    return NO_ID if kafka_id is None else kafka_uuid(kafka_id, "an id", position=0)
