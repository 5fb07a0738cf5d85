"""What ends the load of a log when a broker starts, under the names of Kafka's exceptions."""


class BrokerError(Exception):
    """The broker does not start.

    Attributes:
        message: as Kafka logs it.
        path: of the file or directory that it is about.
        position: in that file, in bytes, or None.
        advice: which file to change, and how.
    """

    def __init__(self, message: str, path: str, position: int | None = None, *, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.position = position
        self.advice = advice


class CorruptRecordError(BrokerError):
    """Kafka's CorruptRecordException: recovery cuts the log there; in a log that is not recovered it ends the start."""


class InvalidOffsetError(BrokerError):
    """Kafka's InvalidOffsetException: offsets do not rise as an index demands; recovery empties the segment."""


class DirectoryOfflineError(BrokerError):
    """An IOException: the log directory goes offline, and the broker goes on without it."""


class UnreadableError(DirectoryOfflineError):
    """A file or directory that Kafka's user may not read: the directory goes offline after all its logs were loaded."""
