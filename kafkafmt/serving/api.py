"""What a handler of an API gets: the broker, and a request of a client."""

import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from kafkafmt.files.text import kafka_uuid
from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode

if TYPE_CHECKING:
    from kafkafmt.serving.served_disks import ServedDisks

NO_ID = UUID(int=0)
"""The id of a topic or directory that has none."""

ABSENT = -1
"""An offset, timestamp, epoch or id that an answer does not have."""

READ_ONLY = "kafkafmt serve only reads: it writes nothing to the disks that it serves"


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """How disks are served.

    Attributes:
        groups: whether groups begin as `__consumer_offsets` has them on the "disk", or with "none".
        end: whether a partition ends at its "log" end, or at the "high-watermark" of the checkpoint.
        open_transactions: "keep" them, as a broker does: read_committed ends at the first one; or "abort" them.
        on_damage: "skip" damaged batches, or "stop" before them with CORRUPT_MESSAGE.
        at_time: ms since the epoch as of which everything is served; None for now.
    """

    groups: Literal["disk", "none"] = "disk"
    end: Literal["log", "high-watermark"] = "log"
    open_transactions: Literal["keep", "abort"] = "keep"
    on_damage: Literal["skip", "stop"] = "skip"
    at_time: int | None = None


@dataclass(slots=True)
class Client:
    """A connection.

    Attributes:
        host: address of the client.
        port: its port.
        local_host: address that it has connected to.
        local_port: port that it has connected to.
        client_id: its name for itself in its last request.
        principal: the user that SASL has authenticated, or None.
    """

    host: str
    port: int
    local_host: str
    local_port: int
    client_id: str = ""
    principal: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A request.

    Attributes:
        api: name of the API.
        version: of the API.
        body: its fields.
        client: its sender.
    """

    api: str
    version: int
    body: Value
    client: Client


class Memory:
    """Bytes of requests and answers that are held at once. Nobody gets more than half of what is left.

    So a client that never reads its answer costs the others no more than room in theirs.
    """

    _MOST = 96 * 2**20
    _LEAST = 64 * 2**10

    def __init__(self) -> None:
        self._left = self._MOST
        self._lock = threading.Lock()

    def take(self, wanted: int) -> int:
        """Take bytes; returns how many were granted, at most as many as wanted."""
        with self._lock:
            granted = min(wanted, max(self._LEAST, self._left // 2))
            self._left -= granted
            return granted

    def give_back(self, granted: int) -> None:
        """Give them back."""
        with self._lock:
            self._left += granted


@dataclass(slots=True)
class Broker:
    """The only broker of the served cluster: it leads all partitions and coordinates all groups.

    Attributes:
        disks: the served disks.
        options: how they are served.
        advertised: host and port in Metadata; None for those that the client has connected to.
        memory: bytes that requests and answers may take.
        state: what a group of APIs keeps between requests, by its name.
    """

    disks: "ServedDisks"
    options: ServeOptions = field(default_factory=ServeOptions)
    advertised: tuple[str, int] | None = None
    memory: "Memory" = field(default_factory=Memory)
    state: dict[str, Any] = field(default_factory=dict)

    @property
    def node_id(self) -> int:
        """Its `node.id`: that of the first served log directory, as configs of brokers belong to a node."""
        return self.disks.node_id

    @property
    def cluster_id(self) -> str:
        """Id of the cluster."""
        return self.disks.cluster_id

    def address(self, client: Client) -> tuple[str, int]:
        """Host and port for a client."""
        return self.advertised or (client.local_host, client.local_port)


Handler = Callable[[Broker, Request], Awaitable[Value]]
Handlers = Mapping[str, Handler]


def refused(error: ErrorCode, message: str | None = None) -> Value:
    """Fields of an answer that is an error."""
    return {"ErrorCode": error, "ErrorMessage": message}


def uuid_of(kafka_id: str | None) -> UUID:
    """An id of 22 characters, as Kafka prints those of topics and directories; `NO_ID` for None."""
    return NO_ID if kafka_id is None else kafka_uuid(kafka_id, "an id", position=0)
