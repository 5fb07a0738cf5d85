"""Limits of clients' groups, their memory accounting, and GroupError, the error that a coordinator answers."""

from sys import getsizeof
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from kafkafmt.protocol.error_codes import ErrorCode

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from kafkafmt.protocol.codec import Value

TopicPartition: TypeAlias = tuple[str, int]

SHORTEST_SESSION_MS: Final = 6_000
"""`group.min.session.timeout.ms` of a broker."""
LONGEST_SESSION_MS: Final = 30 * 60 * 1000
"""`group.max.session.timeout.ms` of a broker. Rebalance timeouts, which brokers do not bound, are cut to it."""
MOST_MEMBERS: Final = 1000
"""Members of one group, those included that have an id and have not joined yet."""
MOST_PROTOCOLS: Final = 100
"""Assignors that a member of a classic group knows."""
LONGEST_METADATA: Final = 4096
"""`offset.metadata.max.bytes` of a broker: most characters of a commit's metadata."""

GROUP_BYTES: Final = 2048
"""Estimate of what a group takes in memory, without its members and texts."""
OBJECT_BYTES: Final = 1024
"""Estimate of what a member takes in memory, without its texts and bytes."""
COMMIT_BYTES: Final = 300
"""Estimate of what a commit takes in memory, without its texts."""

_MOST_BYTES = 64 * 2**20


def size_of(*texts: str | None) -> int:
    """Bytes of memory of texts: with one rare character, each character of a text takes four bytes."""
    return sum(map(getsizeof, filter(None, texts)))


class GroupError(Exception):
    """Raised when a coordinator refuses a request.

    Attributes:
        code: the error code.
        message: for the client, if its version of the API has a field for it.
    """

    def __init__(self, code: ErrorCode, message: str | None = None) -> None:
        super().__init__(message or code.name)
        self.code, self.message = code, message

    @property
    def fields(self) -> "Value":
        """Fields of an answer."""
        return {"ErrorCode": self.code, "ErrorMessage": self.message}


class Clock(Protocol):
    """The time of an event loop, in seconds: all that groups know of time."""

    def call_later(self, delay: float, callback: "Callable[[], object]") -> "asyncio.TimerHandle":
        """Call a function after a time in seconds."""

    def create_future(self) -> "asyncio.Future[Value]":
        """A future of the loop."""


class Room:
    """Memory that all groups and commits of clients may take, in bytes; what the disk has does not count."""

    def __init__(self, size: int = _MOST_BYTES) -> None:
        self._left = size

    def take(self, size: int, code: ErrorCode = ErrorCode.GROUP_MAX_SIZE_REACHED) -> None:
        """Take bytes.

        Raises:
            GroupError: that many are not left.
        """
        if size > self._left:
            raise GroupError(code, "kafkafmt serve keeps no more groups and commits in memory")
        self._left -= size

    def give_back(self, size: int) -> None:
        """Give bytes back."""
        self._left += size
