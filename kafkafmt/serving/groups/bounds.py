"""Limits of clients' groups, the accounting of their memory, and GroupError, the coordinator's error."""

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
"""`group.max.session.timeout.ms` of a broker. Rebalance timeouts, which a broker does not bound, are cut to it."""
MOST_MEMBERS: Final = 1000
"""Most members of a group, including those that have an id but have not joined yet."""
MOST_PROTOCOLS: Final = 100
"""Most assignors of a member of a classic group."""
LONGEST_METADATA: Final = 4096
"""`offset.metadata.max.bytes` of a broker: most characters of a commit's metadata."""

GROUP_BYTES: Final = 2048
"""Estimated memory of a group in bytes, without its members and texts."""
OBJECT_BYTES: Final = 1024
"""Estimated memory of a member in bytes, without its texts and byte strings."""
COMMIT_BYTES: Final = 300
"""Estimated memory of a commit in bytes, without its texts."""

_MOST_BYTES = 64 * 2**20


def size_of(*texts: str | None) -> int:
    """Memory of texts in bytes; one rare character makes each character of its text take four bytes."""
    return sum(map(getsizeof, filter(None, texts)))


class GroupError(Exception):
    """Raised when the coordinator refuses a request.

    Attributes:
        code: the error code.
        message: message for the client, if the version of the API has a field for it.
    """

    def __init__(self, code: ErrorCode, message: str | None = None) -> None:
        super().__init__(message or code.name)
        self.code, self.message = code, message

    @property
    def fields(self) -> "Value":
        """The error's fields in an answer."""
        return {"ErrorCode": self.code, "ErrorMessage": self.message}


class Clock(Protocol):
    """The part of an event loop that groups use to measure time, in seconds."""

    def call_later(self, delay: float, callback: "Callable[[], object]") -> "asyncio.TimerHandle":
        """Call a function after a delay in seconds."""

    def create_future(self) -> "asyncio.Future[Value]":
        """Make a future of the event loop."""


class Room:
    """Memory in bytes for all groups and commits of clients; groups of the disk do not count."""

    def __init__(self, size: int = _MOST_BYTES) -> None:
        self._left = size

    def take(self, size: int, code: ErrorCode = ErrorCode.GROUP_MAX_SIZE_REACHED) -> None:
        """Take bytes.

        Raises:
            GroupError: fewer bytes are left.
        """
        if size > self._left:
            raise GroupError(code, "kafkafmt serve keeps no more groups and commits in memory")
        self._left -= size

    def give_back(self, size: int) -> None:
        """Give bytes back."""
        self._left += size
