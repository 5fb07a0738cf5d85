"""Errors: one root, and the few classes that a caller would catch separately.

The contract: any bytes give records or a `KafkafmtError`; never another exception, a hang, or memory beyond `Limits`.
"""

import errno
import os
from typing import Any, Literal, Self

OnDamage = Literal["raise", "skip"]
"""The reader's action on damage (a `DataError`): raise it, or report it and continue after it."""

OnServedDamage = Literal["skip", "stop"]
"""The action of `serve` on damage: skip the batches and report them, or stop clients before them."""

Missing = Literal["raise", "note"]
"""The reader's action on names that do not exist: raise a `NotFoundError`, or note them and read the others."""

_DISK_FAILURES = frozenset({errno.EIO, errno.EBADMSG, getattr(errno, "EUCLEAN", errno.EIO), errno.ENODATA})


class KafkafmtError(Exception):
    """Root of every error that kafkafmt raises about its sources.

    Attributes:
        file: name of the file as the `file` column gives it, or None while unknown.
        position: byte offset in the file of the entry or field concerned, or None while unknown.
        expected: the value in a sound file, or None.
        found: the value found instead, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        position: int | None = None,
        expected: object = None,
        found: object = None,
    ) -> None:
        super().__init__(message)
        self.file = file
        self.position = position
        self.expected = expected
        self.found = found

    @property
    def message(self) -> str:
        """The fault, without its place."""
        message: str = self.args[0]
        return message

    @message.setter
    def message(self, message: str) -> None:
        self.args = (message,)

    def at(self, file: str | None = None, position: int | None = None) -> Self:
        """Fill in the place if it is not known yet; returns the error itself, to be raised."""
        if self.file is None:
            self.file = file
        if self.position is None:
            self.position = position
        return self

    def __str__(self) -> str:
        """Place and message, with the expected and found values if they are known."""
        place = ""
        if self.file is not None:
            place = self.file
        if self.position is not None:
            place = f"{place}: position {self.position}" if place else f"position {self.position}"
        details = [
            f"{name} {value}"
            for name, value in (("expected", self.expected), ("found", self.found))
            if value is not None
        ]
        text = f"{place}: {self.message}" if place else self.message
        if details:
            text = f"{text} ({', '.join(details)})"
        # Bytes of a name that are not valid text are shown as escapes: lone surrogates cannot be printed or encoded.
        return text.encode("utf-8", "backslashreplace").decode("utf-8")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle all attributes, so that an error crosses from a Spark worker to its driver."""
        return _rebuild, (type(self), self.message, self.file, self.position, self.expected, self.found)


class DataError(KafkafmtError):
    """The data is at fault, not the reading of it: damage, which `on_damage="skip"` skips.

    Code that continues after damage catches this class: after a `SourceError` nothing is known about the data.
    """


class CorruptError(DataError):
    """Bytes that Kafka never writes: a broken length, count, name or layout."""


class ChecksumError(CorruptError):
    """A stored CRC differs from the CRC of the bytes.

    Attributes:
        is_inside: whether the CRC covers only a part of a batch: compressed data, or a message inside a wrapper.
            Brokers compare only the CRC of the whole batch.
    """

    is_inside: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle all attributes."""
        return (*super().__reduce__(), {"is_inside": True}) if self.is_inside else super().__reduce__()


class TruncatedError(CorruptError):
    """The data ends before its declared size."""


class UnsupportedError(DataError):
    """A format, version or option that this release does not read."""


class LimitExceededError(DataError):
    """Something is larger than the `Limits` in force allow; raised before it is allocated."""


class SourceError(KafkafmtError):
    """A file or directory cannot be read: missing, forbidden, shrunk or vanished while read, or not a Kafka file."""

    @property
    def is_disk_failure(self) -> bool:
        """Whether a disk or file system fails, unlike a network, or permissions, which withhold data that exists."""
        if isinstance(self.__cause__, OSError):
            return self.__cause__.errno in _DISK_FAILURES
        # Copies of an error, and unpickled ones, have no `__cause__`, so the system's words in the message decide.
        return any(self.message.endswith(f": {os.strerror(number)}") for number in _DISK_FAILURES)


class KafkafmtWarning(UserWarning):
    """The data has a fault: exit status 1 on the command line.

    A pass of a `Scan` ends with a warning for every note that is a finding (offsets or leader epochs that go
    back, diverged replicas, directories that cannot be listed) and for damage that was skipped. The warning shows the
    caller's line.
    """


class NotFoundError(KafkafmtError, LookupError):
    """A topic, partition, group or id that was asked for does not exist; the message names those that do."""


def _rebuild(
    cls: type[KafkafmtError], message: str, file: str | None, position: int | None, expected: object, found: object
) -> KafkafmtError:
    return cls(message, file=file, position=position, expected=expected, found=found)
