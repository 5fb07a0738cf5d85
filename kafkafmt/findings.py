"""One record for faults of a disk or an answer, and for other facts worth knowing."""

from dataclasses import dataclass
from typing import Annotated, Literal

from kafkafmt.answer_columns import unless_empty
from kafkafmt.errors import (
    ChecksumError,
    KafkafmtError,
    LimitExceededError,
    SourceError,
    TruncatedError,
    UnsupportedError,
)

Level = Literal["finding", "note"]

FINDING: Level = "finding"
"""Something is wrong: data, an index, a checkpoint, or a piece that cannot be read."""

NOTE: Level = "note"
"""Worth knowing, but not a fault: normal after a kill or in a live copy, and corrected by Kafka."""

STATE = "state"
"""Kind of the findings of answers: records, snapshots or checkpoints are not as Kafka leaves them."""


_REASONS: tuple[tuple[type[KafkafmtError], str], ...] = (
    (ChecksumError, "checksum"),
    (TruncatedError, "truncated"),
    (UnsupportedError, "unsupported"),
    (LimitExceededError, "limit_exceeded"),
)


def reason_of(error: KafkafmtError) -> str:
    """Name the kind of an error in one word, as in `Damage.reason`."""
    for kind, reason in _REASONS:
        if isinstance(error, kind):
            return reason
    return "corrupt"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something worth knowing about one file or directory.

    Attributes:
        level: "finding" for a fault, "note" for other facts worth knowing.
        kind: its kind, in a word: "checksum", "truncated", "corrupt", "index", "gap", "unreadable", "state", ...
        path: the file or directory; "" if it is about none.
        position: where in the file, in bytes, or None.
        length: how many bytes are concerned, or None.
        topic: topic of the partition, or None.
        partition: number of the partition, or None.
        message: the fault.
        advice: the next step, or ""; null in rows.
        first_offset: lowest offset that damage costs, as in `Damage`; for offsets out of order the lowest one that the
            batch must have had; for leader epochs the lowest one with that epoch; for diverged replicas the first one
            in question. None if that is unknown, or it is about something else.
        last_offset: the highest of these offsets, or None.
        records: how many records damage costs; None if that is unknown.
        is_disk_failure: whether the disk does not give the bytes.
        is_inside: whether the CRC of the batch is right and only its content is wrong: brokers serve it, and a repair
            keeps it unless another copy has it sound.
        recovery_mends: whether Kafka corrects it when it recovers the segment.
        producer_id: the producer that it is about, or None.
    """

    level: Annotated[Level, "string"]
    kind: Annotated[str, "string"]
    path: Annotated[str, "string"]
    message: Annotated[str, "string"]
    advice: Annotated[str, "string", unless_empty] = ""
    position: Annotated[int | None, "int64"] = None
    length: Annotated[int | None, "int64"] = None
    topic: Annotated[str | None, "string"] = None
    partition: Annotated[int | None, "int32"] = None
    first_offset: Annotated[int | None, "int64"] = None
    last_offset: Annotated[int | None, "int64"] = None
    records: Annotated[int | None, "int64"] = None
    is_disk_failure: bool = False
    is_inside: bool = False
    recovery_mends: bool = False
    producer_id: int | None = None

    def __str__(self) -> str:
        """The place, the producer and the fault."""
        place = "" if self.position is None else f"position {self.position}: "
        producer = "" if self.producer_id is None else f"producer {self.producer_id}: "
        text = f"{self.path}: {place}{producer}{self.message}" if self.path else f"{place}{producer}{self.message}"
        # As in errors, bytes of a name that are not valid text are shown as escapes.
        return text.encode("utf-8", "backslashreplace").decode("utf-8")


def finding_of(
    error: KafkafmtError,
    path: str | None = None,
    *,
    kind: str | None = None,
    advice: str = "",
    topic: str | None = None,
    partition: int | None = None,
) -> Finding:
    """Make a finding of an error; a file that cannot be read is a finding, too.

    Args:
        error: the fault.
        path: path of the file or directory; None for that of the error, which a file that cannot be read always has.
        kind: the fault in a word; None for that of `Damage.reason`.
        advice: what to do next.
        topic: topic of the partition, or None.
        partition: number of the partition, or None.
    """
    if isinstance(error, SourceError):
        kind = "unreadable"
        advice = "check that it exists and that you may read it"
    details = [
        f"{name} {value}" for name, value in (("expected", error.expected), ("found", error.found)) if value is not None
    ]
    message = f"{error.message} ({', '.join(details)})" if details else error.message
    return Finding(
        FINDING,
        kind or reason_of(error),
        (error.file if path is None or isinstance(error, SourceError) else None) or path or "",
        message,
        advice,
        error.position,
        topic=topic,
        partition=partition,
        is_disk_failure=isinstance(error, SourceError) and error.is_disk_failure,
        is_inside=isinstance(error, ChecksumError) and error.is_inside,
    )
