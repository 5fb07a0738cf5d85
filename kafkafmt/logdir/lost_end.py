"""The end of a log by the checkpoints of its log directory: the end at a clean shutdown, and a LostEnd before it."""

from typing import TYPE_CHECKING, NamedTuple

from kafkafmt.logdir.segment import is_loaded_as_it_is
from kafkafmt.logdir.tier import TierPartition

if TYPE_CHECKING:
    from kafkafmt.logdir.partition import Partition


class LostEnd(NamedTuple):
    """A checkpoint that is beyond the end of its log.

    A kill alone does not cause this, as a broker checkpoints offsets that it has appended. A power failure may, and so
    may copying a running broker's disk, where checkpoints can be newer than logs. A starting Kafka silently lowers the
    high watermark to the log end.

    Attributes:
        what: the checkpoint: "high watermark" or "recovery point".
        offset: offset in the checkpoint.
        log_end: log end offset.
        is_certain: whether the end is certainly missing, as after a clean shutdown no checkpoint is newer than the log.
    """

    what: str
    offset: int
    log_end: int
    is_certain: bool

    def __str__(self) -> str:
        return f"the {self.what} {self.offset} is beyond the log end offset {self.log_end}"

    @property
    def meaning(self) -> str:
        """The fact and its consequence."""
        return f"{self}: {LOST if self.is_certain else LOST_OR_NEWER}"


def clean_end(partition: "Partition") -> int | None:
    """The log end offset at a clean shutdown, by recovery-point-offset-checkpoint; None after a kill, or without one.

    Raises:
        KafkafmtError: the checkpoint is broken or cannot be read.
    """
    is_kept = not isinstance(partition.location, TierPartition) and is_loaded_as_it_is(partition.location)
    return partition.recovery_point if is_kept else None


LOST = "the end of the log is missing"
LOST_OR_NEWER = (
    f"{LOST}, or the checkpoint is newer than the log, as in a copy of a running broker; without a clean "
    "shutdown file it is unknown which"
)


def lost_end(partition: "Partition", log_end: int) -> LostEnd | None:
    """The checkpoint that is farthest beyond the end of a log; None if none is.

    Args:
        partition: the directory.
        log_end: log end offset.

    Raises:
        KafkafmtError: a checkpoint is broken or cannot be read.
    """
    known = {"high watermark": partition.high_watermark, "recovery point": partition.recovery_point}
    beyond = {what: offset for what, offset in known.items() if offset is not None and offset > log_end}
    if not beyond:
        return None
    what = max(beyond, key=lambda each: beyond[each])
    return LostEnd(what, beyond[what], log_end, is_loaded_as_it_is(partition.location))
