"""How much memory the state of an internal topic takes, estimated while it is built, and where that ends.

What a topic's records decode to has no fixed ratio to their bytes on disk: repeated keys compress to almost nothing,
and an empty array of two bytes becomes an object of fifty. So the state is bounded by itself.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from kafkafmt.errors import LimitExceededError

if TYPE_CHECKING:
    from kafkafmt.limits import Limits

PER_STORED_BYTE: Final = 32
"""Bytes of state that a byte of the files read may become beyond `max_state_bytes`: commits become about 12."""

# What CPython takes for them, with their place in a dictionary.
RECORD: Final = 600
TEXT: Final = 56


class StateTooLargeError(LimitExceededError):
    """The state takes more memory than allowed; no fault of one record, so nothing passes over it."""


class StateMemory:
    """Adds up estimates of what is kept, and raises an error above `max_state_bytes` plus a share of the files' size.

    Args:
        topic: whose state it is, for the error.
        limits: `max_state_bytes` counts.
        stored_bytes: size of the files that are read.
        recount: estimates anew what is kept now, in bytes: records that others replaced are added, never taken away.
            It is called before the error, and then no sooner than what it left room for is used up.

    Attributes:
        most: bytes that may be kept.
    """

    def __init__(self, topic: str, limits: "Limits", stored_bytes: int, recount: Callable[[], int]) -> None:
        self.most = limits.max_state_bytes + PER_STORED_BYTE * stored_bytes
        self._topic = topic
        self._limit = limits.max_state_bytes
        self._stored = stored_bytes
        self._recount = recount
        self._added = 0

    def add(self, size: int, file: str | None, position: int | None) -> None:
        """Add what is kept of records.

        Args:
            size: estimate in bytes.
            file: that holds the last of them, as errors name it.
            position: of its batch, in bytes.

        Raises:
            StateTooLargeError: more is kept than `most`.
        """
        self._added += size
        if self._added <= self.most:
            return
        self._added = self._recount()
        if self._added > self.most:
            raise StateTooLargeError(
                f"the state of {self._topic} takes too much memory: up to here it needs "
                f"kafkafmt.Limits(max_state_bytes={self._added - PER_STORED_BYTE * self._stored})",
                file=file,
                position=position,
                expected=f"at most {self._limit} bytes, and {PER_STORED_BYTE} for each of {self._stored} bytes on disk",
                found=f"{self._added} bytes",
            )
